// The index of a database's names: NAME_INDEX.
#pragma once

#include <cstdint>
#include <string>

#include "formats/io/external_sort.h"
#include "formats/wsdb/wsdb_section_writer.h"
#include "libcore/base/status.h"

namespace warpseq {

struct WsdbDuplicates {
    std::uint64_t sequences = 0;  // whose identifier an earlier one has
    std::string example;          // one such identifier
};

/// Appends the section. `by_name` has a record for each name of each sequence
/// (formats/fasta/sequence_names.h): the XXH3-64 of the name and the sequence's rank as the key;
/// behind that of the first one stands the sequence's identifier after a byte that is not 0, behind
/// others nothing. All of them have been added; finish() has not been called, and may take
/// `spare_bytes` more of memory.
Result<WsdbDuplicates> append_name_index(ExternalSort& by_name, std::uint64_t spare_bytes, WsdbSectionWriter& sections);

}  // namespace warpseq
