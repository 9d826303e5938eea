// A job: how it starts. Context: app; one thread.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/options.hpp"
#include "binding.hpp"
#include "job.hpp"
#include "job_tags.hpp"
#include "spawn.hpp"
#include "trace_folder.hpp"

namespace vif::tool {

namespace {

constexpr int watched_signals[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                   SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGCONT};

std::vector<int> programs_of_ranks(const Plan& plan) {
  std::vector<int> list;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    list.insert(list.end(), static_cast<std::size_t>(plan.programs[i].ranks), static_cast<int>(i));
  }
  return list;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "this host";
}

// Unlike a process number, this does not come again. A job that a rank of another job starts carries that one's mark
// before its own, so that it ends with it.
std::string job_mark() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const char* outer = std::getenv("VIF_JOB_ID");
  std::string mark = "VIF_JOB_ID=";
  if (outer != nullptr) mark.append(outer).append("/");
  return mark + std::to_string(getpid()) + "." + std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec);
}

// Descriptors 0 to 2 that are closed would be given to pipes and then taken for standard output.
void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return;
  }
}

}  // namespace

Job::Job(const Plan& plan)
    : plan_(plan),
      host_(host_name()),
      mark_(job_mark()),
      programs_(plan.programs),
      ranks_(static_cast<std::size_t>(plan.ranks())),
      sinks_{Sink(STDOUT_FILENO), Sink(STDERR_FILENO)},
      server_(programs_of_ranks(plan), "job" + std::to_string(getpid())),
      guardian_(mark_) {
  const std::vector<int> programs = programs_of_ranks(plan);
  for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].program = programs[i];
}

