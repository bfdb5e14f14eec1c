// Profiles built from alignments: in order, with any number of threads, and with the alignments as
// the profiles see them. tests/libcore/profile and tests/reference/hmmbuild_test.sh compare their
// numbers with HMMER's.
#include "engines/build/hmm_build_engine.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "libcore/scoring/builtin_matrices.h"

namespace warpseq {
namespace {

MultipleAlignment alignment_of(const std::string& name, const std::vector<std::string>& rows) {
    MultipleAlignment alignment;
    alignment.name = name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        alignment.rows.push_back({.name = "s" + std::to_string(i + 1), .residues = rows[i]});
    }
    return alignment;
}

struct Outcome {
    Status status;
    std::vector<BuiltHmm> built;
};

Outcome run(const std::vector<MultipleAlignment>& alignments, unsigned threads, const HmmBuildSettings& settings = {}) {
    const ThreadPool pool(threads);
    const HmmBuildEngine engine(settings, pool);
    Outcome outcome;
    std::size_t read = 0;
    outcome.status = engine.run(
        [&](MultipleAlignment& alignment) -> Result<bool> {
            if (read == alignments.size()) return false;
            alignment = alignments[read++];
            if (alignment.name == "unreadable") return Status::io("it cannot be read");
            return true;
        },
        [&](BuiltHmm built) {
            outcome.built.push_back(std::move(built));
            return Status();
        });
    return outcome;
}

TEST_CASE("profiles come in the order of alignments, the same with any number of threads") {
    std::vector<MultipleAlignment> alignments;
    for (int i = 0; i < 23; ++i) {
        alignments.push_back(
            alignment_of("a" + std::to_string(i), {"MKVWLATGEHRRK", "MRVYIVTKDHRKR", "LKIWLSTGNYQRK"}));
        alignments.back().rows[0].residues[0] = "ACDEFGHIKLMNPQRSTVWYAAA"[i];
    }
    HmmBuildSettings settings;
    settings.date = "today";
    const Outcome one = run(alignments, 1, settings), three = run(alignments, 3, settings);
    REQUIRE(one.status.ok());
    REQUIRE(three.status.ok());
    REQUIRE(one.built.size() == alignments.size());
    REQUIRE(three.built.size() == alignments.size());
    for (std::size_t i = 0; i < alignments.size(); ++i) {
        CHECK(one.built[i].name == alignments[i].name);
        CHECK(one.built[i].hmm.date == "today");
        CHECK(three.built[i].name == alignments[i].name);
        CHECK(three.built[i].hmm.match == one.built[i].hmm.match);
        CHECK(three.built[i].hmm.statistics->forward_tau == one.built[i].hmm.statistics->forward_tau);
        CHECK(!one.built[i].alignment);
    }
    CHECK(one.built[0].sequences == 3);
    CHECK(one.built[0].columns == 13);
    CHECK(one.built[0].entropy_bits > 1);
}

TEST_CASE("an error ends the run after the profiles before it") {
    const MultipleAlignment good = alignment_of("good", {"MKVW", "MRVY"});
    HmmBuildSettings settings;
    settings.error_prefix = "build failed: ";
    Outcome outcome = run({good, good, alignment_of("bad", {"----"}), good}, 2, settings);
    CHECK(outcome.status.message() ==
          "build failed: Alignment bad has no consensus columns w/ > 50% residues - can't build a model.");
    CHECK(outcome.built.size() == 2);

    outcome = run({good, alignment_of("unreadable", {})}, 2);
    CHECK(outcome.status.message() == "it cannot be read");
    CHECK(outcome.built.size() == 1);
    CHECK(run({}, 2).status.ok());
}

TEST_CASE("single sequences by a matrix") {
    HmmBuildSettings settings;
    Result<ReplacementProbabilities> replacements = replacement_probabilities(*builtin_matrix("BLOSUM62"));
    REQUIRE(replacements.ok());
    settings.single_sequence = {*std::move(replacements), {}};
    settings.keeps_alignments = true;
    const Outcome outcome = run({alignment_of("one", {"MK-V~"}), alignment_of("two", {"MKV", "MRV"})}, 1, settings);
    REQUIRE(outcome.status.ok());
    const BuiltHmm& one = outcome.built[0];
    CHECK(one.name == "one");
    CHECK(one.hmm.name == "s1");
    CHECK(one.hmm.length == 3);
    CHECK(one.hmm.effective_sequences == 1.0f);
    CHECK(one.hmm.map.empty());
    CHECK(one.hmm.commands.size() == 1);
    CHECK(!one.alignment);
    CHECK(outcome.built[1].hmm.name == "two");
    CHECK(outcome.built[1].alignment);

    CHECK(run({alignment_of("empty", {"---"})}, 1, settings).status.message() == "the sequence s1 has no residues");
}

TEST_CASE("the alignment as the profile sees it") {
    MultipleAlignment alignment =
        alignment_of("small", {"MKV--LATwx.GH", "MKVA-LAT-..GH", "mrVAB.VTk..GY", "~~~~~~AT-..G~", "MKI--LST-*.Z-"});
    alignment.mask = "...m...m.....";
    alignment.description = "text";
    HmmBuildSettings settings;
    settings.keeps_alignments = true;
    const Outcome outcome = run({alignment}, 1, settings);
    REQUIRE(outcome.status.ok());
    const MultipleAlignment& seen = *outcome.built[0].alignment;
    CHECK(seen.name == "small");
    CHECK(seen.description == "text");
    // These are the rows that HMMER 3.3.2's hmmbuild -O wrote.
    const std::vector<std::string> expected = {"MKV-LAXwxGH", "MKVXLAX..GH", "MRVXBVX.kGY", "~~~~~AX..G~",
                                               "MKI-LSX.*Z-"};
    REQUIRE(seen.rows.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(seen.rows[i].residues == expected[i]);
    CHECK(seen.reference == "xxxxxxx..xx");
    CHECK(seen.rows[2].weight.value_or(0) == doctest::Approx(1.28).epsilon(0.01));
    CHECK(seen.rows[2].name == "s3");
}

TEST_CASE("node columns without residues are removed, and inserts move apart") {
    MultipleAlignment alignment = alignment_of("hand", {"aaACDD-.E", "..A...-wE", ".cA.d.-.E"});
    alignment.reference = "..xx..x.x";
    HmmBuildSettings settings;
    settings.keeps_alignments = true;
    settings.profile.architecture = ModelArchitecture::kReference;
    const Outcome outcome = run({alignment}, 1, settings);
    REQUIRE(outcome.status.ok());
    const MultipleAlignment& seen = *outcome.built[0].alignment;
    CHECK(seen.rows[0].residues == "aaACdDE");
    CHECK(seen.reference.find_first_not_of("x.") == std::string::npos);
    CHECK(seen.rows[1].residues.size() == seen.reference.size());
}

}  // namespace
}  // namespace warpseq
