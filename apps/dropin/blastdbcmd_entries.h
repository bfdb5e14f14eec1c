// The look-up of sequences by identifiers, with the results of NCBI's blastdbcmd. Version 5 has one
// index of all identifiers, in which capitals and versions matter. Version 4 has an index for each
// volume, of accessions, names and whole identifiers in small letters. Here the definition lines
// are gone through for all identifiers at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/dropin/blastdbcmd_source.h"
#include "libcore/base/status.h"

namespace warpseq::blastdbcmd {

using Sources = std::vector<std::unique_ptr<Source>>;

/// A decimal number with a sign or without, and nothing else.
std::optional<std::int64_t> plain_number(std::string_view text);

struct Found {
    /// Numbers among all databases, in the order of NCBI's indexes.
    std::vector<std::uint64_t> by_name;
    std::optional<std::uint64_t> by_gi;
    /// The error if the index cannot be asked. The first such error ends the program. If a file has
    /// the identifiers, a database without an index is an error only with -get_dups: otherwise
    /// nothing counts as found.
    Status error;
    bool has_no_index = false;
};

/// Returns the name by which the index is asked for an entry. Messages show the same name.
std::string asked_name(const Sources& sources, const std::string& entry);

/// Finds the sequences of each name. `names` are as asked_name() returns them, `entries` as they
/// were typed. Returns an error if reading fails.
Result<std::vector<Found>> find_sequences(const Sources& sources, std::span<const std::string> names,
                                          std::span<const std::string> entries);

}  // namespace warpseq::blastdbcmd
