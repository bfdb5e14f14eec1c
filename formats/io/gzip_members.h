// GzipMembers decodes the members of a gzip file side by side, as far as the file and memory allow.
//
// Nothing in a gzip file shows where its members begin, and bytes that look like a member's header
// may be compressed data. So the stored bytes are cut into runs where headers seem to be, and each
// run is decoded on trial. Its result counts if the member before it has ended exactly there.
// Otherwise the run belongs to the run before it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// The number of bytes needed to tell whether something looks like the header of a member.
inline constexpr std::size_t kGzipHeaderBytes = 10;
/// Returns the first place at or behind `from` where a header seems to begin, or the size of
/// `stored` if there is none. Finds headers as programs write them, not all that the format allows.
std::size_t find_gzip_header(std::span<const std::uint8_t> stored, std::size_t from);

class GzipMembers {
   public:
    struct Limits {
        std::size_t block_bytes = 0;    // upper limit of what next_block() returns
        unsigned decoders = 1;          // threads
        std::uint64_t ahead_bytes = 0;  // memory for bytes that are decoded ahead
        /// The least number of stored bytes of a run, except the last one. Only tests need another
        /// value.
        std::uint64_t least_run_bytes = std::uint64_t{256} << 10;
    };
    /// A function that fills all of `buffer` with stored bytes from `offset_bytes` on. Several
    /// threads call it.
    using ReadAt = std::function<Status(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer)>;

    /// Without `read_at`, stored bytes are held in memory until they are decoded. Messages of
    /// errors are meant to follow "FILE: ".
    GzipMembers(ReadAt read_at, const Limits& limits);
    ~GzipMembers();

    // Functions for the thread that reads the file:

    /// Adds the stored bytes that follow those added before. Waits for room. Returns false if
    /// stop() was called.
    bool add(std::span<const std::uint8_t> stored);
    /// Ends the adding of bytes. `failure` is the error of reading the file, if there was one.
    /// next_block() returns it after all decoded bytes.
    void finish(Status failure);

    // Functions for the thread that takes the decoded bytes:

    /// Returns the next bytes as ByteSource::next_block() does. If it has to wait and `is_stopped`
    /// returns true, it returns Status::interrupted().
    Result<std::span<const std::uint8_t>> next_block(const std::function<bool()>& is_stopped = [] { return false; });
    /// Makes a waiting next_block() ask again whether it is stopped. Thread-safe.
    void wake();

    // Functions for all threads:

    /// Returns how many stored bytes the data has that next_block() has begun to return.
    std::uint64_t taken_bytes() const { return taken_bytes_.load(std::memory_order_relaxed); }
    /// Ends all waiting. add() then returns false.
    void stop();

   private:
    struct Run;
    using RunPointer = std::shared_ptr<Run>;
    struct Piece {
        std::unique_ptr<std::uint8_t[]> bytes;
        std::size_t size = 0;
        std::uint64_t stored_end_bytes = 0;  // in the file
    };

    bool has_room_for_stored() const;
    void hand_on(std::span<const std::uint8_t> stored);
    void begin_run();
    void start_thread();
    void work();
    RunPointer next_to_decode() const;
    void decode_step(Run& run, std::unique_lock<std::mutex>& lock);
    void end_step(Run& run, Piece piece);
    void go_on_behind_first();
    void make_first_certain();
    void drop(Run& run);
    void give_back(Piece piece);

    const ReadAt read_at_;
    const Limits limits_;
    const std::uint64_t most_pieces_;
    std::atomic<std::uint64_t> taken_bytes_{0};

    // State of the reading thread:
    std::vector<std::uint8_t> window_;  // bytes that belong to no run yet
    std::uint64_t window_begin_bytes_ = 0;

    std::mutex mutex_;  // guards everything below
    std::condition_variable room_, work_, decoded_;
    std::deque<RunPointer> runs_;   // in the file's order
    std::uint64_t pieces_ = 0;      // existing pieces and decoders
    std::uint64_t held_bytes_ = 0;  // stored
    std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
    bool stopped_ = false, finished_ = false;
    Status failure_;  // of reading
    Piece current_;   // the piece that the caller is looking at
    std::size_t current_done_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace warpseq
