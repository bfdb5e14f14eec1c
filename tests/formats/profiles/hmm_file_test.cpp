// Profile files: every version of the format, parts that may be missing, and the messages for files
// that are refused.
//
// tests/golden/hmm/every-field-3X.hmm are one profile that HMMER 3.3.2's hmmbuild made, in each
// format that its hmmconvert writes.
#include "formats/profiles/hmm_file.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/golden_folder.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace warpseq {
namespace {

using namespace std::string_literals;  // text with NUL bytes in it
using testing::ScratchFolder;

std::filesystem::path golden(char version) {
    return testing::golden_folder() / "hmm" / ("every-field-3"s + version + ".hmm");
}

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<ProfileHmm> read_all(HmmFileReader reader) {
    std::vector<ProfileHmm> profiles;
    ProfileHmm hmm;
    for (;;) {
        const Result<bool> got = reader.next(hmm);
        REQUIRE_MESSAGE(got.ok(), got.status().message());
        if (!*got) break;
        profiles.push_back(hmm);
    }
    CHECK(reader.profiles_read() == profiles.size());
    return profiles;
}

/// Returns the error that reading ends with. Every further call must return it, too.
std::string error_of(const std::filesystem::path& file, std::size_t block_bytes = kDefaultBlockBytes) {
    HmmFileReader reader(file, block_bytes);
    ProfileHmm hmm;
    for (;;) {
        const Result<bool> got = reader.next(hmm);
        if (got.ok() && *got) continue;
        REQUIRE_FALSE(got.ok());
        CHECK(reader.next(hmm).status().message() == got.status().message());
        return got.status().message();
    }
}

template <typename Row>
bool same_bits(const std::vector<Row>& a, const std::vector<Row>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        for (std::size_t i = 0; i < a[k].size(); ++i) {
            if (std::bit_cast<std::uint32_t>(a[k][i]) != std::bit_cast<std::uint32_t>(b[k][i])) return false;
        }
    }
    return true;
}

bool same_probabilities(const ProfileHmm& a, const ProfileHmm& b) {
    return a.length == b.length && same_bits(a.match, b.match) && same_bits(a.insert, b.insert) &&
           same_bits(a.transitions, b.transitions) && a.composition == b.composition;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

/// Returns the text without the line that begins like this.
std::string without_line(std::string text, std::string_view start) {
    const std::size_t at = text.find("\n"s.append(start)) + 1;
    REQUIRE(at != 0);
    return text.erase(at, text.find('\n', at) + 1 - at);
}

TEST_CASE("all fields of a profile in format 3/f") {
    const std::vector<ProfileHmm> profiles = read_all(HmmFileReader(golden('f')));
    REQUIRE(profiles.size() == 1);
    const ProfileHmm& hmm = profiles[0];
    CHECK(hmm.name == "Every_field");
    CHECK(hmm.accession == "PF99999.7");
    CHECK(hmm.description == "A family made up for tests;  with two blanks");
    CHECK(hmm.length == 11);
    CHECK(hmm.longest_instance == 40);
    CHECK(hmm.sequences == 4);
    CHECK(hmm.effective_sequences == 4.0f);
    CHECK(hmm.checksum == 426789525u);
    REQUIRE((hmm.gathering && hmm.trusted && hmm.noise && hmm.statistics));
    CHECK(hmm.gathering->sequence_bits == 25.10f);
    CHECK(hmm.gathering->domain_bits == 20.20f);
    CHECK(hmm.trusted->sequence_bits == 25.35f);
    CHECK(hmm.trusted->domain_bits == 20.50f);
    CHECK(hmm.noise->sequence_bits == 24.90f);
    CHECK(hmm.noise->domain_bits == 19.75f);
    CHECK(hmm.statistics->msv_mu == -6.0005f);
    CHECK(hmm.statistics->viterbi_mu == -6.3191f);
    CHECK(hmm.statistics->forward_tau == -3.4108f);
    CHECK(hmm.statistics->msv_lambda == 0.74363f);
    CHECK(hmm.statistics->viterbi_lambda == 0.74363f);
    CHECK(hmm.statistics->forward_lambda == 0.74363f);
    CHECK(hmm.consensus == "MKxxhCAEWGT");
    CHECK(hmm.reference == "xxxxxxxxxxx");
    CHECK(hmm.mask == "--mm-------");
    CHECK(hmm.structure == "HHHHH.CCE-S");
    CHECK(hmm.map == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12});

    REQUIRE(hmm.match.size() == 12);
    REQUIRE(hmm.insert.size() == 12);
    REQUIRE(hmm.transitions.size() == 12);
    CHECK(hmm.match[0] == ProfileHmm::Residues{});
    // Bits from `hmmconvert -b` of HMMER 3.3.2.
    CHECK(std::bit_cast<std::uint32_t>(hmm.match[1][0]) == 0x3c2a13adu);
    CHECK(std::bit_cast<std::uint32_t>(hmm.match[11][19]) == 0x3b4d0deau);
    CHECK(std::bit_cast<std::uint32_t>(hmm.insert[0][0]) == 0x3d8b8d5eu);
    CHECK(std::bit_cast<std::uint32_t>(hmm.insert[9][8]) == 0x3d8cf695u);
    CHECK(std::bit_cast<std::uint32_t>(hmm.transitions[9][kMatchInsert]) == 0x3e4ed5c8u);
    CHECK(std::bit_cast<std::uint32_t>(hmm.composition[3]) == 0x3d8b7684u);
    CHECK(hmm.transitions[0][kDeleteMatch] == 1.0f);
    CHECK(hmm.transitions[0][kDeleteDelete] == 0.0f);
    CHECK(hmm.transitions[11][kMatchDelete] == 0.0f);
}

