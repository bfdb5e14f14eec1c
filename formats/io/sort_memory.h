// The memory of an external sort: an arena for payloads, and an index of pointers to them. Both are
// filled in the order in which records are added. So the oldest records can be written to disk
// while the others stay, and their memory is used again.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace warpseq {

using SortKey = std::array<std::uint64_t, 2>;  // compared by the first number, then by the second

/// Memory for payloads, in chunks that are freed in the order in which they were filled. Chunks of
/// the common size are kept for the next use.
class SortArena {
   public:
    explicit SortArena(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

    /// Returns how many bytes have to be allocated beyond allocated_bytes() for `size` more bytes.
    std::size_t growth(std::size_t size) const {
        if (size > chunk_bytes_) return size;
        if (size <= room_ || !spare_.empty()) return 0;
        return chunk_bytes_;
    }
    /// Returns how many bytes still fit in the current chunk.
    std::size_t room() const { return room_; }

    /// Returns memory for a payload of `size` bytes. Throws std::bad_alloc.
    std::uint8_t* allocate(std::size_t size) {
        if (size > chunk_bytes_) {
            room_ = 0;  // the next payload goes into a chunk behind this one
            used_.push_back({allocate_memory(size), size, true});
            allocated_bytes_ += size;
            return used_.back().memory.get();
        }
        if (size > room_) {
            if (spare_.empty()) {
                spare_.reserve(used_.size() + 1);  // so that giving back never allocates
                spare_.push_back(allocate_memory(chunk_bytes_));
                allocated_bytes_ += chunk_bytes_;
            }
            used_.push_back({std::move(spare_.back()), chunk_bytes_, false});
            spare_.pop_back();
            place_ = used_.back().memory.get();
            room_ = chunk_bytes_;
        }
        std::uint8_t* result = place_;
        place_ += size;
        room_ -= size;
        return result;
    }

    /// Gives back all chunks and keeps those of the common size for the next use.
    void reset() {
        give_back(used_.size());
        room_ = 0;
    }
    /// Gives back all chunks and frees their memory.
    void free() {
        reset();
        free_spare();
    }
    void free_spare() {
        allocated_bytes_ -= spare_.size() * chunk_bytes_;
        spare_.clear();
    }
    /// Gives back the oldest chunks, up to, but not including, the chunk that holds `place`.
    void reset_up_to(const std::uint8_t* place) {
        std::size_t chunks = 0;
        while (chunks < used_.size() && !used_[chunks].holds(place)) ++chunks;
        give_back(chunks);
    }

    std::uint64_t allocated_bytes() const { return allocated_bytes_; }

   private:
    struct Free {
        void operator()(std::uint8_t* memory) const { std::free(memory); }
    };
    using Chunk = std::unique_ptr<std::uint8_t[], Free>;

    struct Used {
        Chunk memory;
        std::size_t bytes = 0;
        bool large = false;

        bool holds(const std::uint8_t* place) const { return place >= memory.get() && place < memory.get() + bytes; }
    };

    void give_back(std::size_t chunks) {
        for (std::size_t i = 0; i < chunks; ++i) {
            if (used_[i].large) {
                allocated_bytes_ -= used_[i].bytes;
            } else {
                spare_.push_back(std::move(used_[i].memory));
            }
        }
        used_.erase(used_.begin(), used_.begin() + static_cast<std::ptrdiff_t>(chunks));
    }

    /// Allocates a chunk. Large chunks ask for huge pages, because to get memory 4096 bytes at a
    /// time takes the system longer than reading the input.
    static Chunk allocate_memory(std::size_t size) {
        constexpr std::size_t kHugePage = std::size_t{2} << 20;
        const bool large = size % kHugePage == 0;
        void* memory = large ? std::aligned_alloc(kHugePage, size) : std::malloc(size);
        if (memory == nullptr) throw std::bad_alloc();
        if (large) madvise(memory, size, MADV_HUGEPAGE);
        return Chunk(static_cast<std::uint8_t*>(memory));
    }

    std::size_t chunk_bytes_;
    std::vector<Used> used_;  // in the order of filling
    std::vector<Chunk> spare_;
    std::uint8_t* place_ = nullptr;
    std::size_t room_ = 0;
    std::uint64_t allocated_bytes_ = 0;
};

/// A record in memory: its key, and where its payload is.
struct SortEntry {
    SortKey key;
    const std::uint8_t* payload;
    std::size_t payload_bytes;

