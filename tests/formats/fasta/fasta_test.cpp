// FastaReader: accepted input, counts, refused input and messages.
#include "formats/fasta/fasta.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace warpseq {
namespace {

using namespace std::string_literals;  // text with NUL bytes in it
using namespace std::string_view_literals;

/// With the small sizes, lines and records cross block borders in every way.
constexpr std::array<std::size_t, 6> kBlockSizes{1, 2, 3, 7, 61, kDefaultBlockBytes};

struct Reading {
    std::vector<std::pair<std::string, std::string>> records;  // header, residue letters
    std::vector<std::uint64_t> lines;
    FastaCounts counts;
    std::vector<FastaSource> sources;
    std::vector<std::string> left_out;
    std::string error;
    Advice advice = Advice::kNone;
    bool operator==(const Reading& other) const {
        return records == other.records && lines == other.lines && left_out == other.left_out && error == other.error;
    }
};

Reading read_files(std::vector<std::filesystem::path> files, FastaOptions options = {}) {
    Reading reading;
    options.on_invalid_record = [&](const std::string& message) { reading.left_out.push_back(message); };
    FastaReader reader(std::move(files), std::move(options));
    FastaRecord record;
    for (;;) {
        const Result<bool> got = reader.next(record);
        if (!got.ok()) {
            reading.error = got.status().message();
            reading.advice = got.status().advice();
            CHECK(reader.next(record).status().message() == reading.error);
            break;
        }
        if (!*got) break;
        reading.records.emplace_back(record.header, decode_residues(record.residues));
        reading.lines.push_back(record.line);
    }
    reading.counts = reader.counts();
    reading.sources = reader.sources();
    CHECK(reading.counts.records == reading.records.size());
    return reading;
}

/// Reads text with every block size. Checks that all give the same.
Reading read_text(std::string_view text, bool skip_invalid = false) {
    const testing::ScratchFolder scratch;
    const auto file = scratch.write("in.fa", text);
    const auto read = [&](std::size_t block_bytes) {
        FastaOptions options;
        options.skip_invalid_records = skip_invalid;
        options.block_bytes = block_bytes;
        return read_files({file}, options);
    };
    Reading reading = read(kDefaultBlockBytes);
    for (const std::size_t block_bytes : kBlockSizes) {
        CAPTURE(block_bytes);
        CHECK(read(block_bytes) == reading);
    }
    return reading;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

using Records = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("line ends, blank lines, comments, byte order mark, missing final newline") {
    const Records expected{{"a one", "MKV"}, {"b", "WWYY"}};
    for (const char* const text : {
             ">a one\nMKV\n>b\nWWYY\n",
             ">a one\nMKV\n>b\nWWYY",
             ">a one\r\nMKV\r\n>b\r\nWW\r\nYY\r\n",
             ">a one\rMKV\r>b\rWW\rYY",
             ">a one\nMK\rV\r\n\n>b\r\r\nWWYY\r",
             ";\r\r\n>a one\r\r\nMKV\r\r\n>b\r\r\nWW\rYY\r",
             "\r\r;\r>a one\r\rMKV\r>b\r\rWW\rYY\r;\r",
             "\n\n \t\n>a one\nM\nK\n\nV\n\n\n>b\nWW\n \nYY\n\n",
             "\xef\xbb\xbf>a one\nMKV\n>b\nWWYY\n",
             "; comment\n>a one\n;>not a record\nMKV\n;X\n>b\nWW\n;\nYY\n; end",
             ">a one\nmkv\n>b\nwWyY\n",
             ">a one\n M K\tV \n>b\n\v\fWWYY   \n",
         }) {
        CAPTURE(text);
        const Reading reading = read_text(text);
        CHECK(reading.error == "");
        CHECK(reading.records == expected);
        CHECK(reading.counts.residues == 7);
    }
}

TEST_CASE("a header keeps the blanks at its end and loses those at its front, and blanks alone are none") {
    CHECK(read_text("> a one\nM\n> \t\v\fb\t \r\nM\n").records == Records{{"a one", "M"}, {"b\t ", "M"}});
    CHECK(read_text("> a\nM").counts.unnamed == 0);
    CHECK(read_text(">a one  \t\r\nM\n>b \nM\n>  \t\nM\n").records ==
          Records{{"a one  \t", "M"}, {"b ", "M"}, {"unnamed_3", "M"}});
    CHECK(header_without_trailing_blanks("a one  \t") == "a one");
    CHECK(header_without_trailing_blanks(" \t").empty());
}

TEST_CASE("line numbers, whatever the line ends") {
    CHECK(read_text(">a\nM\n\n>b\nM\n").lines == std::vector<std::uint64_t>{1, 4});
    CHECK(read_text("\r\n>a\r\nM\r\n\r\n>b\r\nM\r\n").lines == std::vector<std::uint64_t>{2, 5});
    CHECK(read_text(";\r>a\rM\r\r>b\rM\r").lines == std::vector<std::uint64_t>{2, 5});
}

TEST_CASE("a carriage return that would turn text into residues is an error") {
    struct Case {
        std::string text, part;
        std::size_t records;  // handed out before
    };
    const std::vector<Case> cases{
        {">a\nM\n>b two\rMKV words\nM\n", "in.fa: line 3, column 7: found a carriage return (0x0D) inside a header", 1},
        {">a\r\nM\r\n>b two\rMKV\r\nM\r\n", "in.fa: line 3, column 7: found a carriage return", 1},
        {">a\nM\r>b\rK\n", "in.fa: line 3, column 3: found a carriage return", 1},
        {">a\nM\n;note\rMKV\n>b\nM\n", "in.fa: line 3, column 6: found a carriage return (0x0D) inside a comment", 0},
        {"\n;note\rMKV\n>b\nM\n", "in.fa: line 2, column 6: found a carriage return (0x0D) inside a comment", 0},
        {">a two\rMKV words\nM\n>b\nM\n",
         "in.fa: line 1 ends with a carriage return (CR) and line 2 with a line feed (LF)", 0},
        {">a\rM\r>b\rM\r\n>c\rM\r", "in.fa: line 1 ends with a carriage return (CR) and line 4 with a line feed", 1},
        {";x\r>a\nM\n", "in.fa: line 1 ends with a carriage return (CR) and line 2 with a line feed", 0},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        const Reading reading = read_text(c.text);
        CAPTURE(reading.error);
        CHECK(contains(reading.error, c.part));
        CHECK(reading.records.size() == c.records);
    }
}

TEST_CASE("a record whose header has a carriage return in it can be left out") {
    const Reading reading = read_text(">a\nM\n>b two\rMKV words\nM\n>c\nW\n", true);
    CHECK(reading.error == "");
    CHECK(reading.records == Records{{"a", "M"}, {"c", "W"}});
    CHECK(reading.counts.skipped_invalid == 1);
}

TEST_CASE("every letter of either case becomes its residue code") {
    const Reading reading = read_text(">a\nACDEFGHIKLMNPQRSTVWYBJZOUX*\nacdefghiklmnpqrstvwybjzoux*\n");
    CHECK(reading.records == Records{{"a", "ACDEFGHIKLMNPQRSTVWYBJZOUX*ACDEFGHIKLMNPQRSTVWYBJZOUX*"}});
}

TEST_CASE("ranges of lower-case letters, if requested") {
    const testing::ScratchFolder scratch;
    const auto file = scratch.write("in.fa", ">a\nacDE-f\ng HIk*\n>b\nACD\n>c\n>d\n\nxyz");
    using Ranges = std::vector<ResidueRange>;
    const std::vector<Ranges> expected{{{0, 2}, {4, 6}, {8, 9}}, {}, {}, {{0, 3}}};
    for (const std::size_t block_bytes : kBlockSizes) {
        for (const bool asked : {true, false}) {
            FastaOptions options;
            options.block_bytes = block_bytes;
            options.find_lower_case = asked;
            FastaReader reader({file}, options);
            FastaRecord record;
            for (const Ranges& ranges : expected) {
                REQUIRE(*reader.next(record));
                CHECK(record.lower_case == (asked ? ranges : Ranges()));
            }
            CHECK_FALSE(*reader.next(record));
        }
    }
}

TEST_CASE("gaps are removed and counted") {
    const Reading reading = read_text(">a\nM--K.V-\n>b\n---\n>c\n.M\n");
    CHECK(reading.records == Records{{"a", "MKV"}, {"b", ""}, {"c", "M"}});
    CHECK(reading.counts.gaps_removed == 8);
    CHECK(reading.counts.empty_sequences == 1);
}

TEST_CASE("empty sequences are kept and counted") {
    const Reading reading = read_text(">a\n>b\n\n\n>c\nM\n>d");
    CHECK(reading.records == Records{{"a", ""}, {"b", ""}, {"c", "M"}, {"d", ""}});
    CHECK(reading.counts.empty_sequences == 3);
}

TEST_CASE("a header without an identifier gets a made-up one that counts records of all input") {
    const Reading reading = read_text(">a\nM\n>\nM\n>   \nM\n>\x01other\nM\n");
    CHECK(reading.records == Records{{"a", "M"}, {"unnamed_2", "M"}, {"unnamed_3", "M"}, {"unnamed_4\x01other", "M"}});
    CHECK(reading.counts.unnamed == 3);

    const testing::ScratchFolder scratch;
    const Reading two = read_files({scratch.write("1", ">a\nM\n>b\nM\n"), scratch.write("2", ">\nM\n")});
    CHECK(two.records.back().first == "unnamed_3");
}

TEST_CASE("identifier and description of a header") {
    CHECK(identifier_of("sp|P68871|HBB_HUMAN Hemoglobin  beta") == "sp|P68871|HBB_HUMAN");
    CHECK(description_of("sp|P68871|HBB_HUMAN  Hemoglobin  beta") == "Hemoglobin  beta");
    CHECK(identifier_of("a\tb") == "a");
    CHECK(identifier_of("a\x01gi|2 other") == "a");
    CHECK(description_of("a\x01gi|2 other") == "\x01gi|2 other");
    CHECK(identifier_of("a") == "a");
    CHECK(description_of("a") == "");
    CHECK(identifier_of("") == "");
    CHECK(description_of("") == "");
    CHECK(identifier_of(" b") == "");
    CHECK(description_of(" b") == "b");
}

TEST_CASE("headers are kept byte for byte, UTF-8 and control characters other than NUL among them") {
    const std::string header = "hb\xc3\xa9 \xce\xb2-globin\ttab\x01gi|2 >inner ;not a comment \x7f\x1b[0m";
    CHECK(read_text(">" + header + "  \nM\n").records == Records{{header + "  ", "M"}});
}

TEST_CASE("long headers and long sequences, over many blocks") {
    const testing::ScratchFolder scratch;
    const std::string header = "id " + std::string(3'000'000, 'h') + " end";
    std::string sequence, folded;
    Random random(5);
    for (std::size_t i = 0; i < 2'500'000; ++i) {
        sequence += residue_letter(static_cast<ResidueCode>(random.below(kResidueCodes)));
        folded += sequence.back();
        if (random.below(70) == 0) folded += '\n';
    }
    const Reading reading = read_files({scratch.write("long.fa", ">" + header + "\n" + folded + "\n>b\nMK\n")});
    CHECK(reading.error == "");
    REQUIRE(reading.records.size() == 2);
    CHECK(reading.records[0].first == header);
    CHECK((reading.records[0].second == sequence));
    CHECK(reading.records[1] == std::pair<std::string, std::string>{"b", "MK"});
}

TEST_CASE("a header line without end is refused before it fills the memory") {
    const testing::ScratchFolder scratch;
    const Reading reading = read_files({scratch.write("endless.fa", ">" + std::string(kLongestHeaderBytes + 1, 'h'))});
    CHECK(contains(reading.error, "endless.fa: line 1, column "));
    CHECK(contains(reading.error, "is longer than 64 MiB"));
}

TEST_CASE("a byte that is no residue is an error with file, line, column and byte") {
    struct Case {
        std::string text, part;
    };
    const std::vector<Case> cases{
        {">a\nMKV\nMK1V\n", "in.fa: line 3, column 3: found '1' (0x31) in the sequence of \"a\""},
        {">a b c\r\nMKV\r\nMK?V\r\n", "in.fa: line 3, column 3: found '?' (0x3F) in the sequence of \"a\""},
        {">a\rMKV\r@\r", "in.fa: line 3, column 1: found '@' (0x40)"},
        {"\xef\xbb\xbf>a\nM\n\n#\n", "in.fa: line 4, column 1: found '#' (0x23)"},
        {">a\nMK\0V\n"s, "in.fa: line 2, column 3: found a NUL byte (0x00)"},
        {">a\nMK\xe2V\n", "in.fa: line 2, column 3: found the byte 0xE2"},
        {">a\nMKV>b\n",
         "in.fa: line 2, column 4: found '>' inside a sequence line of \"a\"; a header has to begin its line"},
        {">a\nM\n >b\nM\n", "in.fa: line 3, column 2: found '>' inside a sequence line"},
        {">a\nMK;V\n", "in.fa: line 2, column 3: found ';' (0x3B)"},
        {">ab\0c\nM\n"s, "in.fa: line 1, column 4: found a NUL byte (0x00) in the header \"ab\""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        const Reading reading = read_text(c.text);
        CAPTURE(reading.error);
        CHECK(contains(reading.error, c.part));
        CHECK(reading.records.empty());
    }
}

TEST_CASE("records before a fault are handed out") {
    const Reading reading = read_text(">a\nM\n>b\nM1\n>c\nM\n");
    CHECK(reading.records == Records{{"a", "M"}});
    CHECK(contains(reading.error, "line 4, column 2"));
    CHECK(contains(reading.error, "leave invalid records out"));
    CHECK(reading.advice == Advice::kSkipInvalid);
}

TEST_CASE("files that are not FASTA are refused, with the format's name if it is known") {
    struct Case {
        std::string text, part;
    };
    const std::vector<Case> cases{
        {"", "in.fa: is empty: there is no sequence in it"},
        {"\n\n \n", "in.fa: there is no sequence in it"},
        {"; only a comment", "in.fa: there is no sequence in it"},
        {"\xef\xbb\xbf", "in.fa: there is no sequence in it"},
        {"@read\nACGT\n+\nIIII\n", "in.fa: line 1: this file looks like FASTQ"},
        {"\n\n@read\nACGT\n+\nIIII\n", "in.fa: line 3: this file looks like FASTQ"},
        {"MKVLAW\n>a\nM\n", "line 1: this file has a sequence without a header before it (\"MKVLAW\")"},
        {"once upon a time\n", "line 1: this file has text before the first '>' (\"once upon a time\")"},
        {"\n  >a\nM\n", "line 2: this file has blanks before the first '>'"},
        {std::string("\x7f"
                     "ELF\x02\x01\x01\0\0",
                     9),
         "line 1: this file is not text but binary data"},
        {"\0>a\nM\n"s, "not text but binary data (it begins with a NUL byte (0x00))"},
        {"\xff\xfe>\0a\0\n"s, "this file is UTF-16 text; save it as UTF-8"},
        {"BZh91AY&SY", "this file is compressed with bzip2; unpack it first"},
        {"\xfd"
         "7zXZ",
         "this file is compressed with xz"},
        {"PK\x03\x04", "this file is compressed with zip"},
        {"\xef\xbbMK", "line 1: this file has text before the first '>'"},
        {"\xef \n>a\nM\n", "line 1: this file has text before the first '>'"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        for (const bool skip_invalid : {false, true}) {
            const Reading reading = read_text(c.text, skip_invalid);
            CAPTURE(reading.error);
            CHECK(contains(reading.error, c.part));
            CHECK(reading.records.empty());
        }
    }
}

TEST_CASE("messages show no control characters of the input") {
    CHECK(contains(read_text(">\x1b[31mred\nM1\n").error, "of \"?[31mred\""));
    CHECK(contains(read_text(">" + std::string(500, 'y') + "\nM1\n").error, "\"" + std::string(60, 'y') + "...\""));
}

TEST_CASE("with skip_invalid_records bad records are left out whole and reported by name") {
    const Reading reading = read_text(">a\nM-\n>bad1 x\nMK\nM1K>\nWW--\n;\n>b\nWW\n>bad\0\nKK\n>\nMM\n>bad3\n!"s, true);
    CHECK(reading.error == "");
    CHECK(reading.records == Records{{"a", "M"}, {"b", "WW"}, {"unnamed_5", "MM"}});
    REQUIRE(reading.left_out.size() == 3);
    CHECK(contains(reading.left_out[0], "in.fa: line 5, column 2: found '1' (0x31) in the sequence of \"bad1\""));
    CHECK(contains(reading.left_out[1], "in.fa: line 10, column 5: found a NUL byte (0x00) in the header \"bad\""));
    CHECK(contains(reading.left_out[2], "line 15, column 1: found '!' (0x21) in the sequence of \"bad3\""));
    CHECK(reading.counts.skipped_invalid == 3);
    CHECK(reading.counts.residues == 5);
    CHECK(reading.counts.gaps_removed == 1);
    CHECK(reading.counts.unnamed == 1);
}

TEST_CASE("a file whose records are all left out is an error") {
    const Reading reading = read_text(">a\n1\n>b\n2\n", true);
    CHECK(contains(reading.error, "no sequence left in it: all 2 records were invalid"));
    CHECK(reading.left_out.size() == 2);
}

TEST_CASE("queries read as NCBI's programs read them") {
    const testing::ScratchFolder scratch;
    std::vector<FastaLeftOut> left_out;
    const auto read = [&](std::string_view text) {
        left_out.clear();
        FastaOptions options;
        options.leaves_out_others = options.takes_bare_residues = true;
        options.empty_header = "";
        options.on_left_out = [&](const FastaLeftOut& line) { left_out.push_back(line); };
        return read_files({scratch.write("in.fa", text)}, options);
    };
    // Characters that are no residues are left out, line by line.
    Reading reading = read(">d one\nMK12VL\n3 AC-D.E*\n\n>  named late\nAC\n>\nDE\n");
    CHECK(reading.error.empty());
    CHECK(reading.records == Records{{"d one", "MKVLACDE*"}, {"named late", "AC"}, {"", "DE"}});
    REQUIRE(left_out.size() == 2);
    using Columns = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    CHECK(left_out[0].line == 2);
    CHECK_FALSE(left_out[0].has_hyphens);
    CHECK(left_out[0].columns == Columns{{3, 4}});
    CHECK(left_out[1].line == 3);
    CHECK(left_out[1].has_hyphens);
    CHECK(left_out[1].columns == Columns{{1, 1}, {7, 7}});
    // Blanks at a line's front count for no column.
    CHECK(read(">a\n  1 MK\n\t2MK").records == Records{{"a", "MKMK"}});
    REQUIRE(left_out.size() == 2);
    CHECK(left_out[0].columns == Columns{{1, 1}});
    CHECK(left_out[1].columns == Columns{{1, 1}});
    // Residues need no header.
    CHECK(read("\n MKVL\nAC\n>b\nDE").records == Records{{"", "MKVLAC"}, {"b", "DE"}});
    CHECK(read("1 MKVL 4\n5 AC-A").records == Records{{"", "MKVLACA"}});
    // Control characters are left out, too, a NUL among them.
    CHECK(read(">a\nMK\1V\0L\n"sv).records == Records{{"a", "MKVL"}});
    // A line that cannot be one of residues stays an error.
    for (const std::string_view text : {"hello, world\n"sv, "@read\nACGT\n+\n!!!!\n"sv, "12 34\n"sv, ">a\nMK>VL\n"sv})
        CHECK_FALSE(read(text).error.empty());
}

TEST_CASE("several files in turn, with their digests") {
    const testing::ScratchFolder scratch;
    const auto first = scratch.write("one.fa", ">a\nM\n>b\nMK");
    const auto second = scratch.write("two.fa", ">c\nMKV\n");
    const Reading reading = read_files({first, second});
    CHECK(reading.records == Records{{"a", "M"}, {"b", "MK"}, {"c", "MKV"}});
    CHECK(reading.lines == std::vector<std::uint64_t>{1, 3, 1});
    REQUIRE(reading.sources.size() == 2);
    CHECK(reading.sources[0].name == "one.fa");
    CHECK(reading.sources[0].size_bytes == 10);
    // XXH3-128 as the library computes it in one call.
    CHECK(reading.sources[0].xxh3_128 == "224556e743f39d4d6662e34053aeaf5e");
    CHECK(reading.sources[1].xxh3_128 == "034768116a5c346847d01095a3b75758");

    CHECK(contains(read_files({first, scratch.path("missing.fa")}).error, "missing.fa: cannot be opened"));
    CHECK(read_files({first, scratch.path("missing.fa")}).records.size() == 2);
    CHECK(contains(read_files({first, scratch.write("empty.fa", "")}).error, "empty.fa: is empty"));
    CHECK(read_files({}).records.empty());
}

TEST_CASE("the progress figure reaches the size of all files") {
    const testing::ScratchFolder scratch;
    const auto file = scratch.write("one.fa", ">a\nM\n>b\nMK");
    FastaReader reader({file, file});
    FastaRecord record;
    for (int i = 0; i < 4; ++i) REQUIRE(*reader.next(record));
    REQUIRE_FALSE(*reader.next(record));
    CHECK(reader.bytes_read() == 20);
}

/// Reads sound FASTA text in a plain, slow way, without any of the reader's machinery.
Records read_plainly(const std::string& text) {
    Records records;
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
        if (text[i] == '\r' || text[i] == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += text[i];
        }
    }
    for (const std::string& line : lines) {
        if (line.starts_with('>')) {
            records.emplace_back(line.substr(1), "");
        } else if (!line.starts_with(';')) {
            for (const char c : line) {
                if (c != '-' && c != ' ') records.back().second += static_cast<char>(c & ~(c >= 'a' ? 0x20 : 0));
            }
        }
    }
    return records;
}

TEST_CASE("random files are read as a plain reader reads them") {
    Random random(11);
    constexpr std::array<std::string_view, 4> kLineEnds{"\n", "\r\n", "\r", "\n"};
    constexpr std::string_view kSequenceBytes = "ACDEFGHIKLMNPQRSTVWYacdefghiklmnpqrstvwyBJZOUX*- ";
    for (int round = 0; round < 60; ++round) {
        std::string text;
        const std::string_view line_end = kLineEnds[random.below(kLineEnds.size())];
        const auto records = 1 + random.below(20);
        for (std::uint64_t r = 0; r < records; ++r) {
            text += ">id" + std::to_string(r) + (random.below(2) == 0 ? " words  here " : "");
            text += line_end;
            for (auto lines = random.below(6); lines > 0; --lines) {
                for (auto letters = random.below(random.below(4) == 0 ? 300 : 30); letters > 0; --letters) {
                    text += kSequenceBytes[random.below(kSequenceBytes.size())];
                }
                text += line_end;
                if (random.below(8) == 0) text += "; MKV" + std::string(line_end);
            }
        }
        CAPTURE(text);
        const Reading reading = read_text(text);
        CHECK(reading.error == "");
        CHECK(reading.records == read_plainly(text));
    }
}

TEST_CASE("the odd files of the shared data") {
    const auto folder = testing::shared_data("data/edge");
    if (!folder) return;
    const Records sound = read_files({*folder / "ok.fa"}).records;
    REQUIRE(sound.size() == 2);
    for (const char* const name : {"ok.fa.gz", "bom.fa", "cr.fa", "crlf.fa", "leadblank.fa", "lower.fa", "nonl.fa",
                                   "semicolon.fa", "spaces.fa", "gaps.fa"}) {
        CAPTURE(name);
        const Reading reading = read_files({*folder / name});
        CHECK(reading.error == "");
        CHECK(reading.records == sound);
    }
    struct Case {
        const char *name, *part;
    };
    for (const Case& c :
         std::vector<Case>{{"okgz_truncated.fa.gz", "cut off at byte 219 of the compressed file"},
                           {"empty.fa", "is empty"},
                           {"blank.fa", "there is no sequence in it"},
                           {"digits.fa", "line 2, column 51: found '1' (0x31) in the sequence of \"hbb\""},
                           {"punct.fa", "line 2, column 51: found '?' (0x3F)"},
                           {"nul.fa", "line 2, column 51: found a NUL byte"},
                           {"fastq.fq", "looks like FASTQ"},
                           {"binary.bin", "line 1: this file"},
                           {"notfasta.txt", "has text before the first '>'"},
                           {"seqfirst.fa", "has a sequence without a header"}}) {
        CAPTURE(c.name);
        const std::string error = read_files({*folder / c.name}).error;
        CAPTURE(error);
        CHECK(contains(error, c.name));
        CHECK(contains(error, c.part));
    }
    CHECK(read_files({*folder / "gaps.fa"}).counts.gaps_removed == 6);
    CHECK(read_files({*folder / "noname.fa"}).records[0].first == "unnamed_1");
    CHECK(read_files({*folder / "emptyseq.fa"}).counts.empty_sequences == 1);
    CHECK(read_files({*folder / "emptylast.fa"}).counts.empty_sequences == 1);
    CHECK(identifier_of(read_files({*folder / "ctrla.fa"}).records[0].first) == "hbb");
    CHECK(contains(read_files({*folder / "utf8.fa"}).records[0].first, "b\xc3\xa9ta \xce\xb2"));
}

}  // namespace
TEST_CASE("valid and invalid beginnings of FASTA") {
    const auto why = [](std::string_view start) {
        return why_not_fasta({reinterpret_cast<const std::uint8_t*>(start.data()), start.size()}).value_or("may be");
    };
    for (const std::string_view start :
         {"", ">", ">x\nMKV", "\n\r\n \t\n>x", "\xef\xbb\xbf\n>x", "; comment\n\n;\n>x", "\n", ";"})
        CHECK(why(start) == "may be");
    for (const auto& each :
         {std::pair{" >x", "has blanks before the first '>'"}, std::pair{"\n@x", "looks like FASTQ"},
          std::pair{"MKV\n>x", "has a sequence without a header"},
          std::pair{"; comment\n# text\n", "has text before the first '>'"},
          std::pair{"BZh9", "is compressed with bzip2"}, std::pair{"\x01\x02", "is not text but binary data"}}) {
        const char* const start = each.first;
        CAPTURE(start);
        CHECK(why(start).find(each.second) == 0);
    }
}

}  // namespace warpseq
