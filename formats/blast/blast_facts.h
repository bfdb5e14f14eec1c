// Facts about a BLAST database as a whole.
#pragma once

#include <cstdint>
#include <string>

namespace warpseq {

/// The facts that a warpseq database keeps about the BLAST database from which it was converted.
struct BlastFacts {
    std::string title;
    std::string date;             // such as "Nov 23, 2026  1:53 PM"
    std::uint64_t version = 0;    // 4 or 5
    bool has_parsed_ids = false;  // whether headers begin with identifiers
    bool has_taxids = false;      // whether definition lines with a known taxonomy ID N end with " [taxid=N]"
    std::string modified = {};    // time of the last change of a file, in seconds with nine decimals
};

}  // namespace warpseq
