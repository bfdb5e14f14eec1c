// Files that are searched: their kinds, the copies that are read instead of them, and what happens
// to copies.
#include "formats/wsdb/fasta_target.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "formats/fasta/hmmer_fasta.h"
#include "formats/io/json_writer.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/wsdb_map.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::string_view kFasta = ">one first\nMKVLAW\n>two\nMK-VL\n>three\n\n>one again\nACDEFGHIKLMNPQRSTVWY\n";

struct Listener : Observer {
    std::vector<std::string> notes;
    std::function<void()> when_reading = [] {};
    void note(const std::string& text) override { notes.push_back(text); }
    std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total) override {
        if (label == "reading") when_reading();
        return Observer::begin(label, total);
    }
};

Result<Target> open_it(const std::filesystem::path& file, bool keep_copies = false, Listener* listener = nullptr,
                       unsigned threads = 2) {
    Listener own;
    const ThreadPool pool(threads);
    return open_target(file, {.temporary_folder = file.parent_path() / "absent", .keep_copies = keep_copies}, pool,
                       listener != nullptr ? *listener : own);
}

std::string refusal(const std::filesystem::path& file) {
    const auto target = open_it(file);
    return target.ok() ? "opened" : target.status().message();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void convert(const std::filesystem::path& from, const std::filesystem::path& to) {
    ConvertOptions options;
    options.inputs = {from};
    options.output = to;
    options.replace = true;
    Observer silent;
    REQUIRE(convert_fasta(options, silent).ok());
}

/// Makes a database at `to` that claims to be a copy of `from`. It has other residues, so a test
/// sees when it is read.
void convert_marked(const std::filesystem::path& from, const std::filesystem::path& to,
                    std::vector<CopiedFile> files = {}) {
    convert(from, to);
    const auto honest = *WsdbReader::open(to);
    const auto text = *honest.map().provenance();
    ThreadPool pool(1);
    WsdbWriterOptions options;
    options.replace = true;
    auto writer = WsdbWriter::create(to, options, pool);
    REQUIRE(writer.ok());
    for (std::uint64_t i = 0; i < honest.sequence_count(); ++i)
        REQUIRE(writer->add("marked", std::vector<ResidueCode>{1, 2, 3}).ok());
    WsdbInputFacts facts;
    facts.provenance_json = text;
    if (!files.empty()) {
        std::string added;
        JsonWriter json(added, JsonWriter::Layout::kCompact);
        json.begin_array();
        for (const CopiedFile& file : files) file.write(json);
        json.end_array();
        facts.provenance_json.insert(1, "\"copied_files\":" + added + ",");
    }
    REQUIRE(writer->finish(facts).ok());
}

/// Returns the first header of a target. It tells from which file the target was made.
std::string first_header(const Target& target) {
    for (std::uint64_t rank = 0; rank < target.reader.sequence_count(); ++rank) {
        if (target.reader.input_positions()[rank] == 0) return *target.reader.header(rank);
    }
    return {};
}

void set_time(const std::filesystem::path& file, std::chrono::seconds after, const std::filesystem::path& reference) {
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(reference) + after);
}

}  // namespace

TEST_CASE("FASTA is the database that a conversion makes of it, whatever the name and the threads") {
    const ScratchFolder folder;
    const auto file = folder.write("proteins.wsdb.txt", kFasta);
    convert(file, folder.path("database"));
    const auto database = *WsdbReader::open(folder.path("database"));
    for (const unsigned threads : {1u, 2u, 7u}) {
        const auto target = open_it(file, false, nullptr, threads);
        REQUIRE_MESSAGE(target.ok(), target.status().message());
        CHECK(target->is_fasta);
        CHECK(target->reader.file() == file);
        CHECK(target->reader.content_digest() == database.content_digest());
        CHECK(target->reader.sequence_count() == 4);
        TileBuffer one, other;
        for (std::uint64_t rank = 0; rank < 4; ++rank) {
            CHECK(*target->reader.header(rank) == *database.header(rank));
            CHECK(*target->reader.residues(rank, one) == *database.residues(rank, other));
        }
        CHECK(*target->reader.find("one") == *database.find("one"));
        ThreadPool pool(threads);
        CHECK(target->reader.verify_unchanged(pool).ok());
    }
    const auto same = open_it(folder.path("database"));
    REQUIRE(same.ok());
    CHECK_FALSE(same->is_fasta);
    CHECK_FALSE(std::filesystem::exists(copy_of_target(file)));
}

