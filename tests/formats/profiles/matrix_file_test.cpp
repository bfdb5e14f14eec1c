// Matrix files: NCBI's text format, letters that a file lacks, and files that are refused.
#include "formats/profiles/matrix_file.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using namespace std::string_literals;  // text with NUL bytes in it

ResidueCode code(char letter) { return kSymbolTable[static_cast<unsigned char>(letter)]; }

/// Returns an invented score that differs for almost every ordered pair.
int score_of(char row, char column) { return ((row * 31 + column * 17) % 41) - 20; }

/// Returns a matrix file with these letters as rows and columns.
std::string matrix_text(std::string_view rows, std::string_view columns) {
    std::string text = "# made up\n ";
    for (const char column : columns) text += std::string("  ") + column;
    text += '\n';
    for (const char row : rows) {
        text += row;
        for (const char column : columns) text += "  " + std::to_string(score_of(row, column));
        text += '\n';
    }
    return text;
}

constexpr std::string_view kTwenty = "ARNDCQEGHILKMFPSTWYV";
constexpr std::string_view kNcbi = "ARNDCQEGHILKMFPSTWYVBZX*";

int mean_down(int a, int b) { return (a + b) >> 1; }

TEST_CASE("a file with all letters of NCBI's") {
    const Result<SubstitutionMatrix> matrix = parse_matrix(matrix_text(kNcbi, kNcbi), "M", "m.txt");
    REQUIRE_MESSAGE(matrix.ok(), matrix.status().message());
    CHECK(matrix->name() == "M");
    for (const char row : kNcbi) {
        for (const char column : kNcbi) CHECK(matrix->score_raw(code(row), code(column)) == score_of(row, column));
    }
    for (const char other : kNcbi) {
        CHECK(matrix->score_raw(kCodeU, code(other)) == score_of('C', other));
        CHECK(matrix->score_raw(code(other), kCodeU) == score_of(other, 'C'));
        CHECK(matrix->score_raw(kCodeO, code(other)) == score_of('X', other));
        CHECK(matrix->score_raw(code(other), kCodeO) == score_of(other, 'X'));
        CHECK(matrix->score_raw(kCodeJ, code(other)) == mean_down(score_of('I', other), score_of('L', other)));
        CHECK(matrix->score_raw(code(other), kCodeJ) == mean_down(score_of(other, 'I'), score_of(other, 'L')));
    }
    CHECK(matrix->score_raw(kCodeU, kCodeU) == score_of('C', 'C'));
    CHECK(matrix->score_raw(kCodeU, kCodeO) == score_of('C', 'X'));
    CHECK(matrix->score_raw(kCodeO, kCodeO) == score_of('X', 'X'));
    CHECK(matrix->score_raw(kPaddingCode, code('A')) == SubstitutionMatrix::kPaddingScore);
}

TEST_CASE("a file with the 20 amino acids alone") {
    const Result<SubstitutionMatrix> matrix = parse_matrix(matrix_text(kTwenty, kTwenty), "M", "m.txt");
    REQUIRE_MESSAGE(matrix.ok(), matrix.status().message());
    int lowest = 0;
    for (const char row : kTwenty) {
        for (const char column : kTwenty) lowest = std::min(lowest, score_of(row, column));
    }
    for (const char other : kTwenty) {
        CHECK(matrix->score_raw(kCodeX, code(other)) == -1);
        CHECK(matrix->score_raw(code(other), kCodeO) == -1);
        CHECK(matrix->score_raw(kCodeStop, code(other)) == lowest);
        CHECK(matrix->score_raw(code(other), kCodeStop) == lowest);
        CHECK(matrix->score_raw(kCodeB, code(other)) == mean_down(score_of('D', other), score_of('N', other)));
        CHECK(matrix->score_raw(code(other), kCodeZ) == mean_down(score_of(other, 'E'), score_of(other, 'Q')));
    }
    CHECK(matrix->score_raw(kCodeStop, kCodeStop) == 1);
    CHECK(matrix->score_raw(kCodeX, kCodeX) == -1);
    CHECK(matrix->score_raw(kCodeX, kCodeStop) == lowest);
}

