// Reads sequences of a database in the database's own order and gives them out in another order.
// Every tile and block is read only once. An external sort brings the sequences into the order of
// the output, so memory stays bounded.
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
    /// `folder` holds the temporary files for data that does not fit into the memory.
    OrderedSequences(std::uint64_t memory_bytes, std::filesystem::path folder)
        : sort_(memory_bytes, std::move(folder)) {}

    /// Adds the sequence of rank `rank` to the output at `place`. Ascending ranks of one database
    /// after the other are cheapest.
    Status add(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place);
    /// Adds residues begin .. end - 1 of a sequence in place of the whole sequence. The sequence
    /// must have them. "ID:FIRST-LAST", with residues counted from 1, replaces the identifier.
    Status add_range(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place, const ResidueRange& range);

    /// Called with each sequence in its turn. Its arguments are valid during the call.
    using Use =
        std::function<Status(std::uint64_t place, std::string_view header, std::span<const ResidueCode> residues)>;
    /// Calls `use` with all added sequences in the order of their places. To be called once, after
    /// the last add().
    Status for_each(const Use& use);

   private:
    TileBuffer buffer_;
    HeaderBuffer headers_;
    ExternalSort sort_;
};

/// Appends residues as lines of at most `width` letters. Width 0 writes one line.
void append_residue_lines(std::span<const ResidueCode> residues, std::uint64_t width, std::string& text);

}  // namespace warpseq
