// OrderedSequences reads sequences of databases in the databases' own order and hands them out in
// another order. Every tile and block is read only once. An external sort brings the sequences into
// the order of the output, so memory stays bounded.
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

    /// Adds the sequence with this rank to the output at `place`. Reading is cheapest if the ranks
    /// of each database are added in ascending order, one database after the other.
    Status add(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place);
    /// Adds residues begin .. end - 1 of a sequence in place of the whole sequence. The sequence
    /// must have them. The identifier ID becomes "ID:FIRST-LAST", with residues counted from 1.
    Status add_range(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place, const ResidueRange& range);

    /// A callback that takes one sequence. Its arguments are valid during the call.
    using Use =
        std::function<Status(std::uint64_t place, std::string_view header, std::span<const ResidueCode> residues)>;
    /// Calls `use` with all added sequences in the order of their places. Call it once, after the
    /// last add().
    Status for_each(const Use& use);

   private:
    TileBuffer buffer_;
    HeaderBuffer headers_;
    ExternalSort sort_;
};

/// Appends residues as lines of at most `width` letters. Width 0 writes one line.
void append_residue_lines(std::span<const ResidueCode> residues, std::uint64_t width, std::string& text);

}  // namespace warpseq
