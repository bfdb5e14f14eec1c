// Inflaters that decompress members of gzip files as their bytes come. ISA-L is used if the build
// has it, because it takes less than half the time of zlib. Otherwise zlib is used. Both check a
// member's CRC and length, and both find the same damage. The reasons in their messages differ.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "libcore/base/status.h"

namespace warpseq {

/// An inflater of gzip members, one after the other. Not thread-safe.
class GzipInflater {
   public:
    virtual ~GzipInflater() = default;
    /// Begins a member, whose header comes first.
    virtual Status begin() = 0;
    /// Inflates from the front of `in` to the front of `out` and shortens both by what was used.
    /// Returns true at the end of the member. It has then taken no byte behind the member. The
    /// message of an error is only the reason. Bytes that the failing call inflated may be missing.
    virtual Result<bool> inflate(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) = 0;
};

std::unique_ptr<GzipInflater> make_zlib_inflater();
/// Returns null if the build has no ISA-L.
std::unique_ptr<GzipInflater> make_isal_inflater();
/// Returns the faster inflater of this build.
std::unique_ptr<GzipInflater> make_gzip_inflater();

}  // namespace warpseq
