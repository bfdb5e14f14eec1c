// Many names looked up in a database, in the order of its headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// A name, and a sequence that may have it (WsdbReader::find_candidates).
struct NameCandidate {
    std::uint64_t rank;
    std::size_t name;  // its place among the names
};

/// In rank order: who reads the headers in this order, or calls find() for the names in it, decodes each block of headers once or,
/// where threads meet in it, a few times.
Result<std::vector<NameCandidate>> find_name_candidates(std::span<const std::string_view> names,
                                                        const WsdbReader& reader, const ThreadPool& pool);

}  // namespace warpseq
