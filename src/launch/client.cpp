// The client of a PMI-1 launcher. Context: app, one thread at a time.
#include "launch/client.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vif::launch {

namespace {

std::string describe(int code) { return std::generic_category().message(code); }

// Programs that this one starts must not inherit the launcher's descriptors: they would speak in our name.
void keep_private(int descriptor) {
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// A launcher that died must be an error here, never a SIGPIPE for the program. Slurm gives a socket too, but a pipe is
// possible; MSG_NOSIGNAL works on sockets alone.
ssize_t write_quietly(int descriptor, const char* data, std::size_t length) {
  const ssize_t sent = ::send(descriptor, data, length, MSG_NOSIGNAL);
  if (sent < 0 && errno == ENOTSOCK) return ::write(descriptor, data, length);
  return sent;
}

}  // namespace

PmiClient::PmiClient(const Surroundings& surroundings)
    : descriptor_(surroundings.descriptor),
      rank_(surroundings.rank),
      size_(surroundings.size),
      first_(surroundings.first),
      segment_(surroundings.segment),
      launcher_(surroundings.launcher) {}

PmiClient::~PmiClient() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool PmiClient::start() {
  if (fcntl(descriptor_, F_GETFD) < 0) {
    const std::string number = std::to_string(descriptor_);
    descriptor_ = -1;
    return fail("The launcher's descriptor (PMI_FD=" + number +
                ") is not open in this process, which was probably started by a program that is itself a rank: unset "
                "PMI_FD to run it alone, or start it with mpirun.");
  }
  keep_private(descriptor_);
  if (segment_ >= 0 && fcntl(segment_, F_GETFD) < 0) segment_ = -1;
  keep_private(segment_);

  const auto opened = ask(Message("init").add("pmi_version", 1).add("pmi_subversion", 1), "response_to_init");
  if (!opened || !accepted(*opened, "begin the exchange")) return false;
  const auto rooms = ask(Message("get_maxes"), "maxes");
  if (!rooms) return false;
  key_room_ = rooms->number("keylen_max").value_or(64);
  value_room_ = rooms->number("vallen_max").value_or(256);
  const auto number = ask(Message("get_appnum"), "appnum");
  if (!number) return false;
  app_number_ = number->small_number("appnum").value_or(0);
  const auto space = ask(Message("get_my_kvsname"), "my_kvsname");
  if (!space) return false;
  const std::string* name = space->find("kvsname");
  if (name == nullptr || name->empty()) return fail("The launcher named no key-value space.");
  space_ = *name;
  return true;
}

bool PmiClient::put(const std::string& key, const std::string& value) {
  const std::string name = escape(key);
  const std::string text = escape(value);
  // The limits count the final zero that a launcher written in C stores.
  if (std::cmp_greater_equal(name.size(), key_room_) || std::cmp_greater_equal(text.size(), value_room_)) {
    return fail("The value of '" + key + "' takes " + std::to_string(text.size()) +
                " characters, and the launcher accepts fewer than " + std::to_string(value_room_) +
                " (and keys below " + std::to_string(key_room_) + ").");
  }
  // Empty values are not allowed by the format; '%' alone is never produced by escape().
  const auto answer =
      ask(Message("put").add("kvsname", space_).add("key", name).add("value", text.empty() ? "%" : text), "put_result");
  return answer && accepted(*answer, "store '" + key + "'");
}

bool PmiClient::get(const std::string& key, std::string& value) {
  const auto answer = ask(Message("get").add("kvsname", space_).add("key", escape(key)), "get_result");
  if (!answer || !accepted(*answer, "give the value of '" + key + "'")) return false;
  const std::string* text = answer->find("value");
  if (text == nullptr) return fail("The launcher's answer about '" + key + "' holds no value.");
  value = *text == "%" ? std::string() : unescape(*text);
  return true;
}

bool PmiClient::barrier() { return ask(Message("barrier_in"), "barrier_out").has_value(); }

bool PmiClient::finalize() { return ask(Message("finalize"), "finalize_ack").has_value(); }

bool PmiClient::spawn(const std::vector<Program>& programs,
                      const std::vector<std::pair<std::string, std::string>>& values, int& first) {
  if (!can_spawn()) return fail("This launcher cannot start more processes; start the program with Vif's own mpirun.");
  std::string text;
  const auto add = [&](const std::string& key, const std::string& value) { text += key + "=" + escape(value) + "\n"; };
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Program& program = programs[i];
    text += "mcmd=spawn\n";
    add("nprocs", std::to_string(program.processes));
    add("execname", program.command[0]);
    add("totspawns", std::to_string(programs.size()));
    add("spawnssofar", std::to_string(i + 1));
    if (!program.directory.empty()) add("wdir", program.directory);
    add("argcnt", std::to_string(program.command.size() - 1));
    for (std::size_t word = 1; word < program.command.size(); ++word) {
      add("arg" + std::to_string(word), program.command[word]);
    }
    add("preput_num", std::to_string(i == 0 ? values.size() : 0));
    for (std::size_t value = 0; i == 0 && value < values.size(); ++value) {
      add("preput_key_" + std::to_string(value), values[value].first);
      add("preput_val_" + std::to_string(value), values[value].second);
    }
    text += "endcmd\n";
  }
  if (!send_text(text)) return false;
  const auto answer = receive();
  if (!answer || !accepted(*answer, "start the programs")) return false;
  first = answer->small_number("first").value_or(-1);
  return first > 0 || fail("The launcher's answer to a spawn makes no sense.");
}

