// The queries of one search: a FASTA file, read in batches that are searched together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/fasta/nucleotide_detector.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The allowance of a query: how far the Smith-Waterman score of a pair may lie below the lowest
/// score of an E-value limit if the pair may still be a hit. It is above 0 for blastp, whose own
/// preliminary score of a pair can be higher than Smith-Waterman's (docs/blastp.md has the proof).
/// One side of a seed contributes at most `side_raw`. Both sides contribute at most twice as much,
/// but the pair then scores at least half of the lowest score plus `jump_raw`.
struct ScoreAllowance {
    std::int32_t side_raw = 0, jump_raw = 0;

    /// Returns the lowest Smith-Waterman score of a pair that may be a hit if hits score at least
    /// `limit_raw`.
    std::int32_t lowest(std::int32_t limit_raw) const {
        if (side_raw == 0) return limit_raw;
        const std::int32_t both = std::max(limit_raw - 2 * side_raw, (limit_raw + 1) / 2 + jump_raw);
        return std::max(std::min(limit_raw - side_raw, both), 1);
    }
};

struct Query {
    std::string header;
    std::vector<ResidueCode> residues;
    std::vector<ResidueRange> lower_case = {};  // stretches in lower case, as in FastaRecord
    ScoreAllowance allowance = {};
    std::uint64_t number = 0;          // position in the file, from 1
    std::uint64_t whole_residues = 0;  // length in the file; `residues` may be a range of the sequence
};

/// Limits of a batch. They bound the memory for a query file of any size. The database is read once
/// per batch.
struct QueryBatchLimits {
    std::size_t queries = 4096;
    std::uint64_t residues = std::uint64_t{4} << 20;

    /// Returns these limits with a number of queries that fits `room_bytes` if the hits of each
    /// query take `bytes_per_query`. The number is at least 1, and not higher than in these limits.
    QueryBatchLimits within(std::uint64_t room_bytes, std::uint64_t bytes_per_query) const {
        const std::uint64_t most = std::max<std::uint64_t>(room_bytes / std::max<std::uint64_t>(bytes_per_query, 1), 1);
        return {.queries = std::min<std::uint64_t>(queries, most), .residues = residues};
    }
};

class QueryReader {
   public:
    explicit QueryReader(const std::filesystem::path& file, QueryBatchLimits limits = {}, FastaOptions options = {});

    /// Restricts the following queries to this range of their sequences. A sequence may end within
    /// the range. If it ends right before the range, it becomes an empty query. If it ends earlier,
    /// it is left out. If no query is left, next_batch() returns an error at the end of the file.
    void take_range(ResidueRange range) { range_ = range; }

    /// Returns the next batch; an empty one after the last query.
    Result<std::vector<Query>> next_batch();

    /// Returns warnings about the queries that were read so far, one sentence each.
    std::vector<std::string> warnings() const;
    /// Returns an answer if the queries that were read so far look like nucleotides. It is returned
    /// once, and warnings() has it only if it was not.
    std::optional<std::string> take_nucleotide_answer() { return nucleotides_.take_answer(file_.string()); }

   private:
    std::filesystem::path file_;
    QueryBatchLimits limits_;
    FastaReader reader_;
    NucleotideDetector nucleotides_;
    std::optional<ResidueRange> range_;
    std::uint64_t records_ = 0, taken_ = 0;
    bool finished_ = false;
};

}  // namespace warpseq
