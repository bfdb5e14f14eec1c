// Records of which each sequence is there once: of identical ones the first, with the headers of
// all. An external sort by hash brings them together, and residues decide.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "formats/fasta/record_batch.h"
#include "formats/io/external_sort.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class UniqueRecords {
   public:
    /// `folder` is where temporary files would go. The pool outlives this.
    UniqueRecords(std::uint64_t memory_bytes, const std::filesystem::path& folder, const ThreadPool& pool)
        : sort_(memory_bytes, folder, &pool) {}

    // As WsdbWriter has them; positions are not held to be distinct.
    Result<bool> add(const RecordBatch& batch, PendingCopies& copies);
    Status make_room() { return sort_.make_room(); }
    void begin_input() { input_begin_ = positions_end_; }

    /// Calls `take` with what is left, in batches, after the last add(), once; make_room() as
    /// RecordSource has it. A record has the position of the first of its sequence in all that was
    /// added. Headers are joined by Ctrl-A in the order of the input, each once.
    Status read(const std::function<Result<bool>(const RecordBatch& batch, PendingCopies& copies)>& take,
                const std::function<Status()>& make_room);
    /// Records that went into an earlier one. After read().
    std::uint64_t merged() const { return merged_; }

   private:
    ExternalSort sort_;
    std::uint64_t input_begin_ = 0, positions_end_ = 0, merged_ = 0;
    std::vector<SortRecord> sort_records_;  // of a batch
    std::vector<std::uint8_t> payloads_;
};

}  // namespace warpseq
