// The layout of profiles for the GPU's SSV kernel. The code runs on the host and needs no GPU.
#include "kernels/profile/ssv_plan_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Returns the score of a row for a residue code, as ssv_kernel_gpu.cuh reads it from a pass's
/// profile. Loads have 16 bytes. A block of 16 rows has three. The first two hold pairs of
/// half-precision bit patterns, and the third holds pairs of bytes.
int score_in(std::span<const std::uint32_t> words, const SsvShape& shape, std::size_t code, std::size_t slot,
             std::size_t row, std::size_t half) {
    const std::size_t whole_blocks = static_cast<std::size_t>(shape.rows_per_thread) / 16;
    const std::size_t loads = 3 * whole_blocks + static_cast<std::size_t>(shape.rows_per_thread) % 16 / 4;
    const std::size_t block = row / 16, k = row % 16;
    const auto load = [&](std::size_t l, std::size_t word) {
        return words[((code * loads + 3 * block + l) * SsvLayout::kSlots + slot) * 4 + word];
    };
    if (k < SsvLayout::kWideRows) {
        const std::uint32_t bits = load(k / 4, k % 4) >> (16 * half) & 0xffff;
        const auto magnitude = static_cast<int>(bits & 0x7fff);
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
    const std::size_t narrow = k - SsvLayout::kWideRows;
    const std::uint32_t byte = load(2, narrow / 2) >> (16 * (narrow % 2) + 8 * half) & 0xff;
    return static_cast<int>(byte) - kSsvByteBias;
}

/// Checks that every row of every profile is in one segment, in order, and that nothing else is.
void check_rows(const SsvPlan& plan, std::span<const int> lengths) {
    std::size_t profile = 0;
    std::uint32_t row = 0;
    bool ended = false;
    for (const SsvPass& pass : plan.passes) {
        CHECK_FALSE(ended);
        for (int slot = 0; slot < 2 * pass.shape.group_threads; ++slot) {
            const SsvSegment& segment = pass.segments[slot];
            if (segment.profile < 0) {
                ended = true;
                CHECK_FALSE(segment.continues);
                continue;
            }
            REQUIRE_FALSE(ended);
            REQUIRE(static_cast<std::size_t>(segment.profile) == profile);
            REQUIRE(segment.first_row == row);
            REQUIRE(segment.continues == (row > 0));
            row += static_cast<std::uint32_t>(pass.shape.rows_per_thread);
            if (static_cast<int>(row) >= lengths[profile]) {
                ++profile;
                row = 0;
            }
        }
    }
    REQUIRE(profile == lengths.size());
}

double milliseconds_of(const SsvPlan& plan) {
    double sum = 0;
    for (const SsvPass& pass : plan.passes) sum += pass.shape.pass_milliseconds;
    return sum;
}

}  // namespace

TEST_CASE("every row of every profile stands in one segment, in order, and nothing else does") {
    Random random(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<int> lengths;
        for (std::uint64_t i = 1 + random.below(12); i > 0; --i)
            lengths.push_back(1 + static_cast<int>(random.below(900)));
        const SsvPlan best = plan_ssv(lengths);
        check_rows(best, lengths);
        for (const SsvShape& shape : ssv_shapes()) {
            const SsvPlan plan = plan_ssv_with_shape(lengths, shape);
            check_rows(plan, lengths);
            CHECK(milliseconds_of(best) <= milliseconds_of(plan) + 1e-9);
        }
    }
    CHECK(plan_ssv({}).passes.empty());
}

TEST_CASE("a model alone has few rows to spare") {
    for (int length = 1; length <= 1100; ++length) {
        CAPTURE(length);
        const SsvPlan plan = plan_ssv({&length, 1});
        int rows = 0;
        for (const SsvPass& pass : plan.passes) rows += pass.shape.rows();
        CHECK(rows >= length);
        CHECK(rows < std::max(length + 64, 65));
        if (length <= 256) CHECK(plan.passes.size() == 1);
    }
}

TEST_CASE("profiles: each row's score for each residue, and what resets a diagonal beyond a model's last row") {
    Random random(4);
    std::vector<MsvProfile> profiles;
    for (const int length : {1, 40, 130})
        profiles.push_back(quantise_msv(configure_plan7(random_profile(random, length))));
    std::vector<const MsvProfile*> pointers;
    std::vector<int> lengths;
    for (const MsvProfile& profile : profiles) {
        pointers.push_back(&profile);
        lengths.push_back(profile.length);
    }
    for (const SsvShape& shape : ssv_shapes()) {
        const SsvPlan plan = plan_ssv_with_shape(lengths, shape);
        const auto threads = static_cast<std::size_t>(shape.group_threads);
        for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
            std::vector<std::uint32_t> words(SsvLayout{shape.rows_per_thread}.profile_words());
            fill_ssv_profile(plan.passes[pass], pointers, words);
            bool same = true;
            for (std::size_t code = 0; code < kResidueTableSize; ++code) {
                for (std::size_t slot = 0; slot < std::size_t{SsvLayout::kSlots}; ++slot) {
                    for (std::size_t half = 0; half < 2; ++half) {
                        const SsvSegment& segment = plan.passes[pass].segments[half * threads + slot % threads];
                        for (std::size_t row = 0; row < static_cast<std::size_t>(shape.rows_per_thread); ++row) {
                            int expected = -127;
                            if (segment.profile >= 0) {
                                const MsvProfile& profile = profiles[static_cast<std::size_t>(segment.profile)];
                                const std::size_t node = segment.first_row + row;
                                const auto length = static_cast<std::size_t>(profile.length);
                                if (node < length)
                                    expected = std::max(-127, profile.bias - profile.match_costs[code * length + node]);
                            }
                            same = same && score_in(words, shape, code, slot, row, half) == expected;
                        }
                    }
                }
            }
            CHECK(same);
        }
    }
}
