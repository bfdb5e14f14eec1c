// Searches for many names at once. They must find what each name finds alone.
#include "formats/fasta/name_matcher.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "formats/io/checksum.h"
#include "libcore/base/random.h"

using namespace warpseq;

namespace {

/// Identifiers that have much in common: versions, chains, tags, and the same base.
std::string some_identifier(Random& random) {
    static const std::vector<std::string> kWords = {"2021",         "2021_0001",   "2021_0002",   "2021_A",
                                                    "NP_000001",    "NP_000001.1", "NP_000001.2", "P1",
                                                    "hypothetical", "1a3n",        "1a3n_B",      "7"};
    const auto word = [&] { return kWords[random.below(kWords.size())]; };
    switch (random.below(8)) {
        case 0: return "sp|" + word() + "|" + word();
        case 1: return "gi|7|ref|" + word() + "|";
        case 2: return "gnl|db|" + word();
        case 3: return "pdb|1a3n|" + std::string(random.below(2) == 0 ? "B" : "");
        case 4: return "strange|" + word();
        default: return word();
    }
}

}  // namespace

TEST_CASE("names together find what match_name() finds for each of them") {
    Random random(5);
    std::size_t found = 0, missed = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<std::string> texts;
        for (std::size_t n = 1 + random.below(12); n > 0; --n) texts.push_back(some_identifier(random));
        const std::vector<std::string_view> names(texts.begin(), texts.end());
        const NameMatcher matcher(names);
        CHECK(std::ranges::is_sorted(matcher.index_hashes()));
        for (int h = 0; h < 20; ++h) {
            std::string header = some_identifier(random) + " text";
            for (std::size_t more = random.below(3); more > 0; --more)
                header += "\x01" + some_identifier(random) + " more";
            std::set<std::size_t> groups;
            const bool any = matcher.match(header, [&](std::size_t group) { groups.insert(group); });
            CHECK(any == !groups.empty());
            for (std::size_t n = 0; n < names.size(); ++n) {
                const bool expected = match_name(header, names[n]) != NameMatch::kNone;
                CAPTURE(header);
                CAPTURE(names[n]);
                CHECK(groups.contains(matcher.group_of(n)) == expected);
                (expected ? found : missed) += 1;
                if (!expected) continue;
                // The index leads to the sequence.
                const std::string_view name = index_name_of(names[n]);
                CHECK(std::ranges::binary_search(matcher.index_hashes(), checksum_of(name.data(), name.size())));
                const std::vector<std::string_view> indexed = index_names_of(header);
                CHECK(std::ranges::find(indexed, name) != indexed.end());
            }
        }
    }
    CHECK(found > 1000);
    CHECK(missed > 1000);
    const NameMatcher none;
    CHECK_FALSE(none.match("P1 text", [](std::size_t) {}));
}
