// Runs are sorted through an index of pointers into an arena. A run on disk is a row of records: the key's two numbers,
// the payload's size, the payload. All runs of one pass stand one after another in one temporary file.
#include "formats/external_sort.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
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
constexpr std::size_t kRecordHead = 3 * sizeof(std::uint64_t);

/// Memory for payloads that is given back all at once. Chunks of the common size are kept for the next use.
class Arena {
   public:
    explicit Arena(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

    /// What would have to be allocated beyond allocated_bytes() for `size` more bytes.
    std::size_t growth(std::size_t size) const {
        if (size > chunk_bytes_) return size;
        if (size <= room_ || current_ < chunks_.size()) return 0;
        return chunk_bytes_;
    }

    std::uint8_t* allocate(std::size_t size) {
        if (size > chunk_bytes_) {
            large_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(size));
            large_bytes_ += size;
            return large_.back().get();
        }
        if (size > room_) {
            if (current_ == chunks_.size()) chunks_.push_back(make_chunk(chunk_bytes_));
            place_ = chunks_[current_++].get();
            room_ = chunk_bytes_;
        }
        std::uint8_t* result = place_;
        place_ += size;
        room_ -= size;
        return result;
    }

    void reset() {
        large_.clear();
        large_bytes_ = 0;
        current_ = 0;
        room_ = 0;
    }
    void free() {
        reset();
        chunks_.clear();
    }

    std::uint64_t allocated_bytes() const { return chunks_.size() * chunk_bytes_ + large_bytes_; }

   private:
    struct Free {
        void operator()(std::uint8_t* memory) const { std::free(memory); }
    };
    using Chunk = std::unique_ptr<std::uint8_t[], Free>;

    /// Large chunks ask for huge pages: filling memory 4096 bytes at a time takes the system longer than reading the
    /// input.
    static Chunk make_chunk(std::size_t size) {
        constexpr std::size_t kHugePage = std::size_t{2} << 20;
        const bool large = size % kHugePage == 0;
        void* memory = large ? std::aligned_alloc(kHugePage, size) : std::malloc(size);
        if (memory == nullptr) throw std::bad_alloc();
        if (large) madvise(memory, size, MADV_HUGEPAGE);
        return Chunk(static_cast<std::uint8_t*>(memory));
    }

    std::size_t chunk_bytes_;
    std::vector<Chunk> chunks_;
    std::vector<std::unique_ptr<std::uint8_t[]>> large_;
    std::size_t current_ = 0;  // chunks in use
    std::uint8_t* place_ = nullptr;
    std::size_t room_ = 0;
    std::uint64_t large_bytes_ = 0;
};

struct IndexEntry {
    SortKey key;
    const std::uint8_t* payload;
};

struct Run {
    std::uint64_t begin = 0, end = 0;  // in its temporary file
};

/// Reads the records of one run in order through a buffer.
class RunReader {
   public:
    RunReader(const TemporaryFile* file, Run run, std::size_t buffer_bytes)
        : file_(file), next_(run.begin), end_(run.end), buffer_bytes_(buffer_bytes) {}

    /// Reads the head of the next record; false at the end.
    Result<bool> advance() {
        if (held_ == place_ && next_ == end_) return false;
        std::array<std::uint64_t, 3> head{};
        WARPSEQ_TRY(read(reinterpret_cast<std::uint8_t*>(head.data()), kRecordHead));
        key_ = {head[0], head[1]};
        payload_bytes_ = head[2];
        return true;
    }
    const SortKey& key() const { return key_; }
    std::size_t payload_bytes() const { return payload_bytes_; }
    Status read_payload(std::uint8_t* out) { return read(out, payload_bytes_); }

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

    const TemporaryFile* file_;
    std::uint64_t next_, end_;
    std::size_t buffer_bytes_;
    std::vector<std::uint8_t> buffer_;
    std::size_t place_ = 0, held_ = 0;
    SortKey key_{};
    std::size_t payload_bytes_ = 0;
};

