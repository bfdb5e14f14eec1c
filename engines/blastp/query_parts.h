// A reader of blastp queries that cuts long queries into parts, as blastp does.
//
// blastp reads queries in groups. A group takes whole queries in the file's order until it has
// 10,000 residues or more. A group of 19,800 residues or more is cut. Its queries are strung
// together, and the string is cut into pieces of equal length that overlap by 100 residues. The
// stretch of a query that lies in a piece is a part. blastp searches with a part as with a query of
// its own, with the part's low complexity, statistics and cutoffs. It joins the HSPs of the parts
// and traces them back with the whole query. Short queries of such a group are also cut if they
// cross the border of a piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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

/// Returns the parts of each query of a group, as ranges of the query. There are no parts if the
/// group is not cut. `query_residues` are the lengths of the queries.
std::vector<std::vector<QueryStretch>> parts_of_group(std::span<const std::uint64_t> query_residues);

struct QueryWithParts {
    Query query;
    std::vector<QueryStretch> parts;
    std::uint64_t group;  // number of its group in the file, from 0
};

/// A reader of a query file in batches of whole groups. The group that reaches a limit is the last
/// one of its batch.
class PartedQueryReader {
   public:
    PartedQueryReader(const std::filesystem::path& file, QueryBatchLimits limits, FastaOptions options);

    /// Restricts queries to a range, as QueryReader::take_range() does. Groups are formed from the
    /// restricted queries.
    void take_range(ResidueRange range) { reader_.take_range(range); }
    /// Returns the next batch; an empty one after the last query.
    Result<std::vector<QueryWithParts>> next_batch();

    std::vector<std::string> warnings() const { return reader_.warnings(); }
    std::optional<std::string> take_nucleotide_answer() { return reader_.take_nucleotide_answer(); }

   private:
    QueryBatchLimits limits_;
    QueryReader reader_;  // its batches are blastp's groups
    std::uint64_t groups_ = 0;
};

}  // namespace warpseq
