// Members of gzip files, inflated as their bytes come: by ISA-L where the build has it, which takes
// less than half the time of zlib, else by zlib. Both check the member's CRC and length, and say
// the same of damaged ones but for the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "libcore/base/status.h"

namespace warpseq {

class GzipInflater {
   public:
    virtual ~GzipInflater() = default;
    /// A member begins, with its header.
    virtual Status begin() = 0;
    /// Inflates from the front of `in` to the front of `out` and shortens both by what was used:
    /// true at the end of the member, where nothing behind it has been taken. The message of an
    /// error is the reason alone; what was inflated by the same call may be missing.
    virtual Result<bool> inflate(std::span<const std::uint8_t>& in, std::span<std::uint8_t>& out) = 0;
};

std::unique_ptr<GzipInflater> make_zlib_inflater();
/// Null where the build has no ISA-L.
std::unique_ptr<GzipInflater> make_isal_inflater();
/// The faster one.
std::unique_ptr<GzipInflater> make_gzip_inflater();

}  // namespace warpseq
