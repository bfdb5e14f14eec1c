// Profiles in HMMER2's format. tests/golden/hmm/every-field-2-as-3f.hmm is what HMMER 3.3.2's
// hmmconvert makes of tests/golden/hmm/every-field-2.hmm.
#include "formats/profiles/hmmer2_reader.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_writer.h"
#include "libcore/statistics/null_model.h"
#include "tests/support/golden_folder.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using testing::ScratchFolder;

std::filesystem::path golden(const char* name) { return testing::golden_folder() / "hmm" / name; }

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The profiles of a file and the error that reading ends with, which is empty without an error.
struct Reading {
    std::vector<ProfileHmm> profiles;
    std::vector<std::uint64_t> offsets;
    std::string error;
};

Reading read(const std::filesystem::path& file, std::size_t block_bytes = kDefaultBlockBytes) {
    Reading reading;
    HmmFileReader reader(file, block_bytes);
    for (ProfileHmm hmm;;) {
        const Result<bool> got = reader.next(hmm);
        if (!got.ok()) reading.error = got.status().message();
        if (!got.ok() || !*got) return reading;
        reading.profiles.push_back(hmm);
        reading.offsets.push_back(reader.profile_offset());
    }
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

std::string text_of(const ProfileHmm& hmm) {
    std::string text;
    append_hmm(hmm, text);
    return text;
}

/// A profile of one node, whose scores are those of `match` and `begin`.
std::string small(const std::string& match, const std::string& begin = "-1 * -2000") {
    std::string zeros;
    for (std::size_t a = 0; a < kAminoAcids; ++a) zeros += " 0";
    return "HMMER2.0\nNAME x\nLENG 1\nALPH Amino\nNULE" + zeros +
           "\nHMM A C D E F G H I K L M N P Q R S T V W Y\nm->m m->i\n" + begin + "\n1 " + match + "\n- " + zeros +
           "\n- * * * * * * * * 0\n//\n";
}

}  // namespace

TEST_CASE("every field of HMMER2's format, as hmmconvert has them") {
    const Reading old = read(golden("every-field-2.hmm")), converted = read(golden("every-field-2-as-3f.hmm"));
    CHECK(old.error == "");
    CHECK(converted.error == "");
    REQUIRE(old.profiles.size() == 2);
    REQUIRE(converted.profiles.size() == 2);
    for (std::size_t p = 0; p < 2; ++p) {
        ProfileHmm hmm = old.profiles[p];
        CHECK(hmm.calibrate_on_reading);
        CHECK(!converted.profiles[p].calibrate_on_reading);
        CHECK(!hmm.statistics);
        hmm.statistics = converted.profiles[p].statistics;
        CHECK(text_of(hmm) == text_of(converted.profiles[p]));
        CHECK(!hmm.checksum);  // HMMER2's has another meaning
        CHECK(!hmm.effective_sequences);
        CHECK(!hmm.longest_instance);
        CHECK(hmm.composition[0] == kUnknownComposition);
        CHECK(hmm.transitions.back() == ProfileHmm::Transitions{1, 0, 0, 1, 0, 1, 0});
    }
    const ProfileHmm &first = old.profiles[0], &second = old.profiles[1];
    CHECK(first.commands == std::vector<std::string>{"hmmbuild -F old.hmm  seed.sto", "hmmcalibrate old.hmm"});
    CHECK(first.reference.size() == 11);
    CHECK(first.structure.size() == 11);
    CHECK(first.map.back() == 12);
    CHECK((second.name == "bare" && second.accession.empty() && second.description.empty() && second.date.empty()));
    CHECK((second.reference.empty() && second.structure.empty() && second.map.empty() && second.commands.empty()));
    CHECK((!second.sequences && !second.gathering && !second.trusted && !second.noise));
}

TEST_CASE("line ends, blank lines, comments and the block size change nothing") {
    const ScratchFolder folder;
    const std::string text = bytes_of(golden("every-field-2.hmm"));
    const Reading expected = read(golden("every-field-2.hmm"));
    for (const std::string_view end : {"\r\n", "\r", "\n\n \t\n# a comment\n"}) {
        std::string variant = "# a comment\n\n";
        for (const char byte : text) byte == '\n' ? variant += end : variant += byte;
        for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{7}, kDefaultBlockBytes}) {
            const Reading got = read(folder.write("p.hmm", variant), block_bytes);
            CHECK(got.error == "");
            REQUIRE(got.profiles.size() == 2);
            for (std::size_t p = 0; p < 2; ++p) CHECK(text_of(got.profiles[p]) == text_of(expected.profiles[p]));
        }
    }
}

