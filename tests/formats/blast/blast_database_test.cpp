#include "formats/blast/blast_database.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/fasta_target.h"
#include "tests/support/blast_files.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// NCBI's codes of "ACDEF", with a gap and the letters that come last in its alphabet.
const std::string kResidues = std::string("\x01\x03\x04\x05\x06", 5);
const std::string kOddResidues = std::string("\x01\x00\x15\x16\x17\x18\x19\x1a\x1b\x02", 10);

std::vector<StoredSequence> parsed_sequences() {
    return {{defline("one title", textual_id(7, "P1", 0, "A"), 9606) +
                 defline("other", gi(5) + textual_id(4, "AAA1", 1, ""), 0),
             kResidues},
            {defline("", local_id("two"), 0), kOddResidues},
            {defline("ends with a mark [taxid=3]", local_id("three"), 0), ""}};
}

std::vector<StoredSequence> numbered_sequences() {
    return {{defline("sp|P1|A title", numbered_id(0)), kResidues},
            {defline("  two", numbered_id(1)), kResidues},
            {defline("", numbered_id(2), 7), kOddResidues}};
}

struct Reading {
    std::vector<std::string> headers, residues;
    std::string error;
    BlastFacts facts;
};

Reading read(const std::filesystem::path& name) {
    Reading reading;
    auto reader = BlastDatabaseReader::open(name);
    if (!reader.ok()) {
        reading.error = reader.status().message();
        return reading;
    }
    FastaRecord record;
    for (;;) {
        const auto more = reader->next(record);
        if (!more.ok()) {
            reading.error = more.status().message();
            CHECK(reader->next(record).status().message() == reading.error);
            break;
        }
        if (!*more) break;
        reading.headers.push_back(record.header);
        reading.residues.push_back(decode_residues(record.residues));
    }
    reading.facts = reader->facts();
    return reading;
}

bool contains(const std::string& text, std::string_view piece) { return text.find(piece) != std::string::npos; }

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("sequences as FASTA would have them, from both versions") {
    for (const int version : {4, 5}) {
        CAPTURE(version);
        const ScratchFolder folder;
        BlastFiles(parsed_sequences(), version).write(folder, "x");
        const auto reading = read(folder.path("x"));
        CHECK(reading.error == "");
        CHECK(reading.headers == Texts{"sp|P1|A one title [taxid=9606]\x01gi|5|gb|AAA1.1| other", "two",
                                       "three ends with a mark [taxid=3] [taxid=0]"});
        CHECK(reading.residues == Texts{"ACDEF", "AXYZU*OJB", ""});
        CHECK(reading.facts.title == "A title");
        CHECK(reading.facts.date == "Nov 23, 2026  1:53 PM");
        CHECK(reading.facts.version == static_cast<std::uint64_t>(version));
        CHECK(reading.facts.has_parsed_ids);
        CHECK(reading.facts.has_taxids);
    }
}

TEST_CASE("if sequences have only numbers, the title is the header") {
    const ScratchFolder folder;
    BlastFiles(numbered_sequences(), 5).write(folder, "x");
    const auto reading = read(folder.path("x"));
    CHECK(reading.headers == Texts{"sp|P1|A title", "two", "unnamed_3 [taxid=7]"});
    CHECK_FALSE(reading.facts.has_parsed_ids);
    // Next to sequences with identifiers, these numbers are identifiers.
    BlastFiles({{defline("t", local_id("id")), kResidues}}, 5).write(folder, "y");
    folder.write("both.pal", "TITLE both\nDBLIST x y\n");
    const auto both = read(folder.path("both"));
    CHECK(both.headers ==
          Texts{"gnl|BL_ORD_ID|0 sp|P1|A title", "gnl|BL_ORD_ID|1   two", "gnl|BL_ORD_ID|2 [taxid=7]", "id t"});
    CHECK(both.facts.has_parsed_ids);
}

TEST_CASE("aliases: volumes in the order of their names, once each; titles, dates") {
    const ScratchFolder folder;
    const auto one = [](const char* name) {
        return std::vector<StoredSequence>{{defline("", local_id(name)), kResidues}};
    };
    BlastFiles(one("b"), 5, "Title b", "Nov 23, 2026  11:53 AM").write(folder, "b");
    BlastFiles(one("a"), 4, "Title a", "Nov 23, 2026  1:53 PM").write(folder, "a b");
    folder.write("x.pal", "# a comment\n\nDBLIST b \"a b\" b\n");
    auto reading = read(folder.path("x"));
    CHECK(reading.error == "");
    CHECK(reading.headers == Texts{"a", "b"});
    CHECK(reading.facts.title == "Title b; Title a");
    CHECK(reading.facts.date == "Nov 23, 2026  1:53 PM");
    CHECK(reading.facts.version == 5);
    folder.write("y.pal", "TITLE  of its own\r\nDBLIST b x\nNSEQ 2\nLENGTH 10\n");
    reading = read(folder.path("y"));
    CHECK(reading.headers == Texts{"a", "b"});
    CHECK(reading.facts.title == "of its own");
    // An alias takes precedence over a volume of its name. It may stand for that volume.
    folder.write("b.pal", "TITLE alias\nDBLIST b\n");
    CHECK(read(folder.path("b")).facts.title == "alias");
    CHECK(read(folder.path("b")).headers == Texts{"b"});
    // These volumes have no alias.
    BlastFiles(one("v0"), 5).write(folder, "v.00");
    BlastFiles(one("v1"), 5).write(folder, "v.01");
    CHECK(read(folder.path("v")).headers == Texts{"v0", "v1"});
    CHECK(read(folder.path("v.01")).headers == Texts{"v1"});
}

