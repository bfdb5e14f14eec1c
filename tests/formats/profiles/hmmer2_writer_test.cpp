// Profiles written in HMMER 2's format. They are those of `hmmconvert -2` of HMMER 3.3.2.
#include "formats/profiles/hmmer2_writer.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "formats/profiles/hmm_file.h"
#include "libcore/statistics/null_model.h"
#include "tests/support/golden_folder.h"

namespace warpseq {
namespace {

ProfileHmm golden() {
    HmmFileReader reader(testing::golden_folder() / "hmm" / "every-field-3f.hmm");
    ProfileHmm hmm;
    REQUIRE(*reader.next(hmm));
    return hmm;
}

std::string text_of(const ProfileHmm& hmm) {
    std::string text;
    append_hmmer2_profile(hmm, text);
    return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("a profile with every field") {
    std::ifstream in(testing::golden_folder() / "hmm" / "every-field-hmmer2.hmm", std::ios::binary);
    REQUIRE(in.good());
    const std::string expected{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    CHECK(text_of(golden()) == expected);
}

TEST_CASE("optional fields") {
    ProfileHmm hmm = golden();
    hmm.commands = {"hmmbuild a b", "second  one"};
    CHECK(has(text_of(hmm), "\nMAP   yes\nCOM    hmmbuild a b\nCOM    second  one\nNSEQ  4\nDATE  "));
    hmm.commands.clear();
    hmm.accession.clear();
    hmm.description.clear();
    hmm.date.clear();
    hmm.sequences.reset();
    hmm.gathering.reset();
    hmm.trusted.reset();
    hmm.noise.reset();
    hmm.reference.clear();
    hmm.structure.clear();
    hmm.map.clear();
    const std::string text = text_of(hmm);
    CHECK(
        text.starts_with("HMMER2.0  [converted from 3.3.2]\nNAME  Every_field\nLENG  11\nALPH  Amino\nRF    no\n"
                         "CS    no\nMAP   no\nXT "));
    CHECK(has(text, "\n     -    -210"));
    hmm.sequences = 0;
    CHECK(has(text_of(hmm), "\nNSEQ  0\n"));
}

TEST_CASE("scores of probabilities 0 and 1, and of a single node") {
    ProfileHmm hmm;
    hmm.name = "x";
    hmm.length = 1;
    hmm.match.assign(2, {});
    hmm.match[1] = {1};
    hmm.insert.assign(2, kBackgroundFrequencies);
    hmm.transitions.assign(2, {0.5F, 0, 0.5F, 1, 0, 1, 0});
    std::string stars;
    for (int i = 0; i < 20; ++i) stars += "      *";
    const std::string text = text_of(hmm);
    // The first amino acid has 1000 log2(1 / 0.0787945) = 3666.
    CHECK(has(text, "\n        -1000      *  -1000\n     1    3666" + stars.substr(7) + "\n"));
    CHECK(text.ends_with("\n     - " + stars + "\n     - " + stars.substr(0, 49) + "  -1000      0\n//\n"));
}

}  // namespace
}  // namespace warpseq
