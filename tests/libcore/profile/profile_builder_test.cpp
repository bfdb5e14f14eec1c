// Profiles of alignments, compared with the output of HMMER 3.3.2's hmmbuild for the same
// alignments and options.
#include "libcore/profile/profile_builder.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_writer.h"
#include "libcore/profile/profile_parameters.h"
#include "libcore/statistics/null_model.h"
#include "tests/support/golden_folder.h"

namespace warpseq {
namespace {

/// Returns the alignment from which HMMER built tests/golden/hmm/built-small.hmm.
MultipleAlignment small_alignment() {
    MultipleAlignment alignment;
    alignment.name = "small";
    alignment.accession = "PF00042.1";
    alignment.description = "A small family ";
    const std::pair<const char*, const char*> rows[] = {{"s1", "MKV--LATwx.GH"},
                                                        {"s2", "MKVA-LAT-..GH"},
                                                        {"s3", "mrVAB.VTk..GY"},
                                                        {"s4", "~~~~~~AT-..G~"},
                                                        {"s5", "MKI--LST-*.Z-"}};
    for (const auto& [name, residues] : rows) alignment.rows.push_back({.name = name, .residues = residues});
    alignment.reference = "xxx.-xxx...xx";
    alignment.mask = "...m...m.....";
    alignment.structure = "HHH..EE....CC";
    alignment.gathering = {25.0f, 24.5f};
    alignment.trusted = {26.5f, std::nullopt};
    return alignment;
}

MultipleAlignment plain_alignment() {
    MultipleAlignment alignment;
    alignment.name = "plain";
    for (const char* const residues :
         {"MKVWLATGEHRRK", "MKVWLATGEHRRK", "MRVYIVTKDHRKR", "LKIWLSTGNYQRK", "MKIF-STPEHRQE", "MKIF-STPEH---"}) {
        alignment.rows.push_back({.name = "s", .residues = residues});
    }
    return alignment;
}

BuiltProfile built(const MultipleAlignment& alignment, const ProfileBuildSettings& settings = {}) {
    Result<BuiltProfile> result = build_profile(alignment, settings);
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    return *std::move(result);
}

std::string error_of(const MultipleAlignment& alignment, const ProfileBuildSettings& settings = {}) {
    const Result<BuiltProfile> result = build_profile(alignment, settings);
    REQUIRE(!result.ok());
    return result.status().message();
}

std::string node_line(const ProfileHmm& hmm, int node) {
    std::string text;
    append_hmm(hmm, text);
    char begin[16];
    std::snprintf(begin, sizeof begin, "\n %6d ", node);
    const std::size_t at = text.find(begin) + 1;
    return text.substr(at, text.find('\n', at) - at);
}

std::string effective_number_of(const ProfileHmm& hmm) {
    char text[32];
    std::snprintf(text, sizeof text, "%f", static_cast<double>(*hmm.effective_sequences));
    return text;
}

TEST_CASE("a profile has every digit of HMMER's") {
    const std::filesystem::path file = testing::golden_folder() / "hmm/built-small.hmm";
    ProfileHmm golden;
    HmmFileReader reader(file);
    REQUIRE(*reader.next(golden));
    std::ifstream in(file);
    std::string expected{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    expected.erase(0, expected.find('\n'));

    BuiltProfile profile = built(small_alignment());
    CHECK(profile.sequences == 5);
    CHECK(profile.columns == 13);
    CHECK(profile.is_weighted);
    profile.hmm.date = golden.date;
    profile.hmm.statistics = golden.statistics;
    finish_profile(profile.hmm, {});
    std::string text;
    append_hmm(profile.hmm, text);
    CHECK(text.substr(text.find('\n')) == expected);

    char bits[32];
    std::snprintf(bits, sizeof bits, "%.3f", mean_match_relative_entropy_bits(profile.hmm));
    CHECK(bits == std::string("1.645"));
}

TEST_CASE("effective numbers of sequences") {
    const auto number = [](const ProfileBuildSettings& settings) {
        return effective_number_of(built(plain_alignment(), settings).hmm);
    };
    CHECK(number({.node_entropy_bits = 1.0, .model_entropy_bits = 5}) == "1.198242");
    CHECK(number({.effective_number = EffectiveNumber::kEntropyExponent,
                  .node_entropy_bits = 1.0,
                  .model_entropy_bits = 5}) == "1.154115");
    CHECK(number({.effective_number = EffectiveNumber::kClusters, .cluster_identity = 0.6}) == "4.000000");
    CHECK(number({.effective_number = EffectiveNumber::kNone}) == "6.000000");
    CHECK(number({.effective_number = EffectiveNumber::kGiven, .effective_sequences = 2.5}) == "2.500000");
    CHECK(number({}) == "6.000000");  // all of them have less than is aimed at
}

TEST_CASE("priors") {
    CHECK(node_line(
              built(small_alignment(), {.effective_number = EffectiveNumber::kGiven, .effective_sequences = 2.5}).hmm,
              2) ==
          "      2   3.71059  5.74876  4.32747  3.41944  5.38078  4.22537  3.98195  4.63466  0.78970  3.95171  4.84744"
          "  3.73453  4.54219  3.10705  1.39815  3.67900  3.80667  4.32773  5.88494  4.82670      2 k x - H");
    CHECK(node_line(built(small_alignment(), {.prior = PriorChoice::kLaplace}).hmm, 2) ==
          "      2   3.18800  3.18800  3.18800  3.18800  3.18800  3.18800  3.18800  3.18800  1.81102  3.18800  3.18800"
          "  3.18800  3.18800  3.18800  2.36511  3.18800  3.18800  3.18800  3.18800  3.18800      2 k x - H");
    CHECK(node_line(built(small_alignment(), {.prior = PriorChoice::kNone}).hmm, 2) ==
          "      2         *        *        *        *        *        *        *        *  0.35839        *        *"
          "        *        *        *  1.19999        *        *        *        *        *      2 K x - H");
}

TEST_CASE("nodes of a reference line") {
    const BuiltProfile profile = built(small_alignment(), {.architecture = ModelArchitecture::kReference});
    CHECK(profile.hmm.length == 8);
    CHECK(profile.hmm.map == std::vector<int>{1, 2, 3, 6, 7, 8, 12, 13});
    CHECK(profile.hmm.reference == "xxxxxxxx");
    CHECK(profile.hmm.structure == "HHHEE.CC");
    CHECK(profile.hmm.mask == "-----m--");
}

TEST_CASE("the first row's path, in residues") {
    MultipleAlignment alignment = plain_alignment();
    alignment.rows[0].residues = "-KVWLATGEHRRK";
    const BuiltProfile profile = built(alignment);
    REQUIRE(profile.first_trace.size() == 13);
    CHECK(profile.first_trace[0] == TraceStep{TraceState::kDelete, 1, 0, 0});
    CHECK(profile.first_trace[1] == TraceStep{TraceState::kMatch, 2, 1, 0});
    CHECK(profile.first_trace[12] == TraceStep{TraceState::kMatch, 13, 12, 0});
    CHECK(profile.row_traces.empty());
    CHECK(built(alignment, {.keep_row_traces = true}).row_traces.size() == 6);
}

TEST_CASE("a single row, a single column") {
    MultipleAlignment alignment;
    alignment.name = "one";
    alignment.rows.push_back({.name = "s", .residues = "W"});
    const BuiltProfile profile = built(alignment);
    CHECK(profile.hmm.length == 1);
    CHECK(profile.hmm.consensus == "W");
    CHECK(profile.weights == std::vector<double>{1.0});
    CHECK(!profile.is_weighted);
}

TEST_CASE("values that are forced after calibration") {
    const ProfileBuildSettings settings{.gap_open = 0.1, .gap_extend = 0.25};
    BuiltProfile profile = built(small_alignment(), settings);
    CHECK(profile.hmm.match[4] != kBackgroundFrequencies);
    finish_profile(profile.hmm, settings);
    CHECK(profile.hmm.match[4] == kBackgroundFrequencies);
    CHECK(profile.hmm.match[3] != kBackgroundFrequencies);
    CHECK(profile.hmm.transitions[4] == ProfileHmm::Transitions{0.8f, 0.1f, 0.1f, 0.75f, 0.25f, 0.75f, 0.25f});
    CHECK(profile.hmm.transitions[9] == ProfileHmm::Transitions{0.9f, 0.1f, 0, 0.75f, 0.25f, 1, 0});
}

TEST_CASE("alignments that no profile can be made of") {
    MultipleAlignment alignment = plain_alignment();
    alignment.name = "";
    CHECK(error_of(alignment) == "Unable to name the HMM.");

    alignment = plain_alignment();
    CHECK(error_of(alignment, {.architecture = ModelArchitecture::kReference}) ==
          "Alignment plain has no reference annotation line");
    alignment.reference = ".............";
    CHECK(error_of(alignment, {.architecture = ModelArchitecture::kReference}) ==
          "Alignment plain has no annotated consensus columns - can't build a model.");
    for (MultipleAlignment::Row& row : alignment.rows) row.residues = "-------------";
    CHECK(error_of(alignment) == "Alignment plain has no consensus columns w/ > 50% residues - can't build a model.");

    alignment = plain_alignment();
    alignment.rows[1].residues = "MKV~~ATGEHRRK";
    CHECK(error_of(alignment) == "msa plain; sequence s\nhas missing data chars (~) other than at fragment edges");
    alignment.rows[1].residues = "MKV";
    CHECK(error_of(alignment).find("has 3 columns, the first one has 13") != std::string::npos);
    alignment.rows[1].residues = "MKVWLATGEHRR1";
    CHECK(error_of(alignment).find("neither a residue nor a gap") != std::string::npos);

    alignment = plain_alignment();
    alignment.rows[2].weight = -1;
    CHECK(error_of(alignment, {.weighting = RelativeWeighting::kGiven}).find("not a number of 0 or more") !=
          std::string::npos);
    CHECK(error_of(plain_alignment(), {.effective_number = EffectiveNumber::kGiven, .effective_sequences = 1e39})
              .find("too large for single precision") != std::string::npos);
    alignment = {.name = "one", .rows = {{.name = "s", .residues = "W"}}};
    CHECK(error_of(alignment, {.node_entropy_bits = 1e-9, .model_entropy_bits = 1e-9}).find("entropy") !=
          std::string::npos);
    CHECK(error_of({.name = "none"}) == "an alignment has no sequences");
}

}  // namespace
}  // namespace warpseq
