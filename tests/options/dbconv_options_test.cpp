// The command line of `dbconv`, read back.
#include "options/dbconv/dbconv_options.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace warpseq;

namespace {

Result<DbconvSettings> settings_of(std::vector<std::string> words) {
    words.insert(words.begin(), "dbconv");
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const auto values = make_dbconv_options().parse(static_cast<int>(arguments.size()), arguments.data());
    if (!values.ok()) return values.status();
    return read_dbconv_options(*values);
}

DbconvSettings good(std::vector<std::string> words) {
    auto settings = settings_of(std::move(words));
    REQUIRE_MESSAGE(settings.ok(), settings.status().message());
    return *std::move(settings);
}

// Returns the message for a command line that is refused.
std::string refusal(std::vector<std::string> words) {
    const auto settings = settings_of(std::move(words));
    CHECK(settings.status().code() == StatusCode::kUsage);
    return settings.status().message();
}

}  // namespace

TEST_CASE("options of dbconv become the settings of a conversion") {
    const DbconvSettings plain = good({"a.fa", "b.fa", "-o", "d.wsdb"});
    CHECK(plain.conversion.inputs == std::vector<std::filesystem::path>{"a.fa", "b.fa"});
    CHECK(plain.conversion.output == "d.wsdb");
    CHECK(plain.conversion.codec == ResidueCodec::kPacked);
    CHECK(plain.conversion.memory_bytes == std::uint64_t{4} << 30);
    CHECK(!plain.update);
    CHECK(!plain.list);
    CHECK(plain.selection.wants_all());
    CHECK(plain.parts == 1);

    const DbconvSettings all = good({"a.fa",
                                     "-o",
                                     "d.wsdb",
                                     "--codec",
                                     "zstd",
                                     "--memory",
                                     "64M",
                                     "--threads",
                                     "3",
                                     "--title",
                                     "Ours",
                                     "--release",
                                     "7",
                                     "--force",
                                     "--skip-invalid",
                                     "--unique",
                                     "--quiet",
                                     "--parts",
                                     "5",
                                     "--expect-protein",
                                     "--min-length",
                                     "2",
                                     "--taxids",
                                     "10090,9606",
                                     "--max-length",
                                     "9",
                                     "--taxid-map",
                                     "m1",
                                     "--taxid-map",
                                     "m2",
                                     "--taxonomy",
                                     "t",
                                     "--list",
                                     "l"});
    CHECK(all.conversion.codec == ResidueCodec::kZstd);
    CHECK(all.conversion.memory_bytes == std::uint64_t{64} << 20);
    CHECK(all.conversion.threads == 3);
    CHECK(all.conversion.title == "Ours");
    CHECK(all.conversion.release == "7");
    CHECK(all.conversion.replace);
    CHECK(all.conversion.skip_invalid);
    CHECK(all.conversion.unique);
    CHECK(all.conversion.taxid_lists == std::vector<std::filesystem::path>{"m1", "m2"});
    CHECK(all.conversion.taxonomy_folder == "t");
    CHECK(all.selection.min_residues == 2);
    CHECK(all.selection.max_residues == 9);
    CHECK(all.selection.taxids == std::vector<std::uint32_t>{9606, 10090});
    CHECK(all.list == "l");
    CHECK(all.parts == 5);
    CHECK(all.expect_protein);
    CHECK(all.quiet);
}

TEST_CASE("updates of a set name the set") {
    const DbconvSettings append = good({"a.fa", "--append", "s.wsdbs"});
    REQUIRE(append.update);
    CHECK(append.update->kind == SetUpdate::Kind::kAppend);
    CHECK(append.update->set == "s.wsdbs");
    const DbconvSettings remove = good({"s.wsdbs", "--remove", "names"});
    REQUIRE(remove.update);
    CHECK(remove.update->kind == SetUpdate::Kind::kRemove);
    CHECK(remove.update->set == "s.wsdbs");
    CHECK(remove.list == "names");
    CHECK(good({"s.wsdbs", "--compact"}).update->kind == SetUpdate::Kind::kCompact);
    CHECK(good({"a.fa", "--replace", "s.wsdbs"}).update->kind == SetUpdate::Kind::kReplace);
}

TEST_CASE("command lines of dbconv that contradict themselves are refused") {
    CHECK(refusal({"-o", "d.wsdb"}).starts_with("no input"));
    CHECK(refusal({"a.fa"}).starts_with("no output"));
    CHECK(refusal({"a.fa", "-o", "d.wsdbs"}).find("names a set") != std::string::npos);
    CHECK(refusal({"a.fa", "-o", "d", "--codec", "lz4"}).find("unknown codec") != std::string::npos);
    CHECK(refusal({"a.fa", "-o", "d", "--min-length", "3", "--max-length", "2"}).starts_with("--min-length 3 is more"));
    CHECK(refusal({"a.fa", "-o", "d", "--taxids", "x"}).starts_with("--taxids x"));
    CHECK(refusal({"a.fa", "-o", "d", "--parts", "0"}).find("--parts") != std::string::npos);
    CHECK(refusal({"a.fa", "--append", "s", "--replace", "s"}).find("two updates") != std::string::npos);
    CHECK(refusal({"a.fa", "--append", "s", "-o", "d"}).find("--out") != std::string::npos);
    CHECK(refusal({"a.fa", "b.fa", "--compact"}).find("expects one argument") != std::string::npos);
    CHECK(refusal({"s", "--compact", "--unique"}).find("--unique") != std::string::npos);
}
