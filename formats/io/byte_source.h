// ByteSource: the bytes of a file as they were before compression. The file is plain, gzip or zstd,
// and comes from a path or from standard input.
//
// Compression is recognised by the first bytes. A gzip file may hold several members, and zero
// bytes behind the last one. A zstd file may hold several frames, and skippable ones. A thread of
// the source reads, hashes and decompresses ahead of the caller. If a regular file is written to
// between its opening and the reading of its end, that is an error. What was read may mix two
// states of the file, and a file that became shorter would seem to end earlier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

inline constexpr std::size_t kDefaultBlockBytes = std::size_t{256} << 10;

/// Whether a file that begins with these bytes is compressed with gzip or zstd. Four bytes are
/// enough.
bool is_compressed(std::span<const std::uint8_t> start);
class ByteSource {
   public:
    /// Opens `file` ("-" is standard input) and starts to read ahead. Missing files, unreadable
    /// files and directories are errors. A FIFO without a writer is opened at once, and reading
    /// waits for the writer. next_block() returns at most `block_bytes` bytes (at least 1); only
    /// tests need another value. If `decoders` is more than one, that many threads decode.
    /// They take kDecoderBytes of memory each, or `ahead_bytes` in all if that is more.
    /// Side-by-side decoding of gzip members needs this memory, because a member that is decoded
    /// early waits there for the members before it.
    static Result<ByteSource> open(const std::filesystem::path& file, std::size_t block_bytes = kDefaultBlockBytes,
                                   unsigned decoders = 1, std::uint64_t ahead_bytes = 0);
    static constexpr std::size_t kDecoderBytes = std::size_t{3} << 20;
    /// Stops reading, even in the middle of a pipe that has not ended.
    ~ByteSource();
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;

    /// Returns the next bytes, valid until the next call, or nothing at the end. If the data is
    /// damaged, returns the blocks that were decoded before the damage, perhaps without the last
    /// one, and then an error. The error names the file and the offset in the stored (compressed)
    /// bytes. Returns Status::interrupted() once a stop is requested of the calling thread or of
    /// the thread that opened the source (libcore/base/stop_scope.h). Not thread-safe.
    Result<std::span<const std::uint8_t>> next_block();
    /// Returns the block or the error that the next call of next_block() will return. The block has
    /// `block_bytes` bytes, or fewer if the file does not have as many.
    Result<std::span<const std::uint8_t>> peek_block();
    /// Returns all bytes that are left. If there are more than `most_bytes`, returns only a
    /// beginning of them, which is longer than `most_bytes`.
    Result<std::string> read_rest(std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

    /// Returns an error that names the file if it was written to since it was opened. Nothing is
    /// known of a pipe. Thread-safe.
    Status verify_unchanged() const;

    /// Returns the file's name in messages: the path, or "standard input".
    const std::string& name() const;
    /// Returns how many stored bytes were read so far. If gzip members are decoded side by side,
    /// only the bytes count whose decoded data next_block() has begun to return. Thread-safe.
    std::uint64_t stored_bytes() const;
    /// Returns the XXH3-128 of all stored bytes as 32 hexadecimal digits, high half first. Valid
    /// only after next_block() has returned the end.
    std::string stored_xxh3_128() const;

   private:
    struct State;
    explicit ByteSource(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
