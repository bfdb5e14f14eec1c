// Taxonomy IDs from lists and records into a database, out of it, and into others.
#include <doctest/doctest.h>

#include <fstream>

#include "formats/fasta/record_batch.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/unique_records.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_validate.h"
#include "libcore/base/observer.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using Taxids = std::vector<std::uint32_t>;

struct Sequence {
    std::string header;
    Taxids taxids;  // one for each definition line
    std::vector<ResidueCode> residues;
};

/// Returns sequences of many lengths. Some are of one taxon, some of several, some of none. A few
/// have very many definition lines.
std::vector<Sequence> random_sequences(std::uint64_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Sequence> sequences(count);
    std::uint64_t number = 0;
    for (Sequence& each : sequences) {
        const std::uint64_t lines =
            random.below(200) == 0 ? 1 + random.below(3000) : 1 + random.below(3) * random.below(2);
        const auto kind = random.below(4);
        const auto taxid = static_cast<std::uint32_t>(random.below(50));
        for (std::uint64_t line = 0; line < lines; ++line) {
            each.header += (line == 0 ? "" : "\x01") + std::string("n") + std::to_string(number++) + " of it";
            each.taxids.push_back(kind == 0   ? 0
                                  : kind == 1 ? taxid
                                              : static_cast<std::uint32_t>(random.below(2) * random.below(kMostTaxid)));
        }
        each.residues = random_residues(random, random.below(60));
    }
    return sequences;
}

WsdbSummary write(const std::filesystem::path& file, const std::vector<Sequence>& sequences, ResidueCodec codec,
                  std::vector<std::filesystem::path> lists = {}, bool with_taxids = true,
                  std::shared_ptr<const Taxonomy> taxonomy = {}) {
    const ThreadPool pool(2);
    WsdbWriterOptions options;
    options.codec = codec;
    options.replace = true;
    options.taxid_lists = std::move(lists);
    auto writer = WsdbWriter::create(file, options, pool);
    REQUIRE(writer.ok());
    RecordBatch batch;
    for (const Sequence& each : sequences) {
        batch.add(each.header, each.residues, RecordBatch::kInOrder, with_taxids ? each.taxids : Taxids());
    }
    PendingCopies copies;
    const auto added = writer->add(batch, copies);
    REQUIRE(added.ok());
    REQUIRE(*added);
    make_copies(copies);
    WsdbInputFacts facts;
    facts.provenance_json = "{}";
    facts.taxonomy = std::move(taxonomy);
    const auto summary = writer->finish(facts);
    REQUIRE_MESSAGE(summary.ok(), summary.status().message());
    return *summary;
}

void check_sound(const std::filesystem::path& file) {
    const ThreadPool pool(2);
    const auto validation = validate_wsdb(file, pool);
    REQUIRE(validation.ok());
    if (!validation->faults.empty()) FAIL(fault_status(file, validation->faults.front()).message());
}

