// Validates a whole database: every checksum, every byte of padding and every invariant of
// docs/format.md. It also checks that the indexes, the digest and the statistics agree with the
// content.
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
    /// A kind of item that was checked, and the number of these items, such as {"tiles", 625}. The
    /// counts are in the order of checking.
    struct Count {
        std::string what;
        std::uint64_t checked = 0;
    };
    std::vector<Count> counts;
    std::vector<WsdbFault> faults;  // the first fault, or all up to WsdbFaults::kMaxFaults; none: the database is sound
};

struct WsdbValidateOptions {
    bool all = false;  // go on after the first fault
    std::function<void(std::uint64_t done_tiles, std::uint64_t total_tiles)> on_progress;
};

/// Validates a file. Damage is in the result; an error Status means only that the file could not be
/// examined. Memory: at most one bit for each sequence, and what formats/wsdb/wsdb_content_check.h
/// says.
Result<WsdbValidation> validate_wsdb(const std::filesystem::path& file, const ThreadPool& pool,
                                     const WsdbValidateOptions& options = {});
/// Validates a file that is mapped but not checked yet.
Result<WsdbValidation> validate_wsdb(WsdbReader::Map& map, const ThreadPool& pool,
                                     const WsdbValidateOptions& options = {});

}  // namespace warpseq
