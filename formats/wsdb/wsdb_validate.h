// Checks a whole database: every checksum, every byte of padding, every invariant of
// docs/format.md, and that index, digest and statistics say what the content says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct WsdbValidation {
    /// What was checked and how many of it, in the order of checking: {"tiles", 625}.
    struct Count {
        std::string what;
        std::uint64_t checked = 0;
    };
    std::vector<Count> counts;
    std::vector<WsdbFault> faults;  // the first one, or all up to WsdbFaults::kMaxFaults; none: the database is sound
};

struct WsdbValidateOptions {
    bool all = false;  // go on behind the first fault
    std::function<void(std::uint64_t done_tiles, std::uint64_t total_tiles)> on_progress;
};

/// Errors are only what keeps the file from being looked at; damage is in the result. Memory: a bit
/// for each sequence at most, and what formats/wsdb/wsdb_content_check.h says.
Result<WsdbValidation> validate_wsdb(const std::filesystem::path& file, const ThreadPool& pool,
                                     const WsdbValidateOptions& options = {});
/// The same of a file that was mapped, and not looked at yet.
Result<WsdbValidation> validate_wsdb(WsdbReader::Map& map, const ThreadPool& pool,
                                     const WsdbValidateOptions& options = {});

}  // namespace warpseq
