// The collectives on blocks of different sizes, each in the way of its Call. Context: app.
#pragma once

#include "mpi/collective.hpp"

namespace vif::mpi {

// The blocks of all ranks in one buffer, as the user gave them: counts and displacements with 32 or 64 bits, in extents
// of one type (or, for alltoallw, in bytes and with a type for each).
struct Spread {
  void* buffer;
  const int* counts = nullptr;
  const MPI_Count* large_counts = nullptr;
  const int* displacements = nullptr;
  const MPI_Aint* large_displacements = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const MPI_Datatype* types = nullptr;
  bool by_type = false;  // a type for each rank, in `types`

  bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
  // Whether all lists are there.
  bool complete() const noexcept {
    return (counts != nullptr || large_counts != nullptr) &&
           (displacements != nullptr || large_displacements != nullptr) && (!by_type || types != nullptr);
  }
  MPI_Count count(int rank) const noexcept { return counts != nullptr ? counts[rank] : large_counts[rank]; }
  MPI_Aint displacement(int rank) const noexcept {
    return displacements != nullptr ? displacements[rank] : large_displacements[rank];
  }
};

inline Spread spread_of(const void* buffer, const int* counts, const int* displacements, MPI_Datatype type) noexcept {
  return {const_cast<void*>(buffer), counts, nullptr, displacements, nullptr, type, nullptr};
}
inline Spread spread_of(const void* buffer, const MPI_Count* counts, const MPI_Aint* displacements,
                        MPI_Datatype type) noexcept {
  return {const_cast<void*>(buffer), nullptr, counts, nullptr, displacements, type, nullptr};
}
inline Spread spread_of(const void* buffer, const int* counts, const int* displacements,
                        const MPI_Datatype* types) noexcept {
  return {const_cast<void*>(buffer), counts, nullptr, displacements, nullptr, MPI_DATATYPE_NULL, types, true};
}
inline Spread spread_of(const void* buffer, const MPI_Count* counts, const MPI_Aint* displacements,
                        const MPI_Datatype* types) noexcept {
  return {const_cast<void*>(buffer), nullptr, counts, nullptr, displacements, MPI_DATATYPE_NULL, types, true};
}

inline Spread spread_of(const void* buffer, const int* counts, const MPI_Aint* displacements,
                        const MPI_Datatype* types) noexcept {
  return {const_cast<void*>(buffer), counts, nullptr, nullptr, displacements, MPI_DATATYPE_NULL, types, true};
}

// The blocks as src/coll wants them, in the user's memory or in a packed form.
struct Laid {
  void* buffer = nullptr;
  std::vector<uint64_t> sizes;
  std::vector<int64_t> displacements;
};

// Looks up so many blocks, raising what is wrong.
int lay_out(Comm& comm, int count, const Spread& spread, Copies copies, Staging& staging, Laid& laid);

int gatherv(Block send, const Spread& receive, int root, MPI_Comm comm, const Call& call);
int scatterv(const Spread& send, Block receive, int root, MPI_Comm comm, const Call& call);
int allgatherv(Block send, const Spread& receive, MPI_Comm comm, const Call& call);
// Also alltoallw, with spreads that have a type for each rank.
int alltoallv(const Spread& send, const Spread& receive, MPI_Comm comm, const Call& call);

}  // namespace vif::mpi