TEST_CASE("a range of each FASTA sequence is taken, as far as it reaches, and whole lengths are known") {
    const ScratchFolder folder;
    const auto file = folder.write("x.fa", ">one first\nMKVLAW\n>two\nMK-VL\n>three\nACDEFGHIKLMNPQRSTVWY\n");
    // A copy would hold whole sequences.
    convert(file, copy_of_target(file));
    const auto copied = read_bytes(copy_of_target(file));
    Observer silent;
    const auto open = [&](const std::filesystem::path& name, ResidueRange range) {
        return open_target(name, {.keep_copies = true, .range = range}, ThreadPool(2), silent);
    };
    struct Case {
        ResidueRange range;
        std::vector<std::string> left;
    };
    const std::vector<Case> cases = {{{0, 1}, {"M", "M", "A"}},
                                     {{1, 4}, {"KVL", "KVL", "CDE"}},
                                     {{3, 6}, {"LAW", "L", "EFG"}},
                                     {{4, 99}, {"AW", "", "FGHIKLMNPQRSTVWY"}},
                                     {{0, 1u << 31}, {"MKVLAW", "MKVL", "ACDEFGHIKLMNPQRSTVWY"}}};
    for (const Case& each : cases) {
        CAPTURE(each.range.begin);
        CAPTURE(each.range.end);
        const auto target = open(file, each.range);
        REQUIRE_MESSAGE(target.ok(), target.status().message());
        CHECK(target->is_fasta);
        CHECK(target->whole_residues == std::vector<std::uint64_t>{6, 4, 20});
        std::uint64_t residues = 0;
        TileBuffer buffer;
        for (std::uint64_t rank = 0; rank < 3; ++rank) {
            const std::string letters = decode_residues(*target->reader.residues(rank, buffer));
            CHECK(letters == each.left[target->reader.input_positions()[rank]]);
            residues += letters.size();
        }
        CHECK(target->reader.residue_count() == residues);
    }
    const auto beyond = open(file, {5, 9});
    REQUIRE_FALSE(beyond.ok());
    CHECK(beyond.status().advice() == Advice::kTargetRange);
    CHECK(contains(beyond.status().message(), "x.fa: line 3: two has 4 residues; the range begins at residue 6"));
    const auto database = open(copy_of_target(file), {0, 3});
    REQUIRE_FALSE(database.ok());
    CHECK(contains(database.status().message(), "x.fa.wsdb: is a database"));
    CHECK(read_bytes(copy_of_target(file)) == copied);
    std::filesystem::remove(copy_of_target(file));
    CHECK(open(file, {0, 3}).ok());
    CHECK_FALSE(std::filesystem::exists(copy_of_target(file)));
    CHECK(open_it(file)->whole_residues.empty());
}

TEST_CASE("changes to FASTA after it was opened do not matter") {
    const ScratchFolder folder;
    const auto file = folder.write("x.fa", kFasta);
    const auto target = open_it(file);
    folder.write("x.fa", ">other\nWWWW\n");
    REQUIRE(target.ok());
    CHECK(first_header(*target) == "one first");
    ThreadPool pool(1);
    CHECK(target->reader.verify_unchanged(pool).ok());
}

TEST_CASE("FASTA that changes while it is read is an error, and no copy of its old content is read later") {
    for (const bool keep_copies : {false, true}) {
        CAPTURE(keep_copies);
        const ScratchFolder folder;
        const auto file = folder.write("x.fa", kFasta);
        set_time(file, std::chrono::seconds(-10), file);
        Listener listener;
        listener.when_reading = [&] {
            std::ofstream(file, std::ios::app) << ">more\nMKV\n";
            listener.when_reading = [] {};
        };
        const auto target = open_it(file, keep_copies, &listener);
        REQUIRE_FALSE(target.ok());
        CHECK(contains(target.status().message(), "x.fa: was changed while it was read"));
        const auto again = open_it(file);
        REQUIRE(again.ok());
        // A copy that is begun after the change has all of it.
        CHECK(again->reader.sequence_count() == 5);
    }
}

