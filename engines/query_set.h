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

/// How far below the lowest score of an E-value limit a pair's Smith-Waterman score may be, where
/// another score is judged that can be above it (blastp; docs/blastp.md has the proof): by up to
/// `side_raw` for one side of a seed; for both sides by twice as much, but then the pair scores
/// half of it and `jump_raw`. By default not at all.
struct ScoreAllowance {
    std::int32_t side_raw = 0, jump_raw = 0;

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
    std::uint64_t number = 0;          // in the file, from 1
    std::uint64_t whole_residues = 0;  // in the file, though `residues` may be a range of them
};

/// A batch is bounded, so that a query file of any size is searched in bounded memory, the database
/// read once per batch.
struct QueryBatchLimits {
    std::size_t queries = 4096;
    std::uint64_t residues = std::uint64_t{4} << 20;

    /// The same or fewer queries: as many as have room if each finds `bytes_per_query`, but one at
    /// least.
    QueryBatchLimits within(std::uint64_t room_bytes, std::uint64_t bytes_per_query) const {
        const std::uint64_t most = std::max<std::uint64_t>(room_bytes / std::max<std::uint64_t>(bytes_per_query, 1), 1);
        return {.queries = std::min<std::uint64_t>(queries, most), .residues = residues};
    }
};

class QueryReader {
   public:
    explicit QueryReader(const std::filesystem::path& file, QueryBatchLimits limits = {}, FastaOptions options = {});

    /// From here on queries are only this range of what the file has, as far as they reach; of one
    /// that ends right before it nothing is left, those that end earlier are left out. Where
    /// nothing is left the end of the file is an error.
    void take_range(ResidueRange range) { range_ = range; }

    /// The next batch; empty after the last query.
    Result<std::vector<Query>> next_batch();

    /// What was noticed in the queries read so far, a sentence each, for a warning.
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