void check_content(const std::filesystem::path& file, const std::vector<Sequence>& sequences) {
    check_sound(file);
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    REQUIRE(reader->sequence_count() == sequences.size());
    Taxids taxids;
    std::size_t wrong = 0;
    HeaderBuffer buffer;
    for (std::uint64_t rank = 0; rank < sequences.size(); ++rank) {
        const Sequence& expected = sequences[reader->input_positions()[rank]];
        const auto header = reader->header(rank, buffer);
        REQUIRE(header.ok());
        REQUIRE(*header == expected.header);
        REQUIRE(reader->taxids(rank, count_deflines(*header), taxids).ok());
        wrong += taxids != expected.taxids;
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("taxonomy IDs come back, of each definition line, from both codecs and through other databases") {
    const ScratchFolder folder;
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        const auto sequences = random_sequences(3000, 7);
        const auto file = folder.path("db.wsdb");
        const WsdbSummary summary = write(file, sequences, codec);
        check_content(file, sequences);
        std::uint64_t known = 0;
        for (const Sequence& each : sequences)
            known += each.taxids.size() - static_cast<std::uint64_t>(std::ranges::count(each.taxids, 0U));
        CHECK(summary.taxids.known == known);
        Observer observer;
        ConvertOptions options;
        options.inputs = {file};
        options.output = folder.path("again.wsdb");
        options.replace = true;
        options.threads = 2;
        REQUIRE(convert_fasta(options, observer).ok());
        check_content(options.output, sequences);
        options.memory_bytes = WsdbWriter::min_memory_bytes(2);
        REQUIRE(convert_fasta(options, observer).ok());
        check_content(options.output, sequences);
        const auto parts = convert_in_parts(options, 3, observer);
        REQUIRE(parts.ok());
        std::size_t first = 0;
        for (unsigned part = 0; part < 3; ++part) {
            const std::size_t count = (*parts)[part].summary.sequences;
            const auto begin = sequences.begin() + static_cast<std::ptrdiff_t>(first);
            check_content(part_of_output(options.output, part, 3), {begin, begin + static_cast<std::ptrdiff_t>(count)});
            first += count;
        }
    }
}

TEST_CASE("the lists of more sequences than a group has") {
    const ScratchFolder folder;
    std::vector<Sequence> sequences(3 * wsdb::kTaxidGroupSequences / 2);
    for (std::size_t n = 0; n < sequences.size(); ++n) {
        sequences[n].header = "n" + std::to_string(n);
        sequences[n].taxids = {static_cast<std::uint32_t>(n % 7)};
        if (n % 5 == 0) {
            sequences[n].header += "\x01m";
            sequences[n].taxids.push_back(8);
        }
    }
    write(folder.path("db.wsdb"), sequences, ResidueCodec::kPacked);
    check_content(folder.path("db.wsdb"), sequences);
}

TEST_CASE("a list takes precedence over records, and does not affect other sequences") {
    const ScratchFolder folder;
    std::ofstream(folder.path("list")) << "a\t5\nc\t7\nb2\t0\n";
    const std::vector<Sequence> sequences = {{"a", {1}, {1, 2}},
                                             {"b\x01"
                                              "b2",
                                              {2, 3},
                                              {1}},
                                             {"c", {0}, {}},
                                             {"d", {0}, {4}}};
    const WsdbSummary summary = write(folder.path("db.wsdb"), sequences, ResidueCodec::kPacked, {folder.path("list")});
    check_content(folder.path("db.wsdb"), {{"a", {5}, {}},
                                           {"b\x01"
                                            "b2",
                                            {2, 3},
                                            {}},
                                           {"c", {7}, {}},
                                           {"d", {0}, {}}});
    CHECK(summary.taxids.lines == 5);
    CHECK(summary.taxids.known == 4);
    CHECK(summary.taxids.taxa == 4);
}

TEST_CASE("databases without a known taxon have the bytes that they have always had") {
    const ScratchFolder folder;
    std::ofstream(folder.path("list")) << "x\t5\n";
    const auto sequences = random_sequences(300, 2);
    write(folder.path("without.wsdb"), sequences, ResidueCodec::kPacked, {}, false);
    write(folder.path("with.wsdb"), sequences, ResidueCodec::kPacked, {folder.path("list")}, false);
    CHECK(read_bytes(folder.path("without.wsdb")) == read_bytes(folder.path("with.wsdb")));
    const auto reader = WsdbReader::open(folder.path("with.wsdb"));
    REQUIRE(reader.ok());
    CHECK_FALSE(reader->has_taxids());
    Taxids taxids;
    REQUIRE(reader->taxids(5, 3, taxids).ok());
    CHECK(taxids == Taxids{0, 0, 0});
    const auto tree = reader->taxonomy();
    REQUIRE(tree.ok());
    CHECK((*tree)->empty());
}

TEST_CASE("merged sequences have the taxonomy IDs of all their definition lines") {
    const ScratchFolder folder;
    const ThreadPool pool(2);
    UniqueRecords unique(std::uint64_t{8} << 20, folder.path(""), pool);
    RecordBatch batch;
    const std::vector<ResidueCode> one = {1, 2, 3}, other = {4};
    batch.add("a", one, RecordBatch::kInOrder, Taxids{});
    batch.add(
        "b\x01"
        "b2",
        one, RecordBatch::kInOrder, Taxids{5, 0});
    batch.add("c", other, RecordBatch::kInOrder, Taxids{7});
    batch.add("a", one, RecordBatch::kInOrder, Taxids{9});  // there already
    batch.add("d", one, RecordBatch::kInOrder, Taxids{0});
    PendingCopies copies;
    REQUIRE(*unique.add(batch, copies));
    make_copies(copies);
    std::vector<std::pair<std::string, Taxids>> found(3);
    REQUIRE(unique
                .read(
                    [&](const RecordBatch& merged, PendingCopies&) -> Result<bool> {
                        for (const auto& record : merged.records()) {
                            const auto view = view_of_record(merged.bytes_of(record), record.residues);
                            auto& [header, taxids] = found[record.position];
                            header = view.header;
                            for (std::size_t line = 0; view.has_taxids() && line < count_deflines(header); ++line)
                                taxids.push_back(view.taxid(line));
                        }
                        return true;
                    },
                    [] { return Status(); })
                .ok());
    CHECK(found[0] == std::pair<std::string, Taxids>("a\x01"
                                                     "b\x01"
                                                     "b2\x01"
                                                     "d",
                                                     {0, 5, 0, 0}));
    CHECK(found[2] == std::pair<std::string, Taxids>("c", {7}));
}

TEST_CASE("with any number of the sections replaced, nothing outside is read, and validation reports it") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    auto tree = Taxonomy::parse("1\t0\t\troot\t\t\n7\t1\tspecies\tseven\t\t\n9\t7\t\tnine\tIX\tb\n");
    REQUIRE(tree.ok());
    auto sequences = random_sequences(60, 5);
    for (Sequence& each : sequences) each.taxids.front() = 9;
    write(file, sequences, ResidueCodec::kPacked, {}, true, std::make_shared<const Taxonomy>(*std::move(tree)));
    check_sound(file);
    const auto good = read_bytes(file);
    Random random(1);
    const ThreadPool pool(1);
    int told = 0;
    for (int round = 0; round < 400; ++round) {
        auto bytes = good;
        const auto type = round % 4 == 0 ? wsdb::SectionType::kTaxonomy : wsdb::SectionType::kTaxids;
        const auto section = section_of(good, type);
        // The numbers of sequences are changed more often than their lists.
        const std::uint64_t place = section.offset_bytes + (round % 4 == 0   ? random.below(section.size_bytes)
                                                            : round % 4 == 1 ? random.below(section.size_bytes / 4) * 4
                                                                             : random.below(62) * 4);
        if (round % 4 == 0) {
            put(bytes, place, static_cast<std::uint8_t>(random.below(256)));
        } else {
            put(bytes, place,
                round % 3 == 0 ? static_cast<std::uint32_t>(random.below(40)) | wsdb::kTaxidList
                               : static_cast<std::uint32_t>(~std::uint64_t{0} >> random.below(64)));
        }
        if (bytes == good) continue;
        put_checksums_right(bytes);
        write_bytes(file, bytes);
        const auto validation = validate_wsdb(file, pool);
        REQUIRE(validation.ok());
        told += !validation->faults.empty();
        const auto reader = WsdbReader::open(file);
        REQUIRE(reader.ok());
        bool is_told = false;
        Taxids taxids;
        for (std::uint64_t rank = 0; rank < reader->sequence_count(); ++rank) {
            const auto header = reader->header(rank);
            REQUIRE(header.ok());
            is_told = !reader->taxids(rank, count_deflines(*header), taxids).ok() || is_told;
            for (const std::uint32_t taxid : taxids) CHECK(taxid <= kMostTaxid);
        }
        is_told = !reader->taxonomy().ok() || is_told;
        // Reading tolerates some damage. If it reports an error, validation must find a fault.
        if (is_told) CHECK_FALSE(validation->faults.empty());
    }
    CHECK(told > 100);
}
