// A job: what its ranks have started (MPI_Comm_spawn). Context: app; one thread.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "job.hpp"
#include "launch/bootstrap.hpp"

namespace vif::tool {

namespace {

// Whether execvpe would find the program: known before any rank of the new world exists.
bool can_be_started(const std::string& command, const std::string& directory) {
  if (command.find('/') != std::string::npos) {
    const bool relative = command[0] != '/' && !directory.empty();
    return access((relative ? directory + "/" + command : command).c_str(), X_OK) == 0;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/bin:/usr/bin" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (access((std::string(folder.empty() ? "." : folder) + "/" + command).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

void Job::start_spawned() {
  for (const launch::PmiServer::Spawn& spawn : server_.take_spawns()) {
    std::string why;
    if (!start_world(spawn, why)) server_.refuse_spawn(spawn, why);
  }
}

bool Job::start_world(const launch::PmiServer::Spawn& spawn, std::string& why) {
  World world{static_cast<int>(ranks_.size()), 0};
  for (const auto& program : spawn.programs) {
    world.size += program.ranks;
    if (can_be_started(program.command[0], program.directory)) continue;
    why = "the program '" + program.command[0] + "' is not there, or cannot be executed";
    return false;
  }
  if (world.first + world.size > plan_.ranks() + launch::spawn_room) {
    why = "a job can have " + std::to_string(launch::spawn_room) + " processes beyond those it began with";
    return false;
  }
  if (state_ != State::running) {
    why = "the job is ending";
    return false;
  }
  for (const auto& wanted : spawn.programs) {
    Program program = programs_[static_cast<std::size_t>(ranks_[static_cast<std::size_t>(spawn.rank)].program)];
    program.command = wanted.command;
    program.ranks = wanted.ranks;
    if (!wanted.directory.empty()) program.directory = wanted.directory;
    programs_.push_back(std::move(program));
    const std::vector<std::string> environment = job_environment(programs_.back(), world);
    for (int i = 0; i < wanted.ranks; ++i) {
      ranks_.emplace_back().program = static_cast<int>(programs_.size()) - 1;
      int code;
      std::string sentence;
      if (start_rank(static_cast<int>(ranks_.size()) - 1, world, environment, nullptr, code, sentence)) continue;
      // Part of a world is started, and would wait for the rest for ever.
      ranks_.pop_back();
      fail(code, sentence);
      why = sentence;
      return false;
    }
  }
  server_.add_world(spawn);
  return true;
}

}  // namespace vif::tool
