// Sequences of a database in any order of the output, read in the database's own order, so that
// every tile and block is read once: an external sort brings them into the order of the output, and
// memory stays bounded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "formats/fasta/fasta.h"
#include "formats/io/external_sort.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

class OrderedSequences {
   public:
    /// `folder` is for what does not fit into the memory.
    OrderedSequences(std::uint64_t memory_bytes, std::filesystem::path folder)
        : sort_(memory_bytes, std::move(folder)) {}

    /// The sequence of this rank stands at this place. Ascending ranks of one database after the
    /// other are cheapest.
    Status add(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place);
    /// Residues begin .. end - 1 of it, which there are, under "ID:FIRST-LAST" in place of the
    /// identifier, counted from 1.
    Status add_range(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place, const ResidueRange& range);

    /// A sequence in its turn; what it is given is valid during the call.
    using Use =
        std::function<Status(std::uint64_t place, std::string_view header, std::span<const ResidueCode> residues)>;
    /// All of them in the order of their places. Once, after the last add().
    Status for_each(const Use& use);

   private:
    TileBuffer buffer_;
    HeaderBuffer headers_;
    ExternalSort sort_;
};

/// Appends residues as lines of at most `width` letters, 0: one line.
void append_residue_lines(std::span<const ResidueCode> residues, std::uint64_t width, std::string& text);

}  // namespace warpseq