TEST_CASE("a file's own rows for U, O and J win; rows and columns may come in any order") {
    const std::string_view letters = "UJO*XZBVYWTSPFMKLIHGEQCDNRA";
    const std::string_view reversed = "ARNDCQEGHILKMFPSTWYVBZX*OJU";
    const Result<SubstitutionMatrix> matrix = parse_matrix(matrix_text(letters, reversed), "M", "m.txt");
    REQUIRE_MESSAGE(matrix.ok(), matrix.status().message());
    for (const char row : letters) {
        for (const char column : letters) CHECK(matrix->score_raw(code(row), code(column)) == score_of(row, column));
    }
}

TEST_CASE("line ends, byte order mark, comments, lower case, plus signs") {
    const std::string plain = matrix_text(kNcbi, kNcbi);
    std::string other = "\xef\xbb\xbf\r\n# first\r\n";
    for (std::size_t i = plain.find('\n') + 1; i < plain.size(); ++i) {
        if (plain[i] == '\n') {
            other += "\r\n# between\r\n\r\n";
        } else if (plain[i] >= 'A' && plain[i] <= 'Z') {
            other += static_cast<char>(plain[i] + 0x20);
        } else if (plain[i] >= '0' && plain[i] <= '9' && plain[i - 1] == ' ') {
            other += std::string("+") + plain[i];
        } else {
            other += plain[i];
        }
    }
    const Result<SubstitutionMatrix> a = parse_matrix(plain, "M", "m.txt"), b = parse_matrix(other, "M", "m.txt");
    REQUIRE(a.ok());
    REQUIRE_MESSAGE(b.ok(), b.status().message());
    CHECK(a->table() == b->table());
}

TEST_CASE("refused files, with file, line and column in the message") {
    const std::string sound = matrix_text(kNcbi, kNcbi);
    const auto changed = [&](std::string_view from, std::string_view to) {
        std::string text = sound;
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        return text.replace(at, from.size(), to);
    };
    struct Case {
        std::string text, part;
    };
    const std::string first_score = std::to_string(score_of('A', 'A'));
    for (const Case& c : std::vector<Case>{
             {"", "m.txt: has no row for A"},
             {"# comment only\n", "m.txt: has no row for A"},
             {matrix_text("ARNDCQEGHILKMFPSTWY", kNcbi), "m.txt: has no row for V"},
             {matrix_text(kNcbi, "RNDCQEGHILKMFPSTWYV"), "m.txt: has no column for A"},
             {"\n  A  R  ?\n", "m.txt: line 2, column 9: found \"?\""},
             {"  A  R  AB\n", "m.txt: line 1, column 9: found \"AB\""},
             {"  A  R  A\n", "m.txt: line 1, column 9: the column \"A\" is there twice"},
             {"  A  R\nA 1 2\nA 1 2\n", "m.txt: line 3, column 1: the row \"A\" is there twice"},
             {"  A  R\nA 1\n", "line 2, column 1: the row \"A\" has 1 scores; the line of letters names 2 columns"},
             {"  A  R\nA 1 2 3\n", "has 3 scores"},
             {"  A  R\n7 1 2\n", "line 2, column 1: found \"7\"; a row has to begin with its residue letter"},
             {"  A  R\nA 1 x\n", "line 2, column 5: found \"x\"; a score has to be a whole number from -127 to 127"},
             {"  A  R\nA 1 1.5\n", "found \"1.5\""},
             {"  A  R\nA 1 128\n", "found \"128\""},
             {"  A  R\nA 1 -128\n", "found \"-128\""},
             {"  A  R\nA 1 +-1\n", "found \"+-1\""},
             {"  A  R\nA 1 99999999999999999999\n", "found \"99999999999999999999\""},
             {">a\nMKV\n",
              "line 1, column 1: found \">a\"; the first line that is not a '#' comment has to name the columns"},
             {changed("A  " + first_score, "A  \0"s), "line 3, column 4"},
         }) {
        CAPTURE(c.text);
        const Result<SubstitutionMatrix> matrix = parse_matrix(c.text, "M", "m.txt");
        REQUIRE_FALSE(matrix.ok());
        CAPTURE(matrix.status().message());
        CHECK(matrix.status().code() == StatusCode::kInvalidInput);
        CHECK(matrix.status().message().find(c.part) != std::string::npos);
    }
}

