// blastp's two stages for one pair: the HSPs that are found, the HSPs that are traced back, and
// queries and targets that cannot have any.
#include "engines/blastp/pair_searcher.h"

#include <doctest/doctest.h>

#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::string_view kProtein =
    "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKRQTLGQHDFSAGEGLYTHMKALRPDEDRLSPLHSVYV"
    "DQWDWE";

struct Fixture {
    ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    AlignmentStatistics statistics = *AlignmentStatistics::find(scheme);
    BlastpParameters parameters{scheme, statistics, WordRule::uncompressed(scheme.matrix, 3, 11)};
    SearchSpace space;
    Fixture() { space.database_residues = 1'000'000; }

    BlastpQuery query(std::string_view letters, std::vector<QueryStretch> lower_case = {}) const {
        return make_blastp_query("q", encode_residues(letters), std::move(lower_case), parameters, space);
    }
    std::vector<Hsp> found(const BlastpQuery& query, std::span<const ResidueCode> target) const {
        return PairSearcher(parameters, space).find(query, target);
    }
    std::vector<Hsp> traced(const BlastpQuery& query, std::span<const ResidueCode> target) const {
        PairSearcher searcher(parameters, space);
        const auto preliminary = searcher.find(query, target);
        return searcher.trace_back(query, target, preliminary);
    }
    std::vector<Hsp> traced(std::string_view letters, std::string_view target) const {
        return traced(query(letters), encode_residues(target));
    }

    std::int32_t self_score(std::string_view letters) const {
        std::int32_t sum = 0;
        for (const ResidueCode code : encode_residues(letters)) sum += scheme.matrix.score_raw(code, code);
        return sum;
    }
};

std::string joined(std::string_view a, std::string_view b) { return std::string(a) + std::string(b); }

}  // namespace

TEST_CASE("a protein and itself: one alignment of all of it, with the E-value of its score") {
    const Fixture f;
    const auto hsps = f.traced(kProtein, kProtein);
    REQUIRE(hsps.size() == 1);
    CHECK(hsps[0].score_raw == f.self_score(kProtein));
    CHECK(hsps[0].query_begin == 0);
    CHECK(hsps[0].query_end == kProtein.size());
    CHECK(hsps[0].target_end == kProtein.size());
    CHECK(hsps[0].runs.size() == 1);
    CHECK(hsps[0].evalue == f.statistics.evalue(hsps[0].score_raw, kProtein.size(), kProtein.size(), f.space));
}

TEST_CASE("a gap is bridged; parts far apart are alignments of their own, best first") {
    const Fixture f;
    const std::string_view left = kProtein.substr(0, 60), right = kProtein.substr(60);
    const auto bridged = f.traced(kProtein, joined(joined(left, "GGGG"), right));
    REQUIRE(bridged.size() == 1);
    CHECK(bridged[0].score_raw == f.self_score(kProtein) - 11 - 4);
    CHECK(bridged[0].runs.size() == 3);
    const auto apart = f.traced(kProtein, joined(joined(right, std::string(200, 'G')), left));
    REQUIRE(apart.size() == 2);
    CHECK(apart[0].score_raw >= apart[1].score_raw);
    CHECK(apart[0].query_begin != apart[1].query_begin);
}

TEST_CASE("E-values are a limit of both stages") {
    Fixture f;
    const std::string_view part = kProtein.substr(20, 14);
    const auto all = f.traced(part, kProtein);
    REQUIRE(all.size() == 1);
    f.parameters.evalue = all[0].evalue;  // the highest E-value that still passes
    CHECK(f.traced(part, kProtein).size() == 1);
    f.parameters.evalue = all[0].evalue / 2;
    CHECK(f.traced(part, kProtein).empty());
}

