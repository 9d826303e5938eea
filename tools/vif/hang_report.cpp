#include "hang_report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hang_words.hpp"

namespace vif::tool {

namespace {

using trace::Act;
using trace::Note;

// What a thread of a rank is in now.
struct Now {
  const RankView* rank;
  Note note;
};

std::string seconds(int64_t nanoseconds) {
  const int64_t tenths = nanoseconds / 100'000'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::vector<Now> operations_now(const std::vector<RankView>& ranks) {
  std::vector<Now> all;
  for (const RankView& rank : ranks) {
    if (!rank.alive) continue;
    for (const ThreadView& thread : rank.threads) {
      if (thread.inside && !thread.last.empty()) all.push_back({&rank, thread.last.back().second});
    }
  }
  return all;
}

const Note* last_of(const RankView& rank) {
  return rank.threads.empty() || rank.threads.front().last.empty() ? nullptr : &rank.threads.front().last.back().second;
}

// --- who is where ---

std::string state_words(const RankView& rank, const NameOf& name_of) {
  if (!rank.present) return "not started, or before MPI_Init";
  if (!rank.alive) return "ended";
  const Note* note = last_of(rank);
  return "outside MPI" + (note == nullptr ? std::string() : ", last in " + operation_words(*note, name_of));
}

struct Crowd {
  std::vector<int> ranks;
  std::vector<int> peers;
  Note note;
  int64_t longest_wait = -1;
};

std::string crowd_line(const Crowd& crowd, const NameOf& name_of) {
  const bool same_peer = std::set<int>(crowd.peers.begin(), crowd.peers.end()).size() == 1;
  Note note = crowd.note;
  std::string line = "  " + rank_list(crowd.ranks) + ": in ";
  line += same_peer || note.act == Act::collective ? operation_words(note, name_of) : kind_words(note, name_of);
  if (!same_peer && (note.act == Act::send || note.act == Act::receive)) {
    line += note.act == Act::send ? ", to ranks" : ", from ranks";
    for (size_t i = 0; i < crowd.peers.size(); ++i) {
      line += (i == 0 ? " " : ", ") + (crowd.peers[i] < 0 ? std::string("any") : std::to_string(crowd.peers[i]));
    }
    line += " in this order";
  }
  if (crowd.longest_wait >= 0) line += "; waiting for " + seconds(crowd.longest_wait);
  return line + "\n";
}

std::string where_all_are(const std::vector<RankView>& ranks, const std::vector<Now>& now, const NameOf& name_of) {
  std::map<std::string, Crowd> crowds;
  std::set<int> seen;
  for (const Now& it : now) {
    Crowd& crowd = crowds[kind_words(it.note, name_of)];
    crowd.ranks.push_back(it.rank->rank);
    crowd.peers.push_back(it.note.peer);
    crowd.note = it.note;
    crowd.longest_wait = std::max(crowd.longest_wait, it.rank->waited_ns);
    seen.insert(it.rank->rank);
  }
  std::map<std::string, std::vector<int>> others;
  for (const RankView& rank : ranks) {
    if (seen.count(rank.rank) == 0) others[state_words(rank, name_of)].push_back(rank.rank);
  }
  std::vector<const Crowd*> order;
  for (const auto& [words, crowd] : crowds) order.push_back(&crowd);
  std::stable_sort(order.begin(), order.end(),
                   [](const Crowd* one, const Crowd* other) { return one->ranks.size() > other->ranks.size(); });
  std::string text;
  for (const Crowd* crowd : order) text += crowd_line(*crowd, name_of);
  for (const auto& [words, list] : others) text += "  " + rank_list(list) + ": " + words + "\n";
  return text;
}

// --- what does not fit: collectives ---

// The collective that a rank began last on a communicator, as far as its diary goes back.
std::optional<Note> last_collective(const RankView& rank, uint32_t context) {
  std::optional<Note> found;
  for (const ThreadView& thread : rank.threads) {
    for (const auto& [number, note] : thread.last) {
      const bool newer = !found || note.number >= found->number;
      if (note.act == Act::collective && note.context == context && newer) found = note;
    }
  }
  return found;
}

std::optional<Note> collective_of_number(const RankView& rank, uint32_t context, uint32_t number) {
  for (const ThreadView& thread : rank.threads) {
    for (const auto& [place, note] : thread.last) {
      if (note.act == Act::collective && note.context == context && note.number == number) return note;
    }
  }
  return std::nullopt;
}

// How a rank that should be in a collective is not.
std::string absence(const RankView& rank, uint32_t context, const NameOf& name_of) {
  const std::optional<Note> last = last_collective(rank, context);
  std::string words = "rank " + std::to_string(rank.rank);
  if (!rank.present || !rank.alive) return words + " has " + (rank.present ? "ended" : "not joined the job");
  words += last ? " began " + operation_words(*last, name_of) + " last there" : " has begun none there of late";
  const Note* note = last_of(rank);
  const bool inside = !rank.threads.empty() && rank.threads.front().inside;
  if (note != nullptr) words += inside ? ", and is in " + operation_words(*note, name_of) : ", and is outside MPI";
  return words;
}

using Differing = std::map<std::string, std::vector<int>>;

// The one that most say; the others are odd.
std::string odd_ones(const Differing& said, const std::string& what) {
  if (said.size() < 2) return {};
  const auto most = std::max_element(said.begin(), said.end(), [](const auto& one, const auto& other) {
    return one.second.size() < other.second.size();
  });
  const auto words = [](const std::vector<int>& ranks, const std::string& word) {
    return rank_list(ranks) + (ranks.size() == 1 ? " says " : " say ") + word;
  };
  std::string text = "    they do not agree on the " + what + ": " + words(most->second, most->first);
  for (const auto& [word, ranks] : said) {
    if (word != most->first) text += "; " + words(ranks, word);
  }
  return text + "\n";
}

bool compares_bytes(const std::string& name) {
  return name == "MPI_Bcast" || name == "MPI_Reduce" || name == "MPI_Allreduce" || name == "MPI_Scan" ||
         name == "MPI_Exscan";
}

std::string on_collective(const std::vector<RankView>& ranks, uint32_t context, uint32_t number, uint64_t members,
                          const NameOf& name_of) {
  Differing functions, roots, sizes;
  std::vector<int> inside;
  std::string missing;
  for (const RankView& rank : ranks) {
    const bool belongs = members == 0 || (rank.rank < 64 && (members >> rank.rank & 1) != 0);
    const std::optional<Note> note = collective_of_number(rank, context, number);
    if (note) {
      const std::string name = collective_name(name_of(note->origin != 0 ? note->origin : note->function));
      inside.push_back(rank.rank);
      functions[name].push_back(rank.rank);
      if (note->peer >= 0) roots["rank " + std::to_string(note->peer)].push_back(rank.rank);
      if (compares_bytes(name)) sizes[std::to_string(note->bytes) + " bytes"].push_back(rank.rank);
    } else if (belongs && members != 0) {
      missing += "    " + absence(rank, context, name_of) + "\n";
    }
  }
  std::string text = odd_ones(functions, "function") + odd_ones(roots, "root") + odd_ones(sizes, "size") + missing;
  if (text.empty()) return {};
  return "  Collective " + std::to_string(number) + " on " + communicator_words(context) + ": begun by " +
         rank_list(inside) + ".\n" + text;
}

std::string on_collectives(const std::vector<RankView>& ranks, const std::vector<Now>& now, const NameOf& name_of) {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> waited_for;
  for (const Now& it : now) {
    if (it.note.act == Act::collective) waited_for[{it.note.context, it.note.number}] |= it.note.members;
  }
  std::string text;
  for (const auto& [place, members] : waited_for) {
    text += on_collective(ranks, place.first, place.second, members, name_of);
  }
  return text;
}

// --- what does not fit: messages ---

// The tags of what one rank did with another lately.
std::string tags_of(const RankView& rank, Act act, int peer, uint32_t context, int wanted) {
  std::vector<int> tags;
  for (const ThreadView& thread : rank.threads) {
    for (const auto& [number, note] : thread.last) {
      const bool waits = note.origin != 0;
      if (note.act == act && note.context == context && !waits && (note.peer == peer || note.peer < 0)) {
        tags.push_back(note.tag);
      }
    }
  }
  if (tags.empty()) return "none";
  const bool fits = std::any_of(tags.begin(), tags.end(), [&](int t) { return t == wanted || t < 0 || wanted < 0; });
  std::string text = fits ? "some that fit; tags" : "with other tags:";
  for (int tag : tags) text += " " + (tag < 0 ? std::string("any") : std::to_string(tag));
  return text;
}

std::string on_messages(const std::vector<RankView>& ranks, const std::vector<Now>& now, const NameOf&) {
  std::string text;
  for (const Now& it : now) {
    const bool receives = it.note.act == Act::receive || it.note.act == Act::probe;
    if (!receives && it.note.act != Act::send) continue;
    if (it.note.peer < 0 || static_cast<size_t>(it.note.peer) >= ranks.size()) continue;
    const RankView& peer = ranks[static_cast<size_t>(it.note.peer)];
    const std::string me = std::to_string(it.rank->rank);
    const std::string other = std::to_string(peer.rank);
    if (!peer.alive) {
      text += "  Rank " + me + " waits for rank " + other + ", which has ended.\n";
      continue;
    }
    const std::string tag = it.note.tag < 0 ? "any tag" : "tag " + std::to_string(it.note.tag);
    const Act partner = receives ? Act::send : Act::receive;
    text += "  Rank " + me + " waits for a " + (receives ? "message from" : "receive by") + " rank " + other +
            " with " + tag + "; what rank " + other + (receives ? " sent to" : " received from") + " rank " + me +
            " there lately: " + tags_of(peer, partner, it.rank->rank, it.note.context, it.note.tag) + ".\n";
  }
  return text;
}

// Ranks that wait for each other in a ring, each once.
std::string on_rings(const std::vector<Now>& now) {
  std::map<int, int> waits_for;
  for (const Now& it : now) {
    const bool message = it.note.act == Act::receive || it.note.act == Act::send || it.note.act == Act::probe;
    if (message && it.note.peer >= 0) waits_for[it.rank->rank] = it.note.peer;
  }
  std::set<int> told;
  std::string text;
  for (const auto& [start, first] : waits_for) {
    std::vector<int> path{start};
    auto next = waits_for.find(start);
    while (next != waits_for.end() && std::find(path.begin(), path.end(), next->second) == path.end()) {
      path.push_back(next->second);
      next = waits_for.find(next->second);
    }
    if (next == waits_for.end() || next->second != start || told.count(start) != 0) continue;
    text += "  These wait for each other: rank";
    for (int rank : path) {
      text += " " + std::to_string(rank) + " for";
      told.insert(rank);
    }
    text += " " + std::to_string(start) + ".\n";
  }
  return text;
}

std::string histories(const std::vector<RankView>& ranks, const NameOf& name_of) {
  std::string text = "Last operations (number, operation):\n";
  for (const RankView& rank : ranks) {
    for (const ThreadView& thread : rank.threads) {
      text += "  rank " + std::to_string(rank.rank) + ", thread " + std::to_string(thread.thread) +
              (thread.inside ? ", inside the last one:\n" : ", outside MPI:\n");
      for (const auto& [number, note] : thread.last) {
        text += "    " + std::to_string(number) + "  " + operation_words(note, name_of) + "\n";
      }
    }
  }
  return text;
}

}  // namespace

std::string rank_list(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size();) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (i != 0) text += ", ";
    text += std::to_string(ranks[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string hang_report(const std::vector<RankView>& ranks, const NameOf& name_of, bool history) {
  const std::vector<Now> now = operations_now(ranks);
  std::string text = "A job of " + std::to_string(ranks.size()) + " processes. Where they are:\n";
  text += where_all_are(ranks, now, name_of);
  const std::string misfits = on_collectives(ranks, now, name_of) + on_messages(ranks, now, name_of) + on_rings(now);
  if (!misfits.empty()) text += "What does not fit, or not yet:\n" + misfits;
  if (history) text += histories(ranks, name_of);
  return text;
}

}  // namespace vif::tool
