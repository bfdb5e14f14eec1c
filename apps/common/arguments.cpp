// cxxopts reports by exception; here its exceptions become Status values.
#include "apps/common/arguments.h"

#include <charconv>

#include "apps/common/cxxopts_settings.h"
#include "libcore/thread_pool.h"

namespace warpseq {

Result<cxxopts::ParseResult> parse_arguments(cxxopts::Options& options, int argc, const char* const* argv) {
    try {
        return options.parse(argc, argv);
    } catch (const cxxopts::exceptions::incorrect_argument_type& error) {
        // Values are read as text, so this is a switch that was given one, as in --quiet=maybe. cxxopts names only the value.
        using Wrong = cxxopts::exceptions::incorrect_argument_type;
        const std::string what = error.what();
        for (int i = 1; i < argc; ++i) {
            const std::string argument = argv[i];
            const std::size_t equals = argument.find('=');
            if (equals == std::string::npos || what != Wrong(argument.substr(equals + 1)).what()) continue;
            return Status::usage(argument + ": " + argument.substr(0, equals) +
                                 " takes no value; --help lists the options");
        }
        return Status::usage(what + "; --help lists the options");
    } catch (const cxxopts::exceptions::exception& error) {
        return Status::usage(std::string(error.what()) + "; --help lists the options");
    }
}

Result<std::int64_t> parse_whole_number(std::string_view text, std::string_view option, std::int64_t least,
                                        std::int64_t most) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= least && number <= most) return number;
    return Status::usage(std::string(option) + " " + std::string(text) + ": expected a whole number from " +
                         std::to_string(least) +
                         (most == std::numeric_limits<std::int64_t>::max() ? " up" : " to " + std::to_string(most)));
}

Result<unsigned> parse_threads(const std::string& text) {
    if (text.empty()) return ThreadPool::hardware_threads();
    const auto threads = parse_whole_number(text, "--threads", 1, 1024);
    if (!threads.ok()) return threads.status();
    return static_cast<unsigned>(*threads);
}

}  // namespace warpseq
