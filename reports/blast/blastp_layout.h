// BlastpLayout: the options that set how a blastp report looks.
#pragma once

#include <cstdint>
#include <optional>

namespace warpseq {

/// How a blastp report looks.
struct BlastpLayout {
    std::uint64_t descriptions = 500;  // maximum number of lines in the table of hits
    std::uint64_t alignments = 250;    // maximum number of sequences with alignments
    std::uint64_t line_length = 60;    // columns of an alignment in one line
    /// Orders of hits and HSPs in formats 0 to 4, in blastp's numbering. If an order of hits is
    /// given, even kEvalue, the table of hits has a column for each of the five measures.
    enum class HitOrder { kEvalue, kScore, kTotalScore, kIdentity, kCoverage };
    enum class HspOrder { kEvalue, kScore, kQueryStart, kIdentity, kTargetStart };
    std::optional<HitOrder> hit_order = {};
    HspOrder hsp_order = HspOrder::kEvalue;
    bool is_html = false;         // whether formats 0 to 4 are HTML
    bool has_ncbi_lines = false;  // whether JSON, and lists of XML files, have the line breaks of NCBI's blastp
};

}  // namespace warpseq
