// ByteSource. A reading thread fills a small ring of blocks, and the caller empties it. Units that
// can be decoded on their own are not decoded by the reading thread. It puts groups of them among
// the blocks, and other threads decode these groups.
#include "formats/io/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "formats/io/decoder.h"
#include "formats/io/file_identity.h"
#include "formats/io/file_stamp.h"
#include "formats/io/gzip_members.h"
#include "formats/io/xxh3_state.h"
#include "libcore/base/stop_scope.h"

namespace warpseq {

namespace {

constexpr std::size_t kBlocksInFlight = 4;
constexpr std::size_t kStoredBufferBytes = std::size_t{256} << 10;
/// The size of a group of small units: a group is full when its stored or its decoded bytes reach
/// this.
constexpr std::size_t kGroupStoredBytes = std::size_t{512} << 10;
constexpr std::size_t kGroupBytes = std::size_t{1} << 20;
/// The largest stored size of a unit in a group. Larger units are decoded as a stream.
constexpr std::size_t kMostUnitStoredBytes = std::size_t{4} << 20;

std::string system_message(int error) { return std::strerror(error); }

class FileDescriptor {
   public:
    explicit FileDescriptor(int fd = -1, bool owned = true) : fd_(fd), owned_(owned) {}
    ~FileDescriptor() {
        if (owned_ && fd_ >= 0) ::close(fd_);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    int get() const { return fd_; }

   private:
    int fd_;
    bool owned_;
};

}  // namespace

struct ByteSource::State {
    struct Block {
        std::unique_ptr<std::uint8_t[]> bytes;
        std::size_t size = 0;

        // For a group of units, which other threads decode:
        std::vector<std::uint8_t> stored;
        std::uint64_t offset_bytes = 0;  // of the group in the file
        std::size_t most_bytes = 0;      // upper limit of the decoded bytes; 0: this is no group
        bool done = true;                // guarded by the mutex
        Status failure;                  // an error that comes after the bytes
    };

    /// `stop_descriptor` is the eventfd that ends the wait of a pollable file, or -1.
    State(std::string shown_name, int fd, bool owned, bool pollable_file, int stop_descriptor, std::size_t block_size,
          unsigned most_decoders, std::uint64_t most_ahead_bytes)
        : name(std::move(shown_name)),
          file(fd, owned),
          stamp(FileStamp::of(fd)),
          pollable(pollable_file),
          can_read_at(owned && !pollable_file),
          block_bytes(block_size),
          decoder_count(most_decoders),
          ahead_bytes(std::max<std::uint64_t>(most_ahead_bytes, most_decoders * kDecoderBytes)),
          stop_event(stop_descriptor) {
        XXH3_128bits_reset(hash.get());
    }

    Status start() {
        return guarded([&]() -> Status {
            try {
                thread = std::thread([this] { run(); });
            } catch (const std::system_error& error) {
                return Status::unavailable(name + ": cannot start a thread that reads it: " + error.what() +
                                           "; raise the limit on processes (ulimit -u)");
            }
            return {};
        });
    }

    ~State() {
        if (!thread.joinable()) return;
        {
            const std::lock_guard lock(mutex);
            stop = true;
            if (members) members->stop();
        }
        room.notify_all();
        group_or_finished.notify_all();
        const std::uint64_t one = 1;
        // A failed write would mean that the counter is full, that is, already signalled.
        [[maybe_unused]] const auto written = ::write(stop_event.get(), &one, sizeof one);
        thread.join();
        for (std::thread& decoder : decoders) decoder.join();
        members.reset();
    }

    // ---- the reading thread ----

    void run() {
        Status status = guarded([&] { return read_all(); });
        status = named(std::move(status));
        const std::lock_guard lock(mutex);
        failure = std::move(status);
        finished = true;
        filled_or_finished.notify_all();
        group_or_finished.notify_all();
    }

    Status named(Status status) const {
        const Status done = guarded([&] {
            if (!status.ok()) status = Status(status.code(), name + ": " + status.message());
        });
        return done.ok() ? std::move(status) : done;
    }

    Status read_all() {
        stored.resize(std::max(block_bytes, kStoredBufferBytes));
        bool end = false;
        std::size_t first_bytes = 0;
        WARPSEQ_TRY(fill(stored, first_bytes, end));
        std::span<const std::uint8_t> in(stored.data(), first_bytes);
        const Compression compression = compression_of(in);
        if (compression == Compression::kNone) return copy_all(in, end);
        if (decoder_count > 1 && compression == Compression::kGzip) return feed_members(in, end);
        if (decoder_count > 1) return decode_groups(compression, in, end);
        return decode_all(*make_decoder(compression), in, end);
    }

