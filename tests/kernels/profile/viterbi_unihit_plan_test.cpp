// The layout of profiles for the GPU's Viterbi unihit kernel. The code runs on the host and needs
// no GPU.
#include "kernels/profile/viterbi_unihit_plan_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/profile/viterbi_filter_reference.h"
#include "libcore/base/random.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/viterbi_domains.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// The kernel's arithmetic on the tables as the kernel reads them, row by row. `wraps` counts
/// results that exceed 16 bits.
struct TableReader {
    const ViterbiUnihitTables& tables;
    const ViterbiUnihitModel& model;
    int threads, rows;
    std::size_t wraps = 0;

    TableReader(const ViterbiUnihitTables& all, std::size_t which)
        : tables(all), model(all.models()[which]), threads(0), rows(0) {
        for (const ViterbiUnihitTables::Class& each : all.classes()) {
            for (const ViterbiUnihitTables::Range& range : each.ranges) {
                if (range.model != which) continue;
                threads = each.shape.group_threads;
                rows = each.shape.rows_per_thread;
            }
        }
    }

    ViterbiUnihitLayout layout() const { return {threads, rows}; }
    const std::uint32_t* pass_words(std::size_t pass) const {
        return tables.words().data() + (model.first_entry + pass * layout().pass_entries) * 4;
    }
    int score(std::size_t pass, int thread, int row, ResidueCode code) const {
        const auto slots = static_cast<std::size_t>(layout().slots);
        const std::size_t at = ((static_cast<std::size_t>(row / 4) * kResidueTableSize + code) * slots +
                                static_cast<std::size_t>(thread)) *
                               2;
        return static_cast<int>(pass_words(pass)[at + static_cast<std::size_t>(row % 4 / 2)] >> (16 * (row % 2)) &
                                0xffff);
    }
    struct Row {
        int match_match, match_delete, match_insert, next_enter, delete_delete, insert_insert;
    };
    /// Returns a number <= 0 in both halves, for additions that wrap.
    int twice(std::uint32_t word) {
        if (word >> 16 != (word & 0xffff)) ++wraps;
        return word == 0 ? 0 : static_cast<int>(word & 0xffff) - 65536;
    }
    /// Returns a number that a plain addition of 32 bits adds to both halves.
    int plain(std::uint32_t word) {
        const auto low = static_cast<int>(word & 0xffff);
        const int value = static_cast<std::uint32_t>(low) * 0x10001u == word ? low : low - 65536;
        if (static_cast<std::uint32_t>(value) * 0x10001u != word) ++wraps;
        return value;
    }
    Row row(std::size_t pass, int thread, int r) {
        const std::uint32_t* const four = pass_words(pass) + std::size_t{layout().from_match} * 4;
        const std::uint32_t* const two = four + threads * rows * 4;
        const auto at = static_cast<std::size_t>(r * threads + thread);
        return {twice(four[at * 4]),     twice(four[at * 4 + 1]), twice(four[at * 4 + 2]),
                plain(four[at * 4 + 3]), plain(two[at * 2]),      plain(two[at * 2 + 1])};
    }
    int first_enter() {
        const std::uint32_t* const four = pass_words(0) + std::size_t{layout().from_match} * 4;
        return plain((four + threads * rows * 4 + (threads * rows + 1) / 2 * 4)[0]);
    }

    int in_range(int value) {
        if (value < 0 || value > 65535) ++wraps;
        return value;
    }