TEST_CASE("aliases that are refused") {
    const ScratchFolder folder;
    BlastFiles(parsed_sequences(), 5).write(folder, "b");
    const auto refusal = [&](const std::string& text) {
        folder.write("x.pal", text);
        return read(folder.path("x")).error;
    };
    CHECK(contains(refusal("DBLIST b\nNSEQ 4\n"), "found totals of 4 sequences and 15 residues, expected those of"));
    CHECK(contains(refusal("DBLIST b\nNSEQ many\n"), "x.pal: found 'NSEQ many', expected a number"));
    CHECK(contains(refusal("DBLIST b\nSEQIDLIST x\n"), "x.pal: SEQIDLIST is not supported"));
    CHECK(contains(refusal("DBLIST b\nOIDLIST x.msk\n"), "x.pal: OIDLIST is not supported"));
    CHECK(contains(refusal("TITLE b\n"), "x.pal: names no database"));
    CHECK(contains(refusal("DBLIST none\n"), "none.pin: there is no such file"));
    CHECK(contains(refusal("DBLIST x\n"), "x.pin: there is no such file"));
    // The aliases are in a circle, or are nested without an end.
    folder.write("y.pal", "DBLIST x\n");
    CHECK(contains(refusal("DBLIST y\n"), "x.pin: there is no such file"));
    for (int level = 0; level < 40; ++level)
        folder.write("l" + std::to_string(level) + ".pal", "DBLIST l" + std::to_string(level + 1) + "\n");
    CHECK(contains(refusal("DBLIST l0\n"), "nest too deep"));
    // Each alias names the next one ten times.
    for (int level = 0; level < 8; ++level) {
        std::string names;
        for (int i = 0; i < 10; ++i) names += level < 7 ? " m" + std::to_string(level + 1) : " b";
        folder.write("m" + std::to_string(level) + ".pal", "DBLIST" + names + "\n");
    }
    CHECK(contains(refusal("DBLIST m0\n"), "name too many databases"));
}

TEST_CASE("names of files that stand for a database") {
    const ScratchFolder folder;
    BlastFiles(parsed_sequences(), 5).write(folder, "x");
    CHECK(blast_database_of(folder.path("x")) == folder.path("x"));
    CHECK(blast_database_of(folder.path("x.pin")) == folder.path("x"));
    CHECK_FALSE(blast_database_of(folder.path("x.psq")));
    CHECK_FALSE(blast_database_of(folder.path("none")));
    folder.write("x", ">a\nACD\n");
    CHECK_FALSE(blast_database_of(folder.path("x")));
    folder.write("fasta.pin", ">a\nACD\n");
    CHECK_FALSE(blast_database_of(folder.path("fasta.pin")));
    folder.write("alias.pal", "DBLIST x\n");
    CHECK(blast_database_of(folder.path("alias.pal")) == folder.path("alias"));
    CHECK(blast_database_of(folder.path("alias")) == folder.path("alias"));
}

TEST_CASE("damage is an error that names the file") {
    const ScratchFolder folder;
    const BlastFiles good(parsed_sequences(), 5);
    const auto with = [&](auto change) {
        BlastFiles files = good;
        change(files);
        files.write(folder, "x");
        return read(folder.path("x")).error;
    };
    CHECK(with([](BlastFiles&) {}) == "");
    CHECK(contains(with([](BlastFiles& f) { f.index[3] = 6; }), "x.pin: byte 0: found BLAST database version 6"));
    CHECK(contains(with([](BlastFiles& f) { f.index[7] = 0; }), "x.pin: holds nucleotides"));
    CHECK(contains(with([](BlastFiles& f) { f.index[7] = 2; }), "x.pin: byte 4: found 2"));
    CHECK(contains(with([](BlastFiles& f) { f.index[12] = 127; }), "x.pin: the file ends inside its index"));
    CHECK(contains(with([](BlastFiles& f) { f.index.back() = 127; }), "x.psq: sequence 3 is missing"));
    CHECK(contains(with([](BlastFiles& f) { f.residues[2] = 28; }), "x.psq: sequence 1: found byte 28"));
    CHECK(contains(with([](BlastFiles& f) { f.residues[6] = 1; }), "x.psq: sequence 1 is missing"));
    CHECK(contains(with([](BlastFiles& f) { f.residues.pop_back(); }), "x.psq: sequence 3 is missing"));
    CHECK(contains(with([](BlastFiles& f) { f.headers.resize(5); }),
                   "x.phr: the definition lines of sequence 1 are missing"));
    CHECK(contains(with([](BlastFiles& f) { f.headers[0] = 7; }),
                   "x.phr: the definition lines of sequence 1 are malformed"));
    for (const char* ending : {".pin", ".phr", ".psq"}) {
        good.write(folder, "x");
        std::filesystem::remove(folder.path(std::string("x") + ending));
        CHECK(contains(read(folder.path("x")).error, std::string("x") + ending + ": "));
    }
    CHECK(contains(with([](BlastFiles& f) { f = BlastFiles({}, 5); }), "there is no sequence in it"));
}

