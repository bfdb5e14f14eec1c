// Profiles written as text. They are those of HMMER's hmmconvert byte for byte, except the line
// that names the writing program.
#include "formats/profiles/hmm_writer.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "formats/profiles/hmm_file.h"
#include "libcore/base/version.h"
#include "tests/support/golden_folder.h"

namespace warpseq {
namespace {

std::filesystem::path golden(const std::string& name) { return testing::golden_folder() / "hmm" / name; }

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

ProfileHmm profile_of(const std::filesystem::path& file) {
    HmmFileReader reader(file);
    ProfileHmm hmm;
    const Result<bool> more = reader.next(hmm);
    REQUIRE_MESSAGE(more.ok(), more.status().message());
    REQUIRE(*more);
    return hmm;
}

std::string without_first_line(const std::string& text) { return text.substr(text.find('\n')); }

TEST_CASE("every version of the format comes back") {
    for (const char version : {'a', 'b', 'c', 'd', 'e', 'f'}) {
        CAPTURE(version);
        const std::filesystem::path file = golden(std::string("every-field-3") + version + ".hmm");
        std::string text;
        append_hmm(profile_of(file), text, static_cast<HmmFormat>(version));
        CHECK(without_first_line(text) == without_first_line(bytes_of(file)));
    }
    const std::filesystem::path file = golden("built-small.hmm");
    std::string text;
    append_hmm(profile_of(file), text);
    CHECK(without_first_line(text) == without_first_line(bytes_of(file)));
}

TEST_CASE("the format line") {
    ProfileHmm hmm;
    hmm.name = "x";
    hmm.match.resize(1);
    hmm.insert.resize(1);
    hmm.transitions.resize(1);
    std::string text;
    append_hmm(hmm, text);
    CHECK(text.starts_with("HMMER3/f [3.3.2 | warpseq " + std::string(program_version()) + "]\nNAME  x\nLENG  0\n"));
    text.clear();
    append_hmm(hmm, text, HmmFormat::k3b);
    CHECK(text.starts_with("HMMER3/b [3.3.2 | warpseq " + std::string(program_version()) +
                           "; reverse compatibility mode]\n"));
    text.clear();
    append_hmm(hmm, text, HmmFormat::k3a, "Nov 2020");
    CHECK(text.starts_with("HMMER3/a [3.3.2 | Nov 2020; reverse compatibility mode]\nNAME  x\n"));
}

TEST_CASE("dates and commands") {
    ProfileHmm hmm = profile_of(golden("built-small.hmm"));
    hmm.date = "Thu Jan  1 00:00:00 1970";
    hmm.commands = {"[HMM created from a query sequence]", "second  one"};
    std::string text;
    append_hmm(hmm, text);
    CHECK(text.find("\nDATE  Thu Jan  1 00:00:00 1970\nCOM   [1] [HMM created from a query sequence]\n"
                    "COM   [2] second  one\nNSEQ") != std::string::npos);
}

}  // namespace
}  // namespace warpseq
