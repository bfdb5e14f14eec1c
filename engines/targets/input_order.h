// The order of a database's members in its input: the number of members before any position.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/targets/target_members.h"
#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

class InputOrder {
   public:
    InputOrder(const TargetMembers& members, const WsdbReader& reader);

    /// Returns how many members come before this position of the input. Positions are from 0 to the
    /// number of sequences.
    std::uint64_t members_before(std::uint64_t position) const;

   private:
    static constexpr std::uint64_t kBits = 64;
    std::vector<std::uint64_t> words_;   // a bit for each position
    std::vector<std::uint64_t> before_;  // members in all words before this one
};

}  // namespace warpseq
