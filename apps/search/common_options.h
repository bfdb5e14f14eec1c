// The options that every engine of `search` has, spelled and meant alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/devices.h"
#include "kernels/smith_waterman.h"
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
    double evalue = 10;             // infinity: every hit that scores
    std::uint64_t max_hits = 500;   // per query; 0: no limit
    std::string outfmt = "0";
    bool stats = false;
    bool quiet = false;
};

/// Adds the groups "Input and output" and "Machine" and "Reporting".
void add_common_options(cxxopts::Options& options);

/// Reads them back; wrong values are usage errors.
Result<CommonOptions> read_common_options(const cxxopts::ParseResult& parsed);

}  // namespace warpseq