TEST_CASE("a profile begins behind the // of the one before it") {
    const ScratchFolder folder;
    const std::string one = small("0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"), comment = "# a comment\n\n";
    for (const std::string& end : {std::string("\n"), std::string("\r\n")}) {
        std::string lines;
        for (const char byte : comment + one) byte == '\n' ? lines += end : lines += byte;
        const auto file = folder.write("p.hmm", lines + lines);
        for (const std::size_t block_bytes : {std::size_t{1}, kDefaultBlockBytes})
            CHECK(read(file, block_bytes).offsets == std::vector<std::uint64_t>{0, lines.size()});
    }
}

TEST_CASE("scores are thousandths of a bit against the background, and rows are divided by their sums") {
    const ScratchFolder folder;
    const auto profile = [&](const std::string& text) {
        const Reading reading = read(folder.write("p.hmm", text));
        REQUIRE_MESSAGE(reading.profiles.size() == 1, reading.error);
        return reading.profiles[0];
    };
    // 18 residues are impossible. Of the others the second is 8 times as likely as the first.
    const ProfileHmm hmm = profile(small("0 3000 * * * * * * * * * * * * * * * * * *"));
    CHECK(hmm.match[1][0] == doctest::Approx(1.0 / 9));
    CHECK(hmm.match[1][1] == doctest::Approx(8.0 / 9));
    CHECK(hmm.match[1][2] == 0);
    CHECK(hmm.consensus == "C");
    const double to_match = std::exp2(-0.001), to_delete = 0.25;
    CHECK(hmm.transitions[0][kMatchMatch] == doctest::Approx(to_match / (to_match + to_delete)));
    CHECK(hmm.transitions[0][kMatchDelete] == doctest::Approx(to_delete / (to_match + to_delete)));
    CHECK(hmm.transitions[0][kMatchInsert] == 0);
    CHECK(hmm.insert[1][0] == doctest::Approx(kBackgroundFrequencies[0]));
    // Rows without any probability become even.
    const ProfileHmm even = profile(small("* * * * * * * * * * * * * * * * * * * *", "* * *"));
    CHECK(even.match[1][19] == doctest::Approx(0.05));
    CHECK(even.transitions[0][kMatchInsert] == doctest::Approx(1.0 / 3));
    // Words behind the scores are skipped.
    CHECK(profile(small("0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 x")).map.empty());
    const std::string mapped = replaced(small("0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -"), "ALPH", "MAP yes\nALPH");
    CHECK(profile(mapped).map == std::vector<int>{0});
}

