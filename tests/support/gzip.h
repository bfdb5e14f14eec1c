// Compresses text with gzip.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>
#include <string_view>

namespace warpseq::testing {

/// Returns one gzip member with `text`. Its header has the optional fields of `header`.
inline std::string gzip(std::string_view text, int level = 1, gz_header* header = nullptr) {
    constexpr std::size_t kHeaderBytes = 1000;  // at most, in these tests
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    if (header != nullptr) REQUIRE(deflateSetHeader(&stream, header) == Z_OK);
    std::string stored(deflateBound(&stream, text.size()) + kHeaderBytes, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_out = static_cast<uInt>(stored.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    stored.resize(stream.total_out);
    deflateEnd(&stream);
    return stored;
}

}  // namespace warpseq::testing
