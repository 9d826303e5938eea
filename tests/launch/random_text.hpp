// Random bytes, messages and damage to them, from a printed seed (VIF_TEST_SEED chooses it). Context: app.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace vif::launch {

inline std::mt19937_64 seeded_engine() {
  const char* given = std::getenv("VIF_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device()();
  std::printf("seed: VIF_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

inline std::size_t below(std::mt19937_64& engine, std::size_t limit) { return engine() % limit; }

inline std::string random_bytes(std::mt19937_64& engine, std::size_t most) {
  std::string text(below(engine, most + 1), '\0');
  for (char& c : text) c = static_cast<char>(engine());
  return text;
}

// A piece of something that a PMI-1 peer might say, right or wrong.
inline std::string random_protocol_text(std::mt19937_64& engine) {
  static const char* const pieces[] = {"cmd=init pmi_version=1 pmi_subversion=1\n",
                                       "cmd=get_maxes\n",
                                       "cmd=barrier_in\n",
                                       "cmd=put kvsname=k key=a value=b\n",
                                       "cmd=get kvsname=k key=a\n",
                                       "cmd=finalize\n",
                                       "cmd=abort exitcode=",
                                       "mcmd=spawn\n",
                                       "endcmd\n",
                                       "cmd=",
                                       "=",
                                       " ",
                                       "\n",
                                       "\r\n",
                                       "key=",
                                       "value=99999999999999999999999",
                                       "rc=-1",
                                       "%",
                                       "%4",
                                       "%41",
                                       "cmd=response_to_init rc=0\n",
                                       "cmd=maxes keylen_max=-5 vallen_max=0\n",
                                       "cmd=appnum appnum=x\n",
                                       "cmd=my_kvsname kvsname=k\n",
                                       "cmd=barrier_out\n",
                                       "cmd=finalize_ack\n"};
  std::string text = pieces[below(engine, std::size(pieces))];
  if (below(engine, 4) == 0 && !text.empty()) text[below(engine, text.size())] = static_cast<char>(engine());
  if (below(engine, 8) == 0) text += random_bytes(engine, 40);
  return text;
}

}  // namespace vif::launch
