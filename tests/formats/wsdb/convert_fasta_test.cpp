// Conversions as a library's caller sees them: files that must not be overwritten, input that
// changes, and records that are too large.
#include "formats/wsdb/convert_fasta.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_set_update.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFasta = ">one\nMKVLAW\n>two\nMKVL\n>three\nMKV\n";

ConvertOptions conversion(const fs::path& input, const fs::path& output) {
    ConvertOptions options;
    options.inputs = {input};
    options.output = output;
    options.replace = true;
    options.threads = 1;
    return options;
}

Status convert(const ConvertOptions& options) {
    Observer silent;
    return convert_fasta(options, silent).status();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// An observer that does something once, when some of the input has been handed on.
struct Meddler : Observer {
    explicit Meddler(std::function<void()> what) : meddle(std::move(what)) {}
    struct Watch : Progress {
        explicit Watch(Meddler& owner) : meddler(owner) {}
        void update(std::uint64_t) override {
            if (meddler.meddle) std::exchange(meddler.meddle, nullptr)();
        }
        Meddler& meddler;
    };
    std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total) override {
        if (label == "reading") return std::make_unique<Watch>(*this);
        return Observer::begin(label, total);
    }
    std::function<void()> meddle;
};

std::string large_fasta() {
    std::string text;
    const std::string line(500, 'W');
    for (int i = 0; i < 12'000; ++i) text += ">s" + std::to_string(i) + "\n" + line + "\n";
    return text;
}

}  // namespace

TEST_CASE("an output that is an input, by whatever name, is refused and stays as it is") {
    const ScratchFolder folder;
    const auto fasta = folder.write("x.fa", kFasta);
    const auto database = folder.path("x.wsdb");
    REQUIRE(convert(conversion(fasta, database)).ok());
    fs::create_hard_link(fasta, folder.path("hard"));
    fs::create_symlink("x.fa", folder.path("soft"));
    fs::create_symlink("x.wsdb", folder.path("soft_database"));
    const auto list = folder.write("taxids", "one 9606\n");
    fs::create_directory(folder.path("dump"));
    const auto nodes = folder.write("dump/nodes.dmp", "1\t|\t1\t|\tno rank\t|\n");
    folder.write("dump/names.dmp", "1\t|\troot\t|\t\t|\tscientific name\t|\n");
    const auto refuses = [&](ConvertOptions options) {
        const auto before = read_bytes(options.output);
        const Status status = convert(options);
        CAPTURE(status.message());
        CHECK_FALSE(status.ok());
        CHECK(contains(status.message(), "name the same file"));
        CHECK(read_bytes(options.output) == before);
    };
    refuses(conversion(fasta, fasta));
    refuses(conversion(fasta, folder.path("hard")));
    refuses(conversion(fasta, folder.path("soft")));
    refuses(conversion(folder.path("soft"), fasta));
    refuses(conversion(fasta, folder.path("dump/../x.fa")));
    refuses(conversion(database, database));
    refuses(conversion(database, folder.path("soft_database")));
    auto several = conversion(fasta, database);
    several.inputs.push_back(database);
    refuses(several);
    auto with_list = conversion(fasta, list);
    with_list.taxid_lists = {list};
    refuses(with_list);
    auto with_tree = conversion(fasta, nodes);
    with_tree.taxonomy_folder = folder.path("dump");
    refuses(with_tree);
    // A set's manifest and its volumes are read, too.
    Observer silent;
    auto appended = conversion(fasta, {});
    REQUIRE(append_to_set(folder.path("s.wsdbs"), appended, false, silent).ok());
    refuses(conversion(folder.path("s.wsdbs"), folder.path("s.volume-1.wsdb")));
    refuses(conversion(folder.path("s.wsdbs"), folder.path("s.wsdbs")));
    // Parts are read, too.
    const auto part = part_of_output(folder.path("p.wsdb"), 1, 2);
    fs::copy_file(fasta, part);
    const auto before = read_bytes(part);
    const auto parts = convert_in_parts(conversion(part, folder.path("p.wsdb")), 2, silent);
    REQUIRE_FALSE(parts.ok());
    CHECK(contains(parts.status().message(), "name the same file"));
    CHECK(read_bytes(part) == before);
    CHECK_FALSE(fs::exists(part_of_output(folder.path("p.wsdb"), 0, 2)));
    // Another file is replaced, because that was requested.
    CHECK(convert(conversion(fasta, folder.write("other", "notes"))).ok());
}

