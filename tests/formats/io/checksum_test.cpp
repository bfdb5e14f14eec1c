// The checksum, which must be libxxhash's with every kind of vectors.
#include "formats/io/checksum.h"

#include <doctest/doctest.h>
#include <xxhash.h>

#include <vector>

#include "tests/support/make_database.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("a digest is 32 hexadecimal digits, most significant first") {
    CHECK(digest_text({0x01, 0xfe, 0x23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x9a}) ==
          "01fe230000000000000000000000009a");
}

TEST_CASE("every back end's checksum is that of libxxhash") {
    Random random(5);
    std::vector<std::uint8_t> bytes(100'000);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    for (int i = 0; i < 2000; ++i) {
        const std::size_t begin = random.below(300);
        const std::size_t size = i < 600 ? static_cast<std::size_t>(i) : random.below(bytes.size() - begin);
        const std::uint64_t expected = XXH3_64bits(bytes.data() + begin, size);
        REQUIRE(checksum_of(bytes.data() + begin, size) == expected);
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) REQUIRE(checksum_avx2(bytes.data() + begin, size) == expected);
        if (__builtin_cpu_supports("avx512f")) REQUIRE(checksum_avx512(bytes.data() + begin, size) == expected);
#endif
    }
}
