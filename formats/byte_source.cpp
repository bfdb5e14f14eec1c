// ByteSource: a reading thread fills a small ring of blocks, the caller empties it.
#include "formats/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "formats/xxh3_state.h"

namespace warpseq {

namespace {

constexpr std::size_t kBlocksInFlight = 4;
constexpr std::size_t kStoredBufferBytes = std::size_t{256} << 10;

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

/// Turns stored bytes into decoded ones, piece by piece.
class Decoder {
   public:
    virtual ~Decoder() = default;
    /// Decodes from the front of `in` to the front of `out` and shortens both by what was used. With an empty `in` it hands out
    /// what it still holds. An error's message goes behind "FILE: ".
    virtual Status decode(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) = 0;
    /// What is wrong if the stored bytes end here.
    virtual Status check_end() const = 0;

   protected:
    std::string at_byte() const { return "at " + byte(); }
    std::string byte() const { return "byte " + std::to_string(consumed_bytes_) + " of the stored file"; }
    std::uint64_t consumed_bytes_ = 0;
};

class GzipDecoder final : public Decoder {
   public:
    /// `start` is how the file begins: bgzip writes a mark there, and files with it end on an empty member, so that a
    /// cut between two members shows.
    explicit GzipDecoder(std::span<const std::uint8_t> start) {
        bgzip_ = start.size() >= 16 && (start[3] & 4) != 0 && start[12] == 'B' && start[13] == 'C' && start[14] == 2 &&
                 start[15] == 0;
    }
    ~GzipDecoder() override {
        if (stream_) inflateEnd(&*stream_);
    }

    Status decode(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) override {
        if (place_ != Place::kMember) {
            if (in.empty()) return {};
            if (place_ == Place::kBehindMember && in[0] == 0x1f) {
                WARPSEQ_TRY(start_member());
            } else {
                return skip_padding(in);
            }
        }
        stream_->next_in = const_cast<Bytef*>(in.data());
        stream_->avail_in = static_cast<uInt>(in.size());
        stream_->next_out = out.data();
        stream_->avail_out = static_cast<uInt>(out.size());
        const int code = inflate(&*stream_, Z_NO_FLUSH);
        const std::size_t used = in.size() - stream_->avail_in;
        const std::size_t made = out.size() - stream_->avail_out;
        consumed_bytes_ += used;
        member_bytes_ += made;
        in = in.subspan(used);
        out = out.subspan(made);
        if (code == Z_STREAM_END) {
            place_ = Place::kBehindMember;
        } else if (code == Z_MEM_ERROR) {
            return Status::out_of_memory();
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return Status::invalid_input("the gzip data is damaged " + at_byte() + " (" +
                                         (stream_->msg != nullptr ? stream_->msg : "not deflate data") +
                                         "); get the file again, or check it with gzip -t");
        }
        return {};
    }

    Status check_end() const override {
        if (place_ == Place::kMember || (bgzip_ && member_bytes_ != 0)) {
            return Status::invalid_input(
                "the gzip data is cut off " + at_byte() + ": " +
                (place_ == Place::kMember ? "more was expected" : "bgzip's end mark is missing") +
                "; get the file again, or check it with gzip -t");
        }
        return {};
    }

   private:
    enum class Place { kMember, kBehindMember, kPadding };

    Status start_member() {
        if (!stream_) {
            stream_.emplace();
            if (inflateInit2(&*stream_, 16 + MAX_WBITS) != Z_OK) {
                stream_.reset();
                return Status::out_of_memory();
            }
        } else {
            inflateReset(&*stream_);
        }
        place_ = Place::kMember;
        member_bytes_ = 0;
        return {};
    }

    Status skip_padding(std::span<const std::uint8_t>& in) {
        place_ = Place::kPadding;
        const auto other = std::find_if(in.begin(), in.end(), [](std::uint8_t byte) { return byte != 0; });
        consumed_bytes_ += static_cast<std::uint64_t>(other - in.begin());
        const bool clean = other == in.end();
        in = {};
        if (clean) return {};
        return Status::invalid_input("something other than gzip data follows the gzip data " + at_byte() +
                                     "; get the file again, or check it with gzip -t");
    }

    std::optional<z_stream> stream_;
    Place place_ = Place::kBehindMember;
    bool bgzip_ = false;
    std::uint64_t member_bytes_ = 0;  // decoded from the member at hand
};

class ZstdDecoder final : public Decoder {
   public:
    ZstdDecoder() : stream_(ZSTD_createDStream()) {}
    ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
    ZstdDecoder(const ZstdDecoder&) = delete;
    ZstdDecoder& operator=(const ZstdDecoder&) = delete;

