// Puts the sections of a database behind each other and enters them in the header's table.
#pragma once

#include <cstdint>
#include <span>

#include "formats/atomic_file.h"
#include "formats/spool.h"
#include "formats/wsdb_layout.h"
#include "libcore/base/status.h"

namespace warpseq {

class WsdbSectionWriter {
   public:
    /// Both have to outlive it.
    WsdbSectionWriter(AtomicFile& out, wsdb::FileHeader& header) : out_(out), header_(header) {}

    /// A section that is a spooled column, which this empties.
    Status append(wsdb::SectionType type, Spool& column, std::uint64_t items);
    /// A section of one item.
    Status append(wsdb::SectionType type, std::span<const std::uint8_t> bytes);

    // A section that its owner writes: begin(), any number of write(), enter().
    /// Grows the file with zeros to where the next section starts.
    Status begin();
    Status write(std::span<const std::uint8_t> bytes) { return out_.append(bytes); }
    /// Enters the last `size_bytes` of the file as a section.
    void enter(wsdb::SectionType type, std::uint64_t items, std::uint64_t size_bytes, std::uint64_t checksum);

   private:
    AtomicFile& out_;
    wsdb::FileHeader& header_;
};

}  // namespace warpseq
