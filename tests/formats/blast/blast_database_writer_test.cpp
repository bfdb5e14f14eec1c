// Written BLAST databases, which BlastDatabaseReader must read. tests/reference/makeblastdb.py
// compares their bytes with those of NCBI's makeblastdb.
#include "formats/blast/blast_database_writer.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/blast/blast_database.h"
#include "formats/blast/blast_seqid_parser.h"
#include "formats/blast/isam_index.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/fasta_target.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using Texts = std::vector<std::string>;

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the endings of the files that begin with `name` and a dot, sorted.
Texts endings_of(const ScratchFolder& folder, const std::string& name) {
    Texts endings;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(name + ".")) endings.push_back(file.substr(name.size()));
    }
    std::ranges::sort(endings);
    return endings;
}

struct Made {
    Status status;
    Texts left_out;
    std::vector<std::uint64_t> added;
};

/// NAME and NAME.wsdb of FASTA.
Made make(const ScratchFolder& folder, const std::string& fasta, BlastWriterOptions options) {
    Made made;
    options.title = "A title";
    options.date = "Nov 27, 2026  1:53 PM";
    options.on_left_out = [&](const std::string& message) { made.left_out.push_back(message); };
    options.on_file_end = [&](std::uint64_t sequences) { made.added.push_back(sequences); };
    ConvertOptions conversion;
    conversion.inputs = {folder.write("fasta", fasta)};
    conversion.output = options.name.string() + ".wsdb";
    conversion.replace = true;
    conversion.title = conversion.release = "";
    auto database = BlastDatabaseWriter::create(std::move(options));
    REQUIRE(database.ok());
    conversion.blast_database = &*database;
    BlastDatabaseWriter::set_reading(conversion.reading);
    Observer silent;
    made.status = convert_fasta(conversion, silent).status();
    return made;
}

struct Read {
    Texts headers, residues;
};
Read read(const std::filesystem::path& name) {
    Read all;
    auto reader = BlastDatabaseReader::open(name);
    REQUIRE_MESSAGE(reader.ok(), reader.status().message());
    FastaRecord record;
    for (;;) {
        const auto more = reader->next(record);
        REQUIRE_MESSAGE(more.ok(), more.status().message());
        if (!*more) return all;
        all.headers.push_back(record.header);
        all.residues.push_back(decode_residues(record.residues));
    }
}

/// Reads identifiers as makeblastdb does: by the rules of its reader, and then as it stores them.
Result<std::vector<BlastSeqId>> read_ids(const std::string& text, std::uint64_t line) {
    const auto ids = parse_fasta_seqids(text);
    if (!ids.ok()) return ids.status();
    WARPSEQ_TRY(check_seqid_lengths(*ids, line));
    return parse_stored_seqids(text);
}

std::string kinds_and_labels(const std::string& text) {
    const auto ids = read_ids(text, 7);
    if (!ids.ok()) return ids.status().message();
    std::string out;
    for (const BlastSeqId& id : *ids) out += (out.empty() ? "" : " ") + id.fasta() + "=" + id.label(true);
    return out;
}

}  // namespace

