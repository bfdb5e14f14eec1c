// FASTA in HMMER's dialect. Tests what is read and the messages for refused text, with all blocks
// and threads. Tests how headers are split, and notes of letters that do not score.
#include "formats/fasta/hmmer_fasta.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/fasta/fasta_batch_reader.h"
#include "formats/fasta/record_batch.h"
#include "formats/sequences/sequence_file.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/tile.h"
#include "tests/support/record_residues.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using namespace std::string_literals;
using testing::ScratchFolder;

constexpr std::array<std::size_t, 5> kBlockSizes{1, 2, 3, 7, kDefaultBlockBytes};

struct Sequence {
    std::string name, description, letters;  // as they are shown
    bool operator==(const Sequence&) const = default;
};
struct Reading {
    std::vector<Sequence> sequences;
    std::string error;
    bool operator==(const Reading&) const = default;
};

Sequence shown(std::string_view header, std::vector<ResidueCode> residues) {
    show_unscored(unscored_note(header), 0, residues);
    Sequence sequence{std::string(hmmer_title(header).name), std::string(hmmer_title(header).description), ""};
    for (const ResidueCode code : residues) sequence.letters += shown_letter(code);
    return sequence;
}

Reading read_in_blocks(const std::filesystem::path& file, FastaDialect dialect, std::size_t block_bytes) {
    Reading reading;
    FastaReader reader({file}, {.dialect = dialect, .block_bytes = block_bytes});
    FastaRecord record;
    for (;;) {
        const auto more = reader.next(record);
        if (!more.ok()) reading.error = more.status().message();
        if (!more.ok() || !*more) return reading;
        reading.sequences.push_back(shown(record.header, record.residues));
    }
}

Reading read_in_pieces(const std::filesystem::path& file, FastaDialect dialect) {
    Reading reading;
    const ThreadPool pool(3);
    FastaBatchOptions options{.reading = {.dialect = dialect}};
    options.piece_bytes = 8;
    FastaBatchReader reader({file}, options, pool);
    const Status status = reader.read(
        [&](const RecordBatch& batch, PendingCopies&) -> Result<bool> {
            for (const RecordBatch::Record& record : batch.records()) {
                const RecordView view = view_of_record(batch.bytes_of(record), record.residues);
                reading.sequences.push_back(shown(view.header, testing::residues_of(view, record.residues)));
            }
            return true;
        },
        [] { return Status(); });
    if (!status.ok()) reading.error = status.message();
    return reading;
}

/// Reads `text` in every way. Checks that all give the same.
Reading read(const std::string& text, const std::string& name = "x.fa", FastaDialect dialect = FastaDialect::kHmmer) {
    const ScratchFolder folder;
    const auto file = folder.write(name, text);
    const Reading whole = read_in_blocks(file, dialect, kDefaultBlockBytes);
    for (const std::size_t block_bytes : kBlockSizes) {
        CAPTURE(block_bytes);
        CHECK(read_in_blocks(file, dialect, block_bytes) == whole);
    }
    if (FastaBatchReader::may_read_in_batches({.dialect = dialect})) {
        const Reading pieces = read_in_pieces(file, dialect);
        CHECK(pieces.error == whole.error);
        if (whole.error.empty()) CHECK(pieces.sequences == whole.sequences);
    }
    Reading plain = whole;
    if (const std::size_t at = plain.error.find(file.string()); at != std::string::npos)
        plain.error.replace(at, file.string().size(), name);
    return plain;
}

std::string error_of(const std::string& text, const std::string& name = "x.fa",
                     FastaDialect dialect = FastaDialect::kHmmer) {
    const Reading reading = read(text, name, dialect);
    return reading.error.starts_with("Parse failed (sequence file x.fa):\n")
               ? reading.error.substr(reading.error.find('\n') + 1)
               : reading.error;
}

}  // namespace