TEST_CASE("cut files and changed bits never do harm") {
    const ScratchFolder folder;
    const BlastFiles good(parsed_sequences(), 5);
    std::size_t errors = 0;
    for (std::string BlastFiles::*const which : {&BlastFiles::index, &BlastFiles::headers, &BlastFiles::residues}) {
        const std::size_t size = (good.*which).size();
        for (std::size_t length = 0; length < size; length += fewer<std::size_t>(1, 7)) {
            BlastFiles files = good;
            (files.*which).resize(length);
            files.write(folder, "x");
            CHECK(read(folder.path("x")).error != "");
        }
        for (std::size_t bit = 0; bit < 8 * size; bit += fewer<std::size_t>(1, 5)) {
            BlastFiles files = good;
            char& byte = (files.*which)[bit / 8];
            byte = static_cast<char>(byte ^ (1 << bit % 8));
            files.write(folder, "x");
            const auto reading = read(folder.path("x"));
            if (!reading.error.empty()) ++errors;
            for (const std::string& header : reading.headers) CHECK(header.size() < 1000);
        }
    }
    CHECK(errors > 100);
}

TEST_CASE("a target is converted while it is read, or is its copy") {
    const ScratchFolder folder;
    BlastFiles(parsed_sequences(), 5).write(folder, "x");
    const ThreadPool pool(2);
    Observer silent;
    const auto open = [&](const char* name, bool keep) {
        return open_target(folder.path(name), {.temporary_folder = folder.path("none"), .keep_copies = keep}, pool,
                           silent);
    };
    for (const char* name : {"x", "x.pin"}) {
        CHECK(copy_of_target(folder.path(name)) == folder.path("x.wsdb"));
        const auto target = open(name, false);
        REQUIRE_MESSAGE(target.ok(), target.status().message());
        CHECK_FALSE(target->is_fasta);
        CHECK(target->is_blast_database);
        CHECK(target->reader.file() == folder.path("x"));
        CHECK(target->reader.sequence_count() == 3);
        CHECK(target->reader.residue_count() == 14);
        REQUIRE(target->blast);
        CHECK(target->blast->title == "A title");
        CHECK(target->blast->has_taxids);
        CHECK(target->reader.find("sp|P1|A")->size() == 1);
    }
    auto target = open("x", true);
    REQUIRE(target.ok());
    CHECK(target->reader.file() == folder.path("x.wsdb"));
    target = open("x", false);
    CHECK(target->reader.file() == folder.path("x.wsdb"));
    REQUIRE(target->blast);
    CHECK(target->blast->has_parsed_ids);
    CHECK(target->blast->date == "Nov 23, 2026  1:53 PM");
    // The database of that name is made from something else. Later it is older than the BLAST
    // database.
    ConvertOptions options;
    options.inputs = {folder.write("f", ">a\nACD\n")};
    options.output = folder.path("x.wsdb");
    options.replace = true;
    REQUIRE(convert_fasta(options, silent).ok());
    CHECK(open("x", false)->reader.sequence_count() == 3);
    REQUIRE(open("x", true).ok());
    std::filesystem::last_write_time(folder.path("x.psq"),
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    CHECK(open("x", false)->reader.file() == folder.path("x"));
    // A conversion has the same facts by itself.
    options.inputs = {folder.path("x")};
    options.output = folder.path("y.wsdb");
    REQUIRE(convert_fasta(options, silent).ok());
    CHECK(open("y.wsdb", false)->blast->title == "A title");
    CHECK_FALSE(open("y.wsdb", false)->is_blast_database);
    options.inputs.push_back(folder.path("f"));
    CHECK(contains(convert_fasta(options, silent).status().message(),
                   "x: is a BLAST database and has to be the only input"));
}

TEST_CASE("taxonomy IDs behind definition lines") {
    std::uint64_t taxid = 0;
    CHECK(without_taxid("a title [taxid=9606]", taxid) == "a title");
    CHECK(taxid == 9606);
    for (const char* text :
         {"", "a", "a [taxid=]", "a [taxid=x]", "a [taxid=1] b", "a [taxid=99999999999999999999999]", "[taxid=1"}) {
        taxid = 77;
        CHECK(without_taxid(text, taxid) == text);
        CHECK(taxid == 77);
    }
    CHECK(taxid_mark(7) == " [taxid=7]");
}
