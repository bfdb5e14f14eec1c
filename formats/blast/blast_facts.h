// What is known of a BLAST database as a whole.
#pragma once

#include <cstdint>
#include <string>

namespace warpseq {

/// The facts that a database of warpseq keeps of the BLAST database that it was converted from.
struct BlastFacts {
    std::string title;
    std::string date;             // as "Nov 23, 2026  1:53 PM"
    std::uint64_t version = 0;    // 4 or 5
    bool has_parsed_ids = false;  // headers begin with identifiers
    bool has_taxids = false;      // definition lines end with " [taxid=N]" where N is known
    std::string modified = {};    // when one of its files was changed last: seconds and nine decimals
};

}  // namespace warpseq