    /// Delivers a file that is not compressed. The bytes that were read to recognise the
    /// compression go out first. The rest of the file is read directly into blocks.
    Status copy_all(std::span<const std::uint8_t> in, bool end) {
        while (!in.empty()) {
            std::unique_ptr<Block> block = acquire();
            if (!block) return {};
            block->size = std::min(in.size(), block_bytes);
            std::memcpy(block->bytes.get(), in.data(), block->size);
            in = in.subspan(block->size);
            deliver(std::move(block));
        }
        while (!end) {
            std::unique_ptr<Block> block = acquire();
            if (!block) return {};
            const Status status = fill(std::span(block->bytes.get(), block_bytes), block->size, end);
            if (block->size > 0) deliver(std::move(block));
            WARPSEQ_TRY(status);
        }
        return {};
    }

    /// Decodes a gzip file with GzipMembers, which has its own decoding threads.
    Status feed_members(std::span<const std::uint8_t> in, bool end) {
        const auto read_at = [this](std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) {
            return read_again(offset_bytes, buffer);
        };
        auto made = std::make_unique<GzipMembers>(can_read_at ? GzipMembers::ReadAt(read_at) : nullptr,
                                                  GzipMembers::Limits{block_bytes, decoder_count, ahead_bytes});
        {
            const std::lock_guard lock(mutex);
            if (stop) return {};
            members = std::move(made);
            has_members = true;
            filled_or_finished.notify_all();
        }
        members->finish(guarded([&]() -> Status {
            while (members->add(in) && !end) {
                std::size_t bytes = 0;
                WARPSEQ_TRY(fill(stored, bytes, end));
                in = std::span(stored.data(), bytes);
            }
            return {};
        }));
        return {};
    }

