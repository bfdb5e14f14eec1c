// How a blastp report looks, as far as options say.
#pragma once

#include <cstdint>
#include <optional>

namespace warpseq {

struct BlastpLayout {
    std::uint64_t descriptions = 500;  // lines of the table of hits
    std::uint64_t alignments = 250;    // sequences with alignments
    std::uint64_t line_length = 60;    // columns of an alignment in a line
    /// Orders in pairwise text and in formats 1 to 4, in blastp's numbering. Where an order of hits
    /// is given, kEvalue too, the table of hits has columns for all of them.
    enum class HitOrder { kEvalue, kScore, kTotalScore, kIdentity, kCoverage };
    enum class HspOrder { kEvalue, kScore, kQueryStart, kIdentity, kTargetStart };
    std::optional<HitOrder> hit_order = {};
    HspOrder hsp_order = HspOrder::kEvalue;
    bool is_html = false;         // of the same formats
    bool has_ncbi_lines = false;  // JSON, and lists of XML files, in the lines in which NCBI's blastp writes them
};

}  // namespace warpseq
