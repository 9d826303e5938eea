// Ports, names of services, and groups that meet by them: MPI_Comm_accept, connect, join. Context: app.
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "api.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

constexpr int port_tags = 1 << 29;  // the tag of a port is this and its number; tags of meetings are below
constexpr int join_tag = port_tags - 1;

std::mutex ports_lock;
std::set<std::string> ports;  // open here
int ports_made = 0;
int meetings_made = 0;

// What tells the processes of one job from those of others.
std::string job_name() {
  const char* name = std::getenv("VIF_JOB_ID");
  return name != nullptr ? name : "alone" + std::to_string(getpid());
}

// The address that a port name stands for; false when it is no name of ours.
bool parse(const char* name, int& process, int& number, std::string& job) {
  char text[MPI_MAX_PORT_NAME] = "";
  if (std::sscanf(name, "vif:%d:%d:%255s", &process, &number, text) != 3) return false;
  job = text;
  return process >= 0 && process < engine().processes() && number >= 0 && number < port_tags;
}

// What one who connects says first: who it is, and the tag with which they go on.
struct Hello {
  int32_t process = -1;
  int32_t tag = 0;
};

void say(uint32_t context, int to, int tag, Hello& hello) {
  net::Request request;
  request.context = context;
  request.process = to;
  request.source = engine().process();
  request.tag = tag;
  request.buffer = &hello;
  request.length = sizeof hello;
  engine().send(request);
  engine().wait(request);
}

Peer refused(std::string why) {
  Peer peer;
  peer.error = MPI_ERR_PORT;
  peer.why = std::move(why);
  return peer;
}

// The root's part of accepting.
Peer await_somebody(const char* port_name) {
  int process, number;
  std::string job;
  {
    const std::lock_guard guard(ports_lock);
    if (port_name == nullptr || !ports.contains(port_name) || !parse(port_name, process, number, job)) {
      return refused("the port is not open in this process; MPI_Open_port opens one");
    }
  }
  Hello hello;
  net::Request request;
  request.context = ContextIds::announcements(engine().process());
  request.process = -1;
  request.source = net::any_source;
  request.tag = port_tags + number;
  request.buffer = &hello;
  request.length = sizeof hello;
  engine().receive(request);
  engine().wait(request);
  Peer peer;
  peer.process = hello.process;
  peer.context = request.context;
  peer.tag = hello.tag;
  return peer;
}

// The root's part of connecting.
Peer call(const char* port_name) {
  int process, number;
  std::string job;
  if (port_name == nullptr || !parse(port_name, process, number, job)) {
    return refused("the name is not one that MPI_Open_port gave");
  }
  if (job != job_name()) return refused("the port is of another job; only processes of one job can meet");
  Peer peer;
  peer.process = process;
  peer.context = ContextIds::announcements(process);
  {
    const std::lock_guard guard(ports_lock);
    peer.tag = meetings_made++ % join_tag;
  }
  Hello hello{engine().process(), peer.tag};
  say(peer.context, process, port_tags + number, hello);
  return peer;
}

int meet(MPI_Comm handle, int root, const char* port_name, Peer (*as_root)(const char*), MPI_Comm* out) {
  int error = MPI_SUCCESS;
  Comm* comm = intra_comm_of(handle, error);
  if (comm == nullptr) return error;
  if (root < 0 || root >= comm->size) return raise(comm, MPI_ERR_ROOT, "the root is not a rank of the communicator");
  if (out == nullptr) return raise_null_argument(comm, "newcomm");
  net::ApiScope scope(engine());
  const Peer peer = comm->rank == root ? as_root(port_name) : Peer();
  const int code = make_bridge(*comm, root, peer, out);
  engine().count_processors();
  return code;
}

// All of it, or false.
bool write_all(int descriptor, const void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t now = write(descriptor, static_cast<const char*>(data) + done, bytes - done);
    if (now > 0) done += static_cast<std::size_t>(now);
    if (now <= 0 && errno != EINTR) return false;
  }
  return true;
}

bool read_all(int descriptor, void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t now = read(descriptor, static_cast<char*>(data) + done, bytes - done);
    if (now > 0) done += static_cast<std::size_t>(now);
    if (now == 0 || (now < 0 && errno != EINTR)) return false;
  }
  return true;
}

