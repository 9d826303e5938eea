// The works (works.hpp) on Vif: a lane is a colour. Context: app.
#include <vif/event.hpp>

#include <dlfcn.h>

#include "works.hpp"

namespace {

class OnVif {
 public:
  OnVif(int cores, int lanes) : runtime_(options(cores)) {
    for (int lane = 0; lane < lanes; ++lane) colours_.push_back(runtime_.new_colour());
  }
  template <class Function>
  void post(int lane, Function&& function) {
    runtime_.post(colours_[static_cast<std::size_t>(lane)], std::forward<Function>(function));
  }
  void finish() {
    runtime_.stop();
    runtime_.run();
  }

 private:
  static vif::RuntimeOptions options(int cores) {
    vif::RuntimeOptions made;
    made.cores = cores;
    return made;
  }
  vif::Runtime runtime_;
  std::vector<vif::Colour> colours_;
};

}  // namespace

int main(int argc, char** argv) {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&vif::Runtime::current), &info);
  return works::run<OnVif>(argc, argv, "Vif", info.dli_fname != nullptr ? info.dli_fname : "");
}
