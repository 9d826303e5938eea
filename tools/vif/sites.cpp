#include "sites.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <set>

namespace vif::tool {

namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string hexadecimal(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, number);
  return text;
}

// A program that is not position independent counts its addresses from zero.
bool is_at_fixed_place(const std::string& path) {
  Elf64_Ehdr head{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  return file && head.e_type == ET_EXEC;
}

// What a command prints; empty when it cannot be run.
std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t got; child > 0 && (got = read(ends[0], piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return text;
}

std::string next_line(const std::string& text, std::size_t& at) {
  const std::size_t end = text.find('\n', at);
  std::string line = text.substr(at, end == std::string::npos ? end : end - at);
  at = end == std::string::npos ? text.size() : end + 1;
  return line;
}

}  // namespace

const std::vector<Sites::Mapping>& Sites::mappings(const std::string& maps) {
  const auto [known, added] = mappings_.try_emplace(maps);
  if (!added) return known->second;
  std::ifstream file(maps);
  for (std::string line; std::getline(file, line);) {
    uint64_t begin, end, offset;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &begin, &end, &offset,
                    &path_at) < 3 ||
        path_at == 0) {
      continue;
    }
    const std::string path = line.substr(static_cast<std::size_t>(path_at));
    if (!path.empty() && path[0] == '/') known->second.push_back({begin, end, offset, path});
  }
  return known->second;
}

void Sites::add(const std::string& maps, uint64_t address) {
  const auto [known, added] = places_.try_emplace({maps, address});
  if (!added) return;
  uint64_t start = 0;  // of the file that the address is in
  std::string path;
  for (const Mapping& mapping : mappings(maps)) {
    if (mapping.path != path) {
      path = mapping.path;
      start = mapping.begin - mapping.offset;
    }
    if (address >= mapping.begin && address < mapping.end) {
      // The call is before the address that it returns to.
      known->second = {path, address - 1 - (is_at_fixed_place(path) ? 0 : start)};
      return;
    }
  }
  known->second = {"", address};
}

void Sites::resolve() {
  std::map<std::string, std::set<uint64_t>> wanted;
  for (const auto& [key, place] : places_) {
    if (!place.path.empty()) wanted[place.path].insert(place.address);
  }
  for (const auto& [path, addresses] : wanted) {
    std::vector<std::string> command = {"addr2line", "-f", "-C", "-e", path};
    for (uint64_t address : addresses) command.push_back(hexadecimal(address));
    const std::string answer = output_of(command);
    std::size_t at = 0;
    for (uint64_t address : addresses) {
      const std::string function = next_line(answer, at), line = next_line(answer, at);
      std::string name = base_name(path) + "+" + hexadecimal(address);
      if (!function.empty() && function != "??") {
        name =
            function + ", " + (line.find('?') != std::string::npos ? name : base_name(line.substr(0, line.find(' '))));
      }
      names_[{path, address}] = name;
    }
  }
}

std::string Sites::name(const std::string& maps, uint64_t address) const {
  const auto place = places_.find({maps, address});
  if (place == places_.end()) return hexadecimal(address);
  const auto known = names_.find(place->second);
  return known == names_.end() ? hexadecimal(address) : known->second;
}

}  // namespace vif::tool
