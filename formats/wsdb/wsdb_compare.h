// Compares two databases sequence by sequence, by identifier and by residues.
//
// The sequences of the two databases are matched in pairs. First, those with the same identifier
// and residues are matched. They are the same sequence, even if the rest of the header differs.
// Then sequences with the same identifier are matched; their residues have changed. Then sequences
// with the same residues are matched; they have been renamed. A sequence without a partner was
// removed or added. An identifier or a sequence that occurs several times is matched as often. The
// order of the sequences does not matter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

enum class WsdbChange : std::uint8_t {
    kHeader,    // the same identifier and residues, another text behind the identifier
    kResidues,  // the same identifier, other residues
    kRenamed,   // the same residues, another identifier
    kRemoved,   // in the first database alone
    kAdded,     // in the second one alone
};
inline constexpr std::size_t kWsdbChanges = 5;

/// One difference between the databases. It concerns a sequence of the first database, a sequence
/// of the second one, or a pair.
struct WsdbDifference {
    WsdbChange change{};
    /// The rank and the identifier in the first and in the second database. They are 0 and empty
    /// for a database that the change does not concern.
    std::uint64_t rank_before = 0, rank_after = 0;
    std::string identifier_before, identifier_after;
};

struct WsdbComparison {
    std::uint64_t same = 0;  // sequences with the same identifier, residues and header
    std::array<std::uint64_t, kWsdbChanges> changes{};
    bool is_same() const { return changes == std::array<std::uint64_t, kWsdbChanges>{}; }
    std::uint64_t count(WsdbChange change) const { return changes[static_cast<std::size_t>(change)]; }
};

struct WsdbCompareOptions {
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // for sorting, at least 4 MiB
    std::filesystem::path temporary_folder;
    /// Called with each difference. Differences with a sequence of the first database come first,
    /// in its input order. Then come the added sequences, in the input order of the second
    /// database. If it is empty, differences are only counted, which takes less time.
    std::function<Status(const WsdbDifference&)> on_difference;
    std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)> on_progress;
};

/// Compares two databases. Reads both once with all threads, and the headers of differing sequences
/// again. Damage in what is read is an error. If the content digests in both headers are equal, the
/// databases are the same, provided that each has the content of its digest; otherwise an error
/// says so. If the digests differ, identifiers and residues are compared by 128-bit hashes, and
/// whole headers by 64-bit hashes. Memory: `memory_bytes`, and some blocks for each thread.
Result<WsdbComparison> compare_wsdb(const WsdbReader& before, const WsdbReader& after, const ThreadPool& pool,
                                    const WsdbCompareOptions& options);

}  // namespace warpseq