    Status decode(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) override {
        if (stream_ == nullptr) return Status::out_of_memory();
        if (in.empty() && at_frame_end_) return {};
        ZSTD_inBuffer input{in.data(), in.size(), 0};
        ZSTD_outBuffer output{out.data(), out.size(), 0};
        const std::size_t code = ZSTD_decompressStream(stream_, &output, &input);
        consumed_bytes_ += input.pos;
        in = in.subspan(input.pos);
        out = out.subspan(output.pos);
        if (ZSTD_isError(code)) {
            if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return Status::out_of_memory();
            if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge) {
                return Status::invalid_input("the zstd data needs a window of more than 128 MiB (behind " + byte() +
                                             "); compress it again without --long");
            }
            return Status::invalid_input("the zstd data is damaged behind " + byte() + " (" + ZSTD_getErrorName(code) +
                                         "); get the file again, or check it with zstd -t");
        }
        at_frame_end_ = code == 0;
        return {};
    }

    Status check_end() const override {
        if (at_frame_end_) return {};
        return Status::invalid_input("the zstd data is cut off " + at_byte() +
                                     ": more was expected; get the file again, or check it with zstd -t");
    }

   private:
    ZSTD_DStream* stream_;
    bool at_frame_end_ = false;
};

bool is_gzip(std::span<const std::uint8_t> start) { return start.size() >= 2 && start[0] == 0x1f && start[1] == 0x8b; }

bool is_zstd(std::span<const std::uint8_t> start) {
    if (start.size() < 4) return false;
    const std::uint32_t magic = static_cast<std::uint32_t>(start[0]) | static_cast<std::uint32_t>(start[1]) << 8 |
                                static_cast<std::uint32_t>(start[2]) << 16 | static_cast<std::uint32_t>(start[3]) << 24;
    return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

std::unique_ptr<Decoder> make_decoder(std::span<const std::uint8_t> start) {
    if (is_gzip(start)) return std::make_unique<GzipDecoder>(start);
    if (is_zstd(start)) return std::make_unique<ZstdDecoder>();
    return nullptr;
}

}  // namespace

bool is_compressed(std::span<const std::uint8_t> start) { return is_gzip(start) || is_zstd(start); }

struct ByteSource::State {
    struct Block {
        std::unique_ptr<std::uint8_t[]> bytes;
        std::size_t size = 0;
    };

    State(std::string shown_name, int fd, bool owned, bool pollable_file, std::size_t block_size)
        : name(std::move(shown_name)), file(fd, owned), pollable(pollable_file), block_bytes(block_size) {
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
        }
        room.notify_all();
        const std::uint64_t one = 1;
        // A failed write would mean that the counter is full, that is, already signalled.
        [[maybe_unused]] const auto written = ::write(stop_event.get(), &one, sizeof one);
        thread.join();
    }

    // ---- the reading thread ----

    void run() {
        Status status = guarded([&] { return read_all(); });
        const Status named = guarded([&] {
            if (!status.ok()) status = Status(status.code(), name + ": " + status.message());
        });
        const std::lock_guard lock(mutex);
        failure = named.ok() ? std::move(status) : named;
        finished = true;
        filled_or_finished.notify_all();
    }

    Status read_all() {
        stored.resize(std::max(block_bytes, kStoredBufferBytes));
        bool end = false;
        std::size_t first_bytes = 0;
        WARPSEQ_TRY(fill(stored, first_bytes, end));
        std::span<const std::uint8_t> in(stored.data(), first_bytes);
        const std::unique_ptr<Decoder> decoder = make_decoder(in);
        return decoder ? decode_all(*decoder, in, end) : copy_all(in, end);
    }

    /// Plain bytes: what the look at the first bytes has read goes out, then the file is read straight into blocks.
    Status copy_all(std::span<const std::uint8_t> in, bool end) {
        while (!in.empty()) {
            std::optional<Block> block = acquire();
            if (!block) return {};
            block->size = std::min(in.size(), block_bytes);
            std::memcpy(block->bytes.get(), in.data(), block->size);
            in = in.subspan(block->size);
            deliver(std::move(*block));
        }
        while (!end) {
            std::optional<Block> block = acquire();
            if (!block) return {};
            const Status status = fill(std::span(block->bytes.get(), block_bytes), block->size, end);
            if (block->size > 0) deliver(std::move(*block));
            WARPSEQ_TRY(status);
        }
        return {};
    }

