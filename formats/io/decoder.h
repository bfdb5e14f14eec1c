// Decoders of compressed files. A file is decoded from its beginning to its end, or by units that
// can be decoded on their own: the blocks of bgzip and the frames of zstd.
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
    kBgzip,  // gzip whose members state their size; a file ends with an empty one, or it was cut
    kZstd,
};

/// Returns the compression of a file that begins with these bytes. 16 bytes are enough.
Compression compression_of(std::span<const std::uint8_t> start);

/// A decoder that turns stored bytes into decoded ones, piece by piece.
class Decoder {
   public:
    virtual ~Decoder() = default;
    /// Decodes from the front of `in` to the front of `out` and shortens both by what was used.
    /// With an empty `in` it delivers the bytes that it still holds. The message of an error is
    /// meant to follow "FILE: ".
    virtual Status decode(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) = 0;
    /// Called where the stored bytes end. Returns an error that says what is missing, or OK if the
    /// stored file is complete.
    virtual Status check_end() const = 0;
    /// Whether a member or a frame has ended here, so that another one may begin.
    virtual bool is_between_units() const = 0;

   protected:
    std::string at_byte() const { return "at " + byte(); }
    std::string byte() const { return "byte " + std::to_string(consumed_bytes_) + " of the compressed file"; }
    std::uint64_t consumed_bytes_ = 0;
};

/// Returns a decoder for a file's bytes from `offset_bytes` on, where a member or a frame begins.
/// `follows_data` says whether the member before that offset decodes to any bytes. A bgzip decoder
/// needs it, because a file that ends behind such a member was cut. Returns null for kNone.
std::unique_ptr<Decoder> make_decoder(Compression compression, std::uint64_t offset_bytes = 0,
                                      bool follows_data = false);

/// A part of a compressed file that can be decoded on its own.
struct StoredUnit {
    std::size_t stored_bytes = 0;
    std::size_t most_bytes = 0;  // upper limit of its decoded bytes
    bool is_empty = false;       // whether it decodes to no bytes
};
/// Returns the unit at the front of `stored`. Returns nothing if it is not there as a whole, or if
/// its bytes do not show where it ends.
std::optional<StoredUnit> unit_at_front(Compression compression, std::span<const std::uint8_t> stored);

}  // namespace warpseq
