// What the processes of a job do, read from the memory that they share. Context: app.
#pragma once

#include <string>
#include <vector>

#include "hang_report.hpp"

namespace vif::tool {

// Reads the job of a memory file. False, with a sentence, when there is none.
bool read_job(int descriptor, std::vector<RankView>& ranks, std::string& sentence);

// The same, found through a process that has the memory open: a rank, or the launcher.
bool read_job_of(int process, std::vector<RankView>& ranks, std::string& sentence);

// Processes of this user that launched a job or are in one, the launcher of each job first.
std::vector<int> processes_of_jobs();

std::string name_of_function(uint16_t function);

}  // namespace vif::tool