    /// Reads bytes again that have been read before.
    Status read_again(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
        while (!buffer.empty()) {
            const ssize_t got = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset_bytes));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0)
                return Status::io("reading failed at byte " + std::to_string(offset_bytes) + ": " +
                                  system_message(errno));
            if (got == 0) return Status::io(kChangedWhileRead);
            offset_bytes += static_cast<std::uint64_t>(got);
            buffer = buffer.subspan(static_cast<std::size_t>(got));
        }
        return {};
    }

    /// Cuts off groups of units as long as it finds units. Decodes the rest of the file as a
    /// stream.
    Status decode_groups(Compression compression, std::span<const std::uint8_t> in, bool end) {
        std::vector<std::uint8_t> ahead(in.begin(), in.end());
        std::uint64_t offset_bytes = 0;
        bool follows_data = false;
        for (;;) {
            std::size_t bytes = 0, most_bytes = 0;
            bool last_is_empty = true;
            while (bytes < kGroupStoredBytes && most_bytes < kGroupBytes) {
                const auto unit = unit_at_front(compression, std::span(ahead).subspan(bytes));
                if (!unit || unit->stored_bytes > kMostUnitStoredBytes || unit->most_bytes > most_decoded_bytes() / 2)
                    break;
                bytes += unit->stored_bytes;
                most_bytes += unit->most_bytes;
                last_is_empty = unit->is_empty;
            }
            const bool is_full = bytes >= kGroupStoredBytes || most_bytes >= kGroupBytes;
            if (!is_full && !end && ahead.size() - bytes < kMostUnitStoredBytes) {
                const std::size_t size = ahead.size();
                ahead.resize(size + kStoredBufferBytes);
                std::size_t got = 0;
                const Status status = fill(std::span(ahead).subspan(size), got, end);
                ahead.resize(size + got);
                if (!status.ok()) {
                    WARPSEQ_TRY(decode_all(*make_decoder(compression, offset_bytes, follows_data), ahead, true, false));
                    return status;
                }
                continue;
            }
            if (bytes == 0) break;
            auto group = std::make_unique<Block>();
            group->stored.assign(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(bytes));
            group->offset_bytes = offset_bytes;
            group->most_bytes = std::max<std::size_t>(most_bytes, 1);
            group->done = false;
            if (!deliver_group(compression, std::move(group))) return {};
            ahead.erase(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(bytes));
            offset_bytes += bytes;
            follows_data = !last_is_empty;
        }
        return decode_all(*make_decoder(compression, offset_bytes, follows_data), ahead, end);
    }

    std::size_t most_decoded_bytes() const { return decoder_count * kDecoderBytes; }

    /// Waits until there is room for a group and queues it. Returns false when the source is being
    /// closed.
    bool deliver_group(Compression compression, std::unique_ptr<Block> group) {
        std::unique_lock lock(mutex);
        room.wait(lock,
                  [&] { return stop || group_bytes == 0 || group_bytes + group->most_bytes <= most_decoded_bytes(); });
        if (stop) return false;
        group_bytes += group->most_bytes;
        groups.push_back(group.get());
        filled.push_back(std::move(group));
        group_or_finished.notify_one();
        if (decoders.size() < decoder_count && groups.size() > 1) start_decoder(compression);
        if (decoders.empty()) start_decoder(compression);
        if (!decoders.empty()) return true;
        lock.unlock();  // the system cannot start a thread
        decode_next_group(compression);
        return true;
    }

    void start_decoder(Compression compression) {
        try {
            decoders.emplace_back([this, compression] {
                while (decode_next_group(compression)) {
                }
            });
        } catch (const std::system_error&) {  // the existing threads decode it
        }
    }

    /// Decodes the next group. Returns false if no more groups will come.
    bool decode_next_group(Compression compression) {
        Block* group = nullptr;
        {
            std::unique_lock lock(mutex);
            group_or_finished.wait(lock, [&] { return stop || finished || !groups.empty(); });
            if (stop || groups.empty()) return false;
            group = groups.front();
            groups.pop_front();
        }
        Status status = named(guarded([&] { return decode_group(compression, *group); }));
        const std::lock_guard lock(mutex);
        group->failure = std::move(status);
        group->done = true;
        filled_or_finished.notify_all();
        return true;
    }

    static Status decode_group(Compression compression, Block& group) {
        // Whether a bgzip file has its end mark is checked only at the end of the file.
        const Compression of_units = compression == Compression::kBgzip ? Compression::kGzip : compression;
        const auto decoder = make_decoder(of_units, group.offset_bytes);
        group.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(group.most_bytes);
        std::span<const std::uint8_t> in = group.stored;
        std::span<std::uint8_t> out(group.bytes.get(), group.most_bytes);
        Status status;
        for (bool done = false; !done && status.ok();) {
            const std::size_t in_before = in.size(), out_before = out.size();
            status = decoder->decode(in, out);
            done = in.size() == in_before && out.size() == out_before;
        }
        group.size = group.most_bytes - out.size();
        WARPSEQ_TRY(status);
        if (!in.empty()) {
            return Status::invalid_input(
                "the compressed data is damaged after byte " + std::to_string(group.offset_bytes) +
                " of the compressed file (it is longer than its size field says); get the file again");
        }
        group.stored = {};
        return decoder->check_end();
    }

    /// Decodes a stream up to its end. If `checks_end` is false, the stored bytes are known to be
    /// cut off.
    Status decode_all(Decoder& decoder, std::span<const std::uint8_t> in, bool end, bool checks_end = true) {
        for (bool done = false; !done;) {
            std::unique_ptr<Block> block = acquire();
            if (!block) return {};
            std::span<std::uint8_t> out(block->bytes.get(), block_bytes);
            Status status;
            while (!out.empty() && !done && status.ok()) {
                if (in.empty() && !end) {
                    std::size_t bytes = 0;
                    status = fill(stored, bytes, end);
                    in = std::span(stored.data(), bytes);
                    if (!status.ok()) break;
                }
                const bool last = in.empty();
                const std::size_t room_before = out.size();
                status = decoder.decode(in, out);
                // At the end of the stored bytes, a decoder may still hold decoded ones. It is done
                // when no more of them come.
                if (status.ok() && last && out.size() == room_before) {
                    if (checks_end) status = decoder.check_end();
                    done = true;
                }
            }
            block->size = block_bytes - out.size();
            if (block->size > 0) deliver(std::move(block));
            WARPSEQ_TRY(status);
        }
        return {};
    }

    /// Reads until `buffer` is full or the file ends, and hashes the bytes. Pipes return only a
    /// little at a time.
    Status fill(std::span<std::uint8_t> buffer, std::size_t& bytes, bool& end) {
        bytes = 0;
        while (bytes < buffer.size()) {
            if (pollable && !wait_for_input()) {
                end = true;
                break;
            }
            const ssize_t got = ::read(file.get(), buffer.data() + bytes, buffer.size() - bytes);
            if (got < 0) {
                if (errno == EINTR || errno == EAGAIN) continue;
                const int error = errno;
                if (error == EISDIR) return Status::io("is a directory; a file was expected");
                return Status::io("reading failed at byte " + std::to_string(stored_bytes.load()) + ": " +
                                  system_message(error));
            }
            if (got == 0) {
                end = true;
                // A file that became shorter seems to end earlier.
                if (is_changed()) return Status::io(kChangedWhileRead);
                break;
            }
            XXH3_128bits_update(hash.get(), buffer.data() + bytes, static_cast<std::size_t>(got));
            bytes += static_cast<std::size_t>(got);
            stored_bytes.fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
        }
        return {};
    }

    bool is_changed() const { return stamp && FileStamp::of(file.get()) != stamp; }

    /// Waits for a pipe or a terminal. Returns false when the source is being closed.
    bool wait_for_input() {
        std::array<pollfd, 2> wanted{pollfd{file.get(), POLLIN, 0}, pollfd{stop_event.get(), POLLIN, 0}};
        while (::poll(wanted.data(), wanted.size(), -1) < 0 && errno == EINTR) {
        }
        return wanted[1].revents == 0;
    }

    /// Returns an empty block, and waits for one if all are in use. Returns null when the source is
    /// being closed.
    std::unique_ptr<Block> acquire() {
        std::unique_lock lock(mutex);
        room.wait(lock, [&] { return stop || !spare.empty() || blocks_made < kBlocksInFlight; });
        if (stop) return nullptr;
        if (spare.empty()) {
            auto made = std::make_unique<Block>();
            made->bytes = std::make_unique_for_overwrite<std::uint8_t[]>(block_bytes);
            ++blocks_made;
            return made;
        }
        auto block = std::move(spare.back());
        spare.pop_back();
        return block;
    }

    void deliver(std::unique_ptr<Block> block) {
        const std::lock_guard lock(mutex);
        filled.push_back(std::move(block));
        filled_or_finished.notify_one();
    }

    // ---- the caller ----

    Result<std::span<const std::uint8_t>> next_block() {
        const std::stop_token stop_of_caller = StopScope::current();
        const auto is_stopped = [&] { return stop_of_caller.stop_requested() || stop_of_opener.stop_requested(); };
        if (is_stopped()) return Status::interrupted();
        if (peeked) return *std::exchange(peeked, std::nullopt);
        const auto wake = [this] {
            const std::lock_guard lock(mutex);
            filled_or_finished.notify_all();
            if (members) members->wake();
        };
        const std::stop_callback heard(stop_of_caller, wake), heard_of_opener(stop_of_opener, wake);
        for (;;) {
            if (has_members) {
                auto block = members->next_block(is_stopped);
                const bool keeps = block.ok() || block.status().code() == StatusCode::kInterrupted;
                return keeps ? block : named(block.status());
            }
            if (current != nullptr && current_done < current->size) {
                const std::size_t size = std::min(block_bytes, current->size - current_done);
                const std::uint8_t* const begin = current->bytes.get() + current_done;
                current_done += size;
                return std::span(begin, size);
            }
            std::unique_lock lock(mutex);
            if (current != nullptr) give_back_current();
            filled_or_finished.wait(lock, [&] {
                return is_stopped() || has_members || (filled.empty() ? finished : filled.front()->done);
            });
            if (is_stopped()) return Status::interrupted();
            if (has_members) continue;
            if (filled.empty()) {
                if (!failure.ok()) return failure;
                return std::span<const std::uint8_t>();
            }
            // A damaged group stays at the front, because nothing is returned after it.
            if (!filled.front()->failure.ok() && filled.front()->size == 0) return filled.front()->failure;
            current = std::move(filled.front());
            current_done = 0;
            if (current->failure.ok()) {
                filled.pop_front();
            } else {
                filled.front() = std::make_unique<Block>();
                filled.front()->failure = current->failure;
            }
        }
    }

    void give_back_current() {
        if (current->most_bytes > 0) {
            group_bytes -= current->most_bytes;
            current.reset();
        } else {
            spare.push_back(std::move(current));
        }
        room.notify_one();
    }

    std::string name;
    FileDescriptor file;
    std::optional<FileStamp> stamp;  // of a regular file when it was opened
    bool pollable;                   // true unless it is a regular file: reading may block forever
    bool can_read_at;                // whether any offset can be read again
    std::size_t block_bytes;
    unsigned decoder_count;
    std::uint64_t ahead_bytes;
    FileDescriptor stop_event;  // of a pollable file
    std::stop_token stop_of_opener = StopScope::current();
    Xxh3State hash = make_xxh3_state();
    std::vector<std::uint8_t> stored;  // stored bytes that will go to a decoder
    std::atomic<std::uint64_t> stored_bytes{0};
    std::unique_ptr<GzipMembers> members;  // for gzip with several decoders; made by the reading thread
    std::atomic<bool> has_members = false;

    std::mutex mutex;  // guards everything below
    std::condition_variable room, filled_or_finished, group_or_finished;
    std::vector<std::unique_ptr<Block>> spare;
    std::deque<std::unique_ptr<Block>> filled;  // filled blocks and groups, in order; groups may still be being decoded
    std::deque<Block*> groups;                  // groups whose decoding has not begun
    std::uint64_t group_bytes = 0;              // upper limit of the decoded bytes of all groups in use
    std::vector<std::thread> decoders;
    std::size_t blocks_made = 0;
    bool stop = false, finished = false;
    Status failure;
    std::unique_ptr<Block> current;                               // the block that the caller is looking at
    std::size_t current_done = 0;                                 // bytes of it that have been returned
    std::optional<Result<std::span<const std::uint8_t>>> peeked;  // the block that next_block() will return again

    std::thread thread;
};

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