    std::span<const std::uint8_t> bytes() const { return {payload, payload_bytes}; }
};

/// Entries in the order in which they were added. They are stored in parts, so that growing neither
/// copies them nor holds memory twice.
class SortIndex {
   public:
    explicit SortIndex(std::uint64_t memory_bytes)
        : part_entries_(static_cast<std::size_t>(
              std::clamp<std::uint64_t>(memory_bytes / 256 / sizeof(SortEntry), 64, std::uint64_t{1} << 16))) {}

    std::size_t size() const { return parts_.size() * part_entries_ - begin_ - room_; }
    bool empty() const { return size() == 0; }
    std::uint64_t allocated_bytes() const { return parts_.size() * part_entries_ * sizeof(SortEntry); }
    /// Returns how many bytes have to be allocated for this many more entries.
    std::uint64_t growth(std::uint64_t entries) const {
        if (entries <= room_) return 0;
        return (entries - room_ + part_entries_ - 1) / part_entries_ * part_entries_ * sizeof(SortEntry);
    }
    void push_back(const SortEntry& entry) {
        if (room_ == 0) {
            parts_.push_back(std::make_unique_for_overwrite<SortEntry[]>(part_entries_));
            room_ = part_entries_;
        }
        parts_.back()[part_entries_ - room_--] = entry;
    }
    const SortEntry& front() const { return parts_.front()[begin_]; }
    /// Returns the entries, in order, as ranges that are contiguous in memory.
    std::vector<std::span<const SortEntry>> stretches() const {
        std::vector<std::span<const SortEntry>> all;
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            const std::size_t begin = p == 0 ? begin_ : 0, end = part_entries_ - (p + 1 == parts_.size() ? room_ : 0);
            all.emplace_back(parts_[p].get() + begin, end - begin);
        }
        return all;
    }
    void clear() {
        parts_.clear();
        begin_ = room_ = 0;
    }

    /// Entries that were taken from the index, in its order.
    struct Entries {
        std::unique_ptr<SortEntry[]> entries;
        std::size_t count = 0;

        std::span<SortEntry> all() const { return {entries.get(), count}; }
    };
    /// Takes entries from the front as long as `wanted` returns true. `wanted` is called with the
    /// entries in order.
    template <typename Wanted>
    Entries take_while(const Wanted& wanted) {
        std::size_t count = 0;
        const std::size_t most = size();
        while (count < most && wanted(at(count))) ++count;
        Entries taken{std::make_unique_for_overwrite<SortEntry[]>(count), count};
        for (std::size_t done = 0; done < count;) {
            const std::size_t here = std::min(count - done, part_entries_ - begin_);
            std::copy_n(parts_.front().get() + begin_, here, taken.entries.get() + done);
            done += here;
            begin_ += here;
            if (begin_ == part_entries_) {
                parts_.pop_front();
                begin_ = 0;
            }
        }
        if (empty()) clear();
        return taken;
    }
    /// Takes all entries.
    Entries take_all() {
        return take_while([](const SortEntry&) { return true; });
    }

   private:
    const SortEntry& at(std::size_t i) const {
        return parts_[(begin_ + i) / part_entries_][(begin_ + i) % part_entries_];
    }
    std::size_t part_entries_;
    std::deque<std::unique_ptr<SortEntry[]>> parts_;
    std::size_t begin_ = 0;  // in the first part
    std::size_t room_ = 0;   // in the last part
};

}  // namespace warpseq
