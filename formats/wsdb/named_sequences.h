// Many names looked up in databases that follow each other, as in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct NamedSequence {
    std::size_t name = 0;    // its place among the names
    std::size_t volume = 0;  // its place among the volumes
    std::uint64_t rank = 0;
    bool is_whole = false;  // the name is the identifier of one of its definition lines
};

/// The sequences of each name, in the names' order, each one's in input order: those that
/// WsdbReader::find() gives of one database of all volumes without what was removed from them. A
/// name that is there several times gives its sequences as often.
Result<std::vector<NamedSequence>> find_named_sequences(std::span<const std::string_view> names,
                                                        std::span<const WsdbSet::Volume> volumes,
                                                        const ThreadPool& pool);

}  // namespace warpseq
