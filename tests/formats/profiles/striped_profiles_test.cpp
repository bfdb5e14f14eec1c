// HMMER's pressed files. The bytes are those that hmmpress of HMMER 3.3.2 wrote of golden profiles
// on x86-64. Vectors are read back by the description in the header.
// tests/reference/hmmscan_test.sh compares with HMMER if it is installed.
#include "formats/profiles/striped_profiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/io/checksum.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/pressed_profiles.h"
#include "formats/profiles/ssi_index.h"
#include "libcore/base/random.h"
#include "tests/support/golden_folder.h"
#include "tests/support/random_profile.h"
#include "tests/support/scratch_folder.h"

namespace warpseq::testing {
namespace {

struct Written {
    std::uint64_t bytes, checksum;
};

TEST_CASE("pressed golden profiles are what HMMER's hmmpress made of them") {
    const struct {
        const char* name;
        Written models, filters, profiles;
    } expected[] = {
        {"built-small.hmm", {2120, 0x89fa5c9a9e6c171b}, {9911, 0xb9ff76fbb1fcfed8}, {3159, 0x78bb8829e586e621}},
        {"every-field-3a.hmm", {2535, 0xaee12e529fd84238}, {9917, 0x24333a761a4e99a9}, {3203, 0x3a0e5988bbd873e9}},
        {"every-field-3f.hmm", {2548, 0x1f2607fb14ee26b7}, {9917, 0x2a26440c1ee48bc9}, {3203, 0x85810736daafa90b}},
    };
    const ScratchFolder folder;
    for (const auto& each : expected) {
        CAPTURE(each.name);
        const std::filesystem::path file = folder.path(each.name);
        std::filesystem::copy_file(golden_folder() / "hmm" / each.name, file);
        HmmFileReader reader(file);
        auto presser = ProfilePresser::create(file);
        REQUIRE(presser.ok());
        ProfileHmm hmm;
        while (*reader.next(hmm)) REQUIRE(presser->add(hmm).ok());
        REQUIRE(presser->finish().ok());
        const PressedFiles files(file);
        // The index depends on the folder.
        for (const auto& [pressed, written] :
             {std::pair(&files.models, each.models), std::pair(&files.filters, each.filters),
              std::pair(&files.profiles, each.profiles)}) {
            CAPTURE(*pressed);
            std::ifstream in(*pressed, std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
            CHECK(bytes.size() == written.bytes);
            CHECK(checksum_of(bytes.data(), bytes.size()) == written.checksum);
        }
    }
}

TEST_CASE("an index is HMMER's, whose file's name has the width of the name with its folder") {
    const struct {
        const char* name;
        Written written;
    } expected[] = {{"built-small.hmm", {158, 0x0858cc93611f32e1}},
                    {"every-field-3a.hmm", {173, 0x108223dbec9d04bd}},
                    {"every-field-3f.hmm", {173, 0x2181f073e804dd8f}}};
    for (const auto& [name, written] : expected) {
        HmmFileReader reader(golden_folder() / "hmm" / name);
        ProfileHmm hmm;
        REQUIRE(*reader.next(hmm));
        const std::string index = ssi_index(name, {{hmm.name, hmm.accession, 0}});
        CHECK(index.size() == written.bytes);
        CHECK(checksum_of(index.data(), index.size()) == written.checksum);
        const std::string with_folder = ssi_index(std::string("a/b/") + name, {{hmm.name, hmm.accession, 0}});
        CHECK(with_folder.size() == index.size() + 4);
        CHECK(with_folder.find("a/b") == std::string::npos);
    }
}

/// Reads a striped array back. `at` moves behind it.
template <typename Value>
std::vector<Value> unstriped(const std::string& bytes, std::size_t& at, std::size_t nodes) {
    constexpr std::size_t kElements = 16 / sizeof(Value);
    const std::size_t vectors = std::max<std::size_t>(2, (nodes + kElements - 1) / kElements);
    std::vector<Value> values(vectors * kElements);
    for (std::size_t q = 0; q < vectors; ++q) {
        for (std::size_t z = 0; z < kElements; ++z, at += sizeof(Value))
            std::memcpy(&values[q + z * vectors], bytes.data() + at, sizeof(Value));
    }
    return values;
}

TEST_CASE("elements of vectors are those of their nodes, and what is behind the last node cannot be entered") {
    for (const int nodes : {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 32, 33, 34, 48, 49, 100}) {
        CAPTURE(nodes);
        Random random(static_cast<std::uint64_t>(nodes));
        ProfileHmm hmm = random_profile(random, nodes);
        hmm.name = "n";
        const Plan7Profile configured = configure_plan7(hmm);
        const auto count = static_cast<std::size_t>(nodes);
        std::string record;
        append_striped_filter(hmm, configured, {1, 2, 3}, record);
        const MsvProfile msv = quantise_msv(configured);
        // Magic, three numbers, name, longest instance, costs, scale, offset, bias.
        std::size_t at = 4 + 12 + 2 + 4 + 3 + 4 + 2;
        const std::size_t ssv_bytes = 29 * 16 * (std::max<std::size_t>(2, (count + 15) / 16) + 17);
        CHECK(static_cast<std::uint8_t>(record[at - 1]) == msv.bias);
        // The row of the first amino acid.
        std::size_t ssv_at = at;
        const auto ssv = unstriped<std::int8_t>(record, ssv_at, count);
        CHECK(record.compare(ssv_at, 32, record, at, 32) == 0);  // the first vectors again
        at += ssv_bytes;
        const auto costs = unstriped<std::uint8_t>(record, at, count);
        for (std::size_t k = 0; k < costs.size(); ++k) {
            CHECK(costs[k] == (k < count ? msv.match_costs[k] : 255));
            CHECK(ssv[k] == std::min(int{costs[k]} - msv.bias, 127));
        }
        std::uint64_t offsets[3];
        std::memcpy(offsets, record.data() + record.size() - 4 - 80 - sizeof offsets, sizeof offsets);
        CHECK(offsets[0] == 1);
        CHECK(offsets[2] == 3);

        record.clear();
        append_striped_profile(hmm, configured, record);
        const ForwardProfile odds = forward_odds(configured);
        // The record has, from its end: the magic, three numbers, cutoffs, move and loop, then 29
        // rows of match odds.
        at = record.size() - 4 - 12 - 24 - 32;
        const std::size_t row = 16 * std::max<std::size_t>(2, (count + 3) / 4);
        at -= 29 * row;
        auto match = unstriped<float>(record, at, count);
        for (std::size_t k = 0; k < match.size(); ++k) CHECK(match[k] == (k < count ? odds.match[k] : 0));
        at -= 2 * row;
        const auto deletions = unstriped<float>(record, at, count);
        for (std::size_t k = 0; k < deletions.size(); ++k)
            CHECK(deletions[k] == (k < count ? odds.transitions.delete_delete[k] : 0));
    }
}

}  // namespace
}  // namespace warpseq::testing