TEST_CASE("queries and targets that are shorter than a word, empty or without statistics find nothing") {
    const Fixture f;
    const Sequence protein = encode_residues(kProtein);
    for (const std::string_view letters : {"", "W", "WW", "X", "XXXXXXXXXX", "*****"}) {
        CAPTURE(letters);
        CHECK(f.found(f.query(letters), protein).empty());
        CHECK(f.found(f.query(kProtein), encode_residues(letters)).empty());
    }
    CHECK_FALSE(f.query("").ungapped);
    CHECK_FALSE(f.query("XXXXXXXXXX").ungapped);
    CHECK_FALSE(f.query("OOOOO").ungapped);  // searched as X
    CHECK_FALSE(f.query("*****").ungapped);
    CHECK(f.query("WW").ungapped);
    CHECK_FALSE(f.query("XXXXXXXXXX").finder);
    // A word and nothing else is a query, and a target.
    Fixture wide;
    wide.parameters.evalue = 1e6;
    wide.parameters.window_residues = 0;
    CHECK(wide.traced("WWW", "WWW").size() == 1);
}

TEST_CASE("masked residues give no words; they count as X in scores unless masking is soft") {
    Fixture f;
    const Sequence protein = encode_residues(kProtein);
    const auto size = static_cast<std::uint32_t>(kProtein.size());
    const std::vector<QueryStretch> middle = {{40, 80}}, everything = {{0, size}};
    CHECK(f.traced(f.query(kProtein, everything), protein).size() == 1);  // lower-case masking is off

    f.parameters.lower_case_masking = true;
    CHECK_FALSE(f.query(kProtein, everything).ungapped);
    CHECK(f.found(f.query(kProtein, everything), protein).empty());
    const auto hard = f.traced(f.query(kProtein, middle), protein);
    REQUIRE_FALSE(hard.empty());
    CHECK(hard[0].score_raw < f.self_score(kProtein));
    CHECK(f.query(kProtein, middle).scored[40] == kCodeX);
    CHECK(f.query(kProtein, middle).residues == protein);

    f.parameters.soft_masking = true;
    CHECK(f.query(kProtein, everything).ungapped);  // has statistics, but no words
    CHECK(f.found(f.query(kProtein, everything), protein).empty());
    const auto soft = f.traced(f.query(kProtein, middle), protein);
    REQUIRE(soft.size() == 1);
    CHECK(soft[0].score_raw == f.self_score(kProtein));
    CHECK(f.query(kProtein, middle).scored == protein);
}

TEST_CASE("SEG masks stretches of low complexity, even a whole query") {
    Fixture f;
    f.parameters.seg = SegParameters();
    const std::string repeats(60, 'Q');
    CHECK_FALSE(f.query(repeats).ungapped);
    CHECK(f.query(repeats).masked.size() == 1);
    CHECK(f.traced(repeats, repeats).empty());
    CHECK(f.query(kProtein).masked.empty());
    f.parameters.soft_masking = true;
    CHECK(f.query(repeats).ungapped);
    CHECK(f.traced(repeats, repeats).empty());
    f.parameters.seg.reset();
    CHECK(f.traced(repeats, repeats).size() == 1);
}

TEST_CASE("rare letters: U scores as C, O as X in queries, B, J and Z as the matrix has them, a stop as it does") {
    const Fixture f;
    const auto with = [](char letter) {
        std::string letters(kProtein);
        letters[60] = letter;
        return letters;
    };
    const auto score = [&](char query, char target) {
        return f.scheme.matrix.score_raw(encode_residues(std::string(1, query))[0],
                                         encode_residues(std::string(1, target))[0]);
    };
    const std::string plain = with('A');
    const std::int32_t rest = f.self_score(plain) - score('A', 'A');
    for (const char letter : {'U', 'B', 'J', 'Z', '*', 'X'}) {
        CAPTURE(letter);
        const auto hsps = f.traced(with(letter), with('N'));
        REQUIRE(hsps.size() == 1);
        CHECK(hsps[0].score_raw == rest + score(letter, 'N'));
    }
    CHECK(score('U', 'C') == score('C', 'C'));
    CHECK(f.traced(with('O'), with('O'))[0].score_raw == rest + score('X', 'X'));
    CHECK(f.query(with('O')).scored[60] == kCodeX);
    CHECK(f.query(with('O')).residues[60] == kCodeO);
}

