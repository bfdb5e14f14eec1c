// Sizes, counts and thread numbers as a command line gives and shows them.
#include "apps/common/command_line.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/advice.h"
#include "apps/common/progress.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "options/arguments.h"
#include "options/option_set.h"

using namespace warpseq;

TEST_CASE("sizes are read with units in powers of 1024") {
    struct Case {
        std::string_view text;
        std::uint64_t bytes;
    };
    for (const Case& size :
         {Case{"0", 0}, Case{"4096", 4096}, Case{"64K", 65536}, Case{"64k", 65536}, Case{"1.5M", 1572864},
          Case{"4G", std::uint64_t{4} << 30}, Case{"4GB", std::uint64_t{4} << 30}, Case{"4GiB", std::uint64_t{4} << 30},
          Case{"2T", std::uint64_t{2} << 40}, Case{"12b", 12}}) {
        const auto bytes = parse_size_bytes(size.text, "--memory");
        REQUIRE_MESSAGE(bytes.ok(), size.text);
        CHECK(*bytes == size.bytes);
    }
    for (const std::string_view text :
         {"", "G", "-1", "4X", "4GG", "1e3", "nan", "inf", "9999999999T", "4 G", "0x10"}) {
        CAPTURE(text);
        const auto bytes = parse_size_bytes(text, "--memory");
        REQUIRE_FALSE(bytes.ok());
        CHECK(bytes.status().exit_status() == 2);
        CHECK(bytes.status().message().starts_with("--memory: '" + std::string(text) + "' "));
    }
}

TEST_CASE("sizes and counts are shown for people") {
    CHECK(format_size_bytes(0) == "0 B");
    CHECK(format_size_bytes(1023) == "1023 B");
    CHECK(format_size_bytes(1024) == "1.0 KiB");
    CHECK(format_size_bytes((std::uint64_t{1} << 20) - 1) == "1.0 MiB");
    CHECK(format_size_bytes(std::uint64_t{5} << 29) == "2.5 GiB");
    CHECK(format_size_bytes(~std::uint64_t{0}) == "16.0 EiB");
    CHECK(format_count(0) == "0");
    CHECK(format_count(999) == "999");
    CHECK(format_count(1000) == "1,000");
    CHECK(format_count(1234567) == "1,234,567");
    CHECK(format_count(~std::uint64_t{0}) == "18,446,744,073,709,551,615");
}

TEST_CASE("numbers of threads") {
    const auto read = [](std::vector<const char*> arguments) {
        OptionSet options("program");
        options.add_options()("threads", "", text_value());
        arguments.insert(arguments.begin(), "program");
        const auto parsed = options.parse(static_cast<int>(arguments.size()), arguments.data());
        REQUIRE(parsed.ok());
        return read_threads(*parsed);
    };
    CHECK(*read({"--threads", "1"}) == 1);
    CHECK(*read({"--threads", "1024"}) == 1024);
    CHECK(*read({}) >= 1);
    for (const char* text : {"", "0", "1025", "two", "2x", "-1", " 2", "99999999999999999999"}) {
        CAPTURE(text);
        const auto threads = read({"--threads", text});
        REQUIRE_FALSE(threads.ok());
        CHECK(threads.status().exit_status() == 2);
    }
}

TEST_CASE("whole numbers are read within limits, and errors name the option") {
    CHECK(*parse_whole_number("0", "--n", 0) == 0);
    CHECK(*parse_whole_number("-127", "--n", -127, 127) == -127);
    CHECK(*parse_whole_number("9223372036854775807", "--n", 0) == std::numeric_limits<std::int64_t>::max());
    for (const std::string_view text : {"", "-1", "128", "1x", "one", "1.5", " 1", "99999999999999999999"}) {
        CAPTURE(text);
        const auto number = parse_whole_number(text, "--n", 0, 127);
        REQUIRE_FALSE(number.ok());
        CHECK(number.status().exit_status() == 2);
        CHECK(number.status().message() == "--n " + std::string(text) + ": expected a whole number from 0 to 127");
    }
    CHECK(parse_whole_number("-1", "--n", 0).status().message() == "--n -1: expected a whole number from 0 up");
}

