// Values on a command line that all programs read alike.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "libcore/status.h"

namespace cxxopts {
class Options;
class ParseResult;
}  // namespace cxxopts

namespace warpseq {

/// Parses argv by `options`; what is wrong with it is a usage error that names --help.
Result<cxxopts::ParseResult> parse_arguments(cxxopts::Options& options, int argc, const char* const* argv);

/// "12", "-3": a whole number from `least` to `most`. Errors name `option`, which is spelled with its dashes.
Result<std::int64_t> parse_whole_number(std::string_view text, std::string_view option, std::int64_t least,
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// "4", from 1 to 1024; empty: all threads of the host that the process may use.
Result<unsigned> parse_threads(const std::string& text);

}  // namespace warpseq
