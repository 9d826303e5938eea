#include "trace/tape_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

namespace vif::trace {

namespace {

int64_t clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// The first line of a small file, cut to the room that there is.
void first_line(const char* path, char* to, size_t room) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t got = read(file, to, room - 1);
  close(file);
  to[got > 0 ? got : 0] = '\0';
  to[std::strcspn(to, "\n")] = '\0';
}

std::string because(const std::string& what, const std::string& path) {
  return "The trace of this process cannot be " + what + " (" + path + ": " + std::strerror(errno) + ").";
}

void introduce(TapeHead& head, int process, uint64_t capacity) noexcept {
  head.capacity = capacity;
  head.process = process;
  head.pid = getpid();
  const char* job = std::getenv("VIF_JOB_PID");
  head.job = job == nullptr ? 0 : static_cast<int32_t>(std::strtol(job, nullptr, 10));
  head.main_thread = static_cast<uint32_t>(gettid());
  head.monotonic = clock_ns(CLOCK_MONOTONIC);
  head.real = clock_ns(CLOCK_REALTIME);
  gethostname(head.host, sizeof head.host - 1);
  first_line("/proc/sys/kernel/random/boot_id", head.boot, sizeof head.boot);
  first_line("/proc/self/comm", head.program, sizeof head.program);
  head.magic = TapeHead::right_magic;
}

std::string path_of(const std::string& folder, int process, const char* ending) {
  const char* job = std::getenv("VIF_JOB_PID");
  return folder + "/" + (job == nullptr ? std::to_string(getpid()) : job) + "-" + std::to_string(process) + ending;
}

uint64_t file_size(uint64_t capacity) noexcept { return tape_slots_offset + capacity * sizeof(TapeSlot<>); }

}  // namespace

TapeSlot<>* slots_of(TapeHead& head) noexcept {
  return reinterpret_cast<TapeSlot<>*>(reinterpret_cast<char*>(&head) + tape_slots_offset);
}

TapeHead* make_tape(const std::string& folder, int process, uint64_t capacity, std::string& error) {
  const std::string path = path_of(folder, process, ".tape");
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, static_cast<off_t>(file_size(capacity))) == 0) {
    memory = mmap(nullptr, file_size(capacity), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (memory == MAP_FAILED) error = because("recorded", path);
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) return nullptr;
  auto* head = new (memory) TapeHead;
  introduce(*head, process, capacity);
  return head;
}

void keep_map(const std::string& folder, int process) noexcept {
  std::FILE* from = std::fopen("/proc/self/maps", "re");
  std::FILE* to = std::fopen(path_of(folder, process, ".maps").c_str(), "we");
  char piece[4096];
  for (size_t got; from != nullptr && to != nullptr && (got = std::fread(piece, 1, sizeof piece, from)) != 0;) {
    if (std::fwrite(piece, 1, got, to) != got) break;
  }
  if (from != nullptr) std::fclose(from);
  if (to != nullptr) std::fclose(to);
}

bool read_tape(const std::string& path, Recorded& recorded, std::string& error) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  void* memory = MAP_FAILED;
  const bool long_enough =
      file >= 0 && fstat(file, &about) == 0 && about.st_size >= static_cast<off_t>(tape_slots_offset);
  const auto size = static_cast<uint64_t>(about.st_size);
  if (long_enough) memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) error = because("read", path);
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) return false;
  auto& head = *static_cast<TapeHead*>(memory);
  const bool right =
      head.magic == TapeHead::right_magic && head.capacity <= (size - tape_slots_offset) / sizeof(TapeSlot<>);
  if (right) {
    recorded.path = path;
    recorded.process = head.process;
    recorded.pid = head.pid;
    recorded.job = head.job;
    recorded.main_thread = head.main_thread;
    recorded.monotonic = head.monotonic;
    recorded.real = head.real;
    recorded.host = head.host;
    recorded.boot = head.boot;
    recorded.program = head.program;
    const uint64_t used = head.used.load(std::memory_order_relaxed);
    recorded.lost = used > head.capacity ? used - head.capacity : 0;
    Event event;
    for (uint64_t slot = 0; slot < std::min(used, head.capacity); ++slot) {
      if (slots_of(head)[slot].read(event)) recorded.events.push_back(event);
    }
  } else {
    error = "The trace " + path + " was not written by this version of Vif.";
  }
  munmap(memory, size);
  return right;
}

}  // namespace vif::trace
