// Headers of sequences of databases. This is the one place that looks them up.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engines/targets/database_set.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct SequencePlace {
    std::uint32_t database;  // index into the DatabaseSet
    std::uint64_t rank;      // of the sequence in its database
};

/// Calls `use` once for each place, with its index and its header, from all threads of the pool.
/// Headers are read in the database's order. So a block of them is decoded once, or a few times if
/// threads meet in it. A header is valid during the call only.
Status for_each_header(const DatabaseSet& databases, std::span<const SequencePlace> places, const ThreadPool& pool,
                       const std::function<void(std::size_t index, std::string_view header)>& use);

/// Returns the header with " [taxid=N]" at the end of each definition line for which the database's
/// section of taxonomy IDs knows N. Code that reads IDs from these marks
/// (formats/blast/blast_database.h) then finds all of them. With `has_marks` lines may end with a
/// mark already, which is replaced if the section knows better. Without it such an end is text, and
/// a mark that says 0 follows it if the section knows none. The header of a database without that
/// section is unchanged. Damage is left to WsdbReader::verify_unchanged().
std::string marked_header(const WsdbReader& reader, std::uint64_t rank, std::string_view header, bool has_marks);

}  // namespace warpseq
