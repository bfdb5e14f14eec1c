// The members of a gzip file, decoded side by side as far as the file and memory allow. Nothing in
// a gzip file says where its members begin, and what looks like the header of one may be compressed
// data. So stored bytes are cut into runs where headers seem to be; each run is decoded on trial,
// and counts where what is before it has ended exactly there. Else it belongs to the run before it.
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

/// So many bytes tell what looks like the header of a member.
inline constexpr std::size_t kGzipHeaderBytes = 10;
/// Where one seems to begin, from `from` on; the size of `stored` where none does. Found are
/// headers as programs write them, not all that are allowed.
std::size_t find_gzip_header(std::span<const std::uint8_t> stored, std::size_t from);

class GzipMembers {
   public:
    struct Limits {
        std::size_t block_bytes = 0;    // that next_block() hands out at most
        unsigned decoders = 1;          // threads
        std::uint64_t ahead_bytes = 0;  // of memory, for what is decoded before its turn
        /// Stored, that a run has where others follow; only tests need another value.
        std::uint64_t least_run_bytes = std::uint64_t{256} << 10;
    };
    /// Fills all of `buffer` with stored bytes from `offset_bytes` on; called by several threads.
    using ReadAt = std::function<Status(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer)>;

    /// Without `read_at` stored bytes are held until they are decoded. Messages of errors go behind
    /// "FILE: ".
    GzipMembers(ReadAt read_at, const Limits& limits);
    ~GzipMembers();

    // For the thread that reads the file:

    /// The stored bytes that follow those before. Waits for room; false where stop() was called.
    bool add(std::span<const std::uint8_t> stored);
    /// No more follow; `failure` of reading them comes behind what was decoded.
    void finish(Status failure);

    // For the thread that takes what is decoded:

    /// As ByteSource has it.
    Result<std::span<const std::uint8_t>> next_block();

    // For all threads:

    /// Stored bytes of what next_block() has begun to hand out.
    std::uint64_t taken_bytes() const { return taken_bytes_.load(std::memory_order_relaxed); }
    /// Ends all waiting.
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

    // For the thread that reads:
    std::vector<std::uint8_t> window_;  // bytes of no run yet
    std::uint64_t window_begin_bytes_ = 0;

    std::mutex mutex_;  // guards everything below
    std::condition_variable room_, work_, decoded_;
    std::deque<RunPointer> runs_;   // in the file's order
    std::uint64_t pieces_ = 0;      // that there are, and decoders
    std::uint64_t held_bytes_ = 0;  // stored
    std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
    bool stopped_ = false, finished_ = false;
    Status failure_;  // of reading
    Piece current_;   // what the caller is looking at
    std::size_t current_done_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace warpseq