TEST_CASE("identifiers") {
    const std::vector<std::array<const char*, 2>> cases = {
        {"sp|P12345|A_B", "sp|P12345|A_B=P12345"},
        {"TR|q1.2|x", "tr|q1.2|x=Q1.2"},
        {"gi|12|ref|NP_1.1|", "gi|12=12 ref|NP_1.1|=NP_1.1"},
        {"gi|3|sp|P4|gb|AAA55555.1|", "gi|3=3 sp|P4|=P4 gb|AAA55555.1|=AAA55555.1"},
        {"sp|P1|gb", "sp|P1|gb=P1"},
        {"gi|5|sp", "gi|5=5"},
        {"P12345", "sp|P12345|=P12345"},
        {"p12345.3", "sp|p12345.3|=P12345.3"},
        {"A0A0A0K0A1", "sp|A0A0A0K0A1|=A0A0A0K0A1"},
        {"NP_000001.1", "ref|NP_000001.1|=NP_000001.1"},
        {"nm_000001.1", "lcl|NM_000001.1=NM_000001.1"},
        {"AAA12345", "gb|AAA12345|=AAA12345"},
        {"XAA12345", "lcl|XAA12345=XAA12345"},
        {"ab123456", "lcl|AB123456=AB123456"},
        {"EAA1111111.2", "gb|EAA1111111.2|=EAA1111111.2"},
        {"b0001", "lcl|b0001=b0001"},
        {"1abc", "pdb|1abc| =1abc"},
        {"1abc_AB", "pdb|1abc|AB=1abc_AB"},
        {"2021_0001", "pdb|2021|0001=2021_0001"},
        {"1234", "lcl|1234=1234"},
        {"pdb|1abcA", "pdb|1abc|A=1abc_A"},
        {"gnl|db|tag", "gnl|db|tag=db:tag"},
        {"unk|A12", "gnl|unk|A12=unk:A12"},
        {"pat|US|12|3", "pat|US|12|3=US12_3"},
        {"pir||A12", "pir||A12=A12"},
        {"lcl|a", "lcl|a=a"},
        {"a|", "lcl|a|=a|"},
        {"B0RED7|GO:1,GO:2", "lcl|B0RED7|GO:1,GO:2=B0RED7|GO:1,GO:2"},
        {"", "Unable to locate sequence id in definition line"},
        {":", "Unable to locate sequence id in definition line"},
        {":2-30", "Unable to locate sequence id in definition line"},
        {"sp|P1|N|x", "Could not construct seq-id from 'sp|P1|N|x'"},
        {"gnl|d", "Could not construct seq-id from 'gnl|d'"},
        {"ref|NP_1.x|", "Could not construct seq-id from 'ref|NP_1.x|'"},
        {"gb|AAA1.0", "Could not construct seq-id from 'gb|AAA1.0'"},
        {"sp|P12345|gb|", "Could not construct seq-id from 'sp|P12345|gb|'"},
        {"ref|NP_1.1|gi|", "Could not construct seq-id from 'ref|NP_1.1|gi|'"},
        {"sp|P12345|gb|gb|", "Could not construct seq-id from 'sp|P12345|gb|gb|'"},
        {"gi|+12", "gi|12=12"},
        {"pat|US|1|+3", "pat|US|1|3=US1_3"},
        {"bbs|+5", "bbs|5=5"},
        {"lcl|+7", "lcl|+7=+7"},
        {"P12345.1000000000", "sp|P12345.1000000000|=P12345.1000000000"},
        {"P12345.0", "Could not construct seq-id from 'P12345.0'"},
        {"P12345.2147483648", "Could not construct seq-id from 'P12345.2147483648'"},
        {"nc_000001.0", "Could not construct seq-id from 'nc_000001.0'"},
        {"b0001.0", "lcl|b0001.0=b0001.0"},
        {"DAAAAA01P11111111", "tpg|DAAAAA01P11111111|=DAAAAA01P11111111"},
        {"HAAA01P111111", "emb|HAAA01P111111|=HAAA01P111111"},
        {"TAAA01P111111", "dbj|TAAA01P111111|=TAAA01P111111"},
        {"YAAA01P111111", "tpd|YAAA01P111111|=YAAA01P111111"},
        {"GPX_000000001", "gpp|GPX_000000001|=GPX_000000001"},
        {"gpn_000000001", "lcl|GPN_000000001=GPN_000000001"},
        {"123456|", "prf||123456|=123456|"},
        {"1234567|x", "prf||1234567|x=1234567|x"},
        {"12345678|", "lcl|12345678|=12345678|"},
        {"123456|xx", "lcl|123456|xx=123456|xx"},
        {"gi|x", "Could not construct seq-id from 'gi|x'"},
        {"ab|c|d", "Could not construct seq-id from 'ab|c|d'"},
        {"a\"b", "Malformatted ID a\"b"}};
    for (const auto& [text, expected] : cases) CHECK(kinds_and_labels(text) == expected);
    CHECK(kinds_and_labels(std::string(51, 'x')) ==
          "Near line 7, the local id is too long.  Its length is 51 but the maximum allowed local id length is 50.  "
          "Please find and correct all local ids that are too long.");
    CHECK(kinds_and_labels(std::string(50, 'x')) == "lcl|" + std::string(50, 'x') + "=" + std::string(50, 'x'));
}