Result<ByteSource> ByteSource::open(const std::filesystem::path& file, std::size_t block_bytes, unsigned decoders,
                                    std::uint64_t ahead_bytes) {
    const bool standard_input = file == "-";
    const std::string name = standard_input ? "standard input" : file.string();
    // A FIFO is opened without waiting for its writer. The reading thread waits for it, and this
    // can be stopped: poll() is silent as long as no writer has come.
    struct stat before {};
    const bool is_fifo = !standard_input && ::stat(file.c_str(), &before) == 0 && S_ISFIFO(before.st_mode);
    // A name such as /dev/stdin or /dev/fd/63 stands for a pipe that is open already. Opening the
    // name would make a second reader, which waits for ever if the writer has left.
    const auto open_already = is_fifo ? identify_file(file) : Result<FileIdentity>(FileIdentity());
    int shared = open_already.ok() ? open_already->descriptor : -1;
    if (shared >= 0 && (::fcntl(shared, F_GETFL) & O_ACCMODE) == O_WRONLY) shared = -1;
    const int fd = standard_input ? STDIN_FILENO
                   : shared >= 0  ? ::fcntl(shared, F_DUPFD_CLOEXEC, 3)
                                  : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | (is_fifo ? O_NONBLOCK : 0));
    if (fd < 0) {
        const int error = errno;
        std::string message = name + ": cannot be opened: " + system_message(error);
        if (error == ENOENT) message += "; check the name and the folder";
        if (error == EACCES) message += "; ask its owner for the right to read it";
        return Status::io(std::move(message));
    }
    struct stat about {};
    const bool known = ::fstat(fd, &about) == 0;
    if (!known || S_ISDIR(about.st_mode)) {
        const std::string why =
            known ? "is a directory; a file was expected" : "cannot be read: " + system_message(errno);
        if (!standard_input) ::close(fd);
        return Status::io(name + ": " + why);
    }
    const bool regular = S_ISREG(about.st_mode);
    if (regular) ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    const int stop_event = regular ? -1 : ::eventfd(0, EFD_CLOEXEC);
    const int error = errno;
    auto state = std::make_unique<State>(name, fd, !standard_input, !regular, stop_event,
                                         std::max<std::size_t>(block_bytes, 1), decoders, ahead_bytes);
    if (!regular && stop_event < 0) return Status::io(name + ": cannot be read: " + system_message(error));
    WARPSEQ_TRY(state->start());
    return ByteSource(std::move(state));
}

