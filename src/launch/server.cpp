// The launcher's side of PMI-1. Context: app (the launcher's loop).
#include "launch/server.hpp"

namespace vif::launch {

PmiServer::PmiServer(std::vector<int> program_of_rank, std::string job_name)
    : ranks_(program_of_rank.size()), space_(std::move(job_name)) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].program = program_of_rank[i];
  // MPICH and Intel MPI ask for this one to know which ranks share a node: all of them, here.
  values_["PMI_process_mapping"] = "(vector,(0,1," + std::to_string(ranks_.size()) + "))";
}

bool PmiServer::feed(int rank, std::string_view bytes, std::string& error) {
  LineBuffer& lines = ranks_[static_cast<std::size_t>(rank)].lines;
  if (!lines.append(bytes)) {
    error = "a line is longer than any PMI-1 message";
    return false;
  }
  std::string text;
  while (lines.take(text)) {
    if (!line(rank, text, error)) return false;
  }
  return true;
}

bool PmiServer::line(int rank, const std::string& text, std::string& error) {
  Rank& from = ranks_[static_cast<std::size_t>(rank)];
  if (from.in_block) {
    if (text != "endcmd") return true;
    from.in_block = false;
    return answer(rank, Message("spawn_result").add("rc", -1).add("msg", "spawn_is_not_supported"));
  }
  if (text.starts_with("mcmd=")) {
    from.in_block = true;
    return true;
  }
  const auto message = parse(text, error);
  return message && dispatch(rank, *message, error);
}

bool PmiServer::dispatch(int rank, const Message& message, std::string& error) {
  const std::string& command = message.command();
  if (command == "init") return init(rank, message, error);
  if (command == "abort") return abort(rank, message);
  if (state(rank) != State::inside) {
    error = "the command " + quote(command) + " comes before init or after finalize";
    return false;
  }
  if (command == "put") return put(rank, message);
  if (command == "get") return get(rank, message);
  if (command == "barrier_in") return barrier(rank, error);
  if (command == "finalize") return finalize(rank);
  if (command == "get_maxes") {
    return answer(rank, Message("maxes")
                            .add("rc", 0L)
                            .add("kvsname_max", 256)
                            .add("keylen_max", key_room)
                            .add("vallen_max", value_room));
  }
  if (command == "get_appnum") {
    return answer(rank, Message("appnum").add("rc", 0L).add("appnum", ranks_[static_cast<std::size_t>(rank)].program));
  }
  if (command == "get_my_kvsname") {
    return answer(rank, Message("my_kvsname").add("rc", 0L).add("kvsname", space_));
  }
  if (command == "get_universe_size") {
    return answer(rank, Message("universe_size").add("rc", 0L).add("size", size()));
  }
  error = "the command " + quote(command) + " is unknown";
  return false;
}

bool PmiServer::init(int rank, const Message& message, std::string& error) {
  Rank& from = ranks_[static_cast<std::size_t>(rank)];
  if (from.state == State::inside) {
    error = "init comes twice";
    return false;
  }
  Message reply("response_to_init");
  reply.add("pmi_version", 1).add("pmi_subversion", 1);
  if (message.number("pmi_version") != 1) {
    return answer(rank, reply.add("rc", -1).add("msg", "only_version_1_is_spoken"));
  }
  if (from.state == State::finished) {
    return answer(rank,
                  reply.add("rc", -1).add("msg", escape("a rank can be initialised once, and this one has already "
                                                        "ended (two MPI programs one after the other in a rank?)")));
  }
  from.state = State::inside;
  ++inside_;
  return answer(rank, reply.add("rc", 0L));
}

bool PmiServer::put(int rank, const Message& message) {
  const std::string* key = message.find("key");
  const std::string* value = message.find("value");
  Message reply("put_result");
  if (key == nullptr || value == nullptr) return answer(rank, reply.add("rc", -1).add("msg", "key_or_value_missing"));
  if (std::cmp_greater_equal(key->size(), key_room) || std::cmp_greater_equal(value->size(), value_room)) {
    return answer(rank, reply.add("rc", -1).add("msg", "key_or_value_too_long"));
  }
  if (values_.contains(*key)) return answer(rank, reply.add("rc", -1).add("msg", "duplicate_key"));
  if (stored_ + key->size() + value->size() > space_limit) {
    return answer(rank, reply.add("rc", -1).add("msg", "the_key-value_space_is_full"));
  }
  stored_ += key->size() + value->size();
  values_.emplace(*key, *value);
  return answer(rank, reply.add("rc", 0L).add("msg", "success"));
}

bool PmiServer::get(int rank, const Message& message) {
  const std::string* key = message.find("key");
  const auto found = key != nullptr ? values_.find(*key) : values_.end();
  Message reply("get_result");
  if (found == values_.end()) {
    return answer(rank, reply.add("rc", -1).add("msg", "nobody_stored_this_key").add("value", "unknown"));
  }
  return answer(rank, reply.add("rc", 0L).add("msg", "success").add("value", found->second));
}

bool PmiServer::barrier(int rank, std::string& error) {
  Rank& from = ranks_[static_cast<std::size_t>(rank)];
  if (from.in_barrier) {
    error = "barrier_in comes twice";
    return false;
  }
  from.in_barrier = true;
  if (++in_barrier_ < size()) return true;
  in_barrier_ = 0;
  for (int other = 0; other < size(); ++other) {
    ranks_[static_cast<std::size_t>(other)].in_barrier = false;
    answer(other, Message("barrier_out").add("rc", 0L));
  }
  return true;
}

bool PmiServer::finalize(int rank) {
  ranks_[static_cast<std::size_t>(rank)].state = State::finished;
  --inside_;
  return answer(rank, Message("finalize_ack").add("rc", 0L));
}

bool PmiServer::abort(int rank, const Message& message) {
  if (aborted_) return true;
  const std::string* why = message.find("message");
  const long code = message.number("exitcode").value_or(1);
  aborted_ = Abort{rank, static_cast<int>(code), why != nullptr ? unescape(*why) : std::string()};
  return true;
}

bool PmiServer::answer(int rank, const Message& message) {
  answers_.emplace_back(rank, message.line());
  return true;
}

}  // namespace vif::launch