Job::~Job() {
  for (const int descriptor : {epoll_, signals_, segment_, null_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

bool Job::prepare(std::string& sentence) {
  fill_standard_descriptors();
  // Orphans of the ranks become our children, and can be found and ended.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t watched;
  sigemptyset(&watched);
  for (const int number : watched_signals) sigaddset(&watched, number);
  sigprocmask(SIG_BLOCK, &watched, &old_mask_);
  signals_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  null_ = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (signals_ < 0 || epoll_ < 0 || null_ < 0) {
    sentence = "the launcher cannot get the descriptors it needs: " + std::generic_category().message(errno) + ".";
    return false;
  }
  // Three descriptors per rank: the usual limit of 1024 is soon reached, and may be raised by anybody.
  if (getrlimit(RLIMIT_NOFILE, &old_files_) == 0 && old_files_.rlim_cur < old_files_.rlim_max) {
    rlimit raised = old_files_;
    raised.rlim_cur = raised.rlim_max;
    files_raised_ = setrlimit(RLIMIT_NOFILE, &raised) == 0;
  }
  segment_ = memfd_create("vif-job", MFD_CLOEXEC);
  watch(epoll_, signals_, EPOLLIN, tag(Source::signals, 0));
  return true;
}

bool Job::start_all() {
  cpu_set_t usable;
  std::vector<cpu_set_t> masks;
  if (plan_.binding != Binding::none && sched_getaffinity(0, sizeof usable, &usable) == 0) {
    std::string note;
    if (plan_.binding == Binding::scatter_numa) {
      machine::ProgressPlace place = machine::ProgressPlace::numa;
      machine::place_of(base::option("VIF_PROGRESS_PLACE"), place);
      masks = scatter_ranks(plan_.ranks(), usable, place, note);
    } else {
      masks = bind_ranks(plan_.binding, plan_.ranks(), cores(usable, read_whole_file), note);
    }
    if (!note.empty()) std::fprintf(stderr, "vif run: %s\n", note.c_str());
  }
  int rank = 0;
  const World world{0, plan_.ranks()};
  for (const Program& program : plan_.programs) {
    const std::vector<std::string> environment = job_environment(program, world);
    for (int i = 0; i < program.ranks; ++i, ++rank) {
      const cpu_set_t* cpus = masks.empty() ? nullptr : &masks[static_cast<std::size_t>(rank)];
      int code;
      std::string sentence;
      if (start_rank(rank, world, environment, cpus, code, sentence)) continue;
      fail(code, sentence);
      return false;
    }
  }
  return true;
}

std::vector<std::string> Job::job_environment(const Program& program, const World& world) const {
  std::vector<std::string> environment = program_environment(program);
  environment.push_back("PMI_SIZE=" + std::to_string(world.size));
  environment.push_back("MPI_LOCALNRANKS=" + std::to_string(world.size));
  environment.push_back("VIF_JOB_FIRST=" + std::to_string(world.first));
  environment.push_back("VIF_JOB_PID=" + std::to_string(getpid()));
  environment.push_back(mark_);
  // A rank that is bound cannot see which other CPUs the job has.
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) environment.push_back("VIF_JOB_CPUS=" + cpu_list(usable));
  if (segment_ >= 0) environment.push_back("VIF_JOB_SEGMENT_FD=" + std::to_string(segment_));
  add_trace_environment(environment);
  return environment;
}

bool Job::start_rank(int rank, const World& world, const std::vector<std::string>& environment, const cpu_set_t* cpus,
                     int& code, std::string& sentence) {
  Rank& self = ranks_[static_cast<std::size_t>(rank)];
  const Program& program = programs_[static_cast<std::size_t>(self.program)];
  const std::string number = std::to_string(rank - world.first);
  int output[2] = {-1, -1};
  int errors[2] = {-1, -1};
  int control[2] = {-1, -1};
  pid_t process = -1;
  int error = 0;
  std::string attempt = "start rank " + number;
  if (pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0 &&
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) == 0) {
    Birth birth;
    birth.command = program.command;
    birth.environment = environment;
    birth.environment.push_back("PMI_RANK=" + number);
    birth.environment.push_back("MPI_LOCALRANKID=" + number);
    birth.environment.push_back("PMI_FD=" + std::to_string(control[1]));
    birth.directory = program.directory;
    birth.input = rank == 0 ? input_.prepare() : null_;
    if (birth.input < 0) birth.input = null_;
    birth.output = output[1];
    birth.errors = errors[1];
    birth.keep = {control[1]};
    if (segment_ >= 0) birth.keep.push_back(segment_);
    birth.cpus = cpus;
    birth.files = files_raised_ ? &old_files_ : nullptr;
    birth.mask = old_mask_;
    process = start_process(birth, error, attempt);
    if (rank == 0) input_.given();
  } else {
    error = errno;
  }
  for (const int descriptor : {output[1], errors[1], control[1]}) {
    if (descriptor >= 0) close(descriptor);
  }
  if (process < 0) {
    for (const int descriptor : {output[0], errors[0], control[0]}) {
      if (descriptor >= 0) close(descriptor);
    }
    code = error == ENOENT || error == ENOTDIR ? 127 : 126;
    sentence = "cannot " + attempt + ": " + std::generic_category().message(error) + ".";
    return false;
  }
  self.process = process;
  self.alive = true;
  ++alive_;
  self.control = control[0];
  const std::string prefix = plan_.prefix ? "[" + std::to_string(rank) + "] " : "";
  const auto slot = static_cast<std::size_t>(rank);
  for (const int descriptor : {output[0], errors[0], control[0]}) fcntl(descriptor, F_SETFL, O_NONBLOCK);
  streams_.emplace_back(output[0], prefix, sinks_[0]);
  streams_.emplace_back(errors[0], prefix, sinks_[1]);
  watch(epoll_, output[0], EPOLLIN, tag(Source::stream, 2 * slot));
  watch(epoll_, errors[0], EPOLLIN, tag(Source::stream, 2 * slot + 1));
  watch(epoll_, control[0], EPOLLIN, tag(Source::control, slot));
  return true;
}

}  // namespace vif::tool
