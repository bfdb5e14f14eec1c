// Merges records with identical sequences into the first of them, with the headers of all. An
// external sort by hash brings them together, and a comparison of residues decides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "formats/fasta/record_batch.h"
#include "formats/io/external_sort.h"
#include "formats/wsdb/record_source.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class UniqueRecords {
   public:
    /// `folder` holds temporary files. The pool outlives this object.
    UniqueRecords(std::uint64_t memory_bytes, const std::filesystem::path& folder, const ThreadPool& pool)
        : sort_(memory_bytes, folder, &pool) {}

    // The three functions work as those of WsdbWriter, but add() accepts positions that occur
    // twice.
    Result<bool> add(const RecordBatch& batch, PendingCopies& copies);
    Status make_room() { return sort_.make_room(); }
    void begin_input() { input_begin_ = positions_end_; }

    /// Calls `take` with the merged records, in batches. Call it once, after the last add().
    /// make_room() works as in RecordSource::read(). A record has the position of its sequence's
    /// first occurrence in all that was added. Headers are joined by Ctrl-A in input order, each
    /// once.
    Status read(const RecordSource::Take& take, const std::function<Status()>& make_room);
    /// Returns the number of records that were merged into an earlier one. Call it after read().
    std::uint64_t merged() const { return merged_; }

   private:
    ExternalSort sort_;
    std::uint64_t input_begin_ = 0, positions_end_ = 0, merged_ = 0;
    std::vector<SortRecord> sort_records_;  // of a batch
    std::vector<std::uint8_t> payloads_;
};

}  // namespace warpseq
