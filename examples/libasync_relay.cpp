// A program with the names of Libasync: numbers travel through a pipe, one each time it is writable, and are added up
// on the other side. The sum has a colour of its own.
#include <unistd.h>
#include <vif/libasync.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int numbers = 100;
constexpr int of_the_sum = 1;

int ends[2];
int sum = 0;  // colour 1

void done(const char* what) {
  std::printf("%s: %d\n", what, sum);
  std::exit(sum == numbers * (numbers + 1) / 2 ? 0 : 1);
}

void add(int number) {
  sum += number;
  // Of the same colour: it reads the sum.
  if (number == numbers) cpucb(cwrap(done, "the sum", of_the_sum));
}

void receive() {
  int number = 0;
  if (read(ends[0], &number, sizeof number) != sizeof number) std::abort();
  cpucb_tail(cwrap(add, number, of_the_sum));
}

void send(int* next) {
  if (write(ends[1], next, sizeof *next) != sizeof *next) std::abort();
  if (++*next > numbers) fdcb(ends[1], selwrite, nullptr);
}

void begin() {
  static int next = 1;
  fdcb(ends[0], selread, wrap(receive));
  fdcb(ends[1], selwrite, wrap(send, &next));
}

}  // namespace

int main() {
  if (pipe(ends) != 0) return 1;
  delaycb(0, 1'000'000, wrap(begin));
  amain();
}
