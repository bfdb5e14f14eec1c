// What a name of a protein database of NCBI BLAST+ stands for: a volume, volumes with numbers, or
// an alias, which names others (formats/blast/blast_database.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// A file's size and time, by which a change shows.
struct BlastFileState {
    std::filesystem::path file;
    std::uint64_t size_bytes = 0;
    timespec modified{};

    /// An error where there is no such file, or its state cannot be read.
    static Result<BlastFileState> of(const std::filesystem::path& file);
};

struct CountedVolume {
    std::filesystem::path name;  // without ending
    std::uint64_t sequences = 0;
    bool is_named_in_quotes = false;  // by an alias, as blastdb_aliastool writes names
};

struct BlastVolumes {
    /// Each once, by the names of their files, then by their folders: so BLAST numbers their
    /// sequences.
    std::vector<CountedVolume> each;
    /// The volumes' and the aliases'.
    std::vector<BlastFileState> files;
    std::string title;            // the alias's; where it has none, those of the databases that it names
    std::string date;             // of the latest volume
    std::uint32_t version = 0;    // the latest volume's format
    bool has_parsed_ids = false;  // a volume's first sequence has an identifier (makeblastdb -parse_seqids)
    std::uint64_t sequences = 0, residues = 0;
};

/// Whether `a` is later than `b`. Both are dates such as "Nov 23, 2026  1:53 PM"; any other text is
/// the earlier one.
bool is_later_blast_date(const std::string& a, const std::string& b);

/// Returns the volumes that `name`, which is without an ending, stands for. Fails where a file is
/// missing or damaged, where an alias names too much or selects sequences, where its totals are not
/// those of the volumes, or where there is no sequence at all.
Result<BlastVolumes> find_blast_volumes(const std::filesystem::path& name);

}  // namespace warpseq