bool PmiClient::publish(const std::string& name, const std::string& port) {
  const auto answer =
      ask(Message("publish_name").add("service", escape(name)).add("port", escape(port)), "publish_result");
  return answer && accepted(*answer, "publish '" + name + "'");
}

bool PmiClient::unpublish(const std::string& name) {
  const auto answer = ask(Message("unpublish_name").add("service", escape(name)), "unpublish_result");
  return answer && accepted(*answer, "take back '" + name + "'");
}

bool PmiClient::look_up(const std::string& name, std::string& port) {
  const auto answer = ask(Message("lookup_name").add("service", escape(name)), "lookup_result");
  if (!answer || !accepted(*answer, "find '" + name + "'")) return false;
  const std::string* text = answer->find("port");
  if (text == nullptr) return fail("The launcher's answer about '" + name + "' holds no port.");
  port = unescape(*text);
  return true;
}

void PmiClient::abort(int code, const std::string& why) {
  Message message("abort");
  message.add("exitcode", code);
  if (launcher_ != 0) {
    // vif run prints the sentence once, with the rank and the program before it.
    message.add("message", escape(why.substr(0, 2000)));
  } else if (!why.empty()) {
    std::fprintf(stderr, "vif: rank %d aborts the job with code %d: %s\n", rank_, code, why.c_str());
  }
  send(message);
  // A code whose low byte is zero would look like success.
  _exit(code != 0 && (code & 0xff) == 0 ? 1 : code);
}

std::optional<Message> PmiClient::ask(const Message& message, const char* expected) {
  if (!send(message)) return std::nullopt;
  auto answer = receive();
  if (answer && answer->command() != expected) {
    fail("The launcher answered " + quote(answer->command()) + " to '" + message.command() + "', where '" + expected +
         "' was due.");
    return std::nullopt;
  }
  return answer;
}

bool PmiClient::send(const Message& message) { return send_text(message.line()); }

bool PmiClient::send_text(const std::string& line) {
  if (descriptor_ < 0) return fail("The connection to the launcher is closed.");
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t count = write_quietly(descriptor_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail("The launcher cannot be written to: " + describe(errno) + ".");
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Message> PmiClient::receive() {
  std::string line;
  while (!lines_.take(line)) {
    char bytes[4096];
    const ssize_t count = read(descriptor_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      fail("The launcher cannot be read from: " + describe(errno) + ".");
      return std::nullopt;
    }
    if (count == 0) {
      fail("The launcher closed its connection: it has ended or was killed.");
      return std::nullopt;
    }
    if (!lines_.append({bytes, static_cast<std::size_t>(count)})) {
      fail("The launcher sent a line longer than " + std::to_string(LineBuffer::default_limit) + " bytes.");
      return std::nullopt;
    }
  }
  std::string cause;
  auto message = parse(line, cause);
  if (!message) fail("The launcher sent something that is not PMI-1: " + cause + ".");
  return message;
}

bool PmiClient::accepted(const Message& answer, const std::string& what) {
  const auto code = answer.number("rc");
  // Some launchers leave rc out when all is well.
  if (!code && answer.find("rc") == nullptr) return true;
  if (code == 0) return true;
  const std::string* cause = answer.find("msg");
  return fail("The launcher refused to " + what + (cause != nullptr ? ": " + unescape(*cause) : "") + ".");
}

bool PmiClient::fail(std::string sentence) {
  error_ = std::move(sentence);
  return false;
}

}  // namespace vif::launch