    Status decode_all(Decoder& decoder, std::span<const std::uint8_t> in, bool end) {
        for (bool done = false; !done;) {
            std::optional<Block> block = acquire();
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
                // At the end of the stored bytes a decoder may still hold decoded ones; it is done when none come any more.
                if (status.ok() && last && out.size() == room_before) {
                    status = decoder.check_end();
                    done = true;
                }
            }
            block->size = block_bytes - out.size();
            if (block->size > 0) deliver(std::move(*block));
            WARPSEQ_TRY(status);
        }
        return {};
    }

    /// Reads until `buffer` is full or the file ends, and hashes. Pipes hand out little at a time.
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
                break;
            }
            XXH3_128bits_update(hash.get(), buffer.data() + bytes, static_cast<std::size_t>(got));
            bytes += static_cast<std::size_t>(got);
            stored_bytes.fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
        }
        return {};
    }

    /// Waits for a pipe or terminal; false when the source is being closed.
    bool wait_for_input() {
        std::array<pollfd, 2> wanted{pollfd{file.get(), POLLIN, 0}, pollfd{stop_event.get(), POLLIN, 0}};
        while (::poll(wanted.data(), wanted.size(), -1) < 0 && errno == EINTR) {
        }
        return wanted[1].revents == 0;
    }

    /// An empty block, waiting for one where all are in flight; none when the source is being closed.
    std::optional<Block> acquire() {
        std::unique_lock lock(mutex);
        room.wait(lock, [&] { return stop || !spare.empty() || blocks_made < kBlocksInFlight; });
        if (stop) return std::nullopt;
        if (spare.empty()) {
            ++blocks_made;
            return Block{std::make_unique_for_overwrite<std::uint8_t[]>(block_bytes), 0};
        }
        Block block = std::move(spare.back());
        spare.pop_back();
        return block;
    }

    void deliver(Block block) {
        const std::lock_guard lock(mutex);
        filled.push_back(std::move(block));
        filled_or_finished.notify_one();
    }

    // ---- the caller ----

    Result<std::span<const std::uint8_t>> next_block() {
        if (peeked) return *std::exchange(peeked, std::nullopt);
        std::unique_lock lock(mutex);
        if (current.bytes) {
            spare.push_back(std::move(current));
            room.notify_one();
        }
        filled_or_finished.wait(lock, [&] { return finished || !filled.empty(); });
        if (!filled.empty()) {
            current = std::move(filled.front());
            filled.erase(filled.begin());
            return std::span<const std::uint8_t>(current.bytes.get(), current.size);
        }
        if (!failure.ok()) return failure;
        return std::span<const std::uint8_t>();
    }

    std::string name;
    FileDescriptor file;
    bool pollable;  // not a regular file: reading may block for ever
    std::size_t block_bytes;
    FileDescriptor stop_event{::eventfd(0, EFD_CLOEXEC)};
    Xxh3State hash = make_xxh3_state();
    std::vector<std::uint8_t> stored;  // stored bytes on their way to a decoder
    std::atomic<std::uint64_t> stored_bytes{0};

    std::mutex mutex;  // guards everything below
    std::condition_variable room, filled_or_finished;
    std::vector<Block> spare, filled;
    std::size_t blocks_made = 0;
    bool stop = false, finished = false;
    Status failure;
    Block current;                                                // what the caller is looking at
    std::optional<Result<std::span<const std::uint8_t>>> peeked;  // handed out again by next_block()

    std::thread thread;
};

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

Result<ByteSource> ByteSource::open(const std::filesystem::path& file, std::size_t block_bytes) {
    const bool standard_input = file == "-";
    const std::string name = standard_input ? "standard input" : file.string();
    const int fd = standard_input ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
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
    auto state = std::make_unique<State>(name, fd, !standard_input, !regular, std::max<std::size_t>(block_bytes, 1));
    WARPSEQ_TRY(state->start());
    return ByteSource(std::move(state));
}

Result<std::span<const std::uint8_t>> ByteSource::next_block() { return state_->next_block(); }

Result<std::span<const std::uint8_t>> ByteSource::peek_block() {
    if (!state_->peeked) state_->peeked = state_->next_block();
    return *state_->peeked;
}

const std::string& ByteSource::name() const { return state_->name; }
std::uint64_t ByteSource::stored_bytes() const { return state_->stored_bytes.load(std::memory_order_relaxed); }

std::string ByteSource::stored_xxh3_128() const { return xxh3_128_text(state_->hash); }

}  // namespace warpseq
