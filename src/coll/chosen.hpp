// Each collective by the algorithm that choice.hpp chooses for it. Conventions as in algorithms.hpp. Context: app.
#pragma once

#include "coll/algorithms.hpp"

namespace vif::coll {

void write_bcast(Schedule& schedule, void* buffer, uint64_t bytes, int root);
void write_reduce(Schedule& schedule, const void* in, void* out, uint64_t count, int root);
void write_allreduce(Schedule& schedule, const void* in, void* out, uint64_t count);
void write_reduce_scatter(Schedule& schedule, const void* in, void* out, const std::vector<uint64_t>& begins);
void write_scan(Schedule& schedule, const void* in, void* out, uint64_t count);
void write_exscan(Schedule& schedule, const void* in, void* out, uint64_t count);
void write_gather(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root);
void write_scatter(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root);
void write_allgather(Schedule& schedule, const void* in, uint64_t bytes, void* out);
void write_alltoall(Schedule& schedule, const void* in, uint64_t bytes, void* out);

}  // namespace vif::coll
