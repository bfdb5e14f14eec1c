#include "formats/io/gzip_members.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "formats/io/decoder.h"

namespace warpseq {

namespace {

/// The maximum size of a piece of decoded bytes. A decoder with its buffers takes less memory.
constexpr std::size_t kPieceBytes = std::size_t{512} << 10;
/// The size of the portions in which stored bytes are read.
constexpr std::size_t kPortionBytes = std::size_t{256} << 10;
/// The number of pieces that may be decoded of the first run before they are taken, even if other
/// runs use all the memory.
constexpr std::size_t kPiecesOfFirst = 4;
/// Headers are searched for within this many times the memory for decoded bytes, because stored
/// bytes are fewer.
constexpr std::uint64_t kTimesLookedAhead = 2;

bool seems_header(const std::uint8_t* header) {
    constexpr std::uint8_t kDeflate = 8, kReservedFlags = 0xe0, kMostSystem = 13, kUnknownSystem = 255;
    // The ninth byte tells the level of compression: 0 for unknown, 2 for the best, 4 for the
    // fastest.
    return header[0] == 0x1f && header[1] == 0x8b && header[2] == kDeflate && (header[3] & kReservedFlags) == 0 &&
           (header[8] == 0 || header[8] == 2 || header[8] == 4) &&
           (header[9] <= kMostSystem || header[9] == kUnknownSystem);
}

}  // namespace

std::size_t find_gzip_header(std::span<const std::uint8_t> stored, std::size_t from) {
    while (from + kGzipHeaderBytes <= stored.size()) {
        const void* const found = std::memchr(stored.data() + from, 0x1f, stored.size() - kGzipHeaderBytes + 1 - from);
        if (found == nullptr) break;
        from = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - stored.data());
        if (seems_header(stored.data() + from)) return from;
        ++from;
    }
    return stored.size();
}

/// The stored bytes from a place where a member seems to begin up to a later such place.
struct GzipMembers::Run {
    using Portion = std::shared_ptr<const std::vector<std::uint8_t>>;

    // Guarded by the mutex:
    std::uint64_t begin_bytes = 0, end_bytes = 0;  // in the file, of the known bytes
    bool has_all = false;                          // whether no more stored bytes follow
    std::deque<Portion> held;                      // only if the file cannot be read again
    std::size_t fetched = 0;                       // number of held portions that were decoded
    bool is_certain = false;                       // whether a member is known to begin here
    bool is_busy = false;                          // whether a thread is decoding it
    bool is_dropped = false;                       // whether it was dropped while a thread decoded it
    bool has_ended = false, ends_member = false;   // whether all is decoded; whether a member may begin behind it
    std::uint64_t done_bytes = 0;                  // end of the decoded bytes in the file
    std::deque<Piece> decoded;
    Status failure;  // an error that comes after the decoded bytes

    // For the thread that decodes the run:
    std::unique_ptr<Decoder> decoder;
    std::uint64_t fetched_bytes = 0;  // offset in the file at which the next portion begins
    std::vector<std::uint8_t> buffer;
    Portion portion;
    std::span<const std::uint8_t> in;  // the part of the buffer or the portion that is not decoded yet

    /// Reads the next stored bytes if none are left. Reads nothing at the end of the known bytes.
    Status fetch(const ReadAt& read_at, std::uint64_t known_end_bytes) {
        if (!in.empty() || fetched_bytes == known_end_bytes) return {};
        buffer.resize(
            static_cast<std::size_t>(std::min<std::uint64_t>(kPortionBytes, known_end_bytes - fetched_bytes)));
        WARPSEQ_TRY(read_at(fetched_bytes, buffer));
        fetched_bytes += buffer.size();
        in = buffer;
        return {};
    }
    /// Decodes until the piece is full or the stored bytes are used up. Returns true at the end of
    /// all stored bytes.
    Result<bool> decode(Piece& piece, bool is_last) {
        std::span<std::uint8_t> out(piece.bytes.get(), kPieceBytes);
        while (!out.empty() && (is_last || !in.empty())) {
            const bool at_end = in.empty();
            const std::size_t room_before = out.size();
            WARPSEQ_TRY(decoder->decode(in, out));
            piece.size = kPieceBytes - out.size();
            // A decoder may still hold decoded bytes. It is done when no more of them come.
            if (at_end && out.size() == room_before) return true;
        }
        return false;
    }
};

GzipMembers::GzipMembers(ReadAt read_at, const Limits& limits)
    : read_at_(std::move(read_at)),
      limits_(limits),
      most_pieces_(std::max<std::uint64_t>(limits.ahead_bytes / kPieceBytes, kPiecesOfFirst)) {}

GzipMembers::~GzipMembers() {
    stop();
    for (std::thread& thread : threads_) thread.join();
}