TEST_CASE("accessions with ranges") {
    for (const char* const text :
         {"P12345:2-30", "P12345.1:2-30", "NP_000001.1:2-30", "nc_000001:0-3", "1abc:2-30", "P12345:c30-2",
          "P12345:c9-9", "P12345:4294967290-4294967295", "P12345:4294967296-4294967297"})
        CHECK_MESSAGE(is_accession_with_range(text), text);
    for (const char* const text :
         {"P12345", "P12345:", "P12345:2", "P12345:2-", "P12345:-2", "P12345:30-2", "P12345:c2-30", "P12345:C30-2",
          "P12345:2-30x", "P12345:2-30,40-50", "P12345:+2-30", "P12345:4294967290-4294967296", "1abc_A:2-30", "a:2-30",
          "sp|P12345:2-30", "b:P12345:2-30", ":2-30"})
        CHECK_MESSAGE(!is_accession_with_range(text), text);
}

TEST_CASE("the keys of identifiers") {
    const auto keys = [](const char* text) {
        const auto ids = read_ids(text, 1);
        REQUIRE(ids.ok());
        return std::pair(accession_keys(ids->front()), isam_keys(ids->front()));
    };
    CHECK(keys("sp|P1.2|N_X") == std::pair(Texts{"P1", "P1.2"}, Texts{"p1", "n_x", "p1.2"}));
    CHECK(keys("lcl|ab") == std::pair(Texts{"AB", "ab"}, Texts{"lcl|ab", "ab"}));
    CHECK(keys("lcl|12") == std::pair(Texts{"12"}, Texts{"lcl|12"}));
    CHECK(keys("pdb|1abc|A") ==
          std::pair(Texts{"1abc", "1ABC", "1abc_A"}, Texts{"1abc", "pdb|1abc|a", "1abc|a", "1abc a"}));
    CHECK(keys("gi|5") == std::pair(Texts{}, Texts{}));
    CHECK(keys("gnl|D|t") == std::pair(Texts{"D:T", "D:t"}, Texts{"gnl|d|t", "t"}));
    CHECK(keys("pir||A1") == std::pair(Texts{"pir||A1"}, Texts{"a1"}));
}

TEST_CASE("ISAM files") {
    const IsamFiles numbers = isam_of_numbers({{7, 1}, {5, 0}, {7, 1}});
    CHECK(numbers.data == std::string("\0\0\0\5\0\0\0\0\0\0\0\7\0\0\0\1", 16));
    CHECK(numbers.index == std::string("\0\0\0\1\0\0\0\0\0\0\0\x18\0\0\0\3\0\0\0\1\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                       "\0\0\0\5\0\0\0\0\xff\xff\xff\xff\0\0\0\0",
                                       52));
    IsamTexts texts;
    for (std::uint32_t i = 0; i < 65; ++i) texts.add("k" + std::to_string(100 + i), i);
    const IsamFiles files = texts.files();
    CHECK(
        files.data.starts_with("k100\x02"
                               "0\nk101"));
    CHECK(files.data.size() == texts.data_bytes());
    CHECK(
        files.index.ends_with(std::string("k100\x02"
                                          "0\0k164\x02"
                                          "64\0",
                                          15)));
}