/// Merges runs through a heap of their readers.
class Merge {
   public:
    Status start(const TemporaryFile* file, std::span<const Run> runs, std::size_t buffer_bytes) {
        readers_.clear();
        heap_.clear();
        for (const Run& run : runs) readers_.emplace_back(file, run, buffer_bytes);
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
        std::uint8_t* payload = arena.allocate(reader.payload_bytes());
        item.key = reader.key();
        item.payload = {payload, reader.payload_bytes()};
        WARPSEQ_TRY(reader.read_payload(payload));
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

/// Collects records into large writes.
class RunWriter {
   public:
    explicit RunWriter(TemporaryFile& file, std::size_t buffer_bytes) : file_(file) { buffer_.reserve(buffer_bytes); }

    Status add(const SortKey& key, std::span<const std::uint8_t> payload) {
        const std::array<std::uint64_t, 3> head = {key[0], key[1], payload.size()};
        WARPSEQ_TRY(put({reinterpret_cast<const std::uint8_t*>(head.data()), kRecordHead}));
        return put(payload);
    }
    Status flush() {
        WARPSEQ_TRY(file_.append(buffer_));
        buffer_.clear();
        return {};
    }

   private:
    Status put(std::span<const std::uint8_t> bytes) {
        if (bytes.size() > buffer_.capacity() - buffer_.size()) WARPSEQ_TRY(flush());
        if (bytes.size() > buffer_.capacity()) return file_.append(bytes);
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        return {};
    }
    TemporaryFile& file_;
    std::vector<std::uint8_t> buffer_;
};

}  // namespace

struct ExternalSort::State {
    State(std::uint64_t memory, std::filesystem::path where)
        : memory_bytes(std::max(memory, kMinMemory)),
          folder(std::move(where)),
          arena(static_cast<std::size_t>(
              std::clamp<std::uint64_t>(memory_bytes / 16, std::uint64_t{64} << 10, std::uint64_t{16} << 20))) {}

    std::uint64_t memory_bytes;
    std::filesystem::path folder;
    Arena arena;
    std::vector<IndexEntry> index;
    TemporaryFile file;
    std::vector<Run> runs;
    Merge merge;
    std::uint64_t items = 0, spilled_bytes = 0;
    std::size_t next_item = 0;  // in the index, while nothing was spilled

    std::size_t run_buffer() const {
        return static_cast<std::size_t>(std::clamp(memory_bytes / 16, kMinRunBuffer, kMaxRunBuffer));
    }
    void sort_index() {
        std::ranges::sort(index, [](const IndexEntry& a, const IndexEntry& b) { return a.key < b.key; });
    }
    /// In the arena a payload stands behind its size.
    static std::span<const std::uint8_t> payload_of(const IndexEntry& entry) {
        std::uint64_t size = 0;
        std::memcpy(&size, entry.payload, sizeof size);
        return {entry.payload + sizeof size, static_cast<std::size_t>(size)};
    }

    Status spill() {
        if (!file.is_open()) {
            auto created = TemporaryFile::create(folder);
            if (!created.ok()) return created.status();
            file = *std::move(created);
        }
        sort_index();
        Run run{file.size_bytes(), 0};
        {
            RunWriter writer(file, run_buffer());
            for (const IndexEntry& entry : index) WARPSEQ_TRY(writer.add(entry.key, payload_of(entry)));
            WARPSEQ_TRY(writer.flush());
        }
        run.end = file.size_bytes();
        spilled_bytes += run.end - run.begin;
        runs.push_back(run);
        index.clear();
        arena.reset();
        return {};
    }

