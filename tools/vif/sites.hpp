// Names for addresses of programs that have ended: function, file and line where addr2line (binutils) finds them, else
// the file that was mapped and the place in it. Context: app.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vif::tool {

class Sites {
 public:
  // An address that a call returns to, in the process whose memory map is in the file `maps` (as /proc/PID/maps).
  void add(const std::string& maps, uint64_t address);
  // Asks for all that were added.
  void resolve();
  // "solve, solver.c:120", or "solver+0x1a2b".
  std::string name(const std::string& maps, uint64_t address) const;

 private:
  struct Mapping {
    uint64_t begin, end, offset;
    std::string path;
  };
  struct Place {
    std::string path;
    uint64_t address;  // in the file's own counting
    bool operator<(const Place& other) const {
      return path != other.path ? path < other.path : address < other.address;
    }
  };
  const std::vector<Mapping>& mappings(const std::string& maps);

  std::map<std::string, std::vector<Mapping>> mappings_;
  std::map<std::pair<std::string, uint64_t>, Place> places_;
  std::map<Place, std::string> names_;
};

}  // namespace vif::tool