TEST_CASE("headers in HMMER's dialect") {
    CHECK(read("> \t a\t first  title \nMKV\n").sequences == std::vector<Sequence>{{"a", "first  title ", "MKV"}});
    CHECK(read(">a one\x01gi|5 two\nMKV\n").sequences == std::vector<Sequence>{{"a", "one", "MKV"}});
    CHECK(read(">a \x01gi|5 two\nMKV\n").sequences == std::vector<Sequence>{{"a", "", "MKV"}});
    CHECK(read(">a\x01gi|5 two\x01three\nMKV\n").sequences == std::vector<Sequence>{{"a\x01gi|5", "two", "MKV"}});
    CHECK(read(">a\0b c\0d\nMKV\n"s).sequences == std::vector<Sequence>{{"a", "c", "MKV"}});
    CHECK(read(">a b\rMK\rV\r>c\rM").sequences == std::vector<Sequence>{{"a", "b", "MKV"}, {"c", "", "M"}});
    CHECK(read(">a b\r\n\r\n\nMKV\r\n").sequences == std::vector<Sequence>{{"a", "b", "MKV"}});
    CHECK(read(">a\vb\nM\n").sequences == std::vector<Sequence>{{"a", "\vb", "M"}});
    CHECK(read(" \n\t\n  >a\nM\n").sequences == std::vector<Sequence>{{"a", "", "M"}});
    CHECK(read("\n \n>a\nM\n", "x.txt").sequences == std::vector<Sequence>{{"a", "", "M"}});
    CHECK(read(">a").sequences == std::vector<Sequence>{{"a", "", ""}});
    CHECK(read("\n \n").sequences.empty());
    CHECK(read("\n \n").error.empty());
    CHECK(error_of(">\nMKV\n") == "Line 1: no FASTA name found");
    CHECK(error_of(">a\nMKV\n>  \t\nMKV\n") == "Line 3: no FASTA name found");
    CHECK(error_of("MKV\n") == "Line 1: unexpected char M; expected FASTA to start with >");
    for (const char* text : {"MKV\n", " >a\nM\n", "\n\n", "\xef\xbb\xbf>a\nM\n"})
        CHECK(read(text, "x.txt").error == "Sequence file x.txt is empty or misformatted");
    CHECK(read(" >a\nM\n", "x.fa.gz").error == "Sequence file x.fa.gz is empty or misformatted");
    CHECK(read("").error == "Sequence file x.fa is empty or misformatted");
}

TEST_CASE("a file that is known to be FASTA") {
    const FastaDialect known = FastaDialect::kHmmerFasta;
    CHECK(read(" >a\nM\n", "x.txt", known).sequences == std::vector<Sequence>{{"a", "", "M"}});
    CHECK(read("\n\n", "x.txt", known).sequences.empty());
    CHECK(read("\n\n", "x.txt", known).error.empty());
    CHECK(read("", "x.txt", known).error == "Sequence file x.txt is empty or misformatted");
    CHECK(read("ID   a\n", "x.txt", known).error ==
          "Parse failed (sequence file x.txt):\nLine 1: unexpected char I; expected FASTA to start with >");
}

TEST_CASE("hmmpgmd: FASTA behind a line") {
    const auto error = [](const std::string& text) { return error_of(text, "x.fa", FastaDialect::kHmmpgmd); };
    const auto sequences = [](const std::string& text) { return read(text, "x.fa", FastaDialect::kHmmpgmd).sequences; };
    std::vector<Sequence> two = {{"1", "a b", "MKV*"}, {"2", "", "M"}};
    CHECK(sequences("#2 5 2 2\n>1 a b\nMKV*\n>2\nM\n") == two);
    CHECK(sequences(" \n#x\r>1 a b\nMKV*\n>2\nM\n") == two);
    CHECK(error("#x\n>1\nM.\n") == "Line 2: illegal character .");
    CHECK(error("#x\n>1\nM~\n") == "Line 2: illegal character ~");
    CHECK(error("#x\njunk\n") == "Line 1: unexpected char j; expected FASTA to start with >");
    CHECK(error(">1\nM\n") == "Sequence file x.fa is empty or misformatted");
    CHECK(error("#x").starts_with("Unexpected error 3 opening sequence file "));
    CHECK(error(" \n").starts_with("Unexpected error 3 opening sequence file "));
    CHECK(read("#x\n", "x.fa", FastaDialect::kHmmpgmd).sequences.empty());
    CHECK(error("#x\n").empty());
}

