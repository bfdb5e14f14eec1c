// What a search compares queries with: a database, or FASTA or a database of NCBI BLAST that
// becomes one as it is read.
//
// The first bytes tell which it is, never the name. FASTA (formats/fasta/fasta.h: plain, gzip,
// zstd, from a file or a stream) is converted by all threads into a database without a name, in
// memory while that is small and in a temporary folder beyond. A search that reads it gives what it
// gives with dbconv's database of the same file.
//
// Beside FASTA x, x.wsdb is read instead of x where both are regular files and x.wsdb opens as a
// database that is of all of x as it is now:
//   - a copy that was kept here records size, times to the nanosecond and inode of x
//     (WsdbProvenance::copied_files), and they are what they were; or
//   - any database says what dbconv's do, of how many bytes its only source was and their XXH3-128,
//     and has as many sequences as there are records: x is read for it.
// The second way is for databases that dbconv made, whose bytes do not depend on times, and for
// copies of a file that was changed right before, or was moved since. A copy that was kept here, of
// x as it was before, may be replaced by another one; nothing else that has its name is, and each
// is said. What goes unseen is content of the same inode and size that is written by who sets back
// both of its times.
//
// A BLAST database (formats/blast/blast_database.h) is converted likewise. NAME stands for it where
// there is no file NAME, and so do NAME.pin and NAME.pal. Its copy is NAME.wsdb, which says so; it
// records all files of the database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct TargetSettings {
    std::filesystem::path temporary_folder = "/tmp";  // for what is large
    bool keep_copies = false;                         // of FASTA, beside it, where nothing else has the name
    /// Of each sequence only these residues, as far as it reaches; of one that ends right before
    /// them nothing is left, one that ends earlier is an error. For FASTA alone, whose copies are
    /// neither read nor kept then; anything else is an error.
    std::optional<ResidueRange> range = {};
    /// Of FASTA. Where names or residues may become others than dbconv's, copies are neither read
    /// nor kept.
    FastaOptions reading = {};
};

struct Target {
    WsdbReader reader;  // its file(): what messages call it; for FASTA on standard input "standard input"
    bool is_fasta = false;
    bool is_blast_database = false;  // as it was given
    /// Where it was converted from a BLAST database, now or before.
    std::optional<BlastFacts> blast = {};
    /// With a range: of the sequences as they are in the file, in its order.
    std::vector<std::uint64_t> whole_residues = {};
    /// Of a database or a set that has one (formats/wsdb/database_labels.h).
    std::string title = {};
    /// Sequences of the reader's that are not there, as those that a set leaves out of a volume:
    /// ranks, in any order.
    std::vector<std::uint64_t> removed_ranks = {};
};

/// Opens `file`, a database, a BLAST database or FASTA; "-" is FASTA on standard input. What is
/// neither is an error that says what it is and what to do, and so is FASTA that dbconv would
/// refuse. What has the name of the copy and is not read, and a copy that cannot be written, are
/// notes to `observer`.
Result<Target> open_target(const std::filesystem::path& file, const TargetSettings& settings, const ThreadPool& pool,
                           Observer& observer);

/// The same of what may also be a set (formats/wsdb/wsdb_set.h), whose volumes are targets that
/// follow each other.
Result<std::vector<Target>> open_targets(const std::filesystem::path& file, const TargetSettings& settings,
                                         const ThreadPool& pool, Observer& observer);

/// The name of the copy of `file`.
std::filesystem::path copy_of_target(const std::filesystem::path& file);

}  // namespace warpseq
