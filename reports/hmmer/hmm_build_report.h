// Formats the report of a program that builds profiles: a header, and a line for each profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engines/build/hmm_build_engine.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// A run of such a program.
struct HmmBuildRun {
    HmmReportProgram program;  // must have a banner
    std::string alignment_file, profile_file;
    std::vector<HmmRun::Given> given;  // the options that were given
};

/// Appends the lines about the run and the first two lines of the table.
void append_build_header(const HmmBuildRun& run, std::string& out);

/// Appends the table's line for a profile. `number` is that of its alignment, from 1.
void append_build_row(std::uint64_t number, const BuiltHmm& built, std::string& out);

}  // namespace warpseq
