#include "options/easel_options.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace warpseq {
namespace {

constexpr OptionRow kBasic[] = {{.easel = {"-h", "help"}}};
constexpr OptionRange kWhole = {.text = "n>=0", .least = 0};
constexpr OptionRow kMore[] = {
    {.type = OptionType::kFile, .easel = {"-o", "write here"}},
    {.type = OptionType::kReal, .excludes = "-T,-E,--cut_something_long", .easel = {"-T", "score"}},
    {.type = OptionType::kReal,
     .standard = "10.0",
     .range = {.text = "x>0", .least = 0, .without_least = true},
     .excludes = "-T,-E",
     .easel = {"-E", "E-value"}},
    {.type = OptionType::kReal,
     .range = {.text = "0<=x<0.5", .least = 0, .most = 0.5, .without_most = true},
     .easel = {"--open", "probability"}},
    {.type = OptionType::kFile, .easel = {"--output", "write there"}},
    {.warpseq = {"ours", "", "of another dialect"}},
    {.easel = {"--acc", "accessions"}},
    {.type = OptionType::kInteger,
     .standard = "2",
     .range = kWhole,
     .easel = {"--cpu", "threads", "WARPSEQ_TEST_NCPU"}},
};
constexpr std::string_view kWays = "--first,--second,--third";
constexpr OptionRow kToggles[] = {
    {.toggles = kWays, .is_on = true, .easel = {"--first"}},
    {.toggles = kWays, .easel = {"--second"}},
    {.type = OptionType::kReal, .toggles = kWays, .easel = {"--third"}},
    {.type = OptionType::kReal, .needs = "--second", .easel = {"--how"}},
};
constexpr OptionRow kHidden[] = {{.easel = {"--secret", "told to nobody"}}};
constexpr EaselGroup kGroups[] = {{"Basic:", kBasic}, {"More:", kMore}, {"Toggles:", kToggles}, {"", kHidden}};

Result<EaselArguments> read(std::vector<std::string> words) {
    words.insert(words.begin(), "program");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return read_easel_arguments(kGroups, static_cast<int>(words.size()), argv.data());
}

std::string error_of(std::vector<std::string> words) {
    const auto arguments = read(std::move(words));
    return arguments.ok() ? "" : arguments.status().message();
}

/// Checks the parser's message after its first words.
void check_error(std::vector<std::string> words, const std::string& expected) {
    CHECK(error_of(std::move(words)) == "Failed to parse command line: " + expected);
}

TEST_CASE("all spellings of a value") {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"-T", "-5", "--cpu", "4", "a", "b"},
                                                  {"-T-5", "--cpu=4", "a", "b"},
                                                  {"--cp", "4", "-T", "-5", "--", "a", "b"},
                                                  {"-T-5", "--c=4", "a", "b"}}) {
        const auto arguments = read(words);
        REQUIRE(arguments.ok());
        CHECK(arguments->value("-T") == "-5");
        CHECK(arguments->value("--cpu") == "4");
        CHECK_FALSE(arguments->has("-E"));
        CHECK(arguments->positional() == std::vector<std::string>{"a", "b"});
    }
}

TEST_CASE("options in the order of the table, whatever the order of the command line; switches together") {
    const auto arguments = read({"--acc", "-hofile", "-"});
    REQUIRE(arguments.ok());
    std::string all;
    for (const EaselArguments::Given& given : arguments->given())
        all += std::string(given.option->easel.name) + "(" + given.value + ")";
    CHECK(all == "-h()-o(file)--acc()");
    CHECK(arguments->positional() == std::vector<std::string>{"-"});
}

TEST_CASE("nothing is an option behind the first argument") {
    const auto arguments = read({"a", "-E", "5"});
    REQUIRE(arguments.ok());
    CHECK(arguments->given().empty());
    CHECK(arguments->positional().size() == 3);
}

TEST_CASE("names that are unknown, ambiguous, given twice or in conflict") {
    check_error({"-x"}, "No such option \"-x\".");
    check_error({"-h5"}, "No such option \"-5\".");
    check_error({"-acc"}, "No such option \"-a\".");
    check_error({"--nonsense=3"}, "No such option \"--nonsense=3\".");
    check_error({"--a_name_that_is_far_too_long"}, "No such option \"--a_name_that_is_far_too\".");
    check_error({"--o", "1"}, "Abbreviated option \"--o\" is ambiguous.");
    check_error({"--acc", "--acc"}, "Option --acc has already been set on cmdline.");
    check_error({"-E1", "-E", "2"}, "Option -E has already been set on cmdline.");
    check_error({"-E1", "-T", "2"}, "Option -T is incompatible with option(s) -T,-E,--cut_something_lo");
}

