#include "mpi/attribute.hpp"

#include <algorithm>
#include <string>

#include "api.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"
#include "mpi/predefined_attributes.hpp"
#include "mpi/win.hpp"

namespace vif::mpi {
namespace {

constexpr uintptr_t null_callback = 0;
constexpr uintptr_t duplicate_callback = 1;

// The numbers of the keys. Above all the predefined ones.
class Keys {
 public:
  static constexpr int first = 1024;

  int add(Key* key) {
    const std::lock_guard guard(lock_);
    auto place = std::find(keys_.begin(), keys_.end(), nullptr);
    if (place == keys_.end()) place = keys_.insert(keys_.end(), nullptr);
    *place = key;
    return first + static_cast<int>(place - keys_.begin());
  }
  // The key of a number, counted once more; null when there is none of this kind.
  Key* take(int number, KeyKind kind) {
    const std::lock_guard guard(lock_);
    Key* key = find(number, kind);
    if (key != nullptr) key->references.fetch_add(1, std::memory_order_relaxed);
    return key;
  }
  Key* remove(int number, KeyKind kind) {
    const std::lock_guard guard(lock_);
    Key* key = find(number, kind);
    if (key != nullptr) keys_[static_cast<std::size_t>(number - first)] = nullptr;
    return key;
  }

 private:
  Key* find(int number, KeyKind kind) {
    const auto index = static_cast<std::size_t>(number - first);
    if (number < first || index >= keys_.size() || keys_[index] == nullptr) return nullptr;
    return keys_[index]->kind == kind ? keys_[index] : nullptr;
  }