int raise_service(int error_class, const std::string& why) { return raise(nullptr, error_class, why); }

}  // namespace

namespace api {

int Open_port(MPI_Info, char* port_name) {
  if (port_name == nullptr) return raise_null_argument(nullptr, "port_name");
  const std::lock_guard guard(ports_lock);
  const std::string name =
      "vif:" + std::to_string(engine().process()) + ":" + std::to_string(ports_made++ % port_tags) + ":" + job_name();
  if (name.size() >= MPI_MAX_PORT_NAME)
    return raise(nullptr, MPI_ERR_PORT, "the name of the job is too long for a port");
  ports.insert(name);
  std::memcpy(port_name, name.c_str(), name.size() + 1);
  return MPI_SUCCESS;
}

int Close_port(const char* port_name) {
  {
    const std::lock_guard guard(ports_lock);
    if (port_name != nullptr && ports.erase(port_name) != 0) return MPI_SUCCESS;
  }
  return raise(nullptr, MPI_ERR_PORT, "the port is not open in this process; MPI_Open_port opens one");
}

int Comm_accept(const char* port_name, MPI_Info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return meet(comm, root, port_name, await_somebody, newcomm);
}

int Comm_connect(const char* port_name, MPI_Info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return meet(comm, root, port_name, call, newcomm);
}

int Comm_join(int fd, MPI_Comm* intercomm) {
  if (intercomm == nullptr) return raise_null_argument(nullptr, "intercomm");
  *intercomm = MPI_COMM_NULL;
  struct Card {
    char job[MPI_MAX_PORT_NAME] = "";
    int32_t process = -1;
  };
  Card mine, theirs;
  std::strncpy(mine.job, job_name().c_str(), sizeof mine.job - 1);
  mine.process = engine().process();
  if (!write_all(fd, &mine, sizeof mine) || !read_all(fd, &theirs, sizeof theirs)) {
    return raise(nullptr, MPI_ERR_ARG, std::string("the socket does not work: ") + std::strerror(errno));
  }
  // Processes of two jobs share no memory: the standard wants no communicator then, and no error.
  if (std::strcmp(mine.job, theirs.job) != 0 || mine.process == theirs.process) return MPI_SUCCESS;
  Peer peer;
  peer.process = theirs.process;
  peer.context = ContextIds::announcements(std::min(mine.process, theirs.process));
  peer.tag = join_tag;
  net::ApiScope scope(engine());
  return make_bridge(*process()->self, 0, peer, intercomm);
}

int Publish_name(const char* service_name, MPI_Info, const char* port_name) {
  if (service_name == nullptr || port_name == nullptr) return raise_null_argument(nullptr, "service_name or port_name");
  const std::lock_guard guard(process()->bootstrap_lock);
  launch::Bootstrap& launcher = *process()->bootstrap;
  return launcher.publish(service_name, port_name) ? MPI_SUCCESS : raise_service(MPI_ERR_SERVICE, launcher.error());
}

int Unpublish_name(const char* service_name, MPI_Info, const char*) {
  if (service_name == nullptr) return raise_null_argument(nullptr, "service_name");
  const std::lock_guard guard(process()->bootstrap_lock);
  launch::Bootstrap& launcher = *process()->bootstrap;
  return launcher.unpublish(service_name) ? MPI_SUCCESS : raise_service(MPI_ERR_SERVICE, launcher.error());
}

int Lookup_name(const char* service_name, MPI_Info, char* port_name) {
  if (service_name == nullptr || port_name == nullptr) return raise_null_argument(nullptr, "service_name or port_name");
  const std::lock_guard guard(process()->bootstrap_lock);
  launch::Bootstrap& launcher = *process()->bootstrap;
  std::string port;
  if (!launcher.look_up(service_name, port)) return raise_service(MPI_ERR_NAME, launcher.error());
  if (port.size() >= MPI_MAX_PORT_NAME) port.resize(MPI_MAX_PORT_NAME - 1);
  std::memcpy(port_name, port.c_str(), port.size() + 1);
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
