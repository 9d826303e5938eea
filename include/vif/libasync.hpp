// The names of Libasync and Libasync-smp (Mazieres 2001; Zeldovich, Yip, Dabek, Morris, Mazieres, Kaashoek 2003) on
// the event runtime, for programs that were written for them. Names are in the global namespace, as there.
//
//   void greet(int number) { std::printf("%d\n", number); }
//   int main() {
//     cpucb(wrap(greet, 1));                  colour 0: serial with everything else that has no colour
//     cpucb_tail(cwrap(greet, 2, 17));        colour 17: beside the others
//     delaycb(1, wrap(exit, 0));              after one second
//     amain();                                does not return
//   }
//
// Differences: handlers of different colours run at the same time on several cores, so what they share needs one
// colour. cpucb() puts an event at the head of the queue of its colour; there is no order between colours. The runtime
// is made by the first call, has VIF_CORES cores, and is never destroyed; exit() may be called in a handler.
// runtime().stop() makes amain() return when all has run.
// Context: any thread and any handler; not signal handlers.
#pragma once

#include <cstddef>
#include <ctime>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <vif/event.hpp>

namespace vif::libasync {

// A function with a colour, and arguments that are still to come.
template <class Result = void, class... Rest>
class callback {
 public:
  using ref = std::shared_ptr<callback>;
  using ptr = std::shared_ptr<callback>;

  callback(std::function<Result(Rest...)> function, Colour colour) : function_(std::move(function)), colour_(colour) {}

  Result operator()(Rest... rest) const { return function_(std::forward<Rest>(rest)...); }
  Colour colour() const noexcept { return colour_; }

 private:
  std::function<Result(Rest...)> function_;
  Colour colour_;
};

using cbv = callback<void>::ref;

namespace detail {

// The types after the first `count` ones.
template <std::size_t count, class... Types>
struct After {
  using type = std::tuple<>;
};
template <std::size_t count, class First, class... Types>
struct After<count, First, Types...> {
  using type = typename After<count - 1, Types...>::type;
};
template <class First, class... Types>
struct After<0, First, Types...> {
  using type = std::tuple<First, Types...>;
};

template <class Result, class Function, class Bound, class... Rest>
auto make(Colour colour, Function function, Bound bound, std::tuple<Rest...>*) {
  auto call = [function = std::move(function), bound = std::move(bound)](Rest... rest) mutable -> Result {
    return std::apply([&](auto&... first) -> Result { return std::invoke(function, first..., rest...); }, bound);
  };
  return std::make_shared<callback<Result, Rest...>>(std::move(call), colour);
}

template <class... Bound>
auto keep(Bound&&... bound) {
  return std::tuple<std::decay_t<Bound>...>(std::forward<Bound>(bound)...);
}

// Functions, methods with their object before the other arguments, and callables, which take nothing more.
template <class Result, class... Arguments, class... Bound>
auto wrap(Colour colour, Result (*function)(Arguments...), Bound&&... bound) {
  using Rest = typename After<sizeof...(Bound), Arguments...>::type;
  return make<Result>(colour, function, keep(std::forward<Bound>(bound)...), static_cast<Rest*>(nullptr));
}
template <class Object, class Class, class Result, class... Arguments, class... Bound>
auto wrap(Colour colour, Object object, Result (Class::*method)(Arguments...), Bound&&... bound) {
  using Rest = typename After<sizeof...(Bound), Arguments...>::type;
  auto call = [object, method](auto&&... arguments) -> Result {
    return std::invoke(method, object, std::forward<decltype(arguments)>(arguments)...);
  };
  return make<Result>(colour, std::move(call), keep(std::forward<Bound>(bound)...), static_cast<Rest*>(nullptr));
}
template <class Callable, class... Bound>
requires std::is_invocable_v < Callable&, std::decay_t<Bound>
&... > auto wrap(Colour colour, Callable callable, Bound&&... bound) {
  using Result = std::invoke_result_t<Callable&, std::decay_t<Bound>&...>;
  return make<Result>(colour, std::move(callable), keep(std::forward<Bound>(bound)...),
                      static_cast<std::tuple<>*>(nullptr));
}

// The last argument is the colour.
template <class Arguments, std::size_t... places>
auto wrap_coloured(Arguments arguments, std::index_sequence<places...>) {
  return wrap(static_cast<Colour>(std::get<sizeof...(places)>(arguments)),
              std::get<places>(std::forward<Arguments>(arguments))...);
}

}  // namespace detail

// An event: the function with its first arguments. Those that are not given are given when it is called.
template <class... Arguments>
auto wrap(Arguments&&... arguments) {
  return detail::wrap(Colour{0}, std::forward<Arguments>(arguments)...);
}
// The same, with its colour as the last argument.
template <class... Arguments>
auto cwrap(Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) >= 2, "cwrap takes a function, its arguments, and a colour");
  return detail::wrap_coloured(std::forward_as_tuple(std::forward<Arguments>(arguments)...),
                               std::make_index_sequence<sizeof...(Arguments) - 1>());
}

enum selop { selread = 0, selwrite = 1 };

struct timecb_t;

// The runtime that these functions use.
VIF_PUBLIC Runtime& runtime();
// Runs events until runtime().stop(), or until a handler calls exit().
VIF_PUBLIC void amain();

// Now: before the events of its colour that wait (cpucb), or after them (cpucb_tail).
VIF_PUBLIC void cpucb(const cbv& event);
VIF_PUBLIC void cpucb_tail(const cbv& event);
// Whenever the descriptor is readable or writable, until another event or none (nullptr) is set for that direction. Set
// none before closing it.
VIF_PUBLIC void fdcb(int descriptor, selop direction, const cbv& event);
// Whenever the signal has arrived, until another event or none is set. Returns the one that was set before.
VIF_PUBLIC cbv sigcb(int signal, const cbv& event);
// At a time of CLOCK_REALTIME; after some seconds and nanoseconds. The result is good until the event runs.
VIF_PUBLIC timecb_t* timecb(const timespec& time, const cbv& event);
VIF_PUBLIC timecb_t* delaycb(std::time_t seconds, std::uint32_t nanoseconds, const cbv& event);
inline timecb_t* delaycb(std::time_t seconds, const cbv& event) { return delaycb(seconds, 0, event); }
// The event will not run, unless it has begun.
VIF_PUBLIC void timecb_remove(timecb_t* timer);

}  // namespace vif::libasync

using vif::libasync::amain;
using vif::libasync::callback;
using vif::libasync::cbv;
using vif::libasync::cpucb;
using vif::libasync::cpucb_tail;
using vif::libasync::cwrap;
using vif::libasync::delaycb;
using vif::libasync::fdcb;
using vif::libasync::selop;
using vif::libasync::selread;
using vif::libasync::selwrite;
using vif::libasync::sigcb;
using vif::libasync::timecb;
using vif::libasync::timecb_remove;
using vif::libasync::timecb_t;
using vif::libasync::wrap;