Result<std::span<const std::uint8_t>> ByteSource::next_block() { return state_->next_block(); }

Result<std::span<const std::uint8_t>> ByteSource::peek_block() {
    if (!state_->peeked) {
        auto block = state_->next_block();
        // After an interruption the next call may return the block.
        if (block.status().code() == StatusCode::kInterrupted) return block;
        state_->peeked = std::move(block);
    }
    return *state_->peeked;
}

Result<std::string> ByteSource::read_rest(std::uint64_t most_bytes) {
    std::string text;
    while (text.size() <= most_bytes) {
        const auto block = next_block();
        if (!block.ok()) return block.status();
        if (block->empty()) break;
        text.append(reinterpret_cast<const char*>(block->data()), block->size());
    }
    return text;
}

Status ByteSource::verify_unchanged() const {
    return state_->is_changed() ? Status::io(state_->name + ": " + kChangedWhileRead) : Status();
}

const std::string& ByteSource::name() const { return state_->name; }
std::uint64_t ByteSource::stored_bytes() const {
    return state_->has_members ? state_->members->taken_bytes() : state_->stored_bytes.load(std::memory_order_relaxed);
}

std::string ByteSource::stored_xxh3_128() const { return xxh3_128_text(state_->hash); }

}  // namespace warpseq
