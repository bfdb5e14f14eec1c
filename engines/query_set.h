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

/// How far a pair's Smith-Waterman score may lie below the lowest score of an E-value limit. Such
/// pairs matter if another score is judged that can be higher (blastp; docs/blastp.md has the
/// proof). The distance is at most `side_raw` for one side of a seed. For both sides it is twice as
/// much, but the pair then scores at least half of the lowest score plus `jump_raw`. By default the
/// distance is 0.
struct ScoreAllowance {
    std::int32_t side_raw = 0, jump_raw = 0;

    /// Returns the lowest Smith-Waterman score that matters for the lowest score `limit_raw`.
    std::int32_t lowest(std::int32_t limit_raw) const {
        if (side_raw == 0) return limit_raw;
        const std::int32_t both = std::max(limit_raw - 2 * side_raw, (limit_raw + 1) / 2 + jump_raw);
        return std::max(std::min(limit_raw - side_raw, both), 1);
    }
};

struct Query {
    std::string header;
    std::vector<ResidueCode> residues;
    std::vector<ResidueRange> lower_case = {};  // as in FastaRecord
    ScoreAllowance allowance = {};
    std::uint64_t number = 0;          // position in the file, from 1
    std::uint64_t whole_residues = 0;  // length in the file; `residues` may be a range of the sequence
};

/// Limits of a batch. They bound the memory for a query file of any size; the database is read once
/// per batch.
struct QueryBatchLimits {
    std::size_t queries = 4096;
    std::uint64_t residues = std::uint64_t{4} << 20;

    /// Returns these limits with the same number of queries or fewer. It is the number for which
    /// there is room if each query finds `bytes_per_query`, but at least one.
    QueryBatchLimits within(std::uint64_t room_bytes, std::uint64_t bytes_per_query) const {
        const std::uint64_t most = std::max<std::uint64_t>(room_bytes / std::max<std::uint64_t>(bytes_per_query, 1), 1);
        return {.queries = std::min<std::uint64_t>(queries, most), .residues = residues};
    }
};

class QueryReader {
   public:
    explicit QueryReader(const std::filesystem::path& file, QueryBatchLimits limits = {}, FastaOptions options = {});

    /// Restricts the queries that follow to this range of their sequences, as far as they reach. A
    /// sequence that ends right before the range becomes an empty query. A sequence that ends
    /// earlier is left out. If nothing is left, the end of the file is an error.
    void take_range(ResidueRange range) { range_ = range; }

    /// Returns the next batch; an empty one after the last query.
    Result<std::vector<Query>> next_batch();

    /// Returns warnings about the queries read so far, a sentence each.
    std::vector<std::string> warnings() const;

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
