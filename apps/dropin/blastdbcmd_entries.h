// Finds sequences by identifiers, with the results of NCBI's blastdbcmd. NCBI's version 5 has one
// index of all identifiers, in which capitals and versions matter. Version 4 has an index for each
// volume, with accessions, names and whole identifiers in small letters. This code does not use
// NCBI's indexes: it reads the definition lines once for all identifiers.
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

/// Returns the value of a text that is a decimal number, with or without a sign. Returns nothing
/// for any other text.
std::optional<std::int64_t> plain_number(std::string_view text);

/// The sequences that were found for one name.
struct Found {
    /// The numbers of the sequences among all databases, in the order of NCBI's indexes.
    std::vector<std::uint64_t> by_name;
    std::optional<std::uint64_t> by_gi;
    /// The error if the index cannot be searched for the name. The first such error ends the
    /// program, with one exception. With -entry_batch and without -get_dups, a database without an
    /// index is no error, and the sequences of the databases before it count as found.
    Status error;
    bool has_no_index = false;  // whether `error` is that a database has no index
};

/// Returns the name that the index is searched for if the user asks for `entry`. Messages show the
/// same name.
std::string asked_name(const Sources& sources, const std::string& entry);

/// Finds the sequences of each name. `entries` are the names as they were typed, and `names` are
/// the results of asked_name() for them. Returns an error if reading fails.
Result<std::vector<Found>> find_sequences(const Sources& sources, std::span<const std::string> names,
                                          std::span<const std::string> entries);

}  // namespace warpseq::blastdbcmd
