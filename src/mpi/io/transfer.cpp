// Reading gathers small pieces that lie close together by one larger read ("data sieving": Thakur, Gropp, Lusk, 1999).
// Writing does not: it would have to write back bytes of the gaps, which others may change at the same time.
#include "mpi/io/transfer.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace vif::mpi::io {
namespace {

constexpr uint64_t sieve_bytes = 1 << 20;    // of one larger read
constexpr uint64_t worthwhile_piece = 8192;  // larger pieces are read on their own

struct Piece {
  int64_t offset;
  uint64_t length;
};

// Reads until all is there, the file ends, or an error (then errno tells): the bytes read, or -1.
int64_t read_all(int descriptor, std::byte* to, uint64_t bytes, int64_t offset) {
  uint64_t done = 0;
  while (done < bytes) {
    const ssize_t now = pread(descriptor, to + done, bytes - done, offset + static_cast<int64_t>(done));
    if (now == 0) break;
    if (now > 0) done += static_cast<uint64_t>(now);
    if (now < 0 && errno != EINTR) return -1;
  }
  return static_cast<int64_t>(done);
}

bool write_all(int descriptor, const std::byte* data, uint64_t bytes, int64_t offset) {
  uint64_t done = 0;
  while (done < bytes) {
    const ssize_t now = pwrite(descriptor, data + done, bytes - done, offset + static_cast<int64_t>(done));
    if (now >= 0) done += static_cast<uint64_t>(now);
    if (now < 0 && errno != EINTR) return false;
  }
  return true;
}

// Takes pieces in ascending order and reads those that lie close together by one call.
class Reader {
 public:
  Reader(const File& file, std::byte* to) : descriptor_(file.descriptor), to_(to) {}

  // False: the file ended, or an error.
  bool piece(int64_t offset, uint64_t length) {
    if (!pieces_.empty() && pieces_.back().offset + static_cast<int64_t>(pieces_.back().length) == offset &&
        pieces_.size() == 1) {
      pieces_.back().length += length;
      return true;
    }
    const bool apart =
        !pieces_.empty() && (static_cast<uint64_t>(offset - pieces_.front().offset) + length > sieve_bytes ||
                             length > worthwhile_piece || pieces_.back().length > worthwhile_piece);
    if (apart && !flush()) return false;
    pieces_.push_back({offset, length});
    return true;
  }

  bool flush() {
    if (pieces_.empty() || ended_) return !ended_;
    const int64_t begin = pieces_.front().offset;
    const uint64_t span = static_cast<uint64_t>(pieces_.back().offset - begin) + pieces_.back().length;
    std::byte* window = to_ + moved_;
    if (pieces_.size() > 1) {
      window_.resize(span);
      window = window_.data();
    }
    const int64_t got = read_all(descriptor_, window, span, begin);
    failed_ = got < 0;
    ended_ = got < static_cast<int64_t>(span);
    if (pieces_.size() > 1 && got > 0) take(begin, got);
    if (pieces_.size() == 1 && got > 0) moved_ += static_cast<uint64_t>(got);
    pieces_.clear();
    return !ended_;
  }

  uint64_t moved() const noexcept { return moved_; }
  bool failed() const noexcept { return failed_; }

 private:
  void take(int64_t begin, int64_t got) {
    for (const Piece& piece : pieces_) {
      const int64_t at = piece.offset - begin;
      if (at >= got) return;
      const uint64_t length = std::min(piece.length, static_cast<uint64_t>(got - at));
      std::memcpy(to_ + moved_, window_.data() + at, length);
      moved_ += length;
    }
  }

  int descriptor_;
  std::byte* to_;
  std::vector<Piece> pieces_;
  std::vector<std::byte> window_;
  uint64_t moved_ = 0;
  bool ended_ = false;
  bool failed_ = false;
};

}  // namespace

Ending read_stream(const File& file, const View& view, uint64_t from, uint64_t bytes, std::byte* to, uint64_t& moved) {
  Reader reader(file, to);
  view.visit(from, bytes, [&](int64_t offset, uint64_t length) { return reader.piece(offset, length); });
  reader.flush();
  moved = reader.moved();
  return reader.failed() ? ending_of_system(errno, "cannot read from '" + file.name + "'") : Ending{};
}

Ending write_stream(const File& file, const View& view, uint64_t from, uint64_t bytes, const std::byte* data,
                    uint64_t& moved) {
  moved = 0;
  bool good = true;
  Piece pending{0, 0};  // pieces that touch are written together
  const auto flush = [&] {
    good = write_all(file.descriptor, data + moved, pending.length, pending.offset);
    if (good) moved += pending.length;
    return good;
  };
  view.visit(from, bytes, [&](int64_t offset, uint64_t length) {
    if (pending.length != 0 && pending.offset + static_cast<int64_t>(pending.length) == offset) {
      pending.length += length;
      return true;
    }
    if (!flush()) return false;
    pending = {offset, length};
    return true;
  });
  if (good) flush();
  return good ? Ending{} : ending_of_system(errno, "cannot write to '" + file.name + "'");
}

AtomicAccess::AtomicAccess(const File& file, bool write, Ending& ending) {
  if (!file.atomic) return;
  struct flock lock = {};
  lock.l_type = write ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  int result;
  do {
    result = fcntl(file.descriptor, F_OFD_SETLKW, &lock);
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    ending = ending_of_system(errno, "cannot lock '" + file.name + "', as atomic mode must");
    return;
  }
  descriptor_ = file.descriptor;
}

AtomicAccess::~AtomicAccess() {
  if (descriptor_ < 0) return;
  struct flock lock = {};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  fcntl(descriptor_, F_OFD_SETLK, &lock);
}

}  // namespace vif::mpi::io
