// What a program that builds profiles says about them: a header, a line for each profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engines/build/hmm_build_engine.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

struct HmmBuildRun {
    HmmReportProgram program;  // with a banner
    std::string alignment_file, profile_file;
    std::vector<HmmRun::Given> given;
};

/// The lines about the run, and the table's first two.
void append_build_header(const HmmBuildRun& run, std::string& out);

/// `number` counts alignments from 1.
void append_build_row(std::uint64_t number, const BuiltHmm& built, std::string& out);

}  // namespace warpseq
