// profile_alphabet(): the alphabet of a file of profiles, from any beginning of it.
#include "formats/profiles/profile_alphabet.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace warpseq {
namespace {

using namespace std::string_literals;

ProfileAlphabet read(std::string_view text) {
    return profile_alphabet({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace

TEST_CASE("the alphabet of profiles in text form") {
    const std::string text = "# a comment\n\nHMMER3/f [3.3.2]\r\nNAME  x\nDESC  ALPH rna\nALPH  DNA\nRF    no\n";
    CHECK(read(text).name == "dna");
    CHECK(read(text).is_nucleotide());
    // It is decided as soon as the line has ended, and not before.
    const std::size_t end = text.find("DNA") + 4;
    for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
        CAPTURE(bytes);
        CHECK(read(text.substr(0, bytes)).is_decided == (bytes >= end));
    }
    CHECK(read("HMMER3/a\nALPH amino\n").name == "amino");
    CHECK(!read("HMMER3/a\nALPH amino\n").is_nucleotide());
    CHECK(read("\xef\xbb\xbfHMMER3/f\rALPH\tRNA\r").is_nucleotide());
    CHECK(read("HMMER2.0 [2.3.2]\nNAME x\nALPH  Nucleic\n").is_nucleotide());
    CHECK(!read("HMMER2.0 [2.3.2]\nNAME x\nALPH  Amino\n").is_nucleotide());
}

TEST_CASE("files that do not tell an alphabet") {
    for (const char* text : {"HMMER3/f\nNAME x\nHMM  A C\nALPH DNA\n", "HMMER3/f\nNAME x\n//\nALPH DNA\n",
                             ">a\nALPH DNA\n", "# STOCKHOLM 1.0\nALPH DNA\n", "NAME\nALPH DNA\n"}) {
        CAPTURE(text);
        CHECK(read(text).is_decided);
        CHECK(read(text).name.empty());
    }
    CHECK(!read("").is_decided);
    CHECK(!read("\n\n# nothing yet\n").is_decided);
}

TEST_CASE("the alphabet of profiles in binary form") {
    const auto binary = [](char number) { return "\xba\xed\xed\xe8\0\0\0\0\1\0\0\0"s + std::string{number, 0, 0, 0}; };
    CHECK(read(binary(1)).name == "rna");
    CHECK(read(binary(2)).name == "dna");
    CHECK(read(binary(3)).name == "amino");
    CHECK(!read(binary(3)).is_nucleotide());
    CHECK(read(binary(9)).is_decided);
    CHECK(read(binary(9)).name.empty());
    CHECK(!read(binary(2).substr(0, 15)).is_decided);
}

TEST_CASE("the first word tells the format") {
    const auto tag = [](std::string_view text) {
        return profile_format_tag({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    };
    CHECK(tag("HMMER3/f [3.3.2]\n") == "HMMER3/f");
    CHECK(tag("\xef\xbb\xbf\r\n# a comment\n\n  HMMER2.0") == "HMMER2.0");
    CHECK(tag(">a b\nACD\n") == ">a");
    CHECK(tag("") == "");
    CHECK(tag("\n \n# HMMER3/f") == "");
    for (const char* const known : {"HMMER2.0", "HMMER3/a", "HMMER3/f"}) CHECK(is_profile_format(known));
    for (const char* const unknown : {"", "HMMER2.1", "HMMER2", "HMMER3/g", "HMMER3/", "HMMER3/ff", ">a"})
        CHECK_FALSE(is_profile_format(unknown));
}

}  // namespace warpseq
