#include "formats/io/sort_runs.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace warpseq {

Status SortStream::read(std::uint8_t* out, std::size_t size) {
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

SortRunWriter::SortRunWriter(const TemporaryFile& file, const SortRun& run, std::size_t buffer_bytes)
    : file_(file), heads_{run.heads_begin, {}}, payloads_{run.payloads_begin, {}} {
    heads_.buffer.reserve(buffer_bytes / 8);
    payloads_.buffer.reserve(buffer_bytes - buffer_bytes / 8);
}

Status SortRunWriter::add(const SortKey& key, std::span<const std::uint8_t> payload) {
    const std::array<std::uint64_t, 3> head = {key[0], key[1], payload.size()};
    WARPSEQ_TRY(put(heads_, {reinterpret_cast<const std::uint8_t*>(head.data()), SortRun::kHeadBytes}));
    return put(payloads_, payload);
}

Status SortRunWriter::flush() {
    for (Row* row : {&heads_, &payloads_}) {
        WARPSEQ_TRY(write(*row, row->buffer));
        row->buffer.clear();
    }
    return {};
}

Status SortRunWriter::put(Row& row, std::span<const std::uint8_t> bytes) const {
    if (bytes.size() > row.buffer.capacity() - row.buffer.size()) {
        WARPSEQ_TRY(write(row, row.buffer));
        row.buffer.clear();
    }
    if (bytes.size() > row.buffer.capacity()) return write(row, bytes);
    row.buffer.insert(row.buffer.end(), bytes.begin(), bytes.end());
    return {};
}

Status SortRunWriter::write(Row& row, std::span<const std::uint8_t> bytes) const {
    WARPSEQ_TRY(file_.write_at(row.offset_bytes, bytes));
    row.offset_bytes += bytes.size();
    return {};
}

// Heads are a small part of the bytes that are read. A merge without payloads allocates no buffer
// for them.
SortMerge::Reader::Reader(const TemporaryFile* file, const SortRun& run, std::uint32_t number, std::size_t buffer_bytes)
    : left(run.count),
      heads(file, run.heads_begin, run.heads_begin + run.count * SortRun::kHeadBytes, buffer_bytes / 4),
      payloads(file, run.payloads_begin, run.payloads_begin + run.payload_bytes, buffer_bytes - buffer_bytes / 4) {
    head.run = number;
    head.offset_bytes = run.payloads_begin;
}

Result<bool> SortMerge::Reader::advance() {
    if (head.run == SortHead::kInMemory) {
        if (next_in_memory == in_memory.size()) return false;
        const SortEntry& entry = in_memory[next_in_memory++];
        head.key = entry.key;
        head.payload_bytes = entry.payload_bytes;
        head.in_memory = entry.payload;
        return true;
    }
    if (left == 0) return false;
    --left;
    head.offset_bytes += head.payload_bytes;
    std::array<std::uint64_t, 3> stored{};
    WARPSEQ_TRY(heads.read(reinterpret_cast<std::uint8_t*>(stored.data()), SortRun::kHeadBytes));
    head.key = {stored[0], stored[1]};
    head.payload_bytes = stored[2];
    return true;
}

Status SortMerge::start(const TemporaryFile* file, std::span<const SortRun> runs, std::size_t buffer_bytes,
                        std::span<const SortEntry> in_memory) {
    readers_.clear();
    heap_.clear();
    std::uint32_t number = 0;
    for (const SortRun& run : runs) readers_.emplace_back(file, run, number++, buffer_bytes);
    if (!in_memory.empty()) readers_.emplace_back(in_memory);
    for (Reader& reader : readers_) {
        const auto more = reader.advance();
        if (!more.ok()) return more.status();
        if (*more) heap_.push_back(&reader);
    }
    std::ranges::make_heap(heap_, later);
    return {};
}

/// Advances the first reader of the heap to its next record and moves it to its place in the heap.
Status SortMerge::advance_first() {
    const auto more = heap_.front()->advance();
    if (!more.ok()) return more.status();
    if (*more && (heap_.size() == 1 || !later(heap_.front(), heap_[1])) &&
        (heap_.size() <= 2 || !later(heap_.front(), heap_[2])))
        return {};
    std::ranges::pop_heap(heap_, later);
    if (*more) {
        std::ranges::push_heap(heap_, later);
    } else {
        heap_.pop_back();
    }
    return {};
}

Result<bool> SortMerge::next(SortHead& head) {
    if (heap_.empty()) return false;
    head = heap_.front()->head;
    WARPSEQ_TRY(advance_first());
    return true;
}

Result<bool> SortMerge::next(SortHead& head, SortArena& arena, std::span<const std::uint8_t>& payload) {
    if (heap_.empty()) return false;
    Reader& reader = *heap_.front();
    head = reader.head;
    if (head.run == SortHead::kInMemory) {
        payload = {head.in_memory, head.payload_bytes};
        // Payloads are in memory in the order in which they were added, so each one is a cache
        // miss. It is fetched some items ahead.
        constexpr std::size_t kAhead = 16;
        if (reader.next_in_memory + kAhead < reader.in_memory.size())
            __builtin_prefetch(reader.in_memory[reader.next_in_memory + kAhead].payload);
    } else {
        std::uint8_t* const place = arena.allocate(head.payload_bytes);
        WARPSEQ_TRY(reader.payloads.read(place, head.payload_bytes));
        payload = {place, head.payload_bytes};
    }
    WARPSEQ_TRY(advance_first());
    return true;
}

}  // namespace warpseq
