// Values of options: whether they were given, and the one text that says so.
#include "options/option_values.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "options/option_set.h"

using namespace warpseq;

namespace {

using Texts = std::vector<std::string>;

OptionSet make_options() {
    OptionSet options("program");
    options.add_options("Group")                                         //
        ("o,out", "where to", text_value(), "FILE")                      //
        ("max-hits,max_target_seqs", "how many", text_value("10"), "N")  //
        ("d,db", "which", texts_value(), "FILE")                         //
        ("quiet", "no words")                                            //
        ("E", "how much", text_value(), "X");
    return options;
}

}  // namespace

TEST_CASE("values that a program sets are those of a command line that says the same") {
    const OptionSet options = make_options();
    OptionValues set = options.values();
    REQUIRE(set.set("max_target_seqs", "7").ok());
    REQUIRE(set.set("quiet").ok());
    REQUIRE(set.set("db", "b").ok());
    REQUIRE(set.set("d", "a=1").ok());
    REQUIRE(set.set("E", "5").ok());
    const char* const words[] = {"program", "-E", "5", "-d", "b", "--db=a=1", "--quiet", "--max_target_seqs", "7"};
    const auto parsed = options.parse(static_cast<int>(std::size(words)), words);
    REQUIRE(parsed.ok());
    CHECK(set.canonical_without({}) == Texts{"E=5", "db=b", "db=a=1", "max-hits=7", "quiet"});
    CHECK(parsed->canonical_without({}) == set.canonical_without({}));
    CHECK(set.name_given("max-hits") == "max_target_seqs");
    CHECK(parsed->name_given("max-hits") == "max_target_seqs");
    CHECK(set.texts("db") == Texts{"b", "a=1"});
    CHECK(set.text("max-hits") == "7");
}

TEST_CASE("canonical texts leave out defaults and the options that are named, by any of their names") {
    OptionValues values = make_options().values();
    REQUIRE(values.set("max-hits", "10").ok());
    CHECK(values.canonical_without({}).empty());
    REQUIRE(values.set("out", "file").ok());
    REQUIRE(values.set("quiet").ok());
    CHECK(values.canonical_without({"o"}) == Texts{"quiet"});
    CHECK(values.canonical_of({"o", "E"}) == Texts{"out=file"});
    // A default that overrides another value is reported.
    OptionValues twice = make_options().values();
    REQUIRE(twice.set("max-hits", "9").ok());
    REQUIRE(twice.set("max-hits", "10").ok());
    CHECK(twice.canonical_without({}) == Texts{"max-hits=9", "max-hits=10"});
    CHECK(twice.text("max-hits") == "10");
}

TEST_CASE("canonical texts are read back") {
    OptionValues values = make_options().values();
    for (const std::string text : {"quiet", "db=a=1", "db=", "out=a file\nof two lines", "E=-3"})
        REQUIRE(values.set_canonical(text).ok());
    OptionValues again = make_options().values();
    for (const std::string& text : values.canonical_without({})) REQUIRE(again.set_canonical(text).ok());
    CHECK(again.canonical_without({}) == values.canonical_without({}));
    CHECK(again.texts("db") == Texts{"a=1", ""});
    CHECK(again.text("out") == "a file\nof two lines");
    CHECK(again.count("quiet") == 1);
}

TEST_CASE("an unknown option is a usage error") {
    OptionValues values = make_options().values();
    CHECK(values.set("bogus", "1").message() == "there is no option 'bogus'");
    CHECK(values.set("").exit_status() == 2);
    CHECK(values.set_canonical("bogus=1").exit_status() == 2);
    CHECK(values.count("bogus") == 0);
    CHECK_FALSE(values.knows("bogus"));
    CHECK(values.knows("E"));
}
