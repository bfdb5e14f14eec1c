// Reads a volume of a protein database of NCBI BLAST+. Its three files are mapped.
// formats/blast/blast_database.h describes their layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_deflines.h"
#include "formats/fasta/fasta.h"
#include "formats/io/mapped_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The letters of the residue codes that a volume stores, NCBI's 0 to 27.
inline constexpr std::string_view kStoredLetters = "-ABCDEFGHIKLMNPQRSTVWXYZU*OJ";

/// Returns `name` with `ending` appended, such as NAME.pin. No part of `name` is replaced, even if
/// it has a dot.
std::filesystem::path with_ending(const std::filesystem::path& name, std::string_view ending);
/// Whether `file` exists and is a regular file.
bool is_file(const std::filesystem::path& file);

/// The content of the index of a volume (NAME.pin).
struct BlastIndex {
    std::uint32_t version = 0;
    std::string title, date;
    std::uint64_t sequences = 0, residues = 0, longest_residues = 0;
    std::size_t header_offsets = 0, sequence_offsets = 0;  // offsets of the tables, in bytes
};

/// Reads the index of a volume, NAME.pin of proteins or NAME.nin of nucleotides.
Result<BlastIndex> read_blast_index(const std::filesystem::path& file);

/// A mapped volume. Nothing is read beyond its files, even if they are damaged. Damage is an error
/// that names the file.
class BlastVolume {
   public:
    /// Maps the files of `name`, a path without an ending, and reads the index.
    static Result<BlastVolume> open(const std::filesystem::path& name);

    const BlastIndex& index() const { return index_; }
    /// Returns the files of the index, the definition lines and the residues.
    std::vector<std::filesystem::path> files() const { return {index_file_, header_file_, residue_file_}; }
    /// Returns the bytes of these files, in the same order.
    std::vector<std::span<const std::uint8_t>> maps() const {
        return {index_map_.bytes(), header_map_.bytes(), residue_map_.bytes()};
    }
    const std::filesystem::path& header_file() const { return header_file_; }

    /// Returns the definition lines of sequence `number`, at least one. Numbers count from 0 and
    /// are below index().sequences.
    Result<std::vector<StoredDefline>> deflines(std::uint64_t number) const;
    /// Replaces `residues` by the residues of sequence `number`. Gaps are left out and counted in
    /// counts.gaps_removed.
    Status read_residues(std::uint64_t number, std::vector<ResidueCode>& residues, FastaCounts& counts) const;
    /// Replaces `letters` by the letters of sequence `number`, gaps included.
    Status read_letters(std::uint64_t number, std::string& letters) const;
    /// Returns an error if a file was cut while it was mapped.
    Status check_readable() const;
    /// Returns the error of check_readable(). Otherwise returns an error if `residues_read`, the
    /// number of residues and gaps of all sequences, is not the number in the index.
    Status check_whole(std::uint64_t residues_read) const;

   private:
    Result<std::span<const std::uint8_t>> codes_of(std::uint64_t number) const;
    std::optional<std::span<const std::uint8_t>> part(std::span<const std::uint8_t> whole, std::size_t table,
                                                      std::uint64_t number) const;

    std::filesystem::path index_file_, header_file_, residue_file_;
    MappedFile index_map_, header_map_, residue_map_;
    BlastIndex index_;
};

/// Returns the error for a cut or damaged file of a BLAST database. `what` says where the damage
/// shows.
Status damaged_blast_file(const std::filesystem::path& file, const std::string& what);

}  // namespace warpseq