TEST_CASE("values that are missing, superfluous or wrong") {
    check_error({"-E"}, "Option -E requires an argument");
    check_error({"--cpu"}, "Option --cpu requires an argument.");
    check_error({"--acc=1"}, "Option --acc does not take an argument.");
    check_error({"-E", "x"}, "Option -E takes real-valued arg; got x on cmdline");
    check_error({"-E", ""}, "Option -E takes real-valued arg; got  on cmdline");
    check_error({"-E5x"}, "Option -E takes real-valued arg; got 5x on cmdline");
    check_error({"-E", "0"}, "Option -E takes real-valued arg in range x>0; got 0 on cmdline");
    check_error({"-E", "nan"}, "Option -E takes real-valued arg in range x>0; got nan on cmdline");
    check_error({"--open", "0.5"}, "Option --open takes real-valued arg in range 0<=x<0.5; got 0.5 on cmdline");
    check_error({"--cpu", "2.5"}, "Option --cpu takes integer arg; got 2.5 on cmdline");
    check_error({"--cpu", "0x10"}, "Option --cpu takes integer arg; got 0x10 on cmdline");
    check_error({"--cpu=-1"}, "option --cpu takes integer arg in range n>=0; got -1 on cmdline");
    check_error({"-o", "-x"}, "Arg looks like option? Use -o-x if you really mean it.");
    check_error({"-o", "x", "-o", "-x"}, "Arg looks like option? Use -o-x if you really mean it.");
    check_error({"--output", "-"}, "Arg looks like option? Use --output=- if you really mean it.");
    CHECK(read({"--output=-x", "-o-"}).ok());
    CHECK(read({"-E", " 1e-5 ", "--open", "0", "--cpu", "+007"}).ok());
}

TEST_CASE("options that toggle each other, and options that need another one") {
    CHECK(error_of({"--second", "--how", "1"}).empty());
    CHECK(error_of({"--first"}).empty());
    const auto changed = read({"--second"});
    REQUIRE(changed.ok());
    REQUIRE(changed->changed().size() == 2);
    CHECK(changed->changed()[0].option->easel.name == "--first");
    CHECK(changed->changed()[1].option->easel.name == "--second");
    CHECK_FALSE(changed->has("--first"));
    check_error({"--how", "1"}, "Option --how requires (or has no effect without) option(s) --second");
    check_error({"--second", "--third", "1"}, "Options --second and --third conflict, toggling each other.");
    check_error({"--first", "--second"}, "Options --first and --second conflict, toggling each other.");
    check_error({"--second", "--first"}, "Option --first has already been set on cmdline.");
}

TEST_CASE("a group without a title is read, and not listed") {
    CHECK(read({"--secret"})->has("--secret"));
    for (const ListedOption& option : easel_listed(kGroups)) CHECK(option.long_name != "secret");
}

TEST_CASE("whole numbers are brought into their plain form") {
    CHECK(read({"--cpu", " +007"})->value("--cpu") == "7");
    CHECK(read({"--cpu", "4294967297"})->value("--cpu") == "1");  // 32 bits, as HMMER's
}

TEST_CASE("the environment stands in, and the command line wins") {
    setenv("WARPSEQ_TEST_NCPU", "3", 1);
    CHECK(read({})->value("--cpu") == "3");
    CHECK(read({"--cpu", "5"})->value("--cpu") == "5");
    setenv("WARPSEQ_TEST_NCPU", "x", 1);
    CHECK(error_of({}) == "Failed to process environment: Option --cpu takes integer arg; got x in env");
    unsetenv("WARPSEQ_TEST_NCPU");
    CHECK_FALSE(read({})->has("--cpu"));
}

TEST_CASE("the help leaves ranges and then defaults out where lines would be too long") {
    CHECK(easel_help(kBasic) == "  -h : help\n");
    CHECK(easel_help(std::span(kMore).last(2)) == "  --acc     : accessions\n  --cpu <n> : threads  [2]  (n>=0)\n");
    const std::string help(60, 'a');
    const std::string longer(66, 'b');
    const OptionRow with_default[] = {
        {.type = OptionType::kInteger, .standard = "42", .range = kWhole, .easel = {"--cpu", help}}};
    CHECK(easel_help(with_default) == "  --cpu <n> : " + help + "  [42]\n");
    const OptionRow bare[] = {
        {.type = OptionType::kInteger, .standard = "42", .range = kWhole, .easel = {"--cpu", longer}},
        {.type = OptionType::kReal, .standard = "10.0", .easel = {"-E", "E-value"}}};
    CHECK(easel_help(bare) == "  --cpu <n> : " + longer + "\n  -E <x>    : E-value\n");
}

}  // namespace
}  // namespace warpseq