TEST_CASE("a copy is kept where it is asked for, and read from then on") {
    const ScratchFolder folder;
    const auto file = folder.write("x.fa", kFasta);
    const auto copy = folder.path("x.fa.wsdb");
    CHECK(copy_of_target(file) == copy);
    Listener listener;
    auto target = open_it(file, true, &listener);
    REQUIRE_MESSAGE(target.ok(), target.status().message());
    CHECK(target->reader.file() == copy);
    CHECK(target->is_fasta);
    CHECK(listener.notes.empty());
    convert(file, folder.path("database"));
    const auto kept = *WsdbReader::open(copy), made = *WsdbReader::open(folder.path("database"));
    CHECK(kept.content_digest() == made.content_digest());
    const auto provenance = *provenance_of(kept);
    REQUIRE(provenance.copied_files.size() == 1);
    CHECK(provenance.copied_files[0].name == "x.fa");
    CHECK(provenance.copied_files[0].size_bytes == kFasta.size());
    CHECK(provenance.copied_files[0].inode == CopiedFile::of(file)->inode);
    CHECK(provenance.copied_files[0].modified == CopiedFile::of(file)->modified);
    CHECK(provenance_of(made)->copied_files.empty());
    // It is read, and not written again.
    const auto inode = std::filesystem::hard_link_count(copy);
    std::filesystem::create_hard_link(copy, folder.path("link"));
    target = open_it(file, true);
    REQUIRE(target.ok());
    CHECK(target->reader.file() == copy);
    CHECK(std::filesystem::hard_link_count(copy) == inode + 1);
}

TEST_CASE("databases beside FASTA that are read; only a file that was kept as its copy is replaced") {
    const ScratchFolder folder;
    const auto file = folder.write("x.fa", kFasta);
    const auto copy = folder.path("x.fa.wsdb");
    std::string other(kFasta);
    other.replace(1, 3, "two");  // as large
    folder.write("other", other);
    folder.write("longer", other + ">more\nMKV\n");
    auto as_it_is = *CopiedFile::of(file);
    as_it_is.is_recent = false;
    const auto recorded = [&](const std::function<void(CopiedFile&)>& change) {
        auto changed = as_it_is;
        change(changed);
        // This copy is read if the record decides. It is also read if the digest decides and is
        // that of x.
        convert_marked(folder.path("other"), copy, {changed});
    };
    const auto with = [&](const std::function<void(ConvertOptions&)>& change) {
        ConvertOptions options;
        options.inputs = {file};
        options.output = copy;
        options.replace = true;
        change(options);
        Observer silent;
        REQUIRE(convert_fasta(options, silent).ok());
    };
    RecordSelection selection;
    selection.min_residues = 5;
    struct Case {
        const char* what;
        std::function<void()> make;
        bool is_read;
    };
    const std::vector<Case> cases = {
        {"of these bytes", [&] { convert_marked(file, copy); }, true},
        {"of these bytes, older", [&] { convert_marked(file, copy), set_time(copy, std::chrono::seconds(-9), file); },
         true},
        {"of other bytes, newer",
         [&] { convert_marked(folder.path("other"), copy), set_time(copy, std::chrono::seconds(9), file); }, false},
        {"recorded as it is", [&] { recorded([](CopiedFile&) {}); }, true},
        {"recorded right after a change", [&] { recorded([](CopiedFile& was) { was.is_recent = true; }); }, false},
        {"recorded with another inode", [&] { recorded([](CopiedFile& was) { ++was.inode; }); }, false},
        {"recorded with another time", [&] { recorded([](CopiedFile& was) { was.modified += "1"; }); }, false},
        {"recorded with another time of its inode", [&] { recorded([](CopiedFile& was) { was.changed += "1"; }); },
         false},
        {"of another size", [&] { convert_marked(folder.path("longer"), copy); }, false},
        {"without provenance",
         [&] {
             make_database(copy, {{"marked", {1, 2}}});
         },
         false},
        {"of several files",
         [&] { with([&](ConvertOptions& options) { options.inputs.push_back(folder.path("other")); }); }, false},
        {"of some of the sequences", [&] { with([&](ConvertOptions& options) { options.selection = &selection; }); },
         false},
        {"cut",
         [&] {
             convert_marked(file, copy);
             std::filesystem::resize_file(copy, 5000);
         },
         false},
        {"no database", [&] { folder.write("x.fa.wsdb", "somebody's notes"); }, false},
        {"empty", [&] { folder.write("x.fa.wsdb", ""); }, false},
        {"a link to nothing", [&] { std::filesystem::create_symlink("nothing", copy); }, false},
        {"a folder", [&] { std::filesystem::create_directory(copy); }, false},
    };
    for (const Case& each : cases) {
        CAPTURE(each.what);
        std::filesystem::remove_all(copy);
        each.make();
        const bool is_regular = std::filesystem::is_regular_file(copy);
        const auto before = is_regular ? read_bytes(copy) : std::vector<std::uint8_t>();
        for (const bool keep_copies : {false, true}) {
            CAPTURE(keep_copies);
            Listener listener;
            const auto target = open_it(file, keep_copies, &listener);
            REQUIRE_MESSAGE(target.ok(), target.status().message());
            CHECK(first_header(*target) == (each.is_read ? "marked" : "one first"));
            CHECK(target->is_fasta);
            CHECK(listener.notes.size() == (each.is_read ? 0 : 1));
            for (const std::string& note : listener.notes) {
                CHECK_MESSAGE(contains(note, copy.string()), note);
                CHECK_MESSAGE(contains(note, keep_copies ? "no copy is kept: " : "is not read in place of"), note);
            }
            CHECK(std::filesystem::exists(std::filesystem::symlink_status(copy)));
            CHECK(std::filesystem::is_regular_file(copy) == is_regular);
            if (is_regular) CHECK(read_bytes(copy) == before);
        }
    }
}

