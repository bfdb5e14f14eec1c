// ExternalSort. Runs are sorted through an index of pointers into an arena (sort_memory.h). All
// runs of one pass are in one temporary file, one after another (sort_runs.h).
#include "formats/io/external_sort.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/io/sort_memory.h"
#include "formats/io/temporary_file.h"

namespace warpseq {

namespace {

constexpr std::uint64_t kMinMemory = std::uint64_t{1} << 20;
constexpr std::uint64_t kMinRunBuffer = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxRunBuffer = std::uint64_t{4} << 20;
constexpr std::uint64_t kMaxFanIn = 512;
/// The number of small runs at the start. Each takes a quarter of memory. If all runs were that
/// small, there would be many more of them.
constexpr std::size_t kSmallRuns = 16;
constexpr std::uint64_t kSmallRunsPerMemory = 4;
/// The least number of items that several threads sort.
constexpr std::size_t kMinParallelItems = 50000;

bool is_less(const SortKey& a, const SortKey& b) { return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1]; }
bool is_before(const SortEntry& a, const SortEntry& b) { return is_less(a.key, b.key); }

/// Sorts entries by halving. Both sides of the middle become separate ranges, until there are
/// several ranges for each thread.
Status sort_entries(std::span<SortEntry> entries, const ThreadPool* pool) {
    if (pool == nullptr || pool->threads() == 1 || entries.size() < kMinParallelItems) {
        std::ranges::sort(entries, is_before);
        return {};
    }
    std::vector<std::span<SortEntry>> ranges = {entries};
    while (ranges.size() < std::size_t{4} * pool->threads()) {
        std::vector<std::span<SortEntry>> halves(ranges.size() * 2);
        WARPSEQ_TRY(pool->parallel_for(ranges.size(), [&](std::uint64_t i, unsigned) {
            const std::span<SortEntry> range = ranges[i];
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

/// Returns the entries of an index as a sorted copy. The threads distribute the entries to ranges
/// of keys, and then sort the ranges.
Result<SortIndex::Entries> sorted_beside(const SortIndex& index, const ThreadPool& pool) {
    constexpr std::size_t kRanges = 256;  // a range's number fits in a byte
    constexpr std::size_t kSamplesPerRange = 32;
    const auto stretches = index.stretches();
    SortIndex::Entries sorted{std::make_unique_for_overwrite<SortEntry[]>(index.size()), index.size()};
    std::vector<SortKey> samples;
    const std::size_t step = std::max<std::size_t>(index.size() / (kRanges * kSamplesPerRange), 1);
    std::size_t place = 0;
    for (const auto stretch : stretches) {
        for (; place < stretch.size(); place += step) samples.push_back(stretch[place].key);
        place -= stretch.size();
    }
    std::ranges::sort(samples);
    std::array<SortKey, kRanges - 1> bounds;  // the first key of all ranges but the first
    for (std::size_t range = 1; range < kRanges; ++range) bounds[range - 1] = samples[samples.size() * range / kRanges];

    using Counts = std::array<std::size_t, kRanges>;
    std::vector<Counts> places(stretches.size());
    std::vector<std::vector<std::uint8_t>> ranges(stretches.size());
    WARPSEQ_TRY(pool.parallel_for(stretches.size(), [&](std::uint64_t i, unsigned) {
        places[i] = {};
        ranges[i].reserve(stretches[i].size());
        for (const SortEntry& entry : stretches[i]) {
            const auto range = std::ranges::upper_bound(bounds, entry.key, is_less) - bounds.begin();
            ranges[i].push_back(static_cast<std::uint8_t>(range));
            ++places[i][static_cast<std::size_t>(range)];
        }
    }));
    std::array<std::size_t, kRanges + 1> begins{};
    std::size_t next = 0;
    for (std::size_t range = 0; range < kRanges; ++range) {
        begins[range] = next;
        for (Counts& of_stretch : places) next += std::exchange(of_stretch[range], next);
    }
    begins[kRanges] = next;
    WARPSEQ_TRY(pool.parallel_for(stretches.size(), [&](std::uint64_t i, unsigned) {
        for (std::size_t e = 0; e < stretches[i].size(); ++e)
            sorted.entries[places[i][ranges[i][e]]++] = stretches[i][e];
    }));
    WARPSEQ_TRY(pool.parallel_for(kRanges, [&](std::uint64_t range, unsigned) {
        std::ranges::sort(sorted.all().subspan(begins[range], begins[range + 1] - begins[range]), is_before);
    }));
    return sorted;
}

SortRun run_of(std::span<const SortEntry> entries) {
    SortRun run;
    run.count = entries.size();
    for (const SortEntry& entry : entries) run.payload_bytes += entry.payload_bytes;
    return run;
}

/// Lets the file grow by the run's bytes.
void reserve(SortRun& run, TemporaryFile& file) {
    run.heads_begin = file.reserve(run.size_bytes());
    run.payloads_begin = run.heads_begin + run.count * SortRun::kHeadBytes;
}

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
    SortArena arena, merge_arena;
    SortIndex index;
    SortIndex::Entries sorted;  // the records in memory, sorted by finish()
    TemporaryFile file;
    std::vector<SortRun> runs;
    SortMerge merge;
    std::uint64_t items = 0, spilled_bytes = 0;

    std::size_t chunk_bytes() const {
        return static_cast<std::size_t>(
            std::clamp<std::uint64_t>(memory_bytes / 16, std::uint64_t{64} << 10, std::uint64_t{16} << 20));
    }
    std::size_t run_buffer() const {
        return static_cast<std::size_t>(std::clamp(memory_bytes / 16, kMinRunBuffer, kMaxRunBuffer));
    }
    std::uint64_t held_bytes() const {
        return arena.allocated_bytes() + index.allocated_bytes() + sorted.count * sizeof(SortEntry);
    }
    /// Returns the limit of the records in memory. The rest of the memory is for buffers while a
    /// run is written.
    std::uint64_t most_held_bytes() const { return memory_bytes - run_buffer(); }

    /// Writes the oldest records as a run: a part of the records, or all.
    Status spill(bool all) {
        if (!file.is_open()) {
            auto created = TemporaryFile::create(folder);
            if (!created.ok()) return created.status();
            file = *std::move(created);
        }
        const std::uint64_t wanted_bytes = all ? ~std::uint64_t{0} : memory_bytes / kSmallRunsPerMemory;
        std::uint64_t bytes = 0;
        const SortIndex::Entries entries = index.take_while([&](const SortEntry& entry) {
            if (bytes >= wanted_bytes) return false;
            bytes += entry.payload_bytes + sizeof entry;
            return true;
        });
        WARPSEQ_TRY(sort_entries(entries.all(), pool));
        SortRun run = run_of(entries.all());
        reserve(run, file);
        WARPSEQ_TRY(write_run(entries.all(), run));
        spilled_bytes += run.size_bytes();
        runs.push_back(run);
        if (index.empty()) {
            arena.reset();
        } else {
            arena.reset_up_to(index.front().payload);
        }
        return {};
    }

    /// Writes a run. Each thread fills its own buffers and writes them to their places.
    Status write_run(std::span<const SortEntry> entries, const SortRun& run) {
        const unsigned threads = pool == nullptr ? 1 : pool->threads();
        const std::size_t buffer_bytes = std::max<std::size_t>(run_buffer() / threads, std::size_t{64} << 10);
        struct Part {
            std::span<const SortEntry> entries;
            SortRun run;
        };
        std::vector<Part> parts;
        SortRun rest = run;
        for (std::size_t first = 0, end = 0; first < entries.size(); first = end) {
            SortRun part = rest;
            part.payload_bytes = 0;
            while (end < entries.size() && (end == first || part.payload_bytes < std::uint64_t{8} * buffer_bytes))
                part.payload_bytes += entries[end++].payload_bytes;
            part.count = end - first;
            rest.heads_begin += part.count * SortRun::kHeadBytes;
            rest.payloads_begin += part.payload_bytes;
            parts.push_back({entries.subspan(first, end - first), part});
        }
        const auto write = [&](std::uint64_t i, unsigned) -> Status {
            SortRunWriter writer(file, parts[i].run, buffer_bytes);
            for (const SortEntry& entry : parts[i].entries) WARPSEQ_TRY(writer.add(entry.key, entry.bytes()));
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
            std::vector<SortRun> longer;
            for (std::size_t first = 0; first < runs.size(); first += fan_in) {
                const std::size_t count = std::min(fan_in, runs.size() - first);
                WARPSEQ_TRY(merge.start(&file, std::span(runs).subspan(first, count), merge_buffer(count)));
                SortRun run;
                for (const SortRun& part : std::span(runs).subspan(first, count)) {
                    run.count += part.count;
                    run.payload_bytes += part.payload_bytes;
                }
                reserve(run, merged);
                SortRunWriter writer(merged, run, run_buffer());
                SortHead head;
                std::span<const std::uint8_t> payload;
                for (;;) {
                    auto more = merge.next(head, merge_arena, payload);
                    if (!more.ok()) return more.status();
                    if (!*more) break;
                    WARPSEQ_TRY(writer.add(head.key, payload));
                    merge_arena.reset();
                }
                WARPSEQ_TRY(writer.flush());
                spilled_bytes += run.size_bytes();
                longer.push_back(run);
            }
            runs = std::move(longer);
            file = std::move(merged);
        }
        return {};
    }
    /// Returns the buffer size for each of `count` runs in a merge. All buffers together take the
    /// free memory, but at most half of the total.
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

void ExternalSort::add_all(std::span<const SortRecord> records, std::span<const std::uint8_t> payloads,
                           PendingCopies& copies) {
    State& state = *state_;
    for (std::size_t first = 0; first < records.size();) {
        // Takes as many records as the current chunk has room for, but at least one.
        std::size_t end = first + 1;
        std::size_t bytes = records[first].payload_bytes;
        while (end < records.size() && bytes + records[end].payload_bytes <= state.arena.room())
            bytes += records[end++].payload_bytes;
        std::uint8_t* place = state.arena.allocate(bytes);
        copies.push_back({place, payloads.first(bytes)});
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

void ExternalSort::set_memory(std::uint64_t memory_bytes) { state_->memory_bytes = std::max(memory_bytes, kMinMemory); }

Status ExternalSort::finish(std::uint64_t spare_bytes) {
    State& state = *state_;
    if (!state.runs.empty() || state.held_bytes() > state.memory_bytes) {
        // Records in memory stay there, next to the buffers of the merge.
        const auto takes_too_much = [&] {
            return state.held_bytes() + (state.runs.size() + 1) * kMinRunBuffer > state.memory_bytes ||
                   state.runs.size() >= state.most_runs_at_once();
        };
        state.arena.free_spare();
        while (!state.index.empty() && takes_too_much()) {
            WARPSEQ_TRY(state.spill(state.runs.size() >= std::min(kSmallRuns, state.most_runs_at_once())));
            state.arena.free_spare();
        }
        if (state.index.empty()) {
            state.arena.free();
            WARPSEQ_TRY(state.reduce_runs());
        }
    }
    const bool fits_twice =
        state.held_bytes() + state.index.size() * sizeof(SortEntry) <= state.memory_bytes + spare_bytes;
    if (state.pool != nullptr && state.pool->threads() > 1 && state.index.size() >= kMinParallelItems && fits_twice) {
        auto sorted = sorted_beside(state.index, *state.pool);
        if (!sorted.ok()) return sorted.status();
        state.sorted = *std::move(sorted);
        state.index.clear();
    } else {
        state.sorted = state.index.take_all();
        WARPSEQ_TRY(sort_entries(state.sorted.all(), state.pool));
    }
    return state.merge.start(&state.file, state.runs, state.merge_buffer(state.runs.size()), state.sorted.all());
}

Result<bool> ExternalSort::next(SortItem& item) {
    SortHead head;
    auto more = state_->merge.next(head, state_->merge_arena, item.payload);
    item.key = head.key;
    return more;
}

Result<bool> ExternalSort::next_head(SortHead& head) { return state_->merge.next(head); }

Status ExternalSort::load(std::span<const SortHead> heads, SortPayloads& loaded) const {
    // Heads of one run that follow each other here also follow each other on disk.
    struct Stretch {
        std::uint64_t begin = 0, end = 0;  // in the file
        std::uint8_t* place = nullptr;
    };
    std::vector<Stretch> stretches(state_->runs.size());
    std::size_t bytes = 0;
    for (const SortHead& head : heads) {
        if (head.run == SortHead::kInMemory) continue;
        Stretch& stretch = stretches[head.run];
        if (stretch.end == 0) stretch.begin = head.offset_bytes;
        stretch.end = head.offset_bytes + head.payload_bytes;
        bytes += head.payload_bytes;
    }
    if (bytes > loaded.room_bytes) {
        loaded.room = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
        loaded.room_bytes = bytes;
    }
    std::uint8_t* place = loaded.room.get();
    for (Stretch& stretch : stretches) {
        if (stretch.end == stretch.begin) continue;
        const auto size = static_cast<std::size_t>(stretch.end - stretch.begin);
        WARPSEQ_TRY(state_->file.read_at(stretch.begin, {place, size}));
        stretch.place = place;
        place += size;
    }
    loaded.payloads.clear();
    for (const SortHead& head : heads) {
        if (head.run == SortHead::kInMemory) {
            loaded.payloads.emplace_back(head.in_memory, head.payload_bytes);
        } else {
            const Stretch& stretch = stretches[head.run];
            loaded.payloads.emplace_back(stretch.place + (head.offset_bytes - stretch.begin), head.payload_bytes);
        }
    }
    return {};
}

void ExternalSort::release() { state_->merge_arena.reset(); }

void ExternalSort::free() {
    State& state = *state_;
    state.merge = {};
    state.arena.free();
    state.merge_arena.free();
    state.index.clear();
    state.sorted = {};
    state.file = {};
    state.runs.clear();
}

std::uint64_t ExternalSort::items() const { return state_->items; }
std::uint64_t ExternalSort::spilled_bytes() const { return state_->spilled_bytes; }

}  // namespace warpseq
