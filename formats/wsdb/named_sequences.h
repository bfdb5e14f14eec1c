// Looks up many names in several databases, as if their sequences followed each other in one
// database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct NamedSequence {
    std::size_t name = 0;    // index of the name
    std::size_t volume = 0;  // index of the volume
    std::uint64_t rank = 0;
    bool is_whole = false;  // whether the name is the identifier of one of its definition lines
};

/// Finds the sequences of each name. Returns them in the order of the names, and in input order for
/// each name. The sequences of a name are those that WsdbReader::find() would give for one database
/// of all volumes without their removed sequences. A name that is given several times gets its
/// sequences as often.
Result<std::vector<NamedSequence>> find_named_sequences(std::span<const std::string_view> names,
                                                        std::span<const WsdbSet::Volume> volumes,
                                                        const ThreadPool& pool);

/// Returns the same for a single name. It reads only the headers of the sequences that may have the
/// name, in a time that does not grow with the number of sequences.
Result<std::vector<NamedSequence>> find_named_sequence(std::string_view name, std::span<const WsdbSet::Volume> volumes);

/// Returns the message about names that `database` does not have. `missing` are these names, and
/// `asked` is the number of all names that were looked up. At most ten names are shown.
std::string missing_names_text(std::string_view database, std::span<const std::string_view> missing, std::size_t asked);

}  // namespace warpseq