TEST_CASE("X-drops: without one for gapped extension the preliminary alignment is shorter, the final one is not") {
    Fixture f;
    const std::string target = joined(joined(kProtein.substr(0, 60), std::string(20, 'G')), kProtein.substr(60));
    const Sequence residues = encode_residues(target);
    const auto usual = f.found(f.query(kProtein), residues);
    f.parameters.x_drop_gapped_bits = 0;
    const auto narrow = f.found(f.query(kProtein), residues);
    REQUIRE_FALSE(usual.empty());
    REQUIRE_FALSE(narrow.empty());
    CHECK(narrow[0].score_raw < usual[0].score_raw);
    CHECK(f.traced(f.query(kProtein), residues)[0].score_raw == f.self_score(kProtein) - 11 - 20);
    // The final X-drop is never below the first one.
    f.parameters.x_drop_gapped_bits = 40;
    f.parameters.x_drop_final_bits = 1;
    CHECK(f.parameters.x_drop_final_raw() == f.parameters.x_drop_gapped_raw());
    // A negative X-drop is the least one, and so is one beyond int, as in blastp.
    const auto score = [&](double bits) {
        f.parameters.x_drop_gapped_bits = bits;
        return f.found(f.query(kProtein), residues)[0].score_raw;
    };
    for (const double bits : {-15.0, -1e300, 1e10, 1e300}) CHECK(score(bits) == narrow[0].score_raw);
    CHECK(score(1e6) == f.self_score(kProtein) - 11 - 20);
    CHECK(BlastpParameters::x_drop_raw(10, std::numbers::ln2) == 10);
    CHECK(BlastpParameters::x_drop_raw(1e10, 1) == std::numeric_limits<int>::lowest());
    CHECK(BlastpParameters::x_drop_raw(-1e10, 1) == std::numeric_limits<int>::lowest());
    CHECK(BlastpParameters::x_drop_raw(10, std::numbers::ln2, 11) == 11);
    CHECK(BlastpParameters::x_drop_raw(-1e10, 1, 11) == 11);
    CHECK(BlastpParameters::x_drop_raw(1e10, 1, 11) == std::numeric_limits<int>::lowest());
}

TEST_CASE("an ungapped X-drop beyond int ends each extension at once, and a high one none") {
    Fixture f;
    f.parameters.x_drop_ungapped_bits = 1e10;
    CHECK(f.traced(kProtein, kProtein).empty());
    f.parameters.x_drop_ungapped_bits = 1e7;
    CHECK(f.traced(kProtein, kProtein).size() == 1);
}

TEST_CASE("with a threshold beyond int all words are hits") {
    Fixture f;
    f.space.is_negative = true;  // every score is significant
    const std::string target = "MRSAFLARNRRVTWLRTHWTRNMDDKMAMVDIMA";
    const std::size_t usual = f.found(f.query(kProtein), encode_residues(target)).size();
    f.parameters.rule = WordRule::uncompressed(f.scheme.matrix, 3, 1e10);
    CHECK(f.found(f.query(kProtein), encode_residues(target)).size() > usual);
}

TEST_CASE("HSPs that are traced back to the same alignment become one") {
    const Fixture f;
    const BlastpQuery query = f.query(kProtein);
    const Sequence target = encode_residues(kProtein);
    PairSearcher searcher(f.parameters, f.space);
    auto preliminary = searcher.find(query, target);
    REQUIRE(preliminary.size() == 1);
    Hsp weaker = preliminary[0];
    weaker.score_raw -= 1;
    weaker.query_seed = weaker.target_seed = 100;
    preliminary.push_back(weaker);
    CHECK(searcher.trace_back(query, target, preliminary).size() == 1);
    // Two first residues as the seed stand for no seed, so a seed is searched for again.
    preliminary[0].query_seed = preliminary[0].target_seed = 0;
    const auto again = searcher.trace_back(query, target, preliminary);
    REQUIRE(again.size() == 1);
    CHECK(again[0].score_raw == f.self_score(kProtein));
}