    /// Returns the best M minus the cost of E -> C, for a target followed by `padding` residues of
    /// padding. Returns nothing if it is cut off.
    std::optional<int> result(const Sequence& target, std::size_t padding) {
        const std::size_t all = model.passes * static_cast<std::size_t>(threads * rows);
        std::vector<Row> table(all);
        for (std::size_t i = 0; i < all; ++i) {
            const auto in_pass = static_cast<int>(i % static_cast<std::size_t>(threads * rows));
            table[i] = row(i / static_cast<std::size_t>(threads * rows), in_pass / rows, in_pass % rows);
        }
        const int xb = in_range(static_cast<int>(model.base) + ViterbiProfile::move(target.size()));
        const int least = static_cast<int>(model.least & 0xffff), cap = static_cast<int>(model.cap & 0xffff);
        std::vector<int> before(all), insert(all, least);
        for (std::size_t i = 0; i < all; ++i)
            before[i] = in_range(xb + (i == 0 ? first_enter() : table[i - 1].next_enter));
        int best = 0;
        for (std::size_t column = 0; column < target.size() + padding; ++column) {
            const ResidueCode code = column < target.size() ? target[column] : kPaddingCode;
            int above = in_range(xb + first_enter()), del = static_cast<int>(model.first_delete & 0xffff);
            for (std::size_t i = 0; i < all; ++i) {
                const auto in_pass = static_cast<int>(i % static_cast<std::size_t>(threads * rows));
                const Row& at = table[i];
                const bool last = i + 1 == all;  // nothing reads what it hands on
                const int m = std::min(cap, in_range(before[i] + score(i / static_cast<std::size_t>(threads * rows),
                                                                       in_pass / rows, in_pass % rows, code)));
                best = std::max(best, m);
                before[i] = above;
                if (last) break;
                above = std::max({in_range(m + at.match_match), in_range(xb + at.next_enter), insert[i], del});
                del = std::max(in_range(m + at.match_delete), in_range(del + at.delete_delete));
                insert[i] = std::max(in_range(m + at.match_insert), in_range(insert[i] + at.insert_insert));
            }
        }
        if (best >= cap) return std::nullopt;
        return best - model.best_offset;
    }
};

}  // namespace

TEST_CASE("the kernel's numbers give the filter's results and never leave 16 bits, in every shape") {
    Random random(41);
    std::size_t decided = 0, undecided = 0;
    for (const ViterbiUnihitShape& shape : viterbi_unihit_shapes()) {
        const int all_rows = shape.group_threads * shape.rows_per_thread;
        for (const int length : {1, 2, 3, all_rows / 2, all_rows - 1, all_rows, all_rows + 1, 2 * all_rows + 3}) {
            if (length > all_rows && shape.group_threads < kViterbiUnihitPassThreads) continue;
            const ProfileHmm hmm = random_profile(random, length);
            const ViterbiProfile profile = quantise_viterbi(configure_plan7(hmm));
            const ViterbiProfile* const pointer = &profile;
            const ViterbiUnihitTables tables({&pointer, 1}, &shape);
            REQUIRE(tables.fits()[0] == 1);
            TableReader reader(tables, 0);
            for (std::size_t i = 0; i < 6; ++i) {
                Sequence target = random_protein(random, 1 + random.below(i == 0 ? 3 : 120));
                if (i > 3) {
                    const Sequence planted = emitted(random, hmm, 1 + random.below(static_cast<std::size_t>(length)),
                                                     static_cast<std::size_t>(length));
                    target.insert(target.end(), planted.begin(), planted.end());
                }
                const std::optional<int> found = reader.result(target, random.below(9));
                CAPTURE(length);
                CAPTURE(target.size());
                const int best = best_single_domain(profile, target, 0, kViterbiHarmless).best;
                if (found)
                    REQUIRE(*found == best + ViterbiProfile::kEndMove);
                else
                    REQUIRE(best > 20000);
                if (best <= kViterbiHarmless)
                    REQUIRE(reference_viterbi(profile, target) == best + ViterbiProfile::kEndMove);
                ++(found ? decided : undecided);
            }
            REQUIRE(reader.wraps == 0);
        }
    }
    CHECK(decided > 200);
    CHECK(undecided > 5);
}