TEST_CASE("numbers are read as blastp and HMMER read them") {
    CHECK(whole_number_of("5") == 5);
    CHECK(whole_number_of("+5") == 5);
    CHECK(whole_number_of("-5") == -5);
    CHECK(whole_number_of("0010") == 10);
    CHECK(whole_number_of("0x1F") == 31);
    CHECK(whole_number_of("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
    for (const char* none : {"", "+", "-", "+-5", "++5", "0x", "0x-5", "0b1", " 5", "5 ", "5x", "1.0", "1e3", "1,000",
                             "9223372036854775808"}) {
        CHECK_MESSAGE(!whole_number_of(none), none);
    }
    CHECK(number_of("+.5e1") == 5);
    CHECK(number_of("5.") == 5);
    CHECK(number_of("0x1p4") == 16);
    CHECK(number_of("007") == 7);
    CHECK(number_of("-1e400") == -std::numeric_limits<double>::infinity());
    CHECK(number_of("inf") == std::numeric_limits<double>::infinity());
    CHECK(number_of("1e-400") == 0);
    for (const char* none : {"", "+", ".", "e5", "1e", "1e+", "0x", "nan", "-nan", " 5", "5 ", "5f", "1,5", "1.5.2"})
        CHECK_MESSAGE(!number_of(none), none);
    CHECK(*parse_number("0.5", "--x", 0, 1) == 0.5);
    CHECK(parse_number("2", "--x", 0, 1).status().message() == "--x 2: expected a number from 0 to 1");
    CHECK(parse_number("-2", "--x", 0).status().message() == "--x -2: expected a number from 0 up");
}

TEST_CASE("a switch with a value is an error that names the switch") {
    OptionSet options("test");
    options.add_options()("quiet", "")("o,out", "", text_value());
    const char* const argv[] = {"test", "--out=maybe not", "--quiet=maybe"};
    const auto parsed = options.parse(3, argv);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.status().exit_status() == 2);
    CHECK(parsed.status().message() == "--quiet=maybe: --quiet takes no value; --help lists the options");
}

TEST_CASE("a status becomes an exit status") {
    CHECK(report_status("test", Status()) == 0);
    CHECK(Status::usage("x").exit_status() == 2);
    CHECK(Status::io("x").exit_status() == 1);
    CHECK(program_version().find('.') != std::string_view::npos);
}

TEST_CASE("the time left follows from this run's pace alone") {
    CHECK(progress_text("Filling", {30, 100, 0, 30}, 100) ==
          "Filling [###############" + std::string(35, '.') + "]  30 %, 1 min 10 s left");
    // 80 were done before. 10 took 30 seconds, and 10 are left.
    CHECK(progress_text("Filling", {90, 100, 80, 30}, 100) ==
          "Filling [" + std::string(45, '#') + ".....]  90 %, 30 s left");
    // The cases are nothing done yet, too early to tell, all done, and more than all done.
    CHECK(progress_text("F", {80, 100, 80, 30}, 20) == "F [########..]  80 %");
    CHECK(progress_text("F", {90, 100, 80, 1.5}, 20) == "F [#########.]  90 %");
    CHECK(progress_text("F", {100, 100, 80, 30}, 20) == "F [##########] 100 %");
    CHECK(progress_text("F", {110, 100, 80, 30}, 20) == "F [##########] 100 %");
    CHECK(progress_text("Reading", {1234567, 0, 0, 30}, 80) == "Reading " + format_count(1234567));
    CHECK(progress_text("Reading", {0, 0, 0, 30}, 80) == "Reading");
}

TEST_CASE("the time left is said in two units") {
    CHECK(format_time_left(0.2) == "0 s");
    CHECK(format_time_left(59.4) == "59 s");
    CHECK(format_time_left(59.6) == "1 min 0 s");
    CHECK(format_time_left(3 * 3600 + 5 * 60 + 10) == "3 h 5 min");
    CHECK(format_time_left(100 * 3600) == "4 d 4 h");
}

TEST_CASE("advice names an option, and stays with an error whose message gets an option's name") {
    CHECK(advice_text(Advice::kNone).empty());
    // These messages tell drop-in programs which error it is. No option of ours helps.
    const std::vector<Advice> without = {Advice::kOtherOutput, Advice::kQueryRange, Advice::kTargetRange};
    for (int number = 1; number <= static_cast<int>(Advice::kTargetRange); ++number) {
        CAPTURE(number);
        const auto advice = static_cast<Advice>(number);
        const bool names_option = advice_text(advice).find("--") != std::string_view::npos;
        CHECK(names_option == (std::ranges::find(without, advice) == without.end()));
    }
    const Status status = of_option("--outfmt", Status::usage("format paf holds alignments").with(Advice::kAlignments));
    CHECK(status.message() == "--outfmt: format paf holds alignments");
    CHECK(status.advice() == Advice::kAlignments);
    CHECK(status.code() == StatusCode::kUsage);
}
