// Faults of a database file, each with its place and a description, and lists of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// One thing that is wrong with a database file.
struct WsdbFault {
    std::uint64_t offset_bytes = 0;  // position in the file
    std::string what;                // "TILE_INDEX checksum", "length of sequence 5"
    std::string expected;
    std::string found;
};

/// Returns an error that reads "FILE: byte OFFSET: WHAT: expected X, found Y".
Status fault_status(const std::filesystem::path& file, const WsdbFault& fault);

/// Returns "NAME INDEX", such as "block 5".
std::string indexed(std::string_view name, std::uint64_t index);

/// A list of faults that keeps only the first, or all up to a limit.
class WsdbFaults {
   public:
    static constexpr std::size_t kMaxFaults = 1000;
    explicit WsdbFaults(bool all) : all_(all) {}

    /// Adds a fault. Returns whether to look for more.
    bool add(std::uint64_t offset_bytes, std::string what, std::string expected, std::string found);
    bool add_number(std::uint64_t offset_bytes, std::string what, std::uint64_t expected, std::uint64_t found);
    bool add_checksum(std::uint64_t offset_bytes, std::string what, std::uint64_t expected, std::uint64_t found);
    /// Adds a fault of data that was sound when the file was opened and has changed since.
    bool add_changed(std::uint64_t offset_bytes, std::string what);

    bool any() const { return !list_.empty(); }
    bool full() const { return !list_.empty() && (!all_ || list_.size() >= kMaxFaults); }
    bool all() const { return all_; }
    const std::vector<WsdbFault>& list() const { return list_; }

   private:
    bool all_;
    std::vector<WsdbFault> list_;
};

}  // namespace warpseq
