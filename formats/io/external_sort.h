// Sorts more than memory holds: records with a key of two 64-bit numbers and any bytes behind it.
//
// While everything fits in the memory given, nothing is written. Beyond that, sorted runs go to a
// temporary file and are merged with what is in memory at the end; in several passes where there
// are too many runs for one. The first runs are small, so that little more is written than does not
// fit. Keys have to be distinct, so the order does not depend on how much memory there was.
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

struct SortItem {
    SortKey key{};
    std::span<const std::uint8_t> payload;
};

/// A record of several whose payloads stand one behind the other.
struct SortRecord {
    SortKey key{};
    std::size_t payload_bytes = 0;
};

/// Payloads that load() has brought.
struct SortPayloads {
    std::vector<std::span<const std::uint8_t>> payloads;  // of each head
    std::unique_ptr<std::uint8_t[]> room;                 // for those that were on disk
    std::size_t room_bytes = 0;
};

class ExternalSort {
   public:
    /// Memory stays within `memory_bytes` (at least 1 MiB) but for payloads larger than that and
    /// for items that next() has handed out and release() has not taken back. `folder` is where
    /// temporary files would go. The threads of `pool`, which has to outlive this, sort and write
    /// runs; none: the caller does.
    ExternalSort(std::uint64_t memory_bytes, std::filesystem::path folder, const ThreadPool* pool = nullptr);
    ~ExternalSort();
    ExternalSort(ExternalSort&&) noexcept;
    ExternalSort& operator=(ExternalSort&&) noexcept;

    /// Adds a record whose payload is the parts one after another.
    Status add(const SortKey& key, std::initializer_list<std::span<const std::uint8_t>> payload_parts);
    /// Adds records whose payloads are `payloads`, one behind the other. Nothing is spilled: where
    /// has_room() is false, memory goes beyond what was given. The payloads are not copied yet:
    /// `copies` gets what has to be done before make_room() and finish(), by any threads.
    void add_all(std::span<const SortRecord> records, std::span<const std::uint8_t> payloads, PendingCopies& copies);
    /// Whether `payload_bytes` of so many records more fit. Always, where nothing is in memory.
    bool has_room(std::uint64_t records, std::uint64_t payload_bytes) const;
    /// Spills so that there is room for more.
    Status make_room();
    /// Other memory from now on: what is held beyond it is spilled when there is more to hold, or
    /// by finish().
    void set_memory(std::uint64_t memory_bytes);
    /// Ends adding; next() or next_head() may follow. Until it returns, `spare_bytes` more of
    /// memory may be taken.
    Status finish(std::uint64_t spare_bytes = 0);
    /// The next item in ascending order: true, or false after the last. Its payload is valid until
    /// release().
    Result<bool> next(SortItem& item);
    /// Invalidates the payloads of all items handed out so far.
    void release();

    // Instead of next() and release():
    /// The head of the next item in ascending order: true, or false after the last.
    Result<bool> next_head(SortHead& head);
    /// Payloads of heads that followed each other, valid until `loaded` is used again. Thread-safe.
    Status load(std::span<const SortHead> heads, SortPayloads& loaded) const;

    /// Gives memory and temporary files back. Nothing but the two below may follow.
    void free();
    std::uint64_t items() const;
    /// Bytes written to temporary files so far; 0 while all fits in memory.
    std::uint64_t spilled_bytes() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
