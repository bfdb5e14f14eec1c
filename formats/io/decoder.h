// Compressed files: what their bytes say, and their decoding from beginning to end or by units that
// stand for themselves, which are bgzip's blocks and zstd's frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

enum class Compression : std::uint8_t {
    kNone,
    kGzip,
    kBgzip,  // gzip whose members say how long they are; a file ends on an empty one, so that a cut between two members shows
    kZstd,
};

/// Of a file that begins with these bytes; 16 tell.
Compression compression_of(std::span<const std::uint8_t> start);

/// Turns stored bytes into decoded ones, piece by piece.
class Decoder {
   public:
    virtual ~Decoder() = default;
    /// Decodes from the front of `in` to the front of `out` and shortens both by what was used.
    /// With an empty `in` it hands out what it still holds. An error's message goes behind "FILE:
    /// ".
    virtual Status decode(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) = 0;
    /// What is wrong if the stored bytes end here.
    virtual Status check_end() const = 0;
    /// Whether a member or a frame has ended, and behind it another one may begin.
    virtual bool is_between_units() const = 0;

   protected:
    std::string at_byte() const { return "at " + byte(); }
    std::string byte() const { return "byte " + std::to_string(consumed_bytes_) + " of the stored file"; }
    std::uint64_t consumed_bytes_ = 0;
};

/// Of a file's bytes from `offset_bytes` on, where a member or a frame begins. `follows_data`: of
/// the file's members the one before has bytes. Null for kNone.
std::unique_ptr<Decoder> make_decoder(Compression compression, std::uint64_t offset_bytes = 0,
                                      bool follows_data = false);

/// What can be decoded by itself.
struct StoredUnit {
    std::size_t stored_bytes = 0;
    std::size_t most_bytes = 0;  // decoded
    bool is_empty = false;       // decoded
};
/// The unit at the front of `stored`. Nothing where it is not there as a whole, or where bytes do
/// not say where it ends.
std::optional<StoredUnit> unit_at_front(Compression compression, std::span<const std::uint8_t> stored);

}  // namespace warpseq
