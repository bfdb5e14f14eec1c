// Values on a command line that all programs read alike.
#pragma once

#include <string>

#include "libcore/status.h"

namespace cxxopts {
class Options;
class ParseResult;
}  // namespace cxxopts

namespace warpseq {

/// Parses argv by `options`; what is wrong with it is a usage error that names --help.
Result<cxxopts::ParseResult> parse_arguments(cxxopts::Options& options, int argc, const char* const* argv);

/// "4", from 1 to 1024; empty: all threads of the host that the process may use.
Result<unsigned> parse_threads(const std::string& text);

}  // namespace warpseq
