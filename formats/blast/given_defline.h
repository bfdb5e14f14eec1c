// The definition lines of FASTA that NCBI's programs are given: their parts, and what these
// programs say about them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_seqid.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The parts of a definition line, which are views of it.
struct GivenDefline {
    std::string_view id;     // the first word, or empty if identifiers are not parsed
    std::string_view title;  // the text after it, up to a tab or another control character
};

/// Splits a definition line. White space in front of the parts is left out. A control character
/// that is no white space may be the title's first character. An identifier ends before a modifier,
/// such as "[organism=Homo sapiens]".
GivenDefline split_given_defline(std::string_view header, bool parses_ids);

/// The findings of NCBI's programs about a definition line. Warnings have their line ends.
struct DeflineFindings {
    std::vector<BlastSeqId> ids;
    std::string id_warnings, title_warnings;
    Status status = {};  // an error if the identifiers cannot be parsed
};

/// Checks a definition line, which is line number `line` of its file. Identifiers are checked only
/// if they are parsed, and if the line is not blank.
DeflineFindings check_given_defline(std::string_view header, std::uint64_t line, bool parses_ids);

}  // namespace warpseq
