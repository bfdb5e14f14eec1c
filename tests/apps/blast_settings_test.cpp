#include "apps/dropin/blast_settings.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "tests/support/scratch_folder.h"

using namespace warpseq;
using warpseq::testing::ScratchFolder;

namespace {

std::string read(const std::string& text) {
    const auto values = read_blast_settings(text, "BLAST");
    if (!values.ok()) return "error: " + values.status().message();
    const auto found = values->find("BLASTDB");
    return found == values->end() ? "none" : found->second;
}

}  // namespace

TEST_CASE("settings as NCBI's programs read them") {
    CHECK(read("[BLAST]\nBLASTDB=/a:/b\n") == "/a:/b");
    CHECK(read("; c\n# d\n[blast]\r\n blastdb = /lower \r\n") == "/lower");
    CHECK(read("[ BLAST ]\nBLASTDB=/sp") == "/sp");
    CHECK(read("[BLAST]\nBLASTDB=/a\nBLASTDB=/b\n") == "/b");
    CHECK(read("[BLAST]\nBLASTDB=/a # x\n") == "/a # x");
    CHECK(read("[BLAST]\nBLASTDB=/a\\\n/b\n") == "/a\n/b");
    CHECK(read("[BLAST]\nBLASTDB=/a\\tb\n") == "/a\tb");
    CHECK(read("[BLAST]\nBLASTDB=\"/a b\"\n") == "/a b");
    CHECK(read("[NCBI]\nBLASTDB=/a\n") == "none");
    CHECK(read("BLASTDB=/a\n") == "none");
    CHECK(read("") == "none");
    CHECK(read("[BLAST]\nbroken line\nBLASTDB=/a\n") == "error: line 2: expected NAME=VALUE: 'broken line'");
    CHECK(read("[BLAST\nBLASTDB=/a\n") == "error: line 1: a section without ']': '[BLAST'");
    CHECK(read("[BLAST]\nBLASTDB=\"/a\" ; x\n").starts_with("error: line 2"));
}

TEST_CASE("the first file that is there counts") {
    const ScratchFolder folder;
    const auto write = [&](const std::string& name, const std::string& text) {
        std::filesystem::create_directories(folder.path(name));
        folder.write(name + "/.ncbirc", text);
    };
    // The current folder, which the test does not change, is left out.
    setenv("NCBI_DONT_USE_LOCAL_CONFIG", "1", 1);
    setenv("NCBI", folder.path("n").c_str(), 1);
    write("n", "[BLAST]\nBLASTDB=/n\n");
    CHECK(blast_setting("BLASTDB") == "/n");
    CHECK_FALSE(blast_setting("LONG_SEQID"));
    setenv("NCBI_CONFIG_PATH", (folder.path("absent").string() + ":" + folder.path("c").string()).c_str(), 1);
    write("c", "[BLAST]\nBLASTDB=/c\n");
    CHECK(blast_setting("BLASTDB") == "/c");
    setenv("NCBI_CONFIG_OVERRIDES", folder.path("n/.ncbirc").c_str(), 1);
    CHECK(blast_setting("BLASTDB") == "/n");
    setenv("NCBI_CONFIG__BLAST__BLASTDB", "/e", 1);
    CHECK(blast_setting("BLASTDB") == "/e");
    for (const char* name : {"NCBI_DONT_USE_LOCAL_CONFIG", "NCBI", "NCBI_CONFIG_PATH", "NCBI_CONFIG_OVERRIDES",
                             "NCBI_CONFIG__BLAST__BLASTDB"})
        unsetenv(name);
}
