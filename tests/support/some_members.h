// Chooses members of databases at random, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "libcore/base/random.h"

namespace warpseq::testing {

/// Returns, for each database, about `of_ten` of every ten sequences.
inline std::vector<TargetMembers> some_members(const DatabaseSet& databases, std::uint64_t of_ten) {
    Random random(of_ten);
    std::vector<TargetMembers> members;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        TargetMembers& of_database = members.emplace_back(databases.reader(d).sequence_count());
        for (std::uint64_t rank = 0; rank < of_database.sequence_count(); ++rank)
            if (random.below(10) < of_ten) of_database.add(rank);
    }
    return members;
}

}  // namespace warpseq::testing
