// ExternalSort sorts more records than fit in memory. A record has a key of two 64-bit numbers and
// a payload of any bytes.
//
// Nothing is written to disk as long as everything fits in the given memory. Beyond that, sorted
// runs go to a temporary file. At the end they are merged with the records in memory, in several
// passes if there are too many runs for one. The first runs are small, so that little more is
// written than what does not fit. Keys have to be distinct, so that the order does not depend on
// the amount of memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "formats/io/pending_copies.h"
#include "formats/io/sort_runs.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// A record, as next() returns it.
struct SortItem {
    SortKey key{};
    std::span<const std::uint8_t> payload;
};

/// A record among several whose payloads stand one behind the other.
struct SortRecord {
    SortKey key{};
    std::size_t payload_bytes = 0;
};

/// Payloads that ExternalSort::load() has read.
struct SortPayloads {
    std::vector<std::span<const std::uint8_t>> payloads;  // one for each head
    std::unique_ptr<std::uint8_t[]> room;                 // memory for the payloads that were on disk
    std::size_t room_bytes = 0;
};

class ExternalSort {
   public:
    /// Memory use stays within `memory_bytes` (at least 1 MiB). Two things come on top: payloads
    /// larger than that, and items that next() has returned and release() has not taken back.
    /// Temporary files go to `folder`. The threads of `pool`, which has to outlive this object,
    /// sort and write runs; without a pool the calling thread does.
    ExternalSort(std::uint64_t memory_bytes, std::filesystem::path folder, const ThreadPool* pool = nullptr);
    ~ExternalSort();
    ExternalSort(ExternalSort&&) noexcept;
    ExternalSort& operator=(ExternalSort&&) noexcept;

    /// Adds a record whose payload consists of the given parts, one after another.
    Status add(const SortKey& key, std::initializer_list<std::span<const std::uint8_t>> payload_parts);
    /// Adds records whose payloads stand in `payloads`, one behind the other. This call writes
    /// nothing to disk. If has_room() is false, it uses more memory than was given. It does not
    /// copy the payloads, either. `copies` receives the copies that have to be made. Any thread may
    /// make them, but all of them have to be made before make_room() or finish() is called.
    void add_all(std::span<const SortRecord> records, std::span<const std::uint8_t> payloads, PendingCopies& copies);
    /// Whether this many more records with `payload_bytes` in all fit in memory. Always true if
    /// nothing is in memory.
    bool has_room(std::uint64_t records, std::uint64_t payload_bytes) const;
    /// Writes records to disk to make room for more.
    Status make_room();
    /// Changes the memory limit from now on. Records beyond the new limit are spilled when more are
    /// added, or by finish().
    void set_memory(std::uint64_t memory_bytes);
    /// Ends the adding of records. Call next() or next_head() afterwards. Until finish() returns,
    /// it may use `spare_bytes` more of memory.
    Status finish(std::uint64_t spare_bytes = 0);
    /// Gets the next item in ascending order. Returns false if there are no more. The item's
    /// payload is valid until release().
    Result<bool> next(SortItem& item);
    /// Invalidates the payloads of all items handed out so far.
    void release();

    // The next two functions are used instead of next() and release().
    /// Gets the head of the next item in ascending order. Returns false if there are no more.
    Result<bool> next_head(SortHead& head);
    /// Reads the payloads of consecutive heads. They are valid until `loaded` is used again.
    /// Thread-safe.
    Status load(std::span<const SortHead> heads, SortPayloads& loaded) const;

    /// Frees memory and temporary files. Only items() and spilled_bytes() may be called afterwards.
    void free();
    /// Returns the number of records that were added.
    std::uint64_t items() const;
    /// Returns the bytes written to temporary files so far: 0 as long as everything fits in memory.
    std::uint64_t spilled_bytes() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
