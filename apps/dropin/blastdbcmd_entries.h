// Which sequences of databases NCBI's blastdbcmd finds for an identifier. Version 5 has one index of all identifiers, of which capitals and
// versions matter; version 4 one for each volume, of accessions, names and whole identifiers in small letters. Here the definition
// lines are gone through for all identifiers at once.
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
    /// Why the index cannot be asked. The first such error ends the program, but that a database has no index is as if nothing had been
    /// found where a file has the identifiers.
    Status error;
    bool has_no_index = false;
};

/// What the index is asked for, and what messages call it.
std::string asked_name(const Sources& sources, const std::string& entry);

/// Of each name, as asked_name() has it; `entries` are what was typed. An error of reading.
Result<std::vector<Found>> find_sequences(const Sources& sources, std::span<const std::string> names,
                                          std::span<const std::string> entries);

}  // namespace warpseq::blastdbcmd