TEST_CASE("every version of the format gives the same profile, as far as it has the fields") {
    const ProfileHmm newest = read_all(HmmFileReader(golden('f')))[0];
    for (const char version : {'a', 'b', 'c', 'd', 'e'}) {
        CAPTURE(version);
        const std::vector<ProfileHmm> profiles = read_all(HmmFileReader(golden(version)));
        REQUIRE(profiles.size() == 1);
        const ProfileHmm& hmm = profiles[0];
        CHECK(same_probabilities(hmm, newest));
        CHECK(hmm.name == newest.name);
        CHECK(hmm.accession == newest.accession);
        CHECK(hmm.description == newest.description);
        CHECK(hmm.reference == newest.reference);
        CHECK(hmm.structure == newest.structure);
        CHECK(hmm.map == newest.map);
        CHECK(hmm.mask.empty());
        CHECK(hmm.longest_instance == (version < 'c' ? std::nullopt : std::optional(40)));
        // Before 3/e the consensus is the likeliest residues, even in columns that were masked, for
        // which the file has x.
        CHECK(hmm.consensus == (version < 'e' ? "MKllhCAEWGT" : "MKxxhCAEWGT"));
        REQUIRE(hmm.statistics);
        CHECK(hmm.statistics->msv_mu == newest.statistics->msv_mu);
        CHECK(hmm.statistics->viterbi_mu ==
              (version == 'a' ? newest.statistics->msv_mu : newest.statistics->viterbi_mu));
        CHECK(hmm.statistics->forward_tau == newest.statistics->forward_tau);
        CHECK(hmm.statistics->msv_lambda == newest.statistics->msv_lambda);
        CHECK(hmm.statistics->viterbi_lambda == newest.statistics->viterbi_lambda);
        CHECK(hmm.statistics->forward_lambda == newest.statistics->forward_lambda);
    }
}

TEST_CASE("line ends, a byte order mark, comments, blank lines and the block size change nothing") {
    const ScratchFolder folder;
    const std::string text = bytes_of(golden('f'));
    const ProfileHmm expected = read_all(HmmFileReader(golden('f')))[0];
    const auto with_line_ends = [&](std::string_view end) {
        std::string result;
        for (const char byte : text) byte == '\n' ? result += end : result += byte;
        return result;
    };
    for (const std::string& variant :
         {text, with_line_ends("\r\n"), with_line_ends("\r"), with_line_ends("\n\n \t\n# a comment\n"),
          "\xef\xbb\xbf" + text, "\n# a comment\n" + text, text.substr(0, text.size() - 1)}) {
        const std::filesystem::path file = folder.write("p.hmm", variant);
        for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{7}, kDefaultBlockBytes}) {
            const std::vector<ProfileHmm> profiles = read_all(HmmFileReader(file, block_bytes));
            REQUIRE(profiles.size() == 1);
            CHECK(same_probabilities(profiles[0], expected));
            CHECK(profiles[0].description == expected.description);
            CHECK(profiles[0].structure == expected.structure);
        }
    }
}

