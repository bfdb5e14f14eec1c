// Look-up of the headers of database sequences. No other code looks them up.
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

/// Calls `use` once for each place, with its index in `places` and its header, from all threads of
/// the pool. Headers are read in the order of the database. So a block of headers is decoded once,
/// or a few times if several threads need it. A header is valid during the call only.
Status for_each_header(const DatabaseSet& databases, std::span<const SequencePlace> places, const ThreadPool& pool,
                       const std::function<void(std::size_t index, std::string_view header)>& use);

/// Returns the header with a mark " [taxid=N]" at the end of each definition line whose taxonomy ID
/// N is in the database's section of taxonomy IDs. Code that reads IDs from such marks
/// (formats/blast/blast_database.h) then finds all of them. With `has_marks`, a line may already
/// end with a mark, and an ID of the section replaces it. Without `has_marks`, such an end is plain
/// text. If the section has no ID for that line, a mark with N = 0 is added, so that the text is
/// not taken for a mark. If the database has no such section, the header is unchanged. Damage of
/// the section is reported by WsdbReader::verify_unchanged() only.
std::string marked_header(const WsdbReader& reader, std::uint64_t rank, std::string_view header, bool has_marks);

}  // namespace warpseq