void GzipMembers::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    room_.notify_all();
    work_.notify_all();
    decoded_.notify_all();
}

// ---- the reading thread ----

bool GzipMembers::add(std::span<const std::uint8_t> stored) {
    {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return stopped_ || has_room_for_stored(); });
        if (stopped_) return false;
    }
    window_.insert(window_.end(), stored.begin(), stored.end());
    // The last bytes may begin a header.
    if (window_.size() < kGzipHeaderBytes) return true;
    const std::size_t handed_on = window_.size() - kGzipHeaderBytes + 1;
    hand_on(std::span(window_).first(handed_on));
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(handed_on));
    return true;
}

bool GzipMembers::has_room_for_stored() const {
    if (runs_.empty()) return true;
    if (!read_at_) return held_bytes_ == 0 || held_bytes_ < limits_.ahead_bytes / 4;
    return runs_.back()->end_bytes - runs_.front()->done_bytes < kTimesLookedAhead * most_pieces_ * kPieceBytes;
}

void GzipMembers::finish(Status failure) {
    Status status = guarded([&] { hand_on(window_); });
    const std::lock_guard lock(mutex_);
    if (!runs_.empty()) runs_.back()->has_all = true;
    failure_ = failure.ok() ? std::move(status) : std::move(failure);
    finished_ = true;
    work_.notify_all();
    decoded_.notify_one();
}

/// Moves the first bytes of the window into runs.
void GzipMembers::hand_on(std::span<const std::uint8_t> stored) {
    const std::lock_guard lock(mutex_);
    if (runs_.empty()) begin_run();
    while (!stored.empty()) {
        Run& last = *runs_.back();
        const std::uint64_t run_bytes = last.end_bytes - last.begin_bytes;
        const std::uint64_t least = run_bytes < limits_.least_run_bytes ? limits_.least_run_bytes - run_bytes : 0;
        std::size_t size = stored.size();
        if (least < size) {
            const std::span<const std::uint8_t> seen(stored.data(), window_.data() + window_.size());
            size = std::min(size, find_gzip_header(seen, static_cast<std::size_t>(least)));
        }
        if (!read_at_ && size > 0) {
            last.held.push_back(std::make_shared<const std::vector<std::uint8_t>>(
                stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(size)));
            held_bytes_ += size;
        }
        last.end_bytes += size;
        window_begin_bytes_ += size;
        stored = stored.subspan(size);
        if (!stored.empty()) begin_run();
    }
    work_.notify_one();
    decoded_.notify_one();
}

void GzipMembers::begin_run() {
    auto run = std::make_shared<Run>();
    run->begin_bytes = run->end_bytes = run->fetched_bytes = run->done_bytes = window_begin_bytes_;
    run->is_certain = runs_.empty();
    runs_.push_back(std::move(run));
    if (runs_.size() > 1) runs_[runs_.size() - 2]->has_all = true;
    if (threads_.size() < std::min<std::size_t>(limits_.decoders, runs_.size())) start_thread();
    work_.notify_one();
}

void GzipMembers::start_thread() {
    try {
        threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // the existing threads decode, or the caller does
    }
}

// ---- the decoding threads ----

void GzipMembers::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        RunPointer run;
        work_.wait(lock, [&] { return stopped_ || (run = next_to_decode()) != nullptr; });
        if (stopped_) return;
        decode_step(*run, lock);
    }
}

/// Returns the first run that has stored bytes to decode and room for the decoded bytes.
GzipMembers::RunPointer GzipMembers::next_to_decode() const {
    for (const RunPointer& run : runs_) {
        const bool is_first = run == runs_.front();
        if (!is_first && pieces_ >= most_pieces_) break;
        if (run->is_busy || run->has_ended || !run->failure.ok()) continue;
        const bool has_room =
            is_first ? run->decoded.size() < kPiecesOfFirst : pieces_ + (run->decoder ? 1U : 2U) <= most_pieces_;
        const bool has_stored = !run->in.empty() || run->fetched_bytes < run->end_bytes || run->has_all;
        if (has_room && has_stored) return run;
    }
    return nullptr;
}

/// Decodes one portion, or as much as fills a piece.
void GzipMembers::decode_step(Run& run, std::unique_lock<std::mutex>& lock) {
    run.is_busy = true;
    pieces_ += run.decoder ? 1U : 2U;
    const std::uint64_t known_end_bytes = run.end_bytes;
    const bool has_all = run.has_all;
    if (run.in.empty() && run.fetched < run.held.size()) {
        run.portion = run.held[run.fetched++];
        run.in = *run.portion;
        run.fetched_bytes += run.in.size();
    }
    Piece piece;
    if (!spare_.empty()) {
        piece.bytes = std::move(spare_.back());
        spare_.pop_back();
    }
    lock.unlock();
    const Result<bool> ended = guarded([&]() -> Result<bool> {
        if (!piece.bytes) piece.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(kPieceBytes);
        if (!run.decoder) run.decoder = make_decoder(Compression::kGzip, run.begin_bytes);
        WARPSEQ_TRY(run.fetch(read_at_, known_end_bytes));
        return run.decode(piece, has_all && run.fetched_bytes == known_end_bytes);
    });
    lock.lock();
    run.is_busy = false;
    run.done_bytes = piece.stored_end_bytes = run.fetched_bytes - run.in.size();
    if (!ended.ok()) run.failure = ended.status();
    run.has_ended = ended.ok() && *ended;
    end_step(run, std::move(piece));
}