TEST_CASE("daemon: FASTA with an end of each sequence") {
    const auto error = [](const std::string& text) { return error_of(text, "x.fa", FastaDialect::kDaemon); };
    const auto sequences = [](const std::string& text) { return read(text, "x.fa", FastaDialect::kDaemon).sequences; };
    CHECK(sequences(" >a b\nMK.V\n//\n \n") == std::vector<Sequence>{{"a", "b", "MK-V"}});
    CHECK(sequences(">a b\nMKV\n//") == std::vector<Sequence>{{"a", "b", "MKV"}});
    // The character behind the line ends is lost.
    CHECK(error(">a b\nMKV\n//\n>b\nM\n//\n") == "Line 3: unexpected char b; expected FASTA to start with >");
    CHECK(sequences(">a\nM//x\n\n >b\nK\n//\n>>c\nV//\n") ==
          std::vector<Sequence>{{"a", "", "M"}, {"b", "", "K"}, {"c", "", "V"}});
    CHECK(error(">a\nMKV\n") == "Unexpected EOF; file truncated?");
    CHECK(error(">a\nMKV\n>b\nM\n//\n") == "Line 3: illegal character >");
    CHECK(error(">a\nMKV/\n") == "Line 2: did not find // terminator at end of seq record");
    CHECK(error(" \n").empty());
}

TEST_CASE("sequences in HMMER's dialect") {
    CHECK(read(">a\nM k\tV*\n>b\nACD>c d\nEF\n").sequences ==
          std::vector<Sequence>{{"a", "", "MKV*"}, {"b", "", "ACD"}, {"c", "d", "EF"}});
    CHECK(read(">a\nM..K_V~~L.*\n>b x\x01y\n.\n").sequences ==
          std::vector<Sequence>{{"a", "", "M--K-V~~L-*"}, {"b", "x", "-"}});
    CHECK(error_of(">a\nMKV\nM-K\n") == "Line 3: illegal character -");
    CHECK(error_of(">a\n\n\nMKV\nM1K\n") == "Line 3: illegal character 1");
    CHECK(error_of(">a\nMKV\n;x\n") == "Line 3: illegal character ;");
    CHECK(error_of(">a\nMKV\n>b\nMK\0V\n"s) == "Line 4: illegal character ");
    CHECK(error_of(">a\nMK\xe9V\n") == "Line 2: non-ASCII character \xe9 in sequence");
    CHECK(error_of(">a\nMK\vV\n") == "Line 2: illegal character \v");
}

TEST_CASE("many records in pieces, one of which is refused") {
    std::string text;
    for (int i = 0; i < 100; ++i) text += ">s" + std::to_string(i) + " title\nMKVLH\nACDEF\n";
    CHECK(read(text).sequences.size() == 100);
    CHECK(error_of(text + ">bad\nMK-V\n" + text) == "Line 302: illegal character -");
}

TEST_CASE("headers are split as in HMMER, and identifiers of ours end at Ctrl-A") {
    CHECK(hmmer_title("a b").name == "a");
    CHECK(hmmer_title("").name.empty());
    CHECK(hmmer_title("a").description.empty());
    CHECK(hmmer_title("a \t b c\x01 d").description == "b c");
    CHECK(hmmer_description("a b c\x01 d") == "b c");
    CHECK(hmmer_description("a\x01gi|5 d").empty());
    CHECK(hmmer_description("a") == "");
}

TEST_CASE("headers of titles give them back, whatever bytes they have") {
    const std::string odd = "a\n\r\x01\x02 \tn\x02";
    for (const HmmerTitle& title : {HmmerTitle{"a", "b c", "P1"}, HmmerTitle{"", "", ""}, HmmerTitle{odd, odd, odd},
                                    HmmerTitle{"a\n", " of it ", "\n"}}) {
        std::string header = header_of_title(title);
        CHECK(header.find_first_of("\r\n") == std::string::npos);
        CHECK(has_title(header));
        CHECK(identifier_of(header) == header.substr(0, header.find_first_of(" \t\x01")));
        const std::array<UnscoredRun, 1> runs{{{2, 3, '-'}}};
        note_unscored(runs, header);
        CHECK(hmmer_title(header).name == title.name);
        CHECK(hmmer_title(header).description == title.description);
        CHECK(hmmer_title(header).accession == title.accession);
        CHECK(unscored_note(header).ends_with("2+3-"));
    }
    CHECK_FALSE(has_title("a b\x01gi|5 d"));
    CHECK(hmmer_title("a\x02 b\x02n\x01\x03\x02").name == "a\x02");
}

