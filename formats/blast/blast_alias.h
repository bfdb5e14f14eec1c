// Finds the volumes that the name of a protein database of NCBI BLAST+ stands for. The name is that
// of a volume, of numbered volumes, or of an alias, which names other databases
// (formats/blast/blast_database.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// A file's size and time of last change. They show whether the file has been changed.
struct BlastFileState {
    std::filesystem::path file;
    std::uint64_t size_bytes = 0;
    timespec modified{};

    /// Returns the state of `file`. Fails if there is no such file or its state cannot be read.
    static Result<BlastFileState> of(const std::filesystem::path& file);
};

/// A volume and its number of sequences.
struct CountedVolume {
    std::filesystem::path name;  // without ending
    std::uint64_t sequences = 0;
};

/// The volumes of a database.
struct BlastVolumes {
    /// The volumes, each once, in the order of their file names, and then of their folders. BLAST
    /// numbers their sequences in this order.
    std::vector<CountedVolume> each;
    /// The files of the volumes and of the aliases.
    std::vector<BlastFileState> files;
    std::string title;            // title of the alias; if it has none, the titles of the databases that it names
    std::string date;             // date of the latest volume
    std::uint32_t version = 0;    // highest version of a volume
    bool has_parsed_ids = false;  // true if a volume's first sequence has an identifier (-parse_seqids)
    std::uint64_t sequences = 0, residues = 0;
};

/// Whether `a` is later than `b`. Dates look like "Nov 23, 2026  1:53 PM". Any other text counts as
/// earlier than a date.
bool is_later_blast_date(const std::string& a, const std::string& b);

/// Returns the volumes that `name`, a path without an ending, stands for. Fails if a file is
/// missing or damaged, or if the volumes have no sequence at all. Fails if an alias names too many
/// databases, nests too deep or selects sequences, or if its totals are not those of the volumes.
Result<BlastVolumes> find_blast_volumes(const std::filesystem::path& name);

}  // namespace warpseq
