// Facts about databases of NCBI BLAST+, of proteins or nucleotides, as `blastdbcmd -list` shows
// them. Only aliases and indexes are read, so that a database may be one that
// formats/blast/blast_database.h cannot read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// The molecules of a database. The endings of its files begin with 'n' or 'p'.
enum class BlastMolecule : std::uint8_t { kProtein, kNucleotide };

struct BlastListing {
    std::string title = {};     // title of the alias; if it has none, the titles of the databases that it names
    std::string date = {};      // date of the latest volume
    std::uint32_t version = 0;  // highest version of a volume
    std::uint64_t sequences = 0, residues = 0;  // totals of the alias; if it has none, those of the volumes
    std::uint64_t file_bytes = 0;               // size of all files of the volumes
};

/// Reads the facts about the database `name`, a path without an ending. An error has the message of
/// NCBI's programs if an alias is wrong.
Result<BlastListing> list_blast_database(const std::filesystem::path& name, BlastMolecule molecule);

}  // namespace warpseq
