// The queries of one search: a FASTA file, read in batches that are searched together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/fasta.h"
#include "libcore/status.h"

namespace warpseq {

struct Query {
    std::string header;
    std::vector<ResidueCode> residues;
    std::vector<ResidueRange> lower_case = {};  // as in FastaRecord
};

/// A batch is bounded, so that a query file of any size is searched in bounded memory, the database read once per batch.
struct QueryBatchLimits {
    std::size_t queries = 4096;
    std::uint64_t residues = std::uint64_t{4} << 20;
};

class QueryReader {
   public:
    explicit QueryReader(const std::filesystem::path& file, QueryBatchLimits limits = {}, bool find_lower_case = false);

    /// The next batch; empty after the last query.
    Result<std::vector<Query>> next_batch();

    /// What was noticed in the queries read so far, a sentence each, for a warning.
    std::vector<std::string> warnings() const;

   private:
    std::filesystem::path file_;
    QueryBatchLimits limits_;
    FastaReader reader_;
    bool finished_ = false;
};

}  // namespace warpseq