  std::mutex lock_;
  std::vector<Key*> keys_;
};

Keys& keys() {
  // Never destroyed: attributes may be deleted at the very end of the program.
  static auto* instance = new Keys;
  return *instance;
}

void release(Key* key) noexcept {
  // acq_rel: whoever destroys the key must come after every use of it by others.
  if (key->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete key;
}

// What differs between the objects that carry attributes.
template <class Holder>
struct Traits;
template <>
struct Traits<Comm> {
  static constexpr KeyKind kind = KeyKind::comm;
  using Copy = MPI_Comm_copy_attr_function;
  using Remove = MPI_Comm_delete_attr_function;
};
template <>
struct Traits<Datatype> {
  static constexpr KeyKind kind = KeyKind::type;
  using Copy = MPI_Type_copy_attr_function;
  using Remove = MPI_Type_delete_attr_function;
};
template <>
struct Traits<Win> {
  static constexpr KeyKind kind = KeyKind::win;
  using Copy = MPI_Win_copy_attr_function;
  using Remove = MPI_Win_delete_attr_function;
};

template <class Holder>
int call_remove(const Holder& holder, const Attribute& attribute) {
  const Key& key = *attribute.key;
  if (key.remove == null_callback) return MPI_SUCCESS;
  auto* function = reinterpret_cast<typename Traits<Holder>::Remove*>(key.remove);
  return function(holder.handle, key.number, attribute.value, key.extra_state);
}

// What the copy callback lets through; `copied` says whether anything.
template <class Holder>
int call_copy(const Holder& holder, const Attribute& attribute, bool& copied, void*& value) {
  const Key& key = *attribute.key;
  copied = key.copy != null_callback;
  value = attribute.value;
  if (key.copy == null_callback || key.copy == duplicate_callback) return MPI_SUCCESS;
  auto* function = reinterpret_cast<typename Traits<Holder>::Copy*>(key.copy);
  int flag = 0;
  void* result = nullptr;
  const int code = function(holder.handle, key.number, key.extra_state, attribute.value, &result, &flag);
  copied = flag != 0;
  value = result;
  return code;
}

template <class Holder>
AttributeSet& set_of(Holder& holder) {
  const std::lock_guard guard(holder.lock);
  if (holder.attributes == nullptr) holder.attributes = new AttributeSet;
  return *holder.attributes;
}

// The attribute of a key, with its key counted once more. False when there is none.
bool look_up(AttributeSet* set, int number, Attribute& found) {
  if (set == nullptr) return false;
  const std::lock_guard guard(set->lock);
  for (const Attribute& attribute : set->attributes) {
    if (attribute.key->number != number) continue;
    found = attribute;
    found.key->references.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

// Takes an attribute out of the set and drops the set's reference to the key.
void erase(AttributeSet& set, const Key* key) {
  const std::lock_guard guard(set.lock);
  const auto place = std::find_if(set.attributes.begin(), set.attributes.end(),
                                  [key](const Attribute& attribute) { return attribute.key == key; });
  if (place == set.attributes.end()) return;
  release(place->key);
  set.attributes.erase(place);
}

template <class Holder>
int remove_one(Holder& holder, const Attribute& attribute) {
  if (int code = call_remove(holder, attribute)) return code;
  erase(*holder.attributes, attribute.key);
  return MPI_SUCCESS;
}

template <class Holder>
int copy_all(Holder& from, Holder& to) {
  if (from.attributes == nullptr) return MPI_SUCCESS;
  std::vector<Attribute> attributes;
  {
    const std::lock_guard guard(from.attributes->lock);
    attributes = from.attributes->attributes;
  }
  for (const Attribute& attribute : attributes) {
    bool copied;
    void* value;
    if (int code = call_copy(from, attribute, copied, value)) return code;
    if (!copied) continue;
    attribute.key->references.fetch_add(1, std::memory_order_relaxed);
    AttributeSet& set = set_of(to);
    const std::lock_guard guard(set.lock);
    set.attributes.push_back({attribute.key, value});
  }
  return MPI_SUCCESS;
}

template <class Holder>
int delete_all(Holder& holder) {
  AttributeSet* set = holder.attributes;
  while (set != nullptr && !set->attributes.empty()) {
    // The callback is the user's: it may change the set, and even delete this attribute itself.
    const Attribute last = set->attributes.back();
    last.key->references.fetch_add(1, std::memory_order_relaxed);
    const int code = remove_one(holder, last);
    release(last.key);
    if (code != MPI_SUCCESS) return code;
  }
  holder.attributes = nullptr;
  delete set;
  return MPI_SUCCESS;
}

// --- the API, once for all kinds; errors go to the communicator or the window, for types to MPI_COMM_SELF ---

int raise_for(Comm& comm, int code) { return raise_code(&comm, code); }
int raise_for(Datatype&, int code) { return raise_code(nullptr, code); }
int raise_for(Win& win, int code) { return raise_code_on(win, code); }

constexpr const char* no_key =
    "the key is not one for this kind of object, or it is predefined or was freed; make one first.";

template <class Holder>
int refuse_key(Holder& holder) {
  keep_sentence(MPI_ERR_KEYVAL, no_key);
  return raise_for(holder, MPI_ERR_KEYVAL);
}

int create_key(KeyKind kind, uintptr_t copy, uintptr_t remove, int* number, void* extra_state) {
  if (number == nullptr) return raise_null_argument(nullptr, "keyval");
  auto* key = new Key;
  key->kind = kind;
  key->copy = copy;
  key->remove = remove;
  key->extra_state = extra_state;
  key->number = keys().add(key);
  *number = key->number;
  return MPI_SUCCESS;
}

int free_key(KeyKind kind, int* number) {
  if (number == nullptr) return raise_null_argument(nullptr, "keyval");
  Key* key = keys().remove(*number, kind);
  if (key == nullptr) return raise(nullptr, MPI_ERR_KEYVAL, no_key);
  release(key);
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

template <class Holder>
int set_attribute(Holder& holder, int number, void* value) {
  Key* key = keys().take(number, Traits<Holder>::kind);
  if (key == nullptr) return refuse_key(holder);
  Attribute old;
  if (look_up(holder.attributes, number, old)) {
    const int code = remove_one(holder, old);
    release(old.key);
    if (code != MPI_SUCCESS) {
      release(key);
      return raise_for(holder, code);
    }
  }
  AttributeSet& set = set_of(holder);
  const std::lock_guard guard(set.lock);
  set.attributes.push_back({key, value});
  return MPI_SUCCESS;
}

template <class Holder>
int get_attribute(Holder& holder, int number, void* value, int* flag) {
  if (value == nullptr || flag == nullptr) {
    keep_sentence(MPI_ERR_ARG, "the argument attribute_val or flag is a null pointer; give an address.");
    return raise_for(holder, MPI_ERR_ARG);
  }
  Key* key = keys().take(number, Traits<Holder>::kind);
  if (key == nullptr) return refuse_key(holder);
  release(key);
  Attribute found;
  *flag = look_up(holder.attributes, number, found);
  if (*flag != 0) {
    *static_cast<void**>(value) = found.value;
    release(found.key);
  }
  return MPI_SUCCESS;
}

template <class Holder>
int delete_attribute(Holder& holder, int number) {
  Attribute found;
  if (!look_up(holder.attributes, number, found)) return refuse_key(holder);
  const int code = remove_one(holder, found);
  release(found.key);
  return code == MPI_SUCCESS ? code : raise_for(holder, code);
}

int refuse_comm() {
  return raise(nullptr, MPI_ERR_COMM, "the argument is not a communicator; give a valid one, such as MPI_COMM_WORLD.");
}

int refuse_type() {
  return raise(nullptr, MPI_ERR_TYPE, "the argument is not a datatype (a null handle, or a type that was freed).");
}

}  // namespace

int copy_attributes(Comm& from, Comm& to) { return copy_all(from, to); }
int copy_attributes(Datatype& from, Datatype& to) { return copy_all(from, to); }
int delete_attributes(Comm& comm) { return delete_all(comm); }
int delete_attributes(Datatype& type) { return delete_all(type); }
int delete_attributes(Win& win) { return delete_all(win); }

namespace api {

int Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval,
                       void* extra_state) {
  return create_key(KeyKind::comm, reinterpret_cast<uintptr_t>(copy), reinterpret_cast<uintptr_t>(remove), keyval,
                    extra_state);
}
int Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* keyval, void* extra_state) {
  return Comm_create_keyval(copy, remove, keyval, extra_state);
}
int Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove, int* keyval,
                       void* extra_state) {
  return create_key(KeyKind::type, reinterpret_cast<uintptr_t>(copy), reinterpret_cast<uintptr_t>(remove), keyval,
                    extra_state);
}

int Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove, int* keyval,
                      void* extra_state) {
  return create_key(KeyKind::win, reinterpret_cast<uintptr_t>(copy), reinterpret_cast<uintptr_t>(remove), keyval,
                    extra_state);
}

int Comm_free_keyval(int* keyval) { return free_key(KeyKind::comm, keyval); }
int Keyval_free(int* keyval) { return free_key(KeyKind::comm, keyval); }
int Type_free_keyval(int* keyval) { return free_key(KeyKind::type, keyval); }

int Win_free_keyval(int* keyval) { return free_key(KeyKind::win, keyval); }

int Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  Comm* object = comm_of(comm);
  return object == nullptr ? refuse_comm() : set_attribute(*object, keyval, value);
}
int Attr_put(MPI_Comm comm, int keyval, void* value) { return Comm_set_attr(comm, keyval, value); }
int Type_set_attr(MPI_Datatype datatype, int keyval, void* value) {
  Datatype* object = datatype_of(datatype);
  return object == nullptr ? refuse_type() : set_attribute(*object, keyval, value);
}

int Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return refuse_comm();
  if (int* predefined = predefined_attribute(keyval); predefined != nullptr && value != nullptr && flag != nullptr) {
    *static_cast<int**>(value) = predefined;
    *flag = 1;
    return MPI_SUCCESS;
  }
  return get_attribute(*object, keyval, value, flag);
}
int Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) { return Comm_get_attr(comm, keyval, value, flag); }
int Type_get_attr(MPI_Datatype datatype, int keyval, void* value, int* flag) {
  Datatype* object = datatype_of(datatype);
  return object == nullptr ? refuse_type() : get_attribute(*object, keyval, value, flag);
}