TEST_CASE("an input that is changed while it is read is an error, and leaves no database") {
    const std::string text = large_fasta();
    using Change = std::function<void(const fs::path&)>;
    const std::vector<std::pair<const char*, Change>> changes = {
        {"shorter", [&](const fs::path& file) { fs::resize_file(file, text.size() / 2 + 7); }},
        {"a byte shorter", [&](const fs::path& file) { fs::resize_file(file, text.size() - 1); }},
        {"longer", [](const fs::path& file) { std::ofstream(file, std::ios::app) << ">more\nMKV\n"; }},
        {"other letters",
         [&](const fs::path& file) {
             std::fstream open(file, std::ios::in | std::ios::out);
             open.seekp(static_cast<std::streamoff>(text.size() - 100));
             open << "AAAA";
         }},
        {"a byte that no sequence has", [&](const fs::path& file) {
             std::fstream open(file, std::ios::in | std::ios::out);
             open.seekp(static_cast<std::streamoff>(text.size() - 100));
             open.put('\0');
         }}};
    for (const auto& [what, change] : changes) {
        for (const unsigned threads : {1u, 3u}) {
            for (const bool as_stream : {false, true}) {
                CAPTURE(what);
                CAPTURE(threads);
                CAPTURE(as_stream);
                const ScratchFolder folder;
                const auto file = folder.write("x.fa", text);
                // Time stamps of files advance in steps.
                fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(9));
                Meddler meddler([&] { change(file); });
                auto options = conversion(file, folder.path("x.wsdb"));
                options.threads = threads;
                // A conversion with `on_record` reads a stream.
                if (as_stream) options.on_record = [](FastaRecord&) { return Status(); };
                const auto made = convert_fasta(options, meddler);
                REQUIRE_FALSE(made.ok());
                CAPTURE(made.status().message());
                CHECK(contains(made.status().message(), "x.fa: was changed while it was read; run the command again"));
                CHECK_FALSE(fs::exists(options.output));
                CHECK_FALSE(meddler.meddle);
            }
        }
    }
}

TEST_CASE("another file that takes the name of an input does not change the input") {
    const ScratchFolder folder;
    const auto file = folder.write("x.fa", large_fasta());
    folder.write("new", kFasta);
    Meddler meddler([&] { fs::rename(folder.path("new"), file); });
    const auto made = convert_fasta(conversion(file, folder.path("x.wsdb")), meddler);
    REQUIRE_MESSAGE(made.ok(), made.status().message());
    CHECK(made->summary.sequences == 12'000);
}

TEST_CASE("a record that does not fit in memory is refused with its whole size, unless it is not selected") {
    const ScratchFolder folder;
    const std::uint64_t memory = WsdbWriter::min_memory_bytes(1);
    constexpr std::uint64_t kLarge = 20'000'000;
    const auto file = folder.write("x.fa", ">small\nMKV\n>large of all\n" + std::string(kLarge, 'A') + "\n>last\nMK\n");
    const auto wordy = folder.write("w.fa", ">wordy " + std::string(kLarge, 'x') + "\nMKV\n>last\nMK\n");
    REQUIRE(convert(conversion(file, folder.path("large.wsdb"))).ok());
    RecordSelection few;
    few.max_residues = 1000;
    for (const auto& [input, message] :
         {std::pair(file, "sequence 'large': its 20000000 residues and 12 bytes of header need"),
          std::pair(folder.path("large.wsdb"), "sequence 'large': its 20000000 residues and 12 bytes of header need"),
          std::pair(wordy, "sequence 'wordy': its 3 residues and 20000006 bytes of header need")}) {
        CAPTURE(input);
        auto options = conversion(input, folder.path("out.wsdb"));
        options.memory_bytes = memory;
        const Status refused = convert(options);
        REQUIRE_FALSE(refused.ok());
        CHECK_MESSAGE(contains(refused.message(), message), refused.message());
        CHECK(refused.advice() == Advice::kMemory);
        CHECK_FALSE(fs::exists(options.output));
        if (input == wordy) continue;
        options.selection = &few;
        Observer silent;
        const auto made = convert_fasta(options, silent);
        REQUIRE_MESSAGE(made.ok(), made.status().message());
        CHECK(made->summary.sequences == 2);
        CHECK(made->summary.residues == 5);
        fs::remove(options.output);
    }
}

TEST_CASE("a conversion that is stopped leaves no database") {
    const ScratchFolder folder;
    const fs::path input = folder.path("in.fasta"), output = folder.path("out.wsdb");
    std::ofstream(input) << large_fasta();
    std::stop_source stop;
    ConvertOptions options = conversion(input, output);
    options.stop = stop.get_token();
    Meddler meddler([&] { stop.request_stop(); });
    CHECK(convert_fasta(options, meddler).status().code() == StatusCode::kInterrupted);
    CHECK(!fs::exists(output));
    // A stop that comes before the conversion begins ends it, too.
    CHECK(convert(options).code() == StatusCode::kInterrupted);
    CHECK(!fs::exists(output));
}
