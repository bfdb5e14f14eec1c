// What is different between two databases, sequence by sequence, by identifier and by residues.
//
// Sequences of one identifier are held against each other first: those with the same residues are
// the same sequence, with another header text perhaps; those left are changed, as many as there are
// on both sides. Of what is left then, sequences with the same residues are renamed. The rest was
// removed or added. Identifiers and sequences that are there several times count as often. The
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

/// A sequence of the first database, of the second, or both, as the change says.
struct WsdbDifference {
    WsdbChange change{};
    /// Of a database that has no part in it: 0 and empty.
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
    /// Gets each difference: first those with a sequence of the first database, in its input order,
    /// then what was added, in the second one's. None: they are counted alone, which takes less
    /// time.
    std::function<Status(const WsdbDifference&)> on_difference;
    std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)> on_progress;
};

/// Reads both databases once by all threads, and the headers of what differs again. Damage of what
/// is read is an error. Where the content digests of their headers are equal, the databases are the
/// same if each has the content that its digest says, and an error says so if not. Else identifiers
/// and residues are compared by 128-bit hashes. Memory: the given one, and some blocks for each
/// thread.
Result<WsdbComparison> compare_wsdb(const WsdbReader& before, const WsdbReader& after, const ThreadPool& pool,
                                    const WsdbCompareOptions& options);

}  // namespace warpseq
