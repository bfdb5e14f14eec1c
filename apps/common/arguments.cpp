// cxxopts reports by exception; here its exceptions become Status values.
#include "apps/common/arguments.h"

#include <charconv>

#include "apps/common/cxxopts_settings.h"
#include "libcore/thread_pool.h"

namespace warpseq {

Result<cxxopts::ParseResult> parse_arguments(cxxopts::Options& options, int argc, const char* const* argv) {
    try {
        return options.parse(argc, argv);
    } catch (const cxxopts::exceptions::exception& error) {
        return Status::usage(std::string(error.what()) + "; --help lists the options");
    }
}

Result<unsigned> parse_threads(const std::string& text) {
    if (text.empty()) return ThreadPool::hardware_threads();
    unsigned threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > 1024) {
        return Status::usage("--threads " + text + ": expected a whole number from 1 to 1024");
    }
    return threads;
}

}  // namespace warpseq
