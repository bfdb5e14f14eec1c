// The definition lines of FASTA that NCBI's programs are given: their parts, and what these
// programs say about them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// The parts of a definition line, which are views of it.
struct GivenDefline {
    std::string_view id;     // the first word, or empty if identifiers are not parsed
    std::string_view title;  // the text after it, up to a tab or another control character
};

/// Splits a definition line. White space in front of the title is left out. A control character
/// that is no white space may be the title's first character.
GivenDefline split_given_defline(std::string_view header, bool parses_ids);

/// The findings of NCBI's programs about a definition line.
struct DeflineFindings {
    std::string warnings;  // each with its line end
    Status status = {};    // an error if the identifiers cannot be parsed
};

/// Checks a definition line, which is line number `line` of its file. Identifiers are checked only
/// if they are parsed.
DeflineFindings check_given_defline(std::string_view header, std::uint64_t line, bool parses_ids);

}  // namespace warpseq
