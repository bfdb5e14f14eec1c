// The layout of profiles for the GPU's full MSV recurrence and its Viterbi multihit kernel. The
// code runs on the host and needs no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/profile/msv_plan_gpu.h"
#include "kernels/profile/viterbi_multihit_plan_gpu.h"
#include "libcore/base/random.h"
#include "tests/support/random_profile.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Returns the cost of a node, as msv_kernel_gpu.cuh reads it from a profile's table.
int msv_cost_in(std::span<const std::uint32_t> table, const MsvShape& shape, int bias, std::size_t code,
                std::size_t node) {
    const auto threads = static_cast<std::size_t>(shape.group_threads),
               rows = static_cast<std::size_t>(shape.rows_per_thread);
    const std::size_t half = node / (threads * rows), thread = node / rows % threads, row = node % rows;
    const auto word = [&](std::size_t load, std::size_t which) {
        return table[((code * static_cast<std::size_t>(shape.layout().loads()) + load) * threads + thread) * 4 + which];
    };
    const std::size_t in_32 = row % 32, whole_32 = row / 32 * 32, narrow_before = (row + 16) / 32;
    if (in_32 >= 8 && in_32 < 16 && whole_32 + 16 <= rows) {
        const std::size_t wide_loads = rows / 4 - 2 * ((rows + 16) / 32);
        return static_cast<int>(word(wide_loads + row / 32, (in_32 - 8) / 2) >> (16 * (row % 2) + 8 * half) & 0xff);
    }
    const std::uint32_t bits = word(row / 4 - 2 * narrow_before, row % 4) >> (16 * half) & 0xffff;
    const auto magnitude = static_cast<int>(bits & 0x7fff);
    return bias - ((bits & 0x8000) != 0 ? -magnitude : magnitude);
}

std::vector<int> lengths_around(std::size_t nodes) {
    const auto length = static_cast<int>(nodes);
    return {length, length - 1, length / 2 + 1};
}

}  // namespace

TEST_CASE("MSV tables: every cost of every node is where a thread looks for it, and nodes behind the last cost 255") {
    Random random(41);
    for (const MsvShape& shape : msv_shapes()) {
        CAPTURE(shape.group_threads);
        CAPTURE(shape.rows_per_thread);
        for (const int length : lengths_around(static_cast<std::size_t>(shape.nodes()))) {
            const MsvProfile first = quantise_msv(configure_plan7(random_profile(random, 5)));
            const MsvProfile profile = quantise_msv(configure_plan7(random_profile(random, length)));
            const MsvProfile* const pointers[] = {&first, &profile};
            const MsvTables tables(pointers, kMsvTableBytes, &shape);
            const MsvDeviceProfile& found = tables.profiles()[1];
            REQUIRE(msv_shapes()[tables.shape_of_profile()[1]] == shape);
            CHECK(found.length == length);
            CHECK(found.bias == profile.bias);
            CHECK(found.enter == profile.enter);
            CHECK(found.end == profile.end);
            CHECK(found.first_word % 4 == 0);
            const auto table = tables.words().subspan(found.first_word, shape.table_words());
            const auto nodes = static_cast<std::size_t>(shape.nodes()), real = static_cast<std::size_t>(length);
            std::size_t wrong = 0, best_wrong = 0;
            for (std::size_t code = 0; code < kResidueTableSize; ++code) {
                int best = -255;
                for (std::size_t node = 0; node < nodes; ++node) {
                    const int expected = node < real ? profile.match_costs[code * real + node] : 255;
                    wrong += msv_cost_in(table, shape, profile.bias, code, node) != expected;
                    best = std::max(best, profile.bias - expected);
                }
                best_wrong += tables.best_scores()[found.first_best + code] != best;
            }
            CHECK(wrong == 0);
            CHECK(best_wrong == 0);
        }
    }
}

