#include "options/option_set.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace warpseq;

namespace {

Result<OptionValues> parse(std::vector<const char*> words) {
    OptionSet options("program");
    options.add_options("Group")                                   //
        ("o,out", "where to", text_value(), "FILE")                //
        ("width", "how wide", text_value("60"), "N")               //
        ("d,db", "which; may be repeated", texts_value(), "FILE")  //
        ("quiet", "no words");
    words.insert(words.begin(), "program");
    return options.parse(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST_CASE("values, standard values, flags and options that are given several times") {
    const auto parsed = parse({"-d", "a,b", "--quiet", "--db=c d", "-oFILE", "left", "over"});
    REQUIRE(parsed.ok());
    CHECK(parsed->texts("db") == std::vector<std::string>{"a,b", "c d"});  // a comma may be part of a name
    CHECK(parsed->text("out") == "FILE");
    CHECK(parsed->text("width") == "60");
    CHECK(parsed->count("width") == 0);
    CHECK(parsed->count("quiet") == 1);
    CHECK(parsed->count("db") == 2);
    CHECK(parsed->unmatched() == std::vector<std::string>{"left", "over"});
    CHECK(parsed->names_given() == std::vector<std::string>{"db", "quiet", "db", "out"});
}

TEST_CASE("nothing given") {
    const auto parsed = parse({});
    REQUIRE(parsed.ok());
    CHECK(parsed->texts("db").empty());
    CHECK(parsed->names_given().empty());
    CHECK(parsed->text("width") == "60");
}

TEST_CASE("an unknown option, or an option without its value, is a usage error") {
    for (const std::vector<const char*>& words : {std::vector<const char*>{"--bogus"}, {"--out"}, {"--quiet=maybe"}}) {
        const auto parsed = parse(words);
        REQUIRE_FALSE(parsed.ok());
        CHECK(parsed.status().exit_status() == 2);
        CHECK(parsed.status().message().find("--help") != std::string::npos);
    }
}

TEST_CASE("options are listed as the help has them, without those of the group hidden") {
    OptionSet options("program");
    options.add_options("B")("o,out", "where to", text_value(), "FILE")("quiet", "no words");
    options.add_options("A")("E", "how much", text_value("10"), "X");
    options.add_options("hidden")("input", "", texts_value());
    const std::vector<ListedOption> listed = options.listed();
    REQUIRE(listed.size() == 3);
    CHECK(listed[0].short_name == "E");
    CHECK(listed[0].long_name.empty());
    CHECK(listed[0].takes_value);
    CHECK(listed[1].short_name == "o");
    CHECK(listed[1].long_name == "out");
    CHECK(listed[1].help == "where to");
    CHECK(listed[1].argument == "FILE");
    CHECK(listed[2].long_name == "quiet");
    CHECK(listed[2].argument.empty());
    CHECK(!listed[2].takes_value);
}

TEST_CASE("an option of several long names is one option, and messages know which was written") {
    const auto definition = [] {
        OptionSet options("program");
        options.add_options("A")("max-hits,max_target_seqs", "how many", text_value(), "N")("E,evalue", "how much",
                                                                                            text_value("10"), "X");
        return options;
    };
    const auto parse = [&](std::vector<const char*> words) {
        words.insert(words.begin(), "program");
        return definition().parse(static_cast<int>(words.size()), words.data());
    };
    for (const char* written : {"max-hits", "max_target_seqs"}) {
        for (const bool joined : {false, true}) {
            const std::string option = "--" + std::string(written) + (joined ? "=7" : "");
            const auto parsed = joined ? parse({option.c_str()}) : parse({option.c_str(), "7"});
            REQUIRE(parsed.ok());
            CHECK(parsed->count("max-hits") == 1);
            CHECK(parsed->count("max_target_seqs") == 1);
            CHECK(parsed->text("max-hits") == "7");
            CHECK(parsed->name_given("max-hits") == written);
        }
    }
    const auto neither = parse({"--evalue", "3"});
    REQUIRE(neither.ok());
    CHECK(neither->count("max-hits") == 0);
    CHECK(neither->name_given("max-hits") == "max-hits");
    CHECK(neither->text("E") == "3");
    CHECK(parse({"-E", "4"})->text("evalue") == "4");
    // The help and lists have the first long name; advice knows all.
    REQUIRE(definition().listed().size() == 2);
    CHECK(definition().listed()[0].long_name == "max-hits");
    CHECK(definition().listed()[0].other_names == std::vector<std::string>{"max_target_seqs"});
    CHECK(parse({"-max_target_seqs", "7"}).status().message().starts_with("-max_target_seqs: write --max_target_seqs"));
}

TEST_CASE("the help keeps to 80 columns, and machine and other options stand last") {
    OptionSet options("program");
    options.add_options("Machine")("threads", std::string(200, 'a') + " b", text_value(), "N");
    options.add_options("Other")("help", "print this help");
    options.add_options("Scoring")(
        "matrix", "word word word word word word word word word word word word word word word", text_value(), "NAME");
    const std::string help = options.help();
    CHECK(help.find("Scoring") < help.find("Machine"));
    CHECK(help.find("Machine") < help.find("Other"));
    std::size_t longest = 0;
    for (std::size_t at = 0, end; at < help.size(); at = end + 1) {
        end = std::min(help.find('\n', at), help.size());
        longest = std::max(longest, end - at);
    }
    CHECK(longest <= 80);
    CHECK(longest > 60);
}

TEST_CASE("a long name behind one dash, or nearly right, is told how it is written") {
    const auto message = [](const std::vector<const char*>& words) {
        const auto parsed = parse(words);
        return parsed.ok() ? std::string("taken") : parsed.status().message();
    };
    CHECK(message({"-width", "5"}) == "-width: write --width; --help lists the options");
    CHECK(message({"-out=x"}) == "-out: write --out; --help lists the options");
    CHECK(message({"-db", "x"}) == "-db: write --db; --help lists the options");
    CHECK(message({"--wdith", "5"}).ends_with("; did you mean --width? --help lists the options"));
    CHECK(message({"--quite"}).ends_with("; did you mean --quiet? --help lists the options"));
    CHECK(message({"--completely-else"}).find("did you mean") == std::string::npos);
    CHECK(message({"--o"}).find("did you mean") == std::string::npos);
    // Values, and short options with theirs.
    CHECK(message({"--out", "-width"}) == "taken");
    CHECK(message({"-o", "-width"}) == "taken");
    CHECK(message({"-oFILE", "-dx"}) == "taken");
    CHECK(message({"--", "-width"}) == "taken");
}
