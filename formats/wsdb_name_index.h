// The index of a database's identifiers: NAME_INDEX.
#pragma once

#include <cstdint>
#include <string>

#include "formats/external_sort.h"
#include "formats/wsdb_section_writer.h"
#include "libcore/base/status.h"

namespace warpseq {

struct WsdbDuplicates {
    std::uint64_t sequences = 0;  // whose identifier an earlier one has
    std::string example;          // one such identifier
};

/// Appends the section. `by_name` has a record for each sequence: the XXH3-64 of its identifier and its rank as the
/// key, the identifier behind it. All of them have been added; finish() has not been called.
Result<WsdbDuplicates> append_name_index(ExternalSort& by_name, WsdbSectionWriter& sections);

}  // namespace warpseq
