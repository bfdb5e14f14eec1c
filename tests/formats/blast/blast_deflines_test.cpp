#include "formats/blast/blast_deflines.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/blast_files.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::optional<std::vector<StoredDefline>> read(const std::string& bytes) {
    return read_blast_deflines({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::string id_of(const std::string& ids) {
    const auto lines = read(sequence(defline("t", ids)));
    return lines ? lines->front().id : "refused";
}

}  // namespace

TEST_CASE("identifiers as FASTA has them") {
    CHECK(id_of(local_id("loc1")) == "loc1");
    CHECK(id_of(part(0, part(0, number_element(123)))) == "123");
    CHECK(id_of(textual_id(7, "P12345", 0, "FOO_HUMAN", "reviewed")) == "sp|P12345|FOO_HUMAN");
    CHECK(id_of(textual_id(7, "A0A001", 0, "A0_BAC", "unreviewed")) == "tr|A0A001|A0_BAC");
    CHECK(id_of(textual_id(7, "Q1", 2, "")) == "sp|Q1.2|");
    CHECK(id_of(textual_id(9, "NP_1", 1, "")) == "ref|NP_1.1|");
    CHECK(id_of(textual_id(4, "AAA1", 1, "LOCUS")) == "gb|AAA1.1|LOCUS");
    CHECK(id_of(textual_id(5, "CAA1", 1, "")) == "emb|CAA1.1|");
    CHECK(id_of(textual_id(12, "BAA1", 1, "")) == "dbj|BAA1.1|");
    CHECK(id_of(textual_id(13, "", 0, "1234A")) == "prf||1234A");
    CHECK(id_of(textual_id(6, "", 0, "S1")) == "pir||S1");
    CHECK(id_of(textual_id(15, "DAA1", 1, "")) == "tpg|DAA1.1|");
    CHECK(id_of(gi(5'000'000'000) + textual_id(4, "AAA1", 1, "")) == "gi|5000000000|gb|AAA1.1|");
    CHECK(id_of(textual_id(4, "AAA1", 1, "") + gi(7)) == "gi|7|gb|AAA1.1|");
    CHECK(id_of(gi(7)) == "gi|7");
    CHECK(id_of(part(14, sequence(part(0, text_element("1ABC")) + part(1, number_element(66))))) == "pdb|1ABC|B");
    CHECK(id_of(part(14, sequence(part(0, text_element("1ABC")) + part(3, text_element("AA"))))) == "pdb|1ABC|AA");
    CHECK(id_of(part(10, sequence(part(0, text_element("mydb")) + part(1, part(1, text_element("tag")))))) ==
          "gnl|mydb|tag");
    const std::string patent =
        sequence(part(0, number_element(3)) +
                 part(1, sequence(part(0, text_element("US")) + part(1, part(0, text_element("1234567"))))));
    CHECK(id_of(part(8, patent)) == "pat|US|1234567|3");
    // FASTA could not have these characters in an identifier.
    CHECK(id_of(local_id("a b\x01"
                         "c")) == "a_b_c");
}

TEST_CASE("several definition lines, titles, taxa, numbers") {
    const auto lines = read(sequence(defline("first\x01one\n", textual_id(7, "P1", 0, "A"), 9606) +
                                     defline("", local_id("x"), 0) + defline("t", numbered_id(17), 4'000'000'000)));
    REQUIRE(lines);
    REQUIRE(lines->size() == 3);
    CHECK((*lines)[0].title == "first one#");
    CHECK((*lines)[0].taxid == 9606);
    CHECK_FALSE((*lines)[0].is_number);
    CHECK((*lines)[1].id == "x");
    CHECK((*lines)[1].title.empty());
    CHECK((*lines)[2].id == "gnl|BL_ORD_ID|17");
    CHECK((*lines)[2].is_number);
    CHECK((*lines)[2].taxid == 4'000'000'000);
    // The elements have lengths instead of end marks, as other programs write them. They have parts
    // that are not used.
    const std::string title(300, 't');
    const std::string ids = element(0xa1, element(0x30, local_id("x"), false), false);
    const std::string line =
        element(0xa0, element(0x1a, title, false), false) + ids + part(3, sequence(number_element(1)));
    const auto closed = read(element(0x30, element(0x30, line, false), false));
    REQUIRE(closed);
    CHECK(closed->front().id == "x");
    CHECK(closed->front().title == title);
}

TEST_CASE("bytes that are no definition lines are refused, and none beyond them is read") {
    const std::string good =
        sequence(defline("title", gi(1) + textual_id(7, "P1", 1, "A"), 9606) + defline("other", local_id("x"), 1));
    REQUIRE(read(good));
    for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(read(good.substr(0, size)));
    CHECK_FALSE(read(sequence("")));
    CHECK_FALSE(read(sequence(sequence(part(0, text_element("t"))))));
    CHECK_FALSE(read(sequence(defline("t", part(0, text_element("neither number nor name"))))));
    CHECK_FALSE(read(std::string("\x30\x84\xff\xff\xff\xff", 6)));
    std::string deep;
    for (int level = 0; level < 100'000; ++level) deep += "\x30\x80";
    CHECK_FALSE(read(deep));
    // Replace each byte by another one. The lines are refused or read, within the bytes.
    std::size_t read_anyway = 0;
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = good;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            if (const auto lines = read(damaged)) {
                ++read_anyway;
                for (const StoredDefline& line : *lines) CHECK(line.id.size() + line.title.size() < 100);
            }
        }
    }
    CHECK(read_anyway > 0);
    CHECK(read_anyway < 8 * good.size());
}