void GzipMembers::end_step(Run& run, Piece piece) {
    run.ends_member = run.has_ended && run.decoder->is_between_units();
    if (!run.decoder) {
        --pieces_;  // there was no memory for a decoder
    } else if (!run.failure.ok() || run.ends_member) {
        run.decoder.reset();
        run.buffer = {};
        --pieces_;
    }
    if (piece.size > 0) {
        Status kept = guarded([&] { run.decoded.push_back(std::move(piece)); });
        if (!kept.ok()) run.failure = std::move(kept);
    }
    if (piece.bytes || piece.size == 0) give_back(std::move(piece));
    if (run.is_dropped) drop(run);
    if (!runs_.empty() && &run == runs_.front().get()) {
        make_first_certain();
        decoded_.notify_one();
        room_.notify_one();
    }
}

/// Marks the first run as certain, and frees its stored bytes that were decoded. They are not
/// needed again.
void GzipMembers::make_first_certain() {
    Run& first = *runs_.front();
    first.is_certain = true;
    for (; first.fetched > 0; --first.fetched) {
        held_bytes_ -= first.held.front()->size();
        first.held.pop_front();
    }
    room_.notify_one();
}

void GzipMembers::drop(Run& run) {
    for (Piece& piece : run.decoded) give_back(std::move(piece));
    run.decoded.clear();
    if (run.decoder) --pieces_;
    run.decoder.reset();
    run.buffer = {};
    work_.notify_all();
}

void GzipMembers::give_back(Piece piece) {
    --pieces_;
    if (piece.bytes) [[maybe_unused]]
        const Status kept = guarded([&] { spare_.push_back(std::move(piece.bytes)); });
    work_.notify_one();
}

// ---- the caller ----

void GzipMembers::wake() {
    const std::lock_guard lock(mutex_);
    decoded_.notify_all();
}

Result<std::span<const std::uint8_t>> GzipMembers::next_block(const std::function<bool()>& is_stopped) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (current_done_ < current_.size) {
            const std::size_t size = std::min(limits_.block_bytes, current_.size - current_done_);
            const std::uint8_t* const begin = current_.bytes.get() + current_done_;
            current_done_ += size;
            return std::span(begin, size);
        }
        if (current_.bytes) give_back(std::exchange(current_, {}));
        current_done_ = 0;
        if (!runs_.empty() && !runs_.front()->decoded.empty()) {
            current_ = std::move(runs_.front()->decoded.front());
            runs_.front()->decoded.pop_front();
            taken_bytes_ = current_.stored_end_bytes;
            continue;
        }
        if (!runs_.empty()) {
            const RunPointer first = runs_.front();
            if (!first->failure.ok()) return first->failure;
            if (first->has_ended && runs_.size() > 1) {
                WARPSEQ_TRY(guarded([&] { go_on_behind_first(); }));
                continue;
            }
            if (first->has_ended && finished_) {
                WARPSEQ_TRY(failure_);
                if (!first->ends_member) WARPSEQ_TRY(first->decoder->check_end());
                taken_bytes_ = first->end_bytes;
                return std::span<const std::uint8_t>();
            }
            if (threads_.empty() && next_to_decode() == first) {
                decode_step(*first, lock);
                continue;
            }
        } else if (finished_) {  // there was no memory for a run
            WARPSEQ_TRY(failure_);
            return std::span<const std::uint8_t>();
        }
        if (is_stopped()) return Status::interrupted();
        decoded_.wait(lock);
    }
}

/// Makes the second run the first one if a member ended before it. Otherwise joins it to the first
/// run.
void GzipMembers::go_on_behind_first() {
    Run& first = *runs_.front();
    if (first.ends_member) {
        runs_.pop_front();
        make_first_certain();
        work_.notify_one();
        return;
    }
    const RunPointer next = runs_[1];
    first.held.insert(first.held.end(), next->held.begin(), next->held.end());
    first.end_bytes = next->end_bytes;
    first.has_all = next->has_all;
    first.has_ended = false;
    runs_.erase(runs_.begin() + 1);
    next->is_dropped = true;
    if (!next->is_busy) drop(*next);
    work_.notify_one();
}

}  // namespace warpseq