TEST_CASE("from a file") {
    const testing::ScratchFolder scratch;
    const Result<SubstitutionMatrix> matrix = read_matrix_file(scratch.write("MINE", matrix_text(kNcbi, kNcbi)));
    REQUIRE(matrix.ok());
    CHECK(matrix->name() == "MINE");
    CHECK(matrix->score_raw(code('A'), code('R')) == score_of('A', 'R'));
    CHECK(read_matrix_file(scratch.path("none")).status().code() == StatusCode::kIo);
    CHECK(read_matrix_file(scratch.write("large", std::string(2'000'000, '#')))
              .status()
              .message()
              .find("larger than 1 MiB") != std::string::npos);
    CHECK_FALSE(read_matrix_file(scratch.write("bad", "nothing")).ok());
}

TEST_CASE("a matrix of nucleotides: letters that a file has, and those it lacks") {
    const auto base = [](char letter) { return encode_nucleotides({&letter, 1})->front(); };
    const std::string some =
        "   A  C  G  U  N\nA  5 -4 -4 -3  1\nC -4  5 -4 -4  1\nG -4 -4  5 -4  1\nU -2 -4 -4  5  1\nN  1  1  1  1  0\n";
    const Result<SubstitutionMatrix> matrix = parse_matrix(some, "M", "m.txt", Alphabet::kNucleotide);
    REQUIRE_MESSAGE(matrix.ok(), matrix.status().message());
    CHECK(matrix->score_raw(base('A'), base('T')) == -3);
    CHECK(matrix->score_raw(base('T'), base('A')) == -2);
    CHECK(matrix->score_raw(base('A'), base('N')) == 1);
    CHECK(matrix->score_raw(base('N'), base('N')) == 0);
    CHECK(matrix->score_raw(base('A'), base('R')) == 0);  // 0.5, halves down
    CHECK(matrix->score_raw(base('A'), base('W')) == 1);
    CHECK(matrix->score_raw(base('S'), base('W')) == -4);
    CHECK(matrix->highest_raw() == 5);
    CHECK(matrix->lowest_raw() == -4);

    // U beside T, and letters that are no nucleotides, are passed over.
    const Result<SubstitutionMatrix> both = parse_matrix(
        "  A T G C U X\nA 1 0 0 0 9 9\nT 0 1 0 0 9 9\nG 0 0 1 0 9 9\nC 0 0 0 1 9 9\nU 9 9 9 9 9 9\nX 9 9 9 9 9 9\n",
        "M", "m.txt", Alphabet::kNucleotide);
    REQUIRE_MESSAGE(both.ok(), both.status().message());
    CHECK(both->highest_raw() == 1);
    CHECK(both->score_raw(base('A'), base('U')) == 0);

    const Result<SubstitutionMatrix> none =
        parse_matrix("  A C G\nA 1 0 0\nC 0 1 0\nG 0 0 1\n", "M", "m.txt", Alphabet::kNucleotide);
    REQUIRE_FALSE(none.ok());
    CHECK(none.status().message() ==
          "m.txt: has no row for T; the bases A, C, G and T are needed as rows and as columns");
}

}  // namespace
}  // namespace warpseq
