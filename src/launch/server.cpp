// The launcher's side of PMI-1. Context: app (the launcher's loop).
#include "launch/server.hpp"

namespace vif::launch {

namespace {

constexpr std::size_t block_limit = 20000;                // lines
constexpr std::size_t spawn_room = std::size_t{4} << 20;  // bytes of all blocks of a spawn: twice a command's

}  // namespace

PmiServer::PmiServer(std::vector<int> program_of_rank, std::string job_name) : ranks_(program_of_rank.size()) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].program = program_of_rank[i];
  open_world(0, size(), job_name);
}

void PmiServer::open_world(int first, int size, const std::string& space) {
  World& world = worlds_.emplace_back();
  world.first = first;
  world.size = size;
  world.space = space;
  // MPICH and Intel MPI ask for this one to know which ranks share a node: all of them, here.
  world.values["PMI_process_mapping"] = "(vector,(0,1," + std::to_string(size) + "))";
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
    if (text == "endcmd") return end_block(rank, error);
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      error = "a block has a line that is not of the form key=value: " + quote(text);
      return false;
    }
    from.spawn_bytes += text.size();
    if (from.block.size() >= block_limit || from.spawn_bytes > spawn_room) {
      error = "a spawn has more than " + std::to_string(block_limit) + " lines in a block or " +
              std::to_string(spawn_room) + " bytes";
      return false;
    }
    from.block.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    return true;
  }
  if (text.starts_with("mcmd=")) {
    if (text != "mcmd=spawn" || from.state != State::inside) {
      error = "the command " + quote(text) + " is unknown, or comes before init or after finalize";
      return false;
    }
    from.in_block = true;
    from.block.clear();
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
  if (command == "publish_name" || command == "unpublish_name" || command == "lookup_name")
    return publish(rank, message);
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
    return answer(rank, Message("my_kvsname").add("rc", 0L).add("kvsname", world_of(rank).space));
  }
  if (command == "get_universe_size") {
    return answer(rank, Message("universe_size").add("rc", 0L).add("size", world_of(rank).size));
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
  auto& values = world_of(rank).values;
  if (values.contains(*key)) return answer(rank, reply.add("rc", -1).add("msg", "duplicate_key"));
  if (stored_ + key->size() + value->size() > space_limit) {
    return answer(rank, reply.add("rc", -1).add("msg", "the_key-value_space_is_full"));
  }
  stored_ += key->size() + value->size();
  values.emplace(*key, *value);
  return answer(rank, reply.add("rc", 0L).add("msg", "success"));
}

bool PmiServer::get(int rank, const Message& message) {
  const std::string* key = message.find("key");
  auto& values = world_of(rank).values;
  const auto found = key != nullptr ? values.find(*key) : values.end();
  Message reply("get_result");
  if (found == values.end()) {
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
  World& world = world_of(rank);
  if (++world.in_barrier < world.size) return true;
  world.in_barrier = 0;
  for (int other = world.first; other < world.first + world.size; ++other) {
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
  const int code = message.small_number("exitcode").value_or(1);
  aborted_ = Abort{rank, code, why != nullptr ? unescape(*why) : std::string()};
  return true;
}

bool PmiServer::answer(int rank, const Message& message) {
  answers_.emplace_back(rank, message.line());
  return true;
}

}  // namespace vif::launch