TEST_CASE("a written database is read back, and the copy beside it is that of dbconv") {
    const std::string fasta =
        ">sp|P1|A one\x01gi|5|gb|AAA11111.1| two  blanks \nMKVLU\n>gnl|db|7\nM-K*\n>x1\tt\nmkv\n>x2 none\n\n>x3\n--\n";
    for (const unsigned version : {4U, 5U}) {
        for (const bool parses : {false, true}) {
            CAPTURE(version);
            CAPTURE(parses);
            const ScratchFolder folder;
            BlastWriterOptions options{.name = folder.path("x"), .version = version, .parses_ids = parses};
            options.taxid_of = [](std::span<const BlastSeqId>) { return 9606; };
            const Made made = make(folder, fasta, std::move(options));
            REQUIRE_MESSAGE(made.status.ok(), made.status.message());
            CHECK(made.left_out == Texts{parses ? "Ignoring sequence 'lcl|x2' as it has no sequence data"
                                                : "Ignoring sequence 'lcl|4' as it has no sequence data"});
            CHECK(made.added == std::vector<std::uint64_t>{4});
            Texts expected = {".phr", ".pin", ".psq", ".wsdb"};
            if (version == 5) expected.insert(expected.end(), {".pdb", ".pot", ".ptf", ".pto"});
            if (parses) expected.insert(expected.end(), {".pnd", ".pni", ".pog"});
            if (parses && version == 4) expected.insert(expected.end(), {".psd", ".psi"});
            if (parses && version == 5) expected.emplace_back(".pos");
            std::ranges::sort(expected);
            CHECK(endings_of(folder, "x") == expected);
            const Read all = read(folder.path("x"));
            CHECK(all.residues == Texts{"MKVLU", "MK*", "MKV", ""});
            if (parses) {
                CHECK(all.headers == Texts{"sp|P1|A one [taxid=9606]\x01gi|5|gb|AAA11111.1| two  blanks  [taxid=9606]",
                                           "gnl|db|7 [taxid=9606]", "x1   t [taxid=9606]", "x3 [taxid=9606]"});
            } else {
                CHECK(all.headers.front() == "sp|P1|A one gi|5|gb|AAA11111.1| two  blanks  [taxid=9606]");
            }
            // The bytes are the same as those of a conversion from the database.
            ConvertOptions conversion;
            conversion.inputs = {folder.path("x")};
            conversion.output = folder.path("y.wsdb");
            Observer silent;
            REQUIRE(convert_fasta(conversion, silent).ok());
            CHECK(content(folder.path("x.wsdb")) == content(folder.path("y.wsdb")));
        }
    }
}

TEST_CASE("accessions with ranges become numbers, without the lines merged with them") {
    const ScratchFolder folder;
    const std::string fasta =
        ">P12345:2-30 t\x01"
        "b u\nMKV\n>P12346:3-4\n\n>P12347:c9-3 v\nMK\n>x w\x01P12348:1-2 y\nM\n";
    REQUIRE(make(folder, fasta, {.name = folder.path("x"), .parses_ids = true}).status.ok());
    CHECK(read(folder.path("x")).headers == Texts{"1 t", "3 v", "x w\x01P12348:1-2 y"});
}

