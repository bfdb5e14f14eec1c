// The sequences of a database of format version 1, read once, from the first to the last.
//
// Every checksum is looked at, every entry of an index is compared with what the lengths make of it, and the digest of all that was
// handed out with the file's own. So damage is an error that names the file and the byte offset, sooner or later, and what was handed out
// until then is void. Values are copied out of the map before they are checked and used: a file that is changed meanwhile does no harm.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "formats/wsdb_v1_file.h"
#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct WsdbV1Sequence {
    std::string_view header;
    std::span<const ResidueCode> residues;
    std::uint64_t position = 0;    // in its input
    std::uint64_t bytes_read = 0;  // of the file's residues, so far
};

/// Hands out all sequences in rank order, each valid until the call returns. An error of `use` ends the reading.
Status read_wsdb_v1(const WsdbV1File& file, const std::function<Status(const WsdbV1Sequence& sequence)>& use);

}  // namespace warpseq