int Comm_delete_attr(MPI_Comm comm, int keyval) {
  Comm* object = comm_of(comm);
  return object == nullptr ? refuse_comm() : delete_attribute(*object, keyval);
}
int Attr_delete(MPI_Comm comm, int keyval) { return Comm_delete_attr(comm, keyval); }
int Type_delete_attr(MPI_Datatype datatype, int keyval) {
  Datatype* object = datatype_of(datatype);
  return object == nullptr ? refuse_type() : delete_attribute(*object, keyval);
}

int Win_set_attr(MPI_Win win, int keyval, void* value) {
  Win* object = win_of(win);
  return object == nullptr ? raise_no_win() : set_attribute(*object, keyval, value);
}
int Win_get_attr(MPI_Win win, int keyval, void* value, int* flag) {
  Win* object = win_of(win);
  if (object == nullptr) return raise_no_win();
  void* predefined = value != nullptr && flag != nullptr ? predefined_attribute(*object, keyval) : nullptr;
  if (predefined == nullptr && !(keyval == MPI_WIN_BASE && value != nullptr && flag != nullptr)) {
    return get_attribute(*object, keyval, value, flag);
  }
  *static_cast<void**>(value) = predefined;
  *flag = 1;
  return MPI_SUCCESS;
}
int Win_delete_attr(MPI_Win win, int keyval) {
  Win* object = win_of(win);
  return object == nullptr ? raise_no_win() : delete_attribute(*object, keyval);
}

}  // namespace api
}  // namespace vif::mpi
