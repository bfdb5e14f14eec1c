// The options that every engine of `search` has, spelled and meant alike, and those of engines that report lists of pairs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/devices.h"
#include "kernels/cpu_backend.h"
#include "libcore/status.h"

namespace cxxopts {
class Options;
class ParseResult;
}  // namespace cxxopts

namespace warpseq {

struct CommonOptions {
    std::filesystem::path query_file;  // "-" is standard input
    std::vector<std::filesystem::path> database_files;
    std::optional<std::filesystem::path> output_file;
    unsigned threads = 1;
    DeviceRequest device;
    std::uint64_t device_memory_bytes = 0;  // per GPU; 0: what is free
    CpuBackend cpu_backend = CpuBackend::kPortable;
    std::uint64_t chunk_bytes = 0;  // 0: the engine's choice
    bool stats = false;
    bool quiet = false;
};

/// How engines report that list scored pairs of a query and a target, as BLAST does.
struct HitListOptions {
    double evalue = 10;            // infinity: every hit that scores
    std::uint64_t max_hits = 500;  // per query; 0: no limit
    std::string outfmt = "0";
};

/// Adds the group "Input and output"; `query_help` says what a query file is.
void add_input_options(cxxopts::Options& options, const std::string& query_help);
/// Adds --outfmt to it, and the group "Reporting".
void add_hit_list_options(cxxopts::Options& options);
/// Adds the groups "Machine" and "Other", which end the help.
void add_machine_options(cxxopts::Options& options);

/// Read them back, the first and the last group together; wrong values are usage errors.
Result<CommonOptions> read_common_options(const cxxopts::ParseResult& parsed);
Result<HitListOptions> read_hit_list_options(const cxxopts::ParseResult& parsed);

}  // namespace warpseq
