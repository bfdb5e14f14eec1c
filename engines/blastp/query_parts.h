// How blastp cuts long queries into parts.
//
// It reads queries in groups: whole ones in the file's order, until a group has 10,000 residues or
// more. A group of 19,800 residues or more, all its queries one behind the other, is cut into
// chunks of equal length that overlap by 100 residues. What a chunk holds of a query is a part,
// with which blastp searches as with a query of its own: low complexity, statistics and cutoffs are
// the part's. Only what the parts have found, put together, is traced back with the whole query.
// Short queries of such a group are cut where they stand at a chunk's border.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engines/query_set.h"
#include "formats/fasta/fasta.h"
#include "kernels/seeds/word_hits.h"
#include "libcore/base/status.h"

namespace warpseq {

inline constexpr std::uint64_t kQueryGroupResidues = 10'000;
inline constexpr std::uint64_t kPartOverlapResidues = 100;

/// The parts of each query of a group, by their lengths, as they stand in the query; none if the
/// group is not cut.
std::vector<std::vector<QueryStretch>> parts_of_group(std::span<const std::uint64_t> query_residues);

struct QueryWithParts {
    Query query;
    std::vector<QueryStretch> parts;
    std::uint64_t group;  // its number in the file, from 0
};

/// A query file in batches of whole groups. Of the limits, the group that reaches one is the
/// batch's last.
class PartedQueryReader {
   public:
    PartedQueryReader(const std::filesystem::path& file, QueryBatchLimits limits, FastaOptions options);

    /// QueryReader's: groups are cut of what is taken.
    void take_range(ResidueRange range) { reader_.take_range(range); }
    /// The next batch; empty after the last query.
    Result<std::vector<QueryWithParts>> next_batch();

    std::vector<std::string> warnings() const { return reader_.warnings(); }

   private:
    QueryBatchLimits limits_;
    QueryReader reader_;  // its batches are blastp's groups
    std::uint64_t groups_ = 0;
};

}  // namespace warpseq
