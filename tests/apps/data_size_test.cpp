#include "apps/dropin/data_size.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpseq;

TEST_CASE("sizes have decimal and binary units") {
    const struct {
        std::string text;
        std::uint64_t bytes;
    } cases[] = {{"0", 0},
                 {"+7", 7},
                 {"1KB", 1000},
                 {"1 kb", 1000},
                 {"1KiB", 1024},
                 {"1.5MB", 1500000},
                 {"2G", 2000000000},
                 {"1.0005k", 1001},
                 {"12b", 12},
                 {"9EB", 9'000'000'000'000'000'000u},
                 {"99EB", std::uint64_t{1} << 63}};
    for (const auto& each : cases) {
        CAPTURE(each.text);
        const auto size = read_data_size(each.text);
        REQUIRE(size.ok());
        CHECK(*size == each.bytes);
    }
    for (const std::string wrong : {"", "-1", "x", "1.", "1 ", "1KBx", "1Kib2", "1ZB", "99999999999999999999"}) {
        CAPTURE(wrong);
        CHECK_FALSE(read_data_size(wrong).ok());
    }
}