TEST_CASE("zero probabilities and low scores do not matter where the numbers still fit") {
    Random random(42);
    const int length = 60;
    std::size_t fitting = 0;
    for (int trial = 0; trial < 120; ++trial) {
        const ProfileHmm hmm = random_profile(random, length);
        ViterbiProfile profile = quantise_viterbi(configure_plan7(hmm));
        for (auto* kind : {&profile.transitions.match_match, &profile.transitions.match_delete,
                           &profile.transitions.match_insert, &profile.transitions.insert_match,
                           &profile.transitions.delete_match, &profile.transitions.delete_delete}) {
            if (random.below(4) == 0)
                (*kind)[random.below(static_cast<std::uint64_t>(length))] =
                    random.below(2) == 0 ? ViterbiProfile::kMinusInfinity : std::int16_t{-30000};
        }
        if (trial % 3 == 0)
            profile.match[random.below(20 * static_cast<std::uint64_t>(length))] = ViterbiProfile::kMinusInfinity;
        const ViterbiProfile* const pointer = &profile;
        const ViterbiUnihitTables tables({&pointer, 1});
        if (tables.fits()[0] == 0) continue;
        ++fitting;
        TableReader reader(tables, 0);
        for (int i = 0; i < 5; ++i) {
            Sequence target = random_protein(random, 1 + random.below(80));
            const Sequence planted = emitted(random, hmm, 10, 10 + random.below(30));
            if (i > 1) target.insert(target.end(), planted.begin(), planted.end());
            const std::optional<int> found = reader.result(target, 6);
            if (found)
                REQUIRE(*found ==
                        best_single_domain(profile, target, 0, kViterbiHarmless).best + ViterbiProfile::kEndMove);
        }
        REQUIRE(reader.wraps == 0);
    }
    CHECK(fitting > 60);
}

TEST_CASE("profiles that the kernel's numbers cannot hold do not fit") {
    Random random(43);
    const ViterbiProfile good = quantise_viterbi(configure_plan7(random_profile(random, 30)));
    const auto fits = [](const ViterbiProfile& profile) {
        const ViterbiProfile* const pointer = &profile;
        const ViterbiUnihitTables tables({&pointer, 1});
        CHECK(tables.models().empty() == (tables.fits()[0] == 0));
        return tables.fits()[0] == 1;
    };
    CHECK(fits(good));
    ViterbiProfile bad = good;
    bad.transitions.enter[4] = ViterbiProfile::kMinusInfinity;
    CHECK_FALSE(fits(bad));
    bad = good;
    bad.transitions.match_match[4] = 1;
    CHECK_FALSE(fits(bad));
    bad = good;
    bad.transitions.match_delete[4] = bad.transitions.delete_match[6] = bad.transitions.delete_delete[5] = -30000;
    bad.match[70] = 32000;
    CHECK_FALSE(fits(bad));
}

TEST_CASE(
    "each profile stands in each length class of one kernel for each kind of list, and shapes hold their "
    "models") {
    Random random(44);
    std::vector<ViterbiProfile> profiles;
    std::vector<const ViterbiProfile*> pointers;
    for (const int length : {1, 16, 17, 40, 100, 130, 250, 900})
        profiles.push_back(quantise_viterbi(configure_plan7(random_profile(random, length))));
    for (const ViterbiProfile& profile : profiles) pointers.push_back(&profile);
    const ViterbiUnihitTables tables(pointers);
    std::vector<std::array<std::array<int, kViterbiUnihitLengthClasses>, 3>> seen(profiles.size());
    for (const ViterbiUnihitTables::Class& each : tables.classes()) {
        std::uint32_t last = 0;
        for (const ViterbiUnihitTables::Range& range : each.ranges) {
            CHECK(range.length_class >= last);
            last = range.length_class;
            const ViterbiUnihitModel& model = tables.models()[range.model];
            const ViterbiUnihitTables::Lists kinds[] = {
                ViterbiUnihitTables::kShortLists, ViterbiUnihitTables::kLongLists, ViterbiUnihitTables::kSecondRun};
            for (std::size_t kind = 0; kind < 3; ++kind)
                seen[model.profile][kind][range.length_class] += (range.lists & kinds[kind]) != 0;
            CHECK(model.passes * static_cast<std::uint32_t>(each.shape.group_threads * each.shape.rows_per_thread) >=
                  static_cast<std::uint32_t>(profiles[model.profile].length));
            CHECK(model.passes <= each.most_passes);
            CHECK((model.passes == 1 || each.shape.group_threads >= kViterbiUnihitPassThreads));
        }
    }
    for (const auto& lists : seen) {
        for (const auto& classes : lists) CHECK(std::ranges::all_of(classes, [](int times) { return times == 1; }));
    }
}
