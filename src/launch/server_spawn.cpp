// The launcher's side of PMI-1: what a rank wants to have started, and the names of services. Context: app.
#include <unordered_map>

#include "launch/server.hpp"

namespace vif::launch {

namespace {

constexpr int ranks_limit = 4096;  // of one request

// The fields of a block by name; the first of a name counts. Values of spawn blocks are escaped.
class Block {
 public:
  explicit Block(const std::vector<std::pair<std::string, std::string>>& fields) {
    for (const auto& [key, value] : fields) fields_.try_emplace(key, value);
  }

  std::string text(const std::string& key) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? std::string() : unescape(found->second);
  }
  long size() const { return static_cast<long>(fields_.size()); }
  long number(const std::string& key, long otherwise) const { return parse_number(text(key)).value_or(otherwise); }

 private:
  std::unordered_map<std::string_view, std::string_view> fields_;  // of the list that was given
};

}  // namespace

bool PmiServer::end_block(int rank, std::string& error) {
  Rank& from = ranks_[static_cast<std::size_t>(rank)];
  from.in_block = false;
  const Block block(from.block);
  Spawn::Program program;
  const long count = block.number("nprocs", 0);
  const long words = block.number("argcnt", 0);
  const long values = block.number("preput_num", 0);
  program.command.push_back(block.text("execname"));
  // A word or a value takes a line at least.
  if (count < 1 || count > ranks_limit - from.spawn_ranks || words < 0 || words > block.size() || values < 0 ||
      values > block.size() || program.command[0].empty()) {
    error = "a spawn block has a number that makes no sense, or no program, or asks for more than " +
            std::to_string(ranks_limit) + " ranks";
    return false;
  }
  from.spawn_ranks += static_cast<int>(count);
  program.ranks = static_cast<int>(count);
  program.directory = block.text("wdir");
  for (long i = 1; i <= words; ++i) program.command.push_back(block.text("arg" + std::to_string(i)));
  for (long i = 0; i < values; ++i) {
    from.spawn.values.emplace_back(block.text("preput_key_" + std::to_string(i)),
                                   block.text("preput_val_" + std::to_string(i)));
  }
  from.spawn.programs.push_back(std::move(program));
  const bool more = block.number("spawnssofar", 1) < block.number("totspawns", 1);
  from.block.clear();
  if (more) return true;
  from.spawn.rank = rank;
  spawns_.push_back(std::exchange(from.spawn, {}));
  from.spawn_ranks = 0;
  from.spawn_bytes = 0;
  return true;
}

void PmiServer::add_world(const Spawn& spawn) {
  const int first = size();
  int number = 0;
  for (const Spawn::Program& program : spawn.programs) {
    for (int i = 0; i < program.ranks; ++i) {
      Rank& rank = ranks_.emplace_back();
      rank.program = number;
      rank.world = static_cast<int>(worlds_.size());
    }
    ++number;
  }
  open_world(first, size() - first, worlds_[0].space + "." + std::to_string(worlds_.size()));
  for (const auto& [key, value] : spawn.values) worlds_.back().values[escape(key)] = escape(value);
  answer(spawn.rank, Message("spawn_result").add("rc", 0L).add("first", first));
}

void PmiServer::refuse_spawn(const Spawn& spawn, const std::string& why) {
  answer(spawn.rank, Message("spawn_result").add("rc", -1).add("msg", escape(why)));
}

bool PmiServer::publish(int rank, const Message& message) {
  const std::string& command = message.command();
  const std::string* service = message.find("service");
  const std::string* port = message.find("port");
  Message reply(command.substr(0, command.find('_')) + "_result");
  const auto refused = [&](const char* why) { return answer(rank, reply.add("rc", -1).add("msg", why)); };
  if (service == nullptr) return refused("service_missing");
  const auto found = names_.find(*service);
  if (command == "lookup_name") {
    if (found == names_.end()) return refused("this_name_is_not_published");
    return answer(rank, reply.add("rc", 0L).add("port", found->second));
  }
  if (command == "unpublish_name") {
    if (found == names_.end()) return refused("this_name_is_not_published");
    stored_ -= found->first.size() + found->second.size();
    names_.erase(found);
    return answer(rank, reply.add("rc", 0L));
  }
  if (port == nullptr) return refused("port_missing");
  if (found != names_.end()) return refused("this_name_is_published_already");
  if (stored_ + service->size() + port->size() > space_limit) return refused("there_is_no_room_for_more_names");
  stored_ += service->size() + port->size();
  names_.emplace(*service, *port);
  return answer(rank, reply.add("rc", 0L));
}

}  // namespace vif::launch