TEST_CASE("malformed files: each says where, what was found and what was expected") {
    const ScratchFolder folder;
    const std::string text = bytes_of(golden("every-field-2.hmm"));
    const std::string converted = bytes_of(golden("every-field-2-as-3f.hmm"));
    const auto cut_before = [&](std::string_view what) { return text.substr(0, text.find(what)); };
    const std::string scores = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";  // 19
    struct Case {
        const char* what;
        std::string bytes;
        std::size_t profiles;  // read before the error
        const char* message;   // behind the file's name
    };
    const Case cases[] = {
        {"another version", replaced(text, "HMMER2.0", "HMMER2.1"), 0,
         "line 1: this file has the unknown format \"HMMER2.1\"; a profile file begins with a line HMMER3/a to "
         "HMMER3/f, or HMMER2.0"},
        {"HMMER 3 behind HMMER2", text + converted, 2,
         "line 74: found \"HMMER3/f\" after the // of a profile; expected the end of the file or a line HMMER2.0"},
        {"HMMER2 behind HMMER 3", converted + text, 2,
         "line 83: found \"HMMER2.0\" after the // of a profile; expected the end of the file or a line HMMER3/a to "
         "HMMER3/f"},
        {"nucleotides", replaced(text, "Amino", "Nucleic"), 0,
         "line 6: found \"Nucleic\" after ALPH; expected amino: only protein profiles are supported"},
        {"no NULE", replaced(text, "NULE", "NULL"), 0,
         "line 22: found the line HMM; the profile \"Every_field\" has no NULE line before it"},
        {"NULE short", replaced(text, "NULE       656", "NULE"), 0, "line 20: the line has 19 of 20 scores for NULE"},
        {"NULE no score", replaced(text, "NULE       656", "NULE       6.5"), 0,
         "line 20: found \"6.5\" as score 1 for NULE; expected a whole number of thousandths of a bit, or * for a "
         "probability of 0"},
        {"NULE twice", replaced(text, "EVD ", "NULE"), 0,
         "line 21: NULE is there twice in the profile \"Every_field\", first in line 20"},
        {"no date", replaced(text, "DATE  Sat Nov 21 16:24:54 2026", "DATE  "), 0,
         "line 13: found \"DATE  \"; expected DATE and a date"},
        {"no command", replaced(text, "COM   hmmcalibrate old.hmm", "COM"), 0,
         "line 11: found \"COM\"; expected COM and a command"},
        {"a profile in the header", cut_before("NSEQ") + text, 0,
         "line 12: another profile begins within the header of the profile \"Every_field\"; expected the line HMM and "
         "the nodes"},
        {"begin short", small(scores + " 0", "-1 *"), 0,
         "line 8: the line has 2 of 3 scores for the line of transitions from the begin state"},
        {"matches short", small(scores), 0,
         "line 9: the line has 19 of 20 scores for the matches of node 1 of 1 (LENG)"},
        {"a score too high", small("200000 " + scores), 0,
         "line 9: found \"200000\" as score 1 for the matches of node 1 of 1 (LENG); expected a whole number of "
         "thousandths of a bit, or * for a probability of 0"},
        {"infinitely likely, but never seen", replaced(small("1100000 " + scores), "NULE 0", "NULE *"), 0,
         "line 9: found \"1100000\" as score 1 for the matches of node 1 of 1 (LENG); expected a whole number of "
         "thousandths of a bit, or * for a probability of 0"},
        {"no score", small("abc " + scores), 0,
         "line 9: found \"abc\" as score 1 for the matches of node 1 of 1 (LENG); expected a whole number of "
         "thousandths of a bit, or * for a probability of 0"},
        {"another node", replaced(text, "\n     2 ", "\n     3 "), 0,
         "line 28: found \"3\" at the start of the line; expected 2 and the matches of node 2 of 11 (LENG)"},
        {"no column", replaced(small(scores + " 0"), "ALPH", "MAP yes\nALPH"), 0,
         "line 10: found \"\" in the column MAP after the matches of node 1 of 1 (LENG); the header says MAP yes, so "
         "the number of an alignment column was expected"},
        {"a column below 0", replaced(small(scores + " 0 -2"), "ALPH", "MAP yes\nALPH"), 0,
         "line 10: found \"-2\" in the column MAP after the matches of node 1 of 1 (LENG); the header says MAP yes, so "
         "the number of an alignment column was expected"},
        {"no letter", replaced(small(scores + " 0"), "\n-  0", "\n\xc3  0"), 0,
         "line 10: found \"\xc3\" for RF before the inserts of node 1 of 1 (LENG); a letter was expected"},
        {"transitions short", replaced(text, "-701  -1378    -12      *", ""), 0,
         "line 27: the line has 5 of 7 scores for the transitions of node 1 of 11 (LENG)"},
        {"length too large", replaced(text, "LENG  11", "LENG  12"), 0,
         "line 58: the profile \"Every_field\" ends here; expected the matches of node 12 of 12 (LENG). LENG and the "
         "number of nodes do not agree"},
        {"length too small", replaced(small(scores + " 0"), "//", "2 0\n//"), 0,
         "line 12: found \"2 0\"; expected // after the transitions of node 1 of 1 (LENG)"},
        {"// within a node", replaced(small(scores + " 0"), "\n- *", "\n//\n- *"), 0,
         "line 11: the profile \"x\" ends here; expected the transitions of node 1 of 1 (LENG). LENG and the number of "
         "nodes do not agree"},
        {"cut in the header", cut_before("NULE"), 0,
         "line 20: the file ends within the profile \"Every_field\"; expected header lines and then the line HMM. Is "
         "the file cut off?"},
        {"no //", small(scores + " 0").substr(0, small(scores + " 0").size() - 3), 0,
         "line 12: the file ends within the profile \"x\"; expected // after the transitions of node 1 of 1 (LENG). Is "
         "the file cut off?"},
        {"the second cut off", text.substr(0, text.size() - 3), 1,
         "line 73: the file ends within the profile \"bare\"; expected // after the transitions of node 2 of 2 (LENG). "
         "Is the file cut off?"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        const std::filesystem::path file = folder.write("p.hmm", one.bytes);
        for (const std::size_t block_bytes : {std::size_t{3}, kDefaultBlockBytes}) {
            const Reading reading = read(file, block_bytes);
            CHECK(reading.profiles.size() == one.profiles);
            CHECK(reading.error == file.string() + ": " + one.message);
        }
    }
}

}  // namespace warpseq