    /// Merges groups of runs into longer ones until one merge can take them all.
    Status reduce_runs() {
        const auto fan_in =
            static_cast<std::size_t>(std::clamp<std::uint64_t>(memory_bytes / 2 / kMinRunBuffer, 2, kMaxFanIn));
        while (runs.size() > fan_in) {
            auto created = TemporaryFile::create(folder);
            if (!created.ok()) return created.status();
            TemporaryFile merged = *std::move(created);
            std::vector<Run> longer;
            for (std::size_t first = 0; first < runs.size(); first += fan_in) {
                const std::size_t count = std::min(fan_in, runs.size() - first);
                WARPSEQ_TRY(merge.start(&file, std::span(runs).subspan(first, count), merge_buffer(count)));
                Run run{merged.size_bytes(), 0};
                RunWriter writer(merged, run_buffer());
                SortItem item;
                for (;;) {
                    auto more = merge.next(item, arena);
                    if (!more.ok()) return more.status();
                    if (!*more) break;
                    WARPSEQ_TRY(writer.add(item.key, item.payload));
                    arena.reset();
                }
                WARPSEQ_TRY(writer.flush());
                run.end = merged.size_bytes();
                spilled_bytes += run.end - run.begin;
                longer.push_back(run);
            }
            runs = std::move(longer);
            file = std::move(merged);
        }
        return {};
    }
    std::size_t merge_buffer(std::size_t count) const {
        return static_cast<std::size_t>(
            std::clamp(memory_bytes / 2 / std::max<std::uint64_t>(count, 1), kMinRunBuffer, kMaxRunBuffer));
    }
};

ExternalSort::ExternalSort(std::uint64_t memory_bytes, std::filesystem::path folder)
    : state_(std::make_unique<State>(memory_bytes, std::move(folder))) {}
ExternalSort::~ExternalSort() = default;
ExternalSort::ExternalSort(ExternalSort&&) noexcept = default;
ExternalSort& ExternalSort::operator=(ExternalSort&&) noexcept = default;

Status ExternalSort::add(const SortKey& key, std::initializer_list<std::span<const std::uint8_t>> payload_parts) {
    State& state = *state_;
    std::uint64_t payload_bytes = 0;
    for (const auto part : payload_parts) payload_bytes += part.size();
    const std::size_t needed = static_cast<std::size_t>(payload_bytes) + sizeof payload_bytes;
    // A vector that grows holds its old and its new memory for a moment.
    const bool grows = state.index.size() == state.index.capacity();
    const std::uint64_t index_bytes = state.index.capacity() * sizeof(IndexEntry) * (grows ? 3 : 1);
    if (!state.index.empty() && state.arena.allocated_bytes() + state.arena.growth(needed) + index_bytes >
                                    state.memory_bytes - state.run_buffer()) {
        WARPSEQ_TRY(state.spill());
    }
    std::uint8_t* place = state.arena.allocate(needed);
    state.index.push_back({key, place});
    std::memcpy(place, &payload_bytes, sizeof payload_bytes);
    place += sizeof payload_bytes;
    for (const auto part : payload_parts) {
        if (!part.empty()) std::memcpy(place, part.data(), part.size());
        place += part.size();
    }
    ++state.items;
    return {};
}

Status ExternalSort::finish() {
    State& state = *state_;
    if (state.runs.empty()) {
        state.sort_index();
        return {};
    }
    if (!state.index.empty()) WARPSEQ_TRY(state.spill());
    state.index = {};
    state.arena.free();
    WARPSEQ_TRY(state.reduce_runs());
    return state.merge.start(&state.file, state.runs, state.merge_buffer(state.runs.size()));
}

Result<bool> ExternalSort::next(SortItem& item) {
    State& state = *state_;
    if (!state.runs.empty()) return state.merge.next(item, state.arena);
    if (state.next_item == state.index.size()) return false;
    const IndexEntry& entry = state.index[state.next_item++];
    // Payloads lie in the order in which they were added, so each is a walk to memory: it starts some items ahead.
    constexpr std::size_t kAhead = 16;
    if (state.next_item + kAhead < state.index.size())
        __builtin_prefetch(state.index[state.next_item + kAhead].payload);
    item = {entry.key, State::payload_of(entry)};
    return true;
}

void ExternalSort::release() {
    if (!state_->runs.empty()) state_->arena.reset();
}

std::uint64_t ExternalSort::items() const { return state_->items; }
std::uint64_t ExternalSort::spilled_bytes() const { return state_->spilled_bytes; }

}  // namespace warpseq
