#include "formats/io/text_lines.h"

#include <doctest/doctest.h>

#include <fstream>
#include <vector>

#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& file, const std::string& text, std::string& error) {
    std::ofstream(file, std::ios::binary) << text;
    auto lines = TextLines::open(file);
    REQUIRE(lines.ok());
    std::vector<std::string> read;
    for (std::string_view line;;) {
        const auto more = lines->next(line);
        if (!more.ok()) {
            error = more.status().message();
            return read;
        }
        if (!*more) return read;
        read.emplace_back(line);
        CHECK(lines->number() == read.size());
    }
}

}  // namespace

TEST_CASE("lines come without their ends, the last one also where it has none") {
    const ScratchFolder folder;
    const auto file = folder.path("lines");
    std::string error;
    using Lines = std::vector<std::string>;
    CHECK(lines_of(file, "", error) == Lines{});
    CHECK(lines_of(file, "\n", error) == Lines{""});
    CHECK(lines_of(file, "a\nb", error) == Lines{"a", "b"});
    CHECK(lines_of(file, "a\r\n\r\nb\r\n", error) == Lines{"a", "", "b"});
    CHECK(error.empty());
}

TEST_CASE("lines that go over the ends of blocks are whole, and a line above a megabyte is an error") {
    const ScratchFolder folder;
    const auto file = folder.path("lines");
    std::string error;
    std::vector<std::string> expected;
    std::string text;
    for (std::size_t n = 0; n < 40; ++n) {
        expected.emplace_back(n * 20011, static_cast<char>('a' + n % 26));
        text += expected.back() + "\n";
    }
    CHECK(lines_of(file, text, error) == expected);
    CHECK(error.empty());
    expected = {"x", std::string(TextLines::kLongestLineBytes, 'y')};
    CHECK(lines_of(file, expected[0] + "\n" + expected[1] + "\n", error) == expected);
    CHECK(error.empty());
    CHECK(lines_of(file, "x\n" + expected[1] + "y\nz\n", error).size() == 1);
    CHECK(error == file.string() + ": line 2: expected text, found a line longer than a megabyte");
    error.clear();
    CHECK(lines_of(file, "x\n" + expected[1] + "y", error).size() == 1);
    CHECK_FALSE(error.empty());
}