TEST_CASE("many profiles, of several versions, compressed") {
    const ScratchFolder folder;
    std::string text;
    for (int i = 0; i < 40; ++i) text += bytes_of(golden(static_cast<char>('a' + i % 6)));
    const std::filesystem::path file = folder.path("many.hmm.gz");
    gzFile out = gzopen(file.c_str(), "wb");
    REQUIRE(gzwrite(out, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
    REQUIRE(gzclose(out) == Z_OK);
    const ProfileHmm expected = read_all(HmmFileReader(golden('f')))[0];
    const std::vector<ProfileHmm> profiles = read_all(HmmFileReader(file));
    REQUIRE(profiles.size() == 40);
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        CHECK(same_probabilities(profiles[i], expected));
        CHECK(profiles[i].mask.empty() == (i % 6 != 5));  // nothing of a profile is left over in the next
        CHECK(profiles[i].longest_instance.has_value() == (i % 6 >= 2));
    }

    const std::string stored = bytes_of(file);
    const std::string cut = error_of(folder.write("cut.hmm.gz", stored.substr(0, stored.size() / 2)));
    CHECK_MESSAGE(cut.find("cut off") != std::string::npos, cut);
}

TEST_CASE("lines that may be missing") {
    const ScratchFolder folder;
    std::string text = bytes_of(golden('f'));
    for (const char* const start : {"ACC", "DESC", "MAXL", "RF", "MM", "CONS", "CS", "MAP", "DATE", "NSEQ", "EFFN",
                                    "CKSUM", "GA", "TC", "NC", "STATS", "STATS", "STATS", "  COMPO"}) {
        text = without_line(std::move(text), start);
    }
    text = replaced(text, "ALPH  amino", "ALPH  Amino\nDESC\nBM    hmmbuild HMM SEED\nGA    25.10 20.20;");
    const std::vector<ProfileHmm> profiles = read_all(HmmFileReader(folder.write("p.hmm", text)));
    REQUIRE(profiles.size() == 1);
    const ProfileHmm& hmm = profiles[0];
    const ProfileHmm whole = read_all(HmmFileReader(golden('f')))[0];
    CHECK(same_bits(hmm.match, whole.match));
    CHECK((hmm.accession.empty() && hmm.description.empty() && hmm.reference.empty() && hmm.mask.empty()));
    CHECK((hmm.structure.empty() && hmm.map.empty()));
    CHECK(!(hmm.longest_instance || hmm.sequences || hmm.effective_sequences || hmm.checksum));
    CHECK(!(hmm.trusted || hmm.noise || hmm.statistics));
    REQUIRE(hmm.gathering);
    CHECK(hmm.gathering->domain_bits == 20.20f);
    CHECK(hmm.consensus == consensus_of(whole));
    CHECK(std::count(hmm.composition.begin(), hmm.composition.end(), kUnknownComposition) == kAminoAcids);
}

TEST_CASE("malformed files: each says where, what was found and what was expected") {
    const ScratchFolder folder;
    const std::string text = bytes_of(golden('f'));
    const std::string oldest = bytes_of(golden('a'));
    const auto line_begin = [&](int line) {
        std::size_t at = 0;
        for (int i = 1; i < line; ++i) at = text.find('\n', at) + 1;
        return at;
    };
    const auto cut_before = [&](int line) { return text.substr(0, line_begin(line)); };
    const std::string huge_line = "HMMER3/f\nNAME " + std::string(kLongestHmmLineBytes, 'x') + "\n";
    struct Case {
        const char* what;
        std::string bytes;
        const char* message;  // behind the file's name
    };
    const Case cases[] = {
        {"empty", "", "is empty: there is no profile in it; a profile in HMMER 3's text format was expected"},
        {"blank lines", "\n \n# nothing\n",
         "there is no profile in it; a profile in HMMER 3's text format was expected"},
        {"unknown version", replaced(text, "HMMER3/f", "HMMER3/g"),
         "line 1: this file has the unknown format \"HMMER3/g\"; a profile file begins with a line HMMER3/a to "
         "HMMER3/f, or HMMER2.0"},
        {"version alone", "HMMER\n",
         "line 1: this file has the unknown format \"HMMER\"; a profile file begins with a line "
         "HMMER3/a to HMMER3/f, or HMMER2.0"},
        {"HMMER1", "HMMER1.0\nNAME x\n",
         "line 1: this file has the unknown format \"HMMER1.0\"; a profile file begins with a line HMMER3/a to "
         "HMMER3/f, or HMMER2.0"},
        {"date without a value", replaced(text, "DATE  ", "DATE  \n"),
         "line 13: found \"DATE  \"; expected DATE and a date"},
        {"command without a value", replaced(text, "NSEQ", "COM   [1]\nNSEQ"),
         "line 14: found \"COM   [1]\"; expected COM and a command"},
        {"binary profile", "\xba\xed\xed\xe8\x0b\0\0\0"s,
         "profile 1: the file ends within it; expected the number of nodes. Is the file cut off?"},
        {"binary", "\x01\x02\x03\n"s,
         "line 1: this file is not text but binary data; a profile file begins with a line HMMER3/a to HMMER3/f, "
         "or HMMER2.0"},
        {"alignment", "# STOCKHOLM 1.0\n",
         "line 1: this file is an alignment (Stockholm); build a profile from it with hmmbuild"},
        {"FASTA", "\n>x\nACD\n",
         "line 2: this file looks like FASTA; a profile file begins with a line HMMER3/a to HMMER3/f, "
         "or HMMER2.0"},
        {"text", "Hello world\n",
         "line 1: this file begins with \"Hello world\"; a profile file begins with a line HMMER3/a to HMMER3/f, "
         "or HMMER2.0"},
        {"NUL", replaced(text, "NSEQ  4", "NSEQ  4\0"s),
         "line 14: found a NUL byte (0x00); is this text? Binary data cannot be read"},
        {"long line", huge_line, "line 2: the line is longer than 1 MiB; is this a profile file?"},
        {"only a format", "HMMER3/f\n",
         "line 2: the file ends within the profile that begins in line 1; expected header lines and then the line HMM. "
         "Is the "
         "file cut off?"},
        {"no name", without_line(text, "NAME"),
         "line 22: found the line HMM; the profile that begins in line 1 has no NAME line before it"},
        {"no length", without_line(text, "LENG"),
         "line 22: found the line HMM; the profile \"Every_field\" has no LENG line before it"},
        {"no alphabet", without_line(text, "ALPH"),
         "line 22: found the line HMM; the profile \"Every_field\" has no ALPH line before it"},
        {"name twice", replaced(text, "LENG", "NAME  again\nLENG"),
         "line 5: NAME is there twice in the profile \"Every_field\", first in line 2"},
        {"name without a value", replaced(text, "NAME  Every_field", "NAME"),
         "line 2: NAME has no value; expected the profile's name"},
        {"length 0", replaced(text, "LENG  11", "LENG  0"),
         "line 5: found \"0\" after LENG; expected the number of nodes, from 1 to 1000000"},
        {"length no number", replaced(text, "LENG  11", "LENG  11x"),
         "line 5: found \"11x\" after LENG; expected the number of nodes, from 1 to 1000000"},
        {"length absurd", replaced(text, "LENG  11", "LENG  2000000000"),
         "line 5: found \"2000000000\" after LENG; expected the number of nodes, from 1 to 1000000"},
        {"length large", replaced(text, "LENG  11", "LENG  1000000"),
         "line 61: the profile \"Every_field\" ends here; expected the matches of node 12 of 1000000 (LENG). LENG and "
         "the number "
         "of nodes do not agree"},
        {"length too small", replaced(text, "LENG  11", "LENG  10"),
         "line 58: found \"     11   3.01789  4.94120  4.81779  4.67739  5.53850  3.726...\"; expected // after "
         "the "
         "transitions of node 10 of 10 (LENG)"},
        {"DNA", replaced(text, "amino", "DNA"),
         "line 7: found \"DNA\" after ALPH; expected amino: only protein profiles are supported"},
        {"RF neither yes nor no", replaced(text, "RF    yes", "RF    perhaps"),
         "line 8: found \"perhaps\" after RF; expected yes or no"},
        {"NSEQ no number", replaced(text, "NSEQ  4", "NSEQ  many"),
         "line 14: found \"many\" after NSEQ; expected a whole number, 0 or more"},
        {"EFFN no number", replaced(text, "EFFN  4", "EFFN  -4"),
         "line 15: found \"-4.000000\" after EFFN; expected a number, 0 or more"},
        {"CKSUM too large", replaced(text, "426789525", "4294967296"),
         "line 16: found \"4294967296\" after CKSUM; expected a whole number, 0 or more"},
        {"one cutoff", replaced(text, "GA    25.10 20.20", "GA    25.10"),
         "line 17: found \"GA    25.10\"; expected GA and two scores in bits, of the sequence and of the domain"},
        {"cutoff not finite", replaced(text, "24.90 19.75", "24.90 inf"),
         "line 19: found \"NC    24.90 inf\"; expected NC and two scores in bits, of the sequence and of the "
         "domain"},
        {"statistics of what", replaced(text, "LOCAL VITERBI", "LOCAL ZUSE"),
         "line 21: found \"STATS LOCAL ZUSE   -6.3191  0.74363\"; expected STATS LOCAL, one of MSV, VITERBI and "
         "FORWARD, and two "
         "numbers: location and lambda, which is above 0"},
        {"statistics no number", replaced(text, "-3.4108", "-3.41o8"),
         "line 22: found \"STATS LOCAL FORWARD   -3.41o8  0.74363\"; expected STATS LOCAL, one of MSV, VITERBI and "
         "FORWARD, and "
         "two numbers: location and lambda, which is above 0"},
        {"statistics lambda 0", replaced(oldest, "0.743630", "0.000000"),
         "line 17: found \"STATS LOCAL     VLAMBDA 0.000000\"; expected STATS LOCAL, one of VMU, VLAMBDA and FTAU, and "
         "a number, "
         "which for VLAMBDA is above 0"},
        {"statistics in part", without_line(text, "STATS LOCAL VITERBI"),
         "line 22: found the line HMM; the profile \"Every_field\" has some of the three STATS lines but no STATS "
         "LOCAL VITERBI "
         "before it"},
        {"statistics twice", replaced(text, "LOCAL VITERBI", "LOCAL MSV"),
         "line 21: STATS LOCAL MSV is there twice in the profile \"Every_field\", first in line 20"},
        {"// in the header", replaced(text, "NSEQ  4", "//"),
         "line 14: the profile \"Every_field\" ends within its header; expected the line HMM and the nodes"},
        {"a profile in the header", cut_before(14) + text,
         "line 14: another profile begins within the header of the profile \"Every_field\"; expected the line HMM and "
         "the "
         "nodes"},
        {"residues in another order", replaced(text, "A        C ", "C        A "),
         "line 23: found \"HMM          C        A        D        E        F        G ...\"; expected HMM and the "
         "letters of "
         "the amino acids in alphabetical order, ACDEFGHIKLMNPQRSTVWY"},
        {"no line of transitions", without_line(text, "            m->m"),
         "line 24: found \"  COMPO   2.27441  2.43183  3.22026  2.68682  4.11136  2.268...\"; expected the line of "
         "transitions, "
         "m->m to d->d"},
        {"COMPO short", replaced(text, "  COMPO   2.27441", "  COMPO"),
         "line 25: the line has 19 of 20 numbers for COMPO"},
        {"no number", replaced(text, "4.56781", "4.S6781"),
         "line 28: found \"4.S6781\" as number 1 for the matches of node 1 of 11 (LENG); expected -ln of a "
         "probability, 0 or "
         "more, or * for a probability of 0"},
        {"a probability above 1", replaced(text, "5.74461", "-5.74461"),
         "line 28: found \"-5.74461\" as number 2 for the matches of node 1 of 11 (LENG); expected -ln of a "
         "probability, 0 or "
         "more, or * for a probability of 0"},
        {"not a number", replaced(text, "5.74461", "nan"),
         "line 28: found \"nan\" as number 2 for the matches of node 1 of 11 (LENG); expected -ln of a probability, 0 "
         "or more, "
         "or * for a probability of 0"},
        {"a line of another version", replaced(text, "1 M x - H", "1 M x H"),
         "line 28: found 25 words for the matches of node 1 of 11 (LENG); HMMER3/f has 26: the node, 20 numbers and "
         "the columns "
         "MAP CONS RF MM CS"},
        {"another node", replaced(text, "\n      2  ", "\n      3  "),
         "line 31: found \"3\" at the start of the line; expected 2 and the matches of node 2 of 11 (LENG)"},
        {"no column number", replaced(text, "      1 M x", "      - M x"),
         "line 28: found \"-\" in the column MAP after the matches of node 1 of 11 (LENG); the header says MAP yes, "
         "so the "
         "number of an alignment column was expected"},
        {"two letters", replaced(text, "1 M x - H", "1 Me x - H"),
         "line 28: found \"Me\" in the column CONS after the matches of node 1 of 11 (LENG); one letter was expected"},
        {"cut within a line", text.substr(0, line_begin(27) + 30),
         "line 27: the line has 3 of 7 numbers for the transitions of node 0 of 11 (LENG)"},
        {"cut before a node", cut_before(31),
         "line 31: the file ends within the profile \"Every_field\"; expected the matches of node 2 of 11 (LENG). Is "
         "the file cut "
         "off?"},
        {"cut before //", cut_before(61),
         "line 61: the file ends within the profile \"Every_field\"; expected // after the transitions of node 11 of "
         "11 (LENG). "
         "Is the file cut off?"},
        {"// within a node", cut_before(30) + "//\n",
         "line 30: the profile \"Every_field\" ends here; expected the transitions of node 1 of 11 (LENG). LENG and "
         "the number "
         "of nodes do not agree"},
        {"text behind a profile", text + "Hello world\n",
         "line 62: found \"Hello\" after the // of a profile; expected the end of the file or a line HMMER3/a to "
         "HMMER3/f"},
        {"a damaged second profile", text + replaced(text, "4.56781", "?"),
         "line 89: found \"?\" as number 1 for the matches of node 1 of 11 (LENG); expected -ln of a probability, 0 or "
         "more, or "
         "* for a probability of 0"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        const std::filesystem::path file = folder.write("p.hmm", one.bytes);
        CHECK(error_of(file) == file.string() + ": " + one.message);
        if (one.bytes.size() < kLongestHmmLineBytes) CHECK(error_of(file, 3) == file.string() + ": " + one.message);
    }
    CHECK(error_of(folder.path("absent.hmm")).find("cannot be opened") != std::string::npos);
}

TEST_CASE("the shared profiles") {
    const std::pair<const char*, std::size_t> files[] = {{"data/hmm/more.hmm.gz", 13},
                                                         {"data/hmm/pfam-families.hmm.gz", 30},
                                                         {"data/hmm/pfam-lengths-100-2405.hmm.gz", 24},
                                                         {"data/hmm/small-and-odd.hmm.gz", 9},
                                                         {"data/edge/profile-3b.hmm", 1},
                                                         {"data/edge/profile-3e.hmm", 1}};
    for (const auto& [name, count] : files) {
        const auto file = testing::shared_data(name);
        if (!file) return;
        const std::vector<ProfileHmm> profiles = read_all(HmmFileReader(*file));
        CHECK(profiles.size() == count);
        for (const ProfileHmm& hmm : profiles) {
            CAPTURE(hmm.name);
            const auto length = static_cast<std::size_t>(hmm.length);
            CHECK(hmm.match.size() == length + 1);
            CHECK(hmm.consensus.size() == length);
            CHECK(hmm.statistics.has_value());
            const ProfileHmm::Residues composition = composition_of(hmm);
            for (std::size_t a = 0; a < composition.size() && hmm.composition[0] != kUnknownComposition; ++a) {
                CHECK(hmm.composition[a] == doctest::Approx(composition[a]).epsilon(1e-3));
            }
            for (std::size_t k = 1; k <= length; ++k) {
                float sum = 0;
                for (const float p : hmm.match[k]) sum += p;
                CHECK(sum == doctest::Approx(1).epsilon(1e-4));
            }
        }
    }
    const std::string dna = error_of(*testing::shared_data("data/edge/dna-profiles.hmm"));
    CHECK_MESSAGE(dna.find("line 5: found \"DNA\" after ALPH") != std::string::npos, dna);
}

}  // namespace
}  // namespace warpseq