TEST_CASE("MSV tables: the smallest shape that fits and whose table does, or none") {
    Random random(42);
    std::vector<MsvProfile> profiles;
    std::vector<const MsvProfile*> pointers;
    for (const int length : {1, 64, 65, 512, 513, 4096, 4097})
        profiles.push_back(quantise_msv(configure_plan7(random_profile(random, length))));
    for (const MsvProfile& profile : profiles) pointers.push_back(&profile);
    const MsvTables tables(pointers);
    const std::vector<int> expected = {64, 64, 128, 512, 640, 4096};
    for (std::size_t p = 0; p < expected.size(); ++p)
        CHECK(msv_shapes()[tables.shape_of_profile()[p]].nodes() == expected[p]);
    CHECK(tables.shape_of_profile().back() == msv_shapes().size());
    // Without a shape the costs stand as they are.
    const auto* const bytes =
        reinterpret_cast<const std::uint8_t*>(tables.words().data() + tables.profiles().back().first_word);
    CHECK(std::equal(profiles.back().match_costs.begin(), profiles.back().match_costs.end(), bytes));
    const MsvTables smaller(pointers, std::size_t{100} << 10);
    CHECK(smaller.shape_of_profile()[5] == msv_shapes().size());
    CHECK(smaller.shape_of_profile()[4] == tables.shape_of_profile()[4]);
    for (const MsvShape& shape : msv_shapes()) CHECK(shape.table_words() * sizeof(std::uint32_t) <= kMsvTableBytes);
    CHECK(std::ranges::is_sorted(msv_shapes(), {}, &MsvShape::nodes));
}

TEST_CASE("Viterbi multihit tables: every score of every node is where a thread looks for it") {
    Random random(43);
    for (const ViterbiMultihitShape& shape : viterbi_multihit_shapes()) {
        CAPTURE(shape.threads);
        CAPTURE(shape.nodes_per_thread);
        for (const int length : lengths_around(static_cast<std::size_t>(shape.nodes()))) {
            const ViterbiProfile first = quantise_viterbi(configure_plan7(random_profile(random, 3)));
            const ViterbiProfile profile = quantise_viterbi(configure_plan7(random_profile(random, length)));
            const ViterbiProfile* const pointers[] = {&first, &profile};
            const ViterbiMultihitTables tables(pointers, &shape);
            REQUIRE(viterbi_multihit_shapes()[tables.shape_of_profile()[1]] == shape);
            const ViterbiMultihitProfile& found = tables.profiles()[1];
            CHECK(found.first_match % 8 == 0);
            const ViterbiProfile::Transitions& to = profile.transitions;
            const std::vector<std::int16_t>* const fields[kViterbiMultihitFields] = {
                &to.enter,        &to.match_match,  &to.insert_match,  &to.delete_match,
                &to.match_delete, &to.match_insert, &to.insert_insert, &to.delete_delete};
            const auto threads = static_cast<std::size_t>(shape.threads),
                       rows = static_cast<std::size_t>(shape.nodes_per_thread);
            const auto real = static_cast<std::size_t>(length);
            std::size_t wrong = 0;
            for (std::size_t node = 0; node < threads * rows; ++node) {
                const std::size_t thread = node / rows, r = node % rows;
                for (std::size_t field = 0; field < kViterbiMultihitFields; ++field) {
                    const bool next =
                        field == kNextMatchMatch || field == kNextInsertMatch || field == kNextDeleteMatch;
                    const std::size_t from = node + (next ? 1 : 0);
                    const int expected = from < real ? (*fields[field])[from] : ViterbiProfile::kMinusInfinity;
                    wrong +=
                        tables.entries()[found.first_transition + (field * rows + r) * threads + thread] != expected;
                }
                for (std::size_t code = 0; code < kResidueTableSize; ++code) {
                    const int expected =
                        node < real ? profile.match[code * real + node] : ViterbiProfile::kMinusInfinity;
                    wrong += tables.entries()[found.first_match +
                                              ((code * ((rows + 7) / 8) + r / 8) * threads + thread) * 8 + r % 8] !=
                             expected;
                }
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("Viterbi multihit tables: the smallest shape that fits, or none") {
    Random random(44);
    std::vector<ViterbiProfile> profiles;
    std::vector<const ViterbiProfile*> pointers;
    for (const int length : {1, 33, 4096, 4097})
        profiles.push_back(quantise_viterbi(configure_plan7(random_profile(random, length))));
    for (const ViterbiProfile& profile : profiles) pointers.push_back(&profile);
    const ViterbiMultihitTables tables(pointers);
    CHECK(viterbi_multihit_shapes()[tables.shape_of_profile()[0]].nodes() == 32);
    CHECK(viterbi_multihit_shapes()[tables.shape_of_profile()[1]].nodes() == 56);
    CHECK(viterbi_multihit_shapes()[tables.shape_of_profile()[2]].nodes() == 4096);
    CHECK(tables.shape_of_profile()[3] == viterbi_multihit_shapes().size());
    const ViterbiMultihitProfile& found = tables.profiles()[3];
    CHECK(std::equal(profiles[3].match.begin(), profiles[3].match.end(),
                     tables.entries().begin() + static_cast<std::ptrdiff_t>(found.first_match)));
}
