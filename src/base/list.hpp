// Intrusive lists for one owner: a doubly linked list and a first-in, first-out queue. No allocation.
//
// An element carries its links as members and lies in at most one list per set of links; it must outlive its stay
// there.
//   struct Packet { ListLink<Packet> link; };   List<Packet, &Packet::link> packets;
//   struct Order { Order* next = nullptr; };     Fifo<Order, &Order::next> orders;
// Context: handler, for whoever owns the list; nothing here is shared.
#pragma once

#include <cstddef>

namespace vif::base {

template <class T>
struct ListLink {
  T* next = nullptr;
  T** pointer = nullptr;  // the pointer that points to this element; null: in no list

  bool linked() const noexcept { return pointer != nullptr; }
};

// Removal of any element, insertion at both ends, in constant time.
template <class T, ListLink<T> T::*Link>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  T* first() const noexcept { return first_; }
  static T* next(const T& element) noexcept { return (element.*Link).next; }

  void push_front(T& element) noexcept { insert(element, first_); }
  void push_back(T& element) noexcept { insert(element, *end_); }

  void remove(T& element) noexcept {
    ListLink<T>& link = element.*Link;
    *link.pointer = link.next;
    if (link.next != nullptr) {
      (link.next->*Link).pointer = link.pointer;
    } else {
      end_ = link.pointer;
    }
    link = {};
  }

  T* pop_front() noexcept {
    T* element = first_;
    if (element != nullptr) remove(*element);
    return element;
  }

 private:
  void insert(T& element, T*& place) noexcept {
    ListLink<T>& link = element.*Link;
    link.next = place;
    link.pointer = &place;
    if (place != nullptr) {
      (place->*Link).pointer = &link.next;
    } else {
      end_ = &link.next;
    }
    place = &element;
  }

  T* first_ = nullptr;
  T** end_ = &first_;  // the pointer that the next element at the back is put in
};

// One pointer per element. pop() gives the oldest.
template <class T, T* T::*Next>
class Fifo {
 public:
  Fifo() = default;
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  T* first() const noexcept { return first_; }

  void push(T& element) noexcept {
    element.*Next = nullptr;
    *end_ = &element;
    end_ = &(element.*Next);
  }

  T* pop() noexcept {
    T* element = first_;
    if (element == nullptr) return nullptr;
    first_ = element->*Next;
    if (first_ == nullptr) end_ = &first_;
    element->*Next = nullptr;
    return element;
  }

 private:
  T* first_ = nullptr;
  T** end_ = &first_;
};

}  // namespace vif::base