TEST_CASE("volumes, and the files of a database that is replaced") {
    const ScratchFolder folder;
    std::string fasta;
    for (int i = 0; i < 30; ++i) fasta += ">s" + std::to_string(i) + "\n" + std::string(100, 'M') + "\n";
    BlastWriterOptions options{.name = folder.path("x"), .parses_ids = true, .file_bytes = 1000};
    REQUIRE(make(folder, fasta, options).status.ok());
    CHECK(content(folder.path("x.pal")) ==
          "#\n# Alias file created: Nov 27, 2026  1:53 PM\n#\nTITLE A title\nDBLIST x.00 x.01 x.02 x.03\n");
    CHECK_FALSE(std::filesystem::exists(folder.path("x.pin")));
    CHECK(read(folder.path("x")).headers.size() == 30);
    // Files that are no longer part of the database are removed, and no others.
    folder.write("x.00.txt", "");
    options.file_bytes = 1'000'000;
    for (const char* ending : {".pal", ".00.pin", ".00.phr", ".00.psq", ".00.pog"})
        options.replaced.push_back(folder.path(std::string("x") + ending));
    options.replaced.push_back(folder.path("x.pdb"));
    REQUIRE(make(folder, fasta, options).status.ok());
    for (const char* gone : {"x.pal", "x.00.pin", "x.00.pog"}) CHECK_FALSE(std::filesystem::exists(folder.path(gone)));
    for (const char* there : {"x.00.txt", "x.pdb", "x.pin"}) CHECK(std::filesystem::exists(folder.path(there)));
    CHECK(read(folder.path("x")).headers.size() == 30);
}

TEST_CASE("errors leave nothing") {
    const ScratchFolder folder;
    const BlastWriterOptions options{.name = folder.path("x"), .parses_ids = true};
    const std::vector<std::array<const char*, 2>> cases = {
        {">a\nMKV\n>b\nMK\n>a x\nMKV\n", "Error: Duplicate seq_ids are found: \nLCL|A\n"},
        {">sp|P1|A\nMKV\n>tr|p1|B\nMK\n", "Error: Duplicate seq_ids are found: \nSP|P1\n"},
        {">sp|P1|A|B\nMKV\n", "Could not construct seq-id from 'sp|P1|A|B'"},
        {">P12345:2-30\nMKV\n>1\nMK\n", "Error: Duplicate seq_ids are found: \nLCL|1\n"},
        {">a\nMKV\n>\nMK\n", "Defline lacks a proper ID around line 3"},
        {">a\n\n>b\n\n", "No sequences added"},
        {">a\nM.K.V\n",
         "Near line 2, there's a line that doesn't look like plausible data, but it's not marked as "
         "defline or comment."}};
    for (const auto& [fasta, message] : cases) {
        CHECK(make(folder, fasta, options).status.message() == message);
        CHECK(endings_of(folder, "x").empty());
    }
    // A local name may come again beside another one.
    CHECK(make(folder,
               ">a\nMKV\n>a\x01"
               "b\nMK\n",
               options)
              .status.ok());
}

TEST_CASE("the copy is read where size, time and digest are those that it knows") {
    const ScratchFolder folder;
    REQUIRE(make(folder, ">a\nMKVL\n>b\nMKV\n", {.name = folder.path("x"), .parses_ids = true}).status.ok());
    const ThreadPool pool(1);
    Observer silent;
    const auto is_copy_read = [&] {
        const auto target = open_target(folder.path("x"), {.temporary_folder = folder.path("")}, pool, silent);
        REQUIRE_MESSAGE(target.ok(), target.status().message());
        CHECK(target->is_blast_database);
        CHECK(target->reader.sequence_count() == 2);
        return target->reader.file() == folder.path("x.wsdb");
    };
    CHECK(is_copy_read());
    // The file has another residue, and the same size and time.
    const std::string residues = content(folder.path("x.psq"));
    const auto time = std::filesystem::last_write_time(folder.path("x.psq"));
    std::string other = residues;
    other[1] = '\x01';
    folder.write("x.psq", other);
    std::filesystem::last_write_time(folder.path("x.psq"), time);
    CHECK_FALSE(is_copy_read());
    // The file is as it was, and its digest says so.
    folder.write("x.psq", residues);
    std::filesystem::last_write_time(folder.path("x.psq"), time);
    CHECK(is_copy_read());
    // The time is that of the file that was written last.
    std::filesystem::last_write_time(folder.path("x.psq"), time + std::chrono::seconds(100));
    CHECK_FALSE(is_copy_read());
    std::filesystem::remove(folder.path("x.wsdb"));
    CHECK_FALSE(is_copy_read());
}
