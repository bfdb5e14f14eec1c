// Sorted runs of an external sort, on disk or in memory, and their merge.
//
// A run on disk consists of two rows: the heads of its records (the key's two numbers and the
// payload's size), and the payloads. So a merge reads only heads, and a caller that works on
// consecutive records reads all of their payloads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "formats/io/sort_memory.h"
#include "formats/io/temporary_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// A record as the merge returns it, without its payload.
struct SortHead {
    static constexpr std::uint32_t kInMemory = std::numeric_limits<std::uint32_t>::max();

    SortKey key{};
    std::size_t payload_bytes = 0;
    // The place of the payload, used only by ExternalSort::load().
    std::uint32_t run = kInMemory;
    const std::uint8_t* in_memory = nullptr;
    std::uint64_t offset_bytes = 0;  // in the temporary file
};

/// The place of a sorted run in its temporary file.
struct SortRun {
    std::uint64_t heads_begin = 0, payloads_begin = 0;  // in its temporary file
    std::uint64_t count = 0, payload_bytes = 0;

    static constexpr std::size_t kHeadBytes = 3 * sizeof(std::uint64_t);
    std::uint64_t size_bytes() const { return count * kHeadBytes + payload_bytes; }
};

/// A reader of a range of a file, in order and through a buffer.
class SortStream {
   public:
    SortStream(const TemporaryFile* file, std::uint64_t begin, std::uint64_t end, std::size_t buffer_bytes)
        : file_(file), next_(begin), end_(end), buffer_bytes_(buffer_bytes) {}
    Status read(std::uint8_t* out, std::size_t size);

   private:
    const TemporaryFile* file_;
    std::uint64_t next_, end_;  // in the file
    std::size_t buffer_bytes_;
    std::vector<std::uint8_t> buffer_;
    std::size_t place_ = 0, held_ = 0;
};

/// A writer of one run. It collects bytes into large writes to a reserved range of the file.
class SortRunWriter {
   public:
    /// `run` gives the reserved range, the number of records and the bytes of their payloads.
    SortRunWriter(const TemporaryFile& file, const SortRun& run, std::size_t buffer_bytes);

    /// Adds the next record in the order of keys.
    Status add(const SortKey& key, std::span<const std::uint8_t> payload);
    /// Writes what is still in the buffers.
    Status flush();

   private:
    struct Row {
        std::uint64_t offset_bytes;
        std::vector<std::uint8_t> buffer;
    };
    Status put(Row& row, std::span<const std::uint8_t> bytes) const;
    Status write(Row& row, std::span<const std::uint8_t> bytes) const;

    const TemporaryFile& file_;
    Row heads_, payloads_;
};

/// A merge of runs in ascending order of keys. It keeps a heap of their readers.
class SortMerge {
   public:
    /// Starts a merge with a buffer of `buffer_bytes` for each run.
    Status start(const TemporaryFile* file, std::span<const SortRun> runs, std::size_t buffer_bytes,
                 std::span<const SortEntry> in_memory = {});

    // A merge uses only one of these two functions:
    /// Gets the next record's head. Returns false at the end.
    Result<bool> next(SortHead& head);
    /// Gets the next record's head and its payload. The payload is in memory already, or is read
    /// into `arena`.
    Result<bool> next(SortHead& head, SortArena& arena, std::span<const std::uint8_t>& payload);

   private:
    struct Reader {
        Reader(const TemporaryFile* file, const SortRun& run, std::uint32_t number, std::size_t buffer_bytes);
        explicit Reader(std::span<const SortEntry> entries)
            : in_memory(entries), heads(nullptr, 0, 0, 0), payloads(nullptr, 0, 0, 0) {}
        /// Reads the next head. Returns false at the end.
        Result<bool> advance();

        std::span<const SortEntry> in_memory;
        std::size_t next_in_memory = 0;
        std::uint64_t left = 0;  // records on disk that have not been read
        SortStream heads, payloads;
        SortHead head;
    };
    static bool later(const Reader* a, const Reader* b) { return a->head.key > b->head.key; }
    Status advance_first();

    std::vector<Reader> readers_;
    std::vector<Reader*> heap_;
};

}  // namespace warpseq
