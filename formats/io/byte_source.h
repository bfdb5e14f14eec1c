// The bytes of a file as they were before compression: plain, gzip or zstd, from a path or from
// standard input.
//
// Compression is recognised by the first bytes. gzip may hold several members and zero bytes behind
// the last one; zstd may hold several frames and skippable ones. A thread of the source's own
// reads, hashes and decompresses ahead of the caller. A regular file that was written to between
// its opening and the reading of its end is an error then: its content may be of two times, and one
// that became shorter seems to end earlier.
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

/// Whether a file that begins with these bytes is compressed with gzip or zstd. Four bytes tell.
bool is_compressed(std::span<const std::uint8_t> start);
class ByteSource {
   public:
    /// Opens `file` ("-" is standard input) and starts to read ahead. Missing and unreadable files
    /// and directories are errors. `block_bytes` (at least 1) is how much next_block() hands out at
    /// most; only tests need another value. With more than one of `decoders` so many threads
    /// decode, and kDecoderBytes of memory are taken for each, or `ahead_bytes` for all where that
    /// is more: members of gzip that are decoded side by side have to be held until their turn
    /// comes.
    static Result<ByteSource> open(const std::filesystem::path& file, std::size_t block_bytes = kDefaultBlockBytes,
                                   unsigned decoders = 1, std::uint64_t ahead_bytes = 0);
    static constexpr std::size_t kDecoderBytes = std::size_t{3} << 20;
    /// Stops reading, also in the middle of a pipe that has not ended.
    ~ByteSource();
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;

    /// The next bytes, valid until the next call; empty at the end. Damage comes as an error that
    /// names the file and the offset in the stored (compressed) bytes, behind what was decoded
    /// before it, but for the last block. Not thread-safe.
    Result<std::span<const std::uint8_t>> next_block();
    /// What the next call of next_block() will return, without taking it; a block holds what there
    /// is up to `block_bytes`.
    Result<std::span<const std::uint8_t>> peek_block();
    /// All that is left. Where it is more than `most_bytes`, the beginning of it, with more bytes
    /// than that.
    Result<std::string> read_rest(std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

    /// How messages call it: the path, or "standard input".
    const std::string& name() const;
    /// Stored bytes read so far, but for those whose turn has not come; thread-safe.
    std::uint64_t stored_bytes() const;
    /// XXH3-128 of all stored bytes, 32 hexadecimal digits, high half first. Only after
    /// next_block() has returned the end.
    std::string stored_xxh3_128() const;

   private:
    struct State;
    explicit ByteSource(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
