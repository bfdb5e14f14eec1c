// Runs are sorted through an index of pointers into an arena. A run on disk is a row of records: the key's two numbers,
// the payload's size, the payload. All runs of one pass stand one after another in one temporary file.
//
// Index and arena are filled in the order of adding, so what came first can be spilled alone: its chunks are used anew.
#include "formats/external_sort.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <utility>
#include <vector>

#include "formats/temporary_file.h"

namespace warpseq {

namespace {

constexpr std::uint64_t kMinMemory = std::uint64_t{1} << 20;
constexpr std::uint64_t kMinRunBuffer = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxRunBuffer = std::uint64_t{4} << 20;
constexpr std::uint64_t kMaxFanIn = 512;
/// The first runs are a quarter of memory each; were all so small, there would be many more.
constexpr std::size_t kSmallRuns = 16;
constexpr std::uint64_t kSmallRunsPerMemory = 4;
/// Fewer items than this are sorted by one thread.
constexpr std::size_t kMinParallelItems = 50000;
constexpr std::size_t kRecordHead = 3 * sizeof(std::uint64_t);

/// Memory for payloads, in chunks that are given back in the order in which they were filled. Chunks of the common size are
/// kept for the next use.
class Arena {
   public:
    explicit Arena(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

    /// What would have to be allocated beyond allocated_bytes() for `size` more bytes.
    std::size_t growth(std::size_t size) const {
        if (size > chunk_bytes_) return size;
        if (size <= room_ || !spare_.empty()) return 0;
        return chunk_bytes_;
    }
    /// What fits in the chunk at hand.
    std::size_t room() const { return room_; }

    std::uint8_t* allocate(std::size_t size) {
        if (size > chunk_bytes_) {
            room_ = 0;  // what follows stands behind it
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

    void reset() {
        give_back(used_.size());
        room_ = 0;
    }
    void free() {
        reset();
        allocated_bytes_ = 0;
        spare_.clear();
    }
    /// Gives back what was allocated first, up to the chunk that holds `place`.
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

    /// Large chunks ask for huge pages: filling memory 4096 bytes at a time takes the system longer than reading the
    /// input.
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

struct IndexEntry {
    SortKey key;
    const std::uint8_t* payload;
    std::size_t payload_bytes;

    std::span<const std::uint8_t> bytes() const { return {payload, payload_bytes}; }
};

/// Entries in the order of adding, in parts, so that growing neither copies nor holds memory twice.
class Index {
   public:
    explicit Index(std::uint64_t memory_bytes)
        : part_entries_(static_cast<std::size_t>(
              std::clamp<std::uint64_t>(memory_bytes / 256 / sizeof(IndexEntry), 64, std::uint64_t{1} << 16))) {}

    std::size_t size() const { return parts_.size() * part_entries_ - begin_ - room_; }
    bool empty() const { return size() == 0; }
    std::uint64_t allocated_bytes() const { return parts_.size() * part_entries_ * sizeof(IndexEntry); }
    /// What has to be allocated for so many more.
    std::uint64_t growth(std::uint64_t entries) const {
        if (entries <= room_) return 0;
        return (entries - room_ + part_entries_ - 1) / part_entries_ * part_entries_ * sizeof(IndexEntry);
    }
    void push_back(const IndexEntry& entry) {
        if (room_ == 0) {
            parts_.push_back(std::make_unique_for_overwrite<IndexEntry[]>(part_entries_));
            room_ = part_entries_;
        }
        parts_.back()[part_entries_ - room_--] = entry;
    }
    const IndexEntry& front() const { return parts_.front()[begin_]; }

    struct Entries {
        std::unique_ptr<IndexEntry[]> entries;
        std::size_t count = 0;

        std::span<IndexEntry> all() const { return {entries.get(), count}; }
    };
    /// Takes entries from the front, for as long as `wanted`, which is asked in order, says so.
    template <typename Wanted>
    Entries take_while(const Wanted& wanted) {
        std::size_t count = 0;
        const std::size_t most = size();
        while (count < most && wanted(at(count))) ++count;
        Entries taken{std::make_unique_for_overwrite<IndexEntry[]>(count), count};
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
    Entries take_all() {
        return take_while([](const IndexEntry&) { return true; });
    }

   private:
    const IndexEntry& at(std::size_t i) const {
        return parts_[(begin_ + i) / part_entries_][(begin_ + i) % part_entries_];
    }
    void clear() {
        parts_.clear();
        begin_ = room_ = 0;
    }

    std::size_t part_entries_;
    std::deque<std::unique_ptr<IndexEntry[]>> parts_;
    std::size_t begin_ = 0;  // in the first part
    std::size_t room_ = 0;   // in the last part
};

bool is_before(const IndexEntry& a, const IndexEntry& b) { return a.key < b.key; }

/// By halves: both sides of the middle become ranges of their own, until there are several for each thread.
Status sort_entries(std::span<IndexEntry> entries, const ThreadPool* pool) {
    if (pool == nullptr || pool->threads() == 1 || entries.size() < kMinParallelItems) {
        std::ranges::sort(entries, is_before);
        return {};
    }
    std::vector<std::span<IndexEntry>> ranges = {entries};
    while (ranges.size() < std::size_t{4} * pool->threads()) {
        std::vector<std::span<IndexEntry>> halves(ranges.size() * 2);
        WARPSEQ_TRY(pool->parallel_for(ranges.size(), [&](std::uint64_t i, unsigned) {
            const std::span<IndexEntry> range = ranges[i];
            const std::size_t middle = range.size() / 2;
            std::ranges::nth_element(range, range.begin() + static_cast<std::ptrdiff_t>(middle), is_before);
            halves[2 * i] = range.first(middle);
            halves[2 * i + 1] = range.subspan(middle);
        }));
        ranges = std::move(halves);
    }
    return pool->parallel_for(ranges.size(),
                              [&](std::uint64_t i, unsigned) { std::ranges::sort(ranges[i], is_before); });
}

struct Run {
    std::uint64_t begin = 0, end = 0;  // in its temporary file
};

/// Reads the records of one run in order: of one in a file through a buffer, or of one in memory.
class RunReader {
   public:
    RunReader(const TemporaryFile* file, Run run, std::size_t buffer_bytes)
        : file_(file), next_(run.begin), end_(run.end), buffer_bytes_(buffer_bytes) {}
    explicit RunReader(std::span<const IndexEntry> in_memory) : in_memory_(in_memory) {}

    /// Reads the head of the next record; false at the end.
    Result<bool> advance() {
        if (file_ == nullptr) {
            if (next_ == in_memory_.size()) return false;
            entry_ = &in_memory_[next_++];
            // Payloads lie in the order in which they were added, so each is a walk to memory: it starts some items ahead.
            constexpr std::size_t kAhead = 16;
            if (next_ + kAhead < in_memory_.size()) __builtin_prefetch(in_memory_[next_ + kAhead].payload);
            key_ = entry_->key;
            return true;
        }
        if (held_ == place_ && next_ == end_) return false;
        std::array<std::uint64_t, 3> head{};
        WARPSEQ_TRY(read(reinterpret_cast<std::uint8_t*>(head.data()), kRecordHead));
        key_ = {head[0], head[1]};
        payload_bytes_ = head[2];
        return true;
    }
    const SortKey& key() const { return key_; }
    /// The payload of the record whose head was read: where it is in memory, or in `arena`.
    Result<std::span<const std::uint8_t>> payload(Arena& arena) {
        if (file_ == nullptr) return entry_->bytes();
        std::uint8_t* const place = arena.allocate(payload_bytes_);
        WARPSEQ_TRY(read(place, payload_bytes_));
        return std::span<const std::uint8_t>(place, payload_bytes_);
    }

   private:
    Status read(std::uint8_t* out, std::size_t size) {
        while (size > 0) {
            if (place_ == held_) {
                if (size >= buffer_bytes_) {
                    WARPSEQ_TRY(file_->read_at(next_, {out, size}));
                    next_ += size;
                    return {};
                }
                held_ = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_bytes_, end_ - next_));
                buffer_.resize(buffer_bytes_);
                WARPSEQ_TRY(file_->read_at(next_, {buffer_.data(), held_}));
                next_ += held_;
                place_ = 0;
            }
            const std::size_t part = std::min(size, held_ - place_);
            std::memcpy(out, buffer_.data() + place_, part);
            place_ += part;
            out += part;
            size -= part;
        }
        return {};
    }

    const TemporaryFile* file_ = nullptr;
    std::span<const IndexEntry> in_memory_;
    const IndexEntry* entry_ = nullptr;
    std::uint64_t next_ = 0, end_ = 0;  // in the file, or among the entries in memory
    std::size_t buffer_bytes_ = 0;
    std::vector<std::uint8_t> buffer_;
    std::size_t place_ = 0, held_ = 0;
    SortKey key_{};
    std::size_t payload_bytes_ = 0;
};

/// Merges runs through a heap of their readers.
class Merge {
   public:
    Status start(const TemporaryFile* file, std::span<const Run> runs, std::size_t buffer_bytes,
                 std::span<const IndexEntry> in_memory = {}) {
        readers_.clear();
        heap_.clear();
        for (const Run& run : runs) readers_.emplace_back(file, run, buffer_bytes);
        if (!in_memory.empty()) readers_.emplace_back(in_memory);
        for (RunReader& reader : readers_) {
            auto more = reader.advance();
            if (!more.ok()) return more.status();
            if (*more) heap_.push_back(&reader);
        }
        std::ranges::make_heap(heap_, later);
        return {};
    }

    Result<bool> next(SortItem& item, Arena& arena) {
        if (heap_.empty()) return false;
        std::ranges::pop_heap(heap_, later);
        RunReader& reader = *heap_.back();
        item.key = reader.key();
        const auto payload = reader.payload(arena);
        if (!payload.ok()) return payload.status();
        item.payload = *payload;
        auto more = reader.advance();
        if (!more.ok()) return more.status();
        if (*more) {
            std::ranges::push_heap(heap_, later);
        } else {
            heap_.pop_back();
        }
        return true;
    }

   private:
    static bool later(const RunReader* a, const RunReader* b) { return a->key() > b->key(); }
    std::vector<RunReader> readers_;
    std::vector<RunReader*> heap_;
};

/// Collects records into large writes, from an offset on that is reserved.
class RunWriter {
   public:
    RunWriter(const TemporaryFile& file, std::size_t buffer_bytes, std::uint64_t offset_bytes)
        : file_(file), offset_bytes_(offset_bytes) {
        buffer_.reserve(buffer_bytes);
    }

    Status add(const SortKey& key, std::span<const std::uint8_t> payload) {
        const std::array<std::uint64_t, 3> head = {key[0], key[1], payload.size()};
        WARPSEQ_TRY(put({reinterpret_cast<const std::uint8_t*>(head.data()), kRecordHead}));
        return put(payload);
    }
    Status flush() {
        WARPSEQ_TRY(write(buffer_));
        buffer_.clear();
        return {};
    }

   private:
    Status put(std::span<const std::uint8_t> bytes) {
        if (bytes.size() > buffer_.capacity() - buffer_.size()) WARPSEQ_TRY(flush());
        if (bytes.size() > buffer_.capacity()) return write(bytes);
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        return {};
    }
    Status write(std::span<const std::uint8_t> bytes) {
        WARPSEQ_TRY(file_.write_at(offset_bytes_, bytes));
        offset_bytes_ += bytes.size();
        return {};
    }

    const TemporaryFile& file_;
    std::uint64_t offset_bytes_;
    std::vector<std::uint8_t> buffer_;
};

}  // namespace

struct ExternalSort::State {
    State(std::uint64_t memory, std::filesystem::path where, const ThreadPool* threads)
        : memory_bytes(std::max(memory, kMinMemory)),
          folder(std::move(where)),
          pool(threads),
          arena(chunk_bytes()),
          merge_arena(chunk_bytes()),
          index(memory_bytes) {}

    std::uint64_t memory_bytes;
    std::filesystem::path folder;
    const ThreadPool* pool;
    Arena arena, merge_arena;
    Index index;
    Index::Entries sorted;  // what is in memory when all has been added
    TemporaryFile file;
    std::vector<Run> runs;
    Merge merge;
    std::uint64_t items = 0, spilled_bytes = 0;

    std::size_t chunk_bytes() const {
        return static_cast<std::size_t>(
            std::clamp<std::uint64_t>(memory_bytes / 16, std::uint64_t{64} << 10, std::uint64_t{16} << 20));
    }
    std::size_t run_buffer() const {
        return static_cast<std::size_t>(std::clamp(memory_bytes / 16, kMinRunBuffer, kMaxRunBuffer));
    }
    std::uint64_t held_bytes() const {
        return arena.allocated_bytes() + index.allocated_bytes() + sorted.count * sizeof(IndexEntry);
    }
    /// Of which the rest is for buffers while a run is written.
    std::uint64_t most_held_bytes() const { return memory_bytes - run_buffer(); }

    /// Writes what was added first as a run: a part of it, or all.
    Status spill(bool all) {
        if (!file.is_open()) {
            auto created = TemporaryFile::create(folder);
            if (!created.ok()) return created.status();
            file = *std::move(created);
        }
        const std::uint64_t wanted_bytes = all ? ~std::uint64_t{0} : memory_bytes / kSmallRunsPerMemory;
        std::uint64_t bytes = 0;
        const Index::Entries entries = index.take_while([&](const IndexEntry& entry) {
            if (bytes >= wanted_bytes) return false;
            bytes += entry.payload_bytes + sizeof entry;
            return true;
        });
        WARPSEQ_TRY(sort_entries(entries.all(), pool));
        const std::uint64_t run_bytes = size_of_run(entries.all());
        const Run run{file.reserve(run_bytes), file.size_bytes()};
        WARPSEQ_TRY(write_run(entries.all(), run.begin));
        spilled_bytes += run_bytes;
        runs.push_back(run);
        if (index.empty()) {
            arena.reset();
        } else {
            arena.reset_up_to(index.front().payload);
        }
        return {};
    }

    static std::uint64_t size_of_run(std::span<const IndexEntry> entries) {
        std::uint64_t bytes = entries.size() * kRecordHead;
        for (const IndexEntry& entry : entries) bytes += entry.payload_bytes;
        return bytes;
    }

    /// Each thread fills a buffer of its own and writes it where it belongs.
    Status write_run(std::span<const IndexEntry> entries, std::uint64_t begin) {
        const unsigned threads = pool == nullptr ? 1 : pool->threads();
        const std::size_t buffer_bytes = std::max<std::size_t>(run_buffer() / threads, std::size_t{64} << 10);
        struct Part {
            std::span<const IndexEntry> entries;
            std::uint64_t begin;
        };
        std::vector<Part> parts;
        std::size_t first = 0;
        for (std::uint64_t bytes = 0; first < entries.size(); begin += bytes, bytes = 0) {
            std::size_t end = first;
            while (end < entries.size() && (bytes == 0 || bytes < std::uint64_t{8} * buffer_bytes))
                bytes += kRecordHead + entries[end++].payload_bytes;
            parts.push_back({entries.subspan(first, end - first), begin});
            first = end;
        }
        const auto write = [&](std::uint64_t i, unsigned) -> Status {
            RunWriter writer(file, buffer_bytes, parts[i].begin);
            for (const IndexEntry& entry : parts[i].entries) WARPSEQ_TRY(writer.add(entry.key, entry.bytes()));
            return writer.flush();
        };
        if (pool != nullptr) return pool->parallel_for(parts.size(), write);
        for (std::size_t i = 0; i < parts.size(); ++i) WARPSEQ_TRY(write(i, 0));
        return {};
    }

    std::size_t most_runs_at_once() const {
        return static_cast<std::size_t>(std::clamp<std::uint64_t>(memory_bytes / 2 / kMinRunBuffer, 2, kMaxFanIn));
    }

    /// Merges groups of runs into longer ones until one merge can take them all.
    Status reduce_runs() {
        const std::size_t fan_in = most_runs_at_once();
        while (runs.size() > fan_in) {
            auto created = TemporaryFile::create(folder);
            if (!created.ok()) return created.status();
            TemporaryFile merged = *std::move(created);
            std::vector<Run> longer;
            for (std::size_t first = 0; first < runs.size(); first += fan_in) {
                const std::size_t count = std::min(fan_in, runs.size() - first);
                WARPSEQ_TRY(merge.start(&file, std::span(runs).subspan(first, count), merge_buffer(count)));
                std::uint64_t run_bytes = 0;
                for (const Run& part : std::span(runs).subspan(first, count)) run_bytes += part.end - part.begin;
                const Run run{merged.reserve(run_bytes), merged.size_bytes()};
                RunWriter writer(merged, run_buffer(), run.begin);
                SortItem item;
                for (;;) {
                    auto more = merge.next(item, merge_arena);
                    if (!more.ok()) return more.status();
                    if (!*more) break;
                    WARPSEQ_TRY(writer.add(item.key, item.payload));
                    merge_arena.reset();
                }
                WARPSEQ_TRY(writer.flush());
                spilled_bytes += run.end - run.begin;
                longer.push_back(run);
            }
            runs = std::move(longer);
            file = std::move(merged);
        }
        return {};
    }
    /// Of the memory that is free, but half of it at the most.
    std::size_t merge_buffer(std::size_t count) const {
        const std::uint64_t free_bytes =
            std::min(memory_bytes / 2, memory_bytes - std::min(memory_bytes, held_bytes()));
        return static_cast<std::size_t>(
            std::clamp(free_bytes / std::max<std::uint64_t>(count, 1), kMinRunBuffer, kMaxRunBuffer));
    }
};

ExternalSort::ExternalSort(std::uint64_t memory_bytes, std::filesystem::path folder, const ThreadPool* pool)
    : state_(std::make_unique<State>(memory_bytes, std::move(folder), pool)) {}
ExternalSort::~ExternalSort() = default;
ExternalSort::ExternalSort(ExternalSort&&) noexcept = default;
ExternalSort& ExternalSort::operator=(ExternalSort&&) noexcept = default;

Status ExternalSort::add(const SortKey& key, std::initializer_list<std::span<const std::uint8_t>> payload_parts) {
    State& state = *state_;
    std::size_t payload_bytes = 0;
    for (const auto part : payload_parts) payload_bytes += part.size();
    if (!has_room(1, payload_bytes)) WARPSEQ_TRY(make_room());
    std::uint8_t* place = state.arena.allocate(payload_bytes);
    state.index.push_back({key, place, payload_bytes});
    for (const auto part : payload_parts) {
        if (!part.empty()) std::memcpy(place, part.data(), part.size());
        place += part.size();
    }
    ++state.items;
    return {};
}

void ExternalSort::add_all(std::span<const SortRecord> records, std::span<const std::uint8_t> payloads) {
    State& state = *state_;
    for (std::size_t first = 0; first < records.size();) {
        // As many as the chunk at hand has room for, at least one.
        std::size_t end = first + 1;
        std::size_t bytes = records[first].payload_bytes;
        while (end < records.size() && bytes + records[end].payload_bytes <= state.arena.room())
            bytes += records[end++].payload_bytes;
        std::uint8_t* place = state.arena.allocate(bytes);
        if (bytes > 0) std::memcpy(place, payloads.data(), bytes);
        payloads = payloads.subspan(bytes);
        for (; first < end; place += records[first++].payload_bytes)
            state.index.push_back({records[first].key, place, records[first].payload_bytes});
    }
    state.items += records.size();
}

bool ExternalSort::has_room(std::uint64_t records, std::uint64_t payload_bytes) const {
    const State& state = *state_;
    return state.index.empty() ||
           state.held_bytes() + state.arena.growth(payload_bytes) + state.index.growth(records) <=
               state.most_held_bytes();
}

Status ExternalSort::make_room() { return state_->spill(state_->runs.size() >= kSmallRuns); }

Status ExternalSort::finish() {
    State& state = *state_;
    if (!state.runs.empty()) {
        // What is in memory stays there, beside the buffers of the merge.
        const auto takes_too_much = [&] {
            return state.held_bytes() + (state.runs.size() + 1) * kMinRunBuffer > state.memory_bytes ||
                   state.runs.size() >= state.most_runs_at_once();
        };
        while (!state.index.empty() && takes_too_much())
            WARPSEQ_TRY(state.spill(state.runs.size() >= std::min(kSmallRuns, state.most_runs_at_once())));
        if (state.index.empty()) {
            state.arena.free();
            WARPSEQ_TRY(state.reduce_runs());
        }
    }
    state.sorted = state.index.take_all();
    WARPSEQ_TRY(sort_entries(state.sorted.all(), state.pool));
    return state.merge.start(&state.file, state.runs, state.merge_buffer(state.runs.size()), state.sorted.all());
}

Result<bool> ExternalSort::next(SortItem& item) { return state_->merge.next(item, state_->merge_arena); }

void ExternalSort::release() { state_->merge_arena.reset(); }

std::uint64_t ExternalSort::items() const { return state_->items; }
std::uint64_t ExternalSort::spilled_bytes() const { return state_->spilled_bytes; }

}  // namespace warpseq
