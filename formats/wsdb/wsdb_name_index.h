// Writes the index of a database's names, section NAME_INDEX.
#pragma once

#include <cstdint>
#include <string>

#include "formats/io/external_sort.h"
#include "formats/wsdb/wsdb_section_writer.h"
#include "libcore/base/status.h"

namespace warpseq {

struct WsdbDuplicates {
    std::uint64_t sequences = 0;  // sequences whose identifier an earlier one has
    std::string example;          // one such identifier
};

/// Appends the section. `by_name` has a record for each name of each sequence
/// (formats/fasta/sequence_names.h). Its key is the XXH3-64 of the name and the rank of the
/// sequence. The payload for a sequence's first name is a byte that is not 0 and the sequence's
/// identifier; that of other names is empty. All names must have been added, and finish() must not
/// have been called; it may take `spare_bytes` more of memory.
Result<WsdbDuplicates> append_name_index(ExternalSort& by_name, std::uint64_t spare_bytes, WsdbSectionWriter& sections);

}  // namespace warpseq
