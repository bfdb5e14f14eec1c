// A volume of a protein database of NCBI BLAST+: its three files, mapped
// (formats/blast/blast_database.h has their layout).
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

/// NAME.pin of NAME and ".pin"; a dot in NAME is part of it.
std::filesystem::path with_ending(const std::filesystem::path& name, std::string_view ending);
/// Whether there is such a file, and it is a regular one.
bool is_file(const std::filesystem::path& file);

/// What an index says.
struct BlastIndex {
    std::uint32_t version = 0;
    std::string title, date;
    std::uint64_t sequences = 0, residues = 0, longest_residues = 0;
    std::size_t header_offsets = 0, sequence_offsets = 0;  // where the tables begin, in bytes
};

/// Whatever the files hold, nothing is read beyond them; damage is an error that names the file.
class BlastVolume {
   public:
    /// Maps the files of `name`, which has no ending, and reads the index.
    static Result<BlastVolume> open(const std::filesystem::path& name);

    const BlastIndex& index() const { return index_; }
    /// Index, definition lines and residues.
    std::vector<std::filesystem::path> files() const { return {index_file_, header_file_, residue_file_}; }
    /// Their bytes, in the same order.
    std::vector<std::span<const std::uint8_t>> maps() const {
        return {index_map_.bytes(), header_map_.bytes(), residue_map_.bytes()};
    }
    const std::filesystem::path& header_file() const { return header_file_; }

    /// Of sequence `number`, counted from 0, below index().sequences; at least one.
    Result<std::vector<StoredDefline>> deflines(std::uint64_t number) const;
    /// Replaces `residues` by those of sequence `number`. Gaps are left out and counted in
    /// counts.gaps_removed.
    Status read_residues(std::uint64_t number, std::vector<ResidueCode>& residues, FastaCounts& counts) const;
    /// Replaces `letters` by those of sequence `number`, gaps among them.
    Status read_letters(std::uint64_t number, std::string& letters) const;
    /// An error where a file was cut while it was mapped.
    Status check_readable() const;
    /// The same, and where the sequences did not have as many residues, gaps among them,
    /// as the index says.
    Status check_whole(std::uint64_t residues_read) const;

   private:
    Result<std::span<const std::uint8_t>> codes_of(std::uint64_t number) const;
    std::optional<std::span<const std::uint8_t>> part(std::span<const std::uint8_t> whole, std::size_t table,
                                                      std::uint64_t number) const;

    std::filesystem::path index_file_, header_file_, residue_file_;
    MappedFile index_map_, header_map_, residue_map_;
    BlastIndex index_;
};

/// The error that says that a file of a BLAST database is cut or damaged, and where that shows.
Status damaged_blast_file(const std::filesystem::path& file, const std::string& what);

}  // namespace warpseq
