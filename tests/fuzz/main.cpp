// Runs the function of a fuzzer without libFuzzer: on inputs made from a seed, or on the files given as arguments.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count);

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  if (argc > 1) return 0;
  const char* given = std::getenv("VIF_TEST_SEED");
  const uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 0) : 1;
  std::printf("VIF_TEST_SEED=%llu and the next\n", static_cast<unsigned long long>(first));
  for (uint64_t seed = first; seed < first + (given != nullptr ? 1 : 20000); ++seed) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> bytes(random() % 200);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  return 0;
}