TEST_CASE("a copy that was kept is replaced once its original has changed, where copies are kept") {
    const ScratchFolder folder;
    const auto file = folder.write("x.fa", kFasta);
    const auto copy = folder.path("x.fa.wsdb");
    REQUIRE(open_it(file, true).ok());
    std::string other(kFasta);
    other.replace(1, 3, "two");
    // Another release that is as large and has an older time, as an archive gives it.
    std::filesystem::rename(folder.write("other", other), file);
    set_time(file, std::chrono::seconds(-100'000), copy);
    const auto before = read_bytes(copy);
    Listener listener;
    auto target = open_it(file, false, &listener);
    REQUIRE(target.ok());
    CHECK(first_header(*target) == "two first");
    CHECK(target->reader.file() == file);
    REQUIRE(listener.notes.size() == 1);
    CHECK(contains(listener.notes[0], "does not match the present content of"));
    CHECK(read_bytes(copy) == before);
    target = open_it(file, true, &listener);
    REQUIRE(target.ok());
    CHECK(target->reader.file() == copy);
    CHECK(first_header(*target) == "two first");
    CHECK(listener.notes.size() == 1);
    // This is the copy of another file under a new name. It is not read.
    folder.write("y.fa", kFasta);
    std::filesystem::rename(copy, folder.path("y.fa.wsdb"));
    CHECK(first_header(*open_it(folder.path("y.fa"), true, &listener)) == "one first");
    CHECK(listener.notes.size() == 2);
    CHECK_FALSE(std::filesystem::exists(copy));
}

TEST_CASE("FASTA that is read otherwise than by dbconv has no copy") {
    const ScratchFolder folder;
    const auto file = folder.write("x.fa", ">\nMKVLA\n");
    const auto copy = copy_of_target(file);
    convert(file, copy);
    const auto copied = read_bytes(copy);
    Observer silent;
    const auto header = [&](FastaOptions reading) {
        const auto target =
            open_target(file, {.keep_copies = true, .reading = std::move(reading)}, ThreadPool(2), silent);
        return target.ok() ? first_header(*target) : target.status().message();
    };
    CHECK(header({}) == "unnamed_1");
    CHECK(header({.empty_header = "no name"}) == "no name");
    CHECK(read_bytes(copy) == copied);
    std::filesystem::remove(copy);
    CHECK(header({.empty_header = "no name"}) == "no name");
    CHECK_FALSE(std::filesystem::exists(copy));
}

TEST_CASE("large FASTA goes to the folder for temporary files, and leaves nothing there") {
    const ScratchFolder folder;
    std::string text;
    const std::string line(1000, 'W');
    for (int i = 0; i < 35'000; ++i) text += ">s\n" + line + "\n";
    const auto file = folder.write("x.fa", text);
    CHECK(contains(refusal(file), folder.path("absent").string() + ": cannot create a temporary file here"));
    std::filesystem::create_directory(folder.path("temporary"));
    const ThreadPool pool(2);
    Observer silent;
    const auto target = open_target(file, {.temporary_folder = folder.path("temporary")}, pool, silent);
    REQUIRE_MESSAGE(target.ok(), target.status().message());
    CHECK(target->reader.residue_count() == 35'000'000);
    TileBuffer buffer;
    CHECK(target->reader.residues(34'999, buffer)->size() == 1000);
    CHECK(std::filesystem::is_empty(folder.path("temporary")));
}

TEST_CASE("files of other formats are targets where the settings admit them") {
    const ScratchFolder folder;
    const auto file = folder.write("f", "ID   a\nAC   P1\nDE   of it\nSQ   x\nMK.V\n//\nID   b;\nSQ   x\nMKVLW\n//\n");
    const auto sto = folder.write("s", "# STOCKHOLM 1.0\na MK-V\nb M--V\n//\n");
    CHECK(contains(refusal(file), "f: is neither a database, which dbconv makes, nor"));
    const ThreadPool pool(2);
    Observer silent;
    const TargetSettings settings = {.format = {}};
    const auto target = open_target(file, settings, pool, silent);
    REQUIRE_MESSAGE(target.ok(), target.status().message());
    CHECK(target->is_fasta);
    REQUIRE(target->reader.sequence_count() == 2);
    const HmmerTitle title = hmmer_title(*target->reader.header(1));  // the shorter one
    CHECK(title.name == "a");
    CHECK(title.accession == "P1");
    CHECK(title.description == "of it");
    const auto rows = open_target(sto, settings, pool, silent);
    REQUIRE(rows.ok());
    CHECK(rows->reader.residue_count() == 5);
    // A format that is given is not recognised.
    TargetSettings embl = settings;
    embl.format = {.kind = SequenceFileKind::kEmbl};
    CHECK(open_target(file, embl, pool, silent).ok());
    CHECK(contains(open_target(sto, embl, pool, silent).status().message(), "line 1: failed to find ID line"));
}

TEST_CASE("a file without sequences is no target, or an error") {
    const ScratchFolder folder;
    const ThreadPool pool(2);
    Observer silent;
    TargetSettings settings;
    settings.format.dialect = FastaDialect::kHmmer;
    const auto blank = folder.write("blank.fa", "\n\n"), empty = folder.write("empty", "");
    CHECK(open_targets(blank, settings, pool, silent).status().message() == "there is no sequence to write");
    settings.may_be_empty = true;
    const auto none = open_targets(blank, settings, pool, silent);
    REQUIRE(none.ok());
    CHECK(none->empty());
    CHECK_FALSE(open_targets(empty, settings, pool, silent).ok());
    settings.format.kind = SequenceFileKind::kAlignments;
    settings.format.alignments = AlignmentFormat::kStockholm;
    const auto no_rows = open_targets(empty, settings, pool, silent);
    REQUIRE_MESSAGE(no_rows.ok(), no_rows.status().message());
    CHECK(no_rows->empty());
}

TEST_CASE("files that are neither databases nor FASTA are refused, with their kind") {
    const ScratchFolder folder;
    CHECK(contains(refusal(folder.path("none")), "none: cannot open: No such file"));
    CHECK(contains(refusal(folder.path(".")), "is a folder, not a regular file"));
    CHECK(contains(refusal(folder.write("empty", "")), "empty: byte 0: the file is empty"));
    CHECK(contains(refusal(folder.write("bad", ">one\nMK5\n")), "bad: line 2, column 3: found '5'"));
    CHECK(contains(refusal(folder.write("text", "MKVLA\n")), "text: is neither a database, which dbconv makes, nor"));
    CHECK(contains(refusal(folder.write("blank", "\n\n")), "blank: there is no sequence in it"));
    CHECK(contains(refusal(folder.write("cut", "\x89WSD\r")), "cut: byte 5: the file ends inside its header"));
    CHECK(contains(refusal(folder.write("as_text", "\x3fWSD\n\x1a\n\n")), "was the file copied as text?"));
    const auto profile = open_it(folder.write("p", "HMMER3/f [3.3.2 | Nov 2020]\n"));
    REQUIRE_FALSE(profile.ok());
    CHECK(contains(profile.status().message(), "p: holds profile HMMs, not sequences"));
    CHECK(profile.status().advice() == Advice::kProfileQueries);
    for (const auto& [ending, message] :
         {std::pair(".pin", "nr.phr: cannot open"), std::pair(".pal", "names no database"),
          std::pair(".00.pin", "nr.00.phr: cannot open"), std::pair(".nin", "is a BLAST database of nucleotides")}) {
        const ScratchFolder blast;
        blast.write(std::string("nr") + ending, "");
        CHECK(contains(refusal(blast.path("nr")), message));
    }
    folder.write("nr.pin", "");
    CHECK(contains(refusal(folder.write("nr.psq", std::string("\0M", 2))), "nr.psq: is a file of a BLAST database"));
    CHECK(contains(refusal(folder.write("other.psq", std::string("\0M", 2))), "other.psq: is neither"));
}

TEST_CASE("nucleotides are searched as proteins, with a note") {
    const ScratchFolder folder;
    Listener listener;
    REQUIRE(open_it(folder.write("d", ">n\nACGTACGTACGTACGTACGTACGT\n"), false, &listener).ok());
    REQUIRE(listener.notes.size() == 1);
    CHECK(contains(listener.notes[0], "d: 1 of 1 sequence looks like nucleotides; all are searched as proteins"));
}
