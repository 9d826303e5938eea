// What the report on a hanging job says, from jobs that are made up.
#include "hang_report.hpp"

#include <gtest/gtest.h>

#include "hang_words.hpp"

namespace vif::tool {
namespace {

using trace::Act;
using trace::Note;

enum Function : uint16_t { none, recv, send, barrier, bcast, wait, irecv, ibarrier, compute };

std::string name_of(uint16_t function) {
  const char* names[] = {"",         "MPI_Recv",  "MPI_Send",     "MPI_Barrier",  "MPI_Bcast",
                         "MPI_Wait", "MPI_Irecv", "MPI_Ibarrier", "MPI_Comm_rank"};
  return names[function];
}

Note message(Function function, Act act, int peer, int tag) {
  Note note;
  note.function = function;
  note.act = act;
  note.peer = peer;
  note.tag = tag;
  return note;
}

Note collective(Function function, uint32_t number, int root = -1) {
  Note note;
  note.function = function;
  note.act = Act::collective;
  note.number = number;
  note.peer = root;
  note.members = 0xf;
  return note;
}

RankView rank_in(int rank, std::vector<Note> notes, bool inside = true) {
  RankView view;
  view.rank = rank;
  view.present = view.alive = true;
  ThreadView thread;
  thread.inside = inside;
  for (const Note& note : notes) thread.last.emplace_back(thread.begun++, note);
  view.threads.push_back(thread);
  return view;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(HangReport, NamesTheOneThatIsNotInTheCollective) {
  std::vector<RankView> ranks;
  for (int rank = 0; rank < 3; ++rank) ranks.push_back(rank_in(rank, {collective(barrier, 6), collective(barrier, 7)}));
  ranks.push_back(rank_in(3, {collective(barrier, 6), message(recv, Act::receive, 0, 5)}));
  const std::string text = hang_report(ranks, name_of, false);
  EXPECT_TRUE(has(text, "ranks 0-2: in MPI_Barrier, the collective 7")) << text;
  EXPECT_TRUE(has(text, "rank 3 began MPI_Barrier, the collective 6")) << text;
  EXPECT_TRUE(has(text, "and is in MPI_Recv from rank 0, tag 5")) << text;
}

TEST(HangReport, NamesCollectivesAndRootsThatDoNotMatch) {
  std::vector<RankView> ranks;
  for (int rank = 0; rank < 3; ++rank) ranks.push_back(rank_in(rank, {collective(bcast, 2, 0)}));
  ranks.push_back(rank_in(3, {collective(barrier, 2)}));
  ranks[2].threads[0].last[0].second.peer = 1;
  const std::string text = hang_report(ranks, name_of, false);
  EXPECT_TRUE(has(text, "ranks 0-2 say MPI_Bcast; rank 3 says MPI_Barrier")) << text;
  EXPECT_TRUE(has(text, "ranks 0, 1 say rank 0; rank 2 says rank 1")) << text;
}

TEST(HangReport, NonBlockingAndBlockingFormsAreOneCollective) {
  EXPECT_EQ("MPI_Barrier", collective_name("MPI_Ibarrier"));
  EXPECT_EQ("MPI_Bcast", collective_name("MPI_Bcast_init_c"));
  EXPECT_EQ("MPI_Intercomm_merge", collective_name("MPI_Intercomm_merge"));
  std::vector<RankView> ranks{rank_in(0, {collective(barrier, 1)}), rank_in(1, {collective(ibarrier, 1)})};
  ranks[0].threads[0].last[0].second.members = ranks[1].threads[0].last[0].second.members = 3;
  EXPECT_FALSE(has(hang_report(ranks, name_of, false), "do not agree"));
}

TEST(HangReport, NamesTagsThatDiffer) {
  std::vector<RankView> ranks{rank_in(0, {message(recv, Act::receive, 1, 7)}),
                              rank_in(1, {message(send, Act::send, 0, 8), message(recv, Act::receive, 0, 9)})};
  const std::string text = hang_report(ranks, name_of, false);
  EXPECT_TRUE(has(text, "what rank 1 sent to rank 0 there lately: with other tags: 8")) << text;
  EXPECT_TRUE(has(text, "what rank 0 sent to rank 1 there lately: none")) << text;
  EXPECT_TRUE(has(text, "These wait for each other: rank 0 for 1 for 0.")) << text;
}

TEST(HangReport, KeepsPeersOfLikeRanksAndToldWaits) {
  std::vector<RankView> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    Note note = message(wait, Act::receive, (rank + 1) % 4, 3);
    note.origin = irecv;
    ranks.push_back(rank_in(rank, {note}));
    ranks.back().waited_ns = 2'500'000'000;
  }
  const std::string text = hang_report(ranks, name_of, false);
  EXPECT_TRUE(has(text, "ranks 0-3: in MPI_Wait for its MPI_Irecv, tag 3 on MPI_COMM_WORLD, from ranks 1, 2, 3, 0"))
      << text;
  EXPECT_TRUE(has(text, "waiting for 2.5 s")) << text;
}

TEST(HangReport, TellsWhoEndedAndWhoComputes) {
  std::vector<RankView> ranks{rank_in(0, {message(recv, Act::receive, 1, 7)}), rank_in(1, {}),
                              rank_in(2, {message(send, Act::send, 0, 1)}, false), RankView{}};
  ranks[1].alive = false;
  ranks[3].rank = 3;
  const std::string text = hang_report(ranks, name_of, true);
  EXPECT_TRUE(has(text, "rank 1: ended")) << text;
  EXPECT_TRUE(has(text, "Rank 0 waits for rank 1, which has ended.")) << text;
  EXPECT_TRUE(has(text, "rank 2: outside MPI, last in MPI_Send to rank 0")) << text;
  EXPECT_TRUE(has(text, "rank 3: not started")) << text;
  EXPECT_TRUE(has(text, "Last operations")) << text;
}

TEST(HangReport, RanksAreListedShortly) {
  EXPECT_EQ("rank 4", rank_list({4}));
  EXPECT_EQ("ranks 0-2, 5, 6, 9", rank_list({9, 0, 1, 2, 6, 5}));
}

}  // namespace
}  // namespace vif::tool
