// The one place that turns sequences of databases into their headers.
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

/// Calls `use` with each place's index and its header, once each and from all threads of the pool.
/// Headers are read in the database's order, so that a block of them is decoded once or, where
/// threads meet in it, a few times. A header lives as long as the call.
Status for_each_header(const DatabaseSet& databases, std::span<const SequencePlace> places, const ThreadPool& pool,
                       const std::function<void(std::size_t index, std::string_view header)>& use);

/// A header whose definition lines end with " [taxid=N]" where the database's section of taxonomy
/// IDs knows N, so that who takes them from there (formats/blast/blast_database.h) takes them for
/// all. `has_marks`: they may have such an end already, which goes where the section knows better;
/// of others it is text, and gets an end that says 0. As it is of a database without that section.
/// What is damaged is WsdbReader::verify_unchanged()'s error.
std::string marked_header(const WsdbReader& reader, std::uint64_t rank, std::string_view header, bool has_marks);

}  // namespace warpseq