TEST_CASE("no header from a file poses as one of ours") {
    std::string header =
        "a\x01\x03P1 b\x01\x02"
        "2+3- \x01\x01\x03\x02n\x03";
    disarm_marks(header);
    CHECK(header ==
          "a\x01\x04P1 b\x01\x04"
          "2+3- \x01\x01\x04\x02n\x03");
    CHECK_FALSE(has_title(header));
    CHECK(unscored_note(header).empty());
    std::string ordinary =
        "a b\x01"
        "c\x02 \x03";
    disarm_marks(ordinary);
    CHECK(ordinary ==
          "a b\x01"
          "c\x02 \x03");
    // The parser does so in each dialect.
    for (const FastaDialect dialect : {FastaDialect::kWarpseq, FastaDialect::kHmmer, FastaDialect::kHmmerFasta}) {
        const auto sequences = read(">a\x02n\x01\x03P1 b\nMKV\n", "x.fa", dialect).sequences;
        CHECK(sequences == std::vector<Sequence>{{"a\x02n\x01\x04P1", "b", "MKV"}});
    }
}

TEST_CASE("notes of letters that do not score") {
    std::string header = "a b\x01merged";
    note_unscored({}, header);
    CHECK(header == "a b\x01merged");
    CHECK(unscored_note(header).empty());
    const std::array<UnscoredRun, 2> runs{{{2, 3, '-'}, {9, 1, '~'}}};
    note_unscored(runs, header);
    CHECK(hmmer_title(header).description == "b");
    // Test all windows of the sequence. Letters other than '*' stay.
    const std::vector<ResidueCode> whole = {0, 0, 26, 26, 26, 0, 26, 0, 0, 26};
    std::vector<ResidueCode> expected = {0, 0, kShownGap, kShownGap, kShownGap, 0, 26, 0, 0, kShownMissing};
    for (std::size_t begin = 0; begin <= whole.size(); ++begin) {
        for (std::size_t end = begin; end <= whole.size(); ++end) {
            std::vector<ResidueCode> part(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                                          whole.begin() + static_cast<std::ptrdiff_t>(end));
            show_unscored(unscored_note(header), begin, part);
            CHECK(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin)));
        }
    }
    std::vector<ResidueCode> stays = whole;
    for (const char* damaged : {"\x01\x02", "\x01\x02x",
                                "\x01\x02"
                                "5",
                                "\x01\x02"
                                "5+",
                                "\x01\x02"
                                "5+1",
                                "\x01"}) {
        show_unscored(damaged, 0, stays);
        CHECK(stays == whole);
    }
    std::vector<UnscoredRun> many;
    for (std::uint64_t position = 0; position < 2'000'000; position += 2) add_unscored(position, '-', many);
    CHECK(many.size() < 300'000);
    CHECK(many.size() > 260'000);
    std::string other = "a";
    note_unscored(many, other);
    CHECK(other.size() == 1);
}

TEST_CASE("sequences of a file in HMMER's dialect, with their notes") {
    const ScratchFolder folder;
    auto reader = SequenceFileReader::open(folder.write("x.fa", ">a\x01g one\x01two\nM.K\n>b\nMKV\n"s),
                                           {.kind = SequenceFileKind::kFasta, .dialect = FastaDialect::kHmmer});
    REQUIRE(reader.ok());
    NamedSequence sequence;
    REQUIRE(*reader->next(sequence));
    CHECK(sequence.name == "a\x01g");
    CHECK(sequence.description == "one");
    CHECK(sequence.residues.size() == 3);
    CHECK(!sequence.unscored.empty());
    REQUIRE(*reader->next(sequence));
    CHECK(sequence.name == "b");
    CHECK(sequence.unscored.empty());
    CHECK(!*reader->next(sequence));
}

}  // namespace warpseq
