#include "hang_words.hpp"

#include <cctype>

namespace vif::tool {

namespace {

using trace::Act;
using trace::Note;

// As src/mpi/comm_context.hpp lays context ids out.
constexpr uint32_t uses = 4;
constexpr uint32_t numbers = 1 << 16;

std::string function_words(const Note& note, const NameOf& name_of) {
  const std::string name = name_of(note.function);
  const std::string origin = name_of(note.origin);
  return note.origin == 0 || origin == name ? name : name + " for its " + origin;
}

std::string peer_words(const Note& note) {
  const std::string rank = note.peer < 0 ? "any rank" : "rank " + std::to_string(note.peer);
  switch (note.act) {
    case Act::send:
      return " to " + rank;
    case Act::receive:
    case Act::probe:
      return " from " + rank;
    case Act::collective:
      return note.peer < 0 ? "" : " of root " + rank;
    case Act::none:
      break;
  }
  return {};
}

std::string detail_words(const Note& note) {
  std::string words;
  if (note.act == Act::none) return words;
  if (note.act == Act::collective) {
    words = ", the collective " + std::to_string(note.number);
  } else {
    words = note.tag < 0 ? ", any tag" : ", tag " + std::to_string(note.tag);
  }
  return words + " on " + communicator_words(note.context);
}

std::string size_words(const Note& note) {
  if (note.act == Act::none || note.act == Act::probe || note.bytes == 0) return {};
  return std::string(note.act == Act::receive ? ", up to " : ", ") + std::to_string(note.bytes) + " bytes";
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string communicator_words(uint32_t context) {
  const uint32_t number = context / uses % numbers;
  const uint32_t leader = context / uses / numbers;
  if (number == 0 && leader == 0) return "MPI_COMM_WORLD";
  if (number == 1) return "MPI_COMM_SELF";
  return "communicator " + std::to_string(leader) + "." + std::to_string(number);
}

std::string operation_words(const Note& note, const NameOf& name_of) {
  std::string words = function_words(note, name_of) + peer_words(note) + detail_words(note) + size_words(note);
  if (note.repeated != 0) words += ", asked " + std::to_string(note.repeated + 1) + " times in a row";
  return words;
}

std::string kind_words(const Note& note, const NameOf& name_of) {
  Note alike = note;
  alike.repeated = 0;
  if (note.act == Act::collective) return operation_words(alike, name_of);
  return function_words(alike, name_of) + detail_words(alike) + size_words(alike);
}

std::string collective_name(const std::string& function) {
  std::string name = function;
  for (const char* end : {"_c", "_init"}) {
    if (ends_with(name, end)) name.erase(name.size() - std::string(end).size());
  }
  constexpr std::size_t prefix = 4;  // MPI_
  if (name.size() > prefix + 1 && name[prefix] == 'I' && std::islower(static_cast<unsigned char>(name[prefix + 1])) &&
      name.compare(prefix, 5, "Inter") != 0) {
    name.erase(prefix, 1);
    name[prefix] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[prefix])));
  }
  return name;
}

}  // namespace vif::tool
