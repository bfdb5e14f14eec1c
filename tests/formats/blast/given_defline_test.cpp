#include "formats/blast/given_defline.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpseq;

namespace {

constexpr const char* kTitleWarning =
    "FASTA-Reader: Title ends with at least 50 valid amino acid characters.  Was the sequence accidentally put in the "
    "title line?\n";

std::string letters(std::size_t count) { return std::string(count, 'M'); }

std::string warnings(const std::string& header, bool parses_ids) {
    const DeflineFindings findings = check_given_defline(header, 7, parses_ids);
    CHECK(findings.status.ok());
    return findings.id_warnings + findings.title_warnings;
}
std::string error(const std::string& header) {
    const DeflineFindings findings = check_given_defline(header, 7, true);
    CHECK_FALSE(findings.status.ok());
    return findings.status.message();
}
std::string id_warning(std::size_t count) {
    return "Fasta Reader: sequence id ends with " + std::to_string(count) +
           " valid amino-acid characters.  Was the sequence accidentally placed in the definition line?\n";
}

}  // namespace

TEST_CASE("the parts of a definition line") {
    const struct {
        std::string header, title, id, rest;
    } cases[] = {
        {"a b  c", "a b  c", "a", "b  c"},
        {" \ta b", "a b", "a", "b"},
        {"a\tb\tc", "a", "a", "b"},
        {"a\x01"
         "b c\x02",
         "a", "a",
         "\x01"
         "b c"},
        {"\x02 x\x7F", "\x02 x\x7F", "", "\x02 x\x7F"},
        {"a ", "a ", "a", ""},
        {"", "", "", ""},
        {"a[x y-1_=z] t", "a[x y-1_=z] t", "a", "[x y-1_=z] t"},
        {"a[=", "a[=", "a", "[="},
        {"a[x.y=z]", "a[x.y=z]", "a[x.y=z]", ""},
        {"a[x]=z [y=", "a[x]=z [y=", "a[x]=z", "[y="},
        {"  ", "", "", ""},
        {"a[b\x02", "a[b", "a[b\x02", ""},
        {"a[b\x02\x02", "a[b", "a[b", "\x02"},
        {"a[[b=c] d", "a[[b=c] d", "a[[b=c]", "d"},
        {"a[b[c=d e", "a[b[c=d e", "a[b[c=d", "e"},
        {"a[b.[c=d e", "a[b.[c=d e", "a[b.", "[c=d e"},
        {"a[x y]= z", "a[x y]= z", "a[x", "y]= z"},
        {"gi|16|gb|AAA00006.1|b1-MAG:[x y=z w", "gi|16|gb|AAA00006.1|b1-MAG:[x y=z w",
         "gi|16|gb|AAA00006.1|b1-MAG:[x y=z", "w"},
    };
    for (const auto& expected : cases) {
        CAPTURE(expected.header);
        CHECK(split_given_defline(expected.header, false).id.empty());
        CHECK(split_given_defline(expected.header, false).title == expected.title);
        CHECK(split_given_defline(expected.header, true).id == expected.id);
        CHECK(split_given_defline(expected.header, true).title == expected.rest);
    }
}

TEST_CASE("titles that end like a sequence are warned of") {
    CHECK(warnings("x " + letters(50), false) == kTitleWarning);
    CHECK(warnings(letters(51), false) == kTitleWarning);
    CHECK(warnings("1" + letters(50) + "\tmore", false) == kTitleWarning);
    CHECK(warnings(letters(50), false).empty());
    CHECK(warnings("x " + letters(49), false).empty());
    CHECK(warnings("x " + letters(60) + " ", false).empty());
    CHECK(warnings("x " + letters(60) + "*", false).empty());
    // The title is the text after the identifier.
    CHECK(warnings("x " + letters(50), true).empty());
    CHECK(warnings("x " + letters(51), true) == kTitleWarning);
    CHECK(warnings("x a " + letters(50), true) == kTitleWarning);
}

TEST_CASE("a modifier begins within the first 30 characters") {
    CHECK(split_given_defline("a[" + letters(27) + "=", true).id == "a");
    CHECK(split_given_defline("a[" + letters(28) + "=", true).id == "a[" + letters(28) + "=");
}

TEST_CASE("identifiers are checked if they are parsed") {
    // The last identifier stands for all.
    CHECK(warnings("pir||" + letters(60) + "|gb|AAA00001.1|", true).empty());
    CHECK(warnings("gb|AAA00001.1||pir||" + letters(60), true) == id_warning(60));
    CHECK(error("[x=y] z") == "Unable to locate sequence id in definition line");
    CHECK(error("\x02x") == "Unable to locate sequence id in definition line");
    CHECK(check_given_defline("lcl|[x=y]", 7, true).ids.size() == 1);
    CHECK(warnings("a,b", true) ==
          "Near line 7, the sequence id string contains 'comma' symbol, which has been replaced with 'underscore' "
          "symbol. Please correct the sequence id string.\n");
    for (const char* header : {"a,b|c", "lcl|a,b", "sp|P12345|a,b", "sp|P12345|", "ab|c", "x|", "*x", "", "a\"b"})
        CHECK(warnings(header, true).empty());
    CHECK(warnings("a,b", false).empty());
    CHECK(warnings("pir||" + letters(60), true) == id_warning(60));
    CHECK(warnings("pdb|1ABC|" + letters(51), true) == id_warning(51));
    CHECK(warnings("sp|P12345|" + letters(60), true).empty());
    CHECK(warnings(letters(50), true).empty());

    CHECK(error("gi|x7 a title") == "Could not construct seq-id from 'gi|x7'");
    CHECK(error("gnl|x") == "Could not construct seq-id from 'gnl|x'");
    CHECK(error(":2-3") == "Unable to locate sequence id in definition line");
    for (const std::string name : {"|x", "\"x", "[x", "]x", ">x", "\xE9x"})
        CHECK(error(name + " title") == "'" + name + "' is not a valid local ID");
    CHECK(error("lcl|\"x") == "'\"x' is not a valid local ID");
    const std::string too_long = " is too long.  Its length is 51 but the maximum allowed ";
    CHECK(error(letters(51)) == "Near line 7, the local id" + too_long +
                                    "local id length is 50.  Please find and correct all local ids that are too long.");
    CHECK(check_given_defline(letters(51), 7, true).id_warnings == id_warning(51));
    CHECK(error("1" + letters(50)).starts_with("Near line 7, the local id" + too_long));
    CHECK(error("gnl|db|" + letters(51)).starts_with("Near line 7, the general id string" + too_long));
    CHECK(check_given_defline("1" + letters(50), 7, true).id_warnings.empty());
    CHECK(error("sp|" + letters(31)).starts_with("Near line 7, the accession is too long.  Its length is 31 but"));
}
