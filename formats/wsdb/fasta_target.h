// Opens the targets of a search: a database, or FASTA or a database of NCBI BLAST, which is
// converted to a database as it is read.
//
// The first bytes of a file decide which it is, never its name. FASTA (formats/fasta/fasta.h:
// plain, gzip, zstd, from a file or a stream) is converted by all threads into a database without a
// name. That database is in memory as long as it is small, and otherwise in a temporary folder. A
// search of it gives the same results as a search of dbconv's database of the same file.
//
// A copy x.wsdb beside FASTA x is read instead of x if both are regular files and x.wsdb is a
// database of all of x as it is now. One of two things proves this:
//   - The provenance of a kept copy records size, times to the nanosecond and inode of x
//     (WsdbProvenance::copied_files), and they have not changed.
//   - The provenance of any database that dbconv made records the size and the XXH3-128 of its only
//     source. x is read and has both, and it has as many records as the database has sequences.
//
// The second way serves databases that dbconv made, whose bytes do not depend on times. It also
// serves copies of a file that was changed right before the copy was made, or was moved since. A
// kept copy of an earlier state of x may be replaced by a new one. No other file with the copy's
// name is replaced. If such a file is not read, a note says this. One change is not detected: new
// content of the same size in the same inode, by a program that sets back both times of the file.
//
// Other files of sequences (formats/sequences) are converted in the same way where
// TargetSettings::format admits them. They have no copies.
//
// A BLAST database (formats/blast/blast_database.h) is converted in the same way. It can be given
// as NAME if there is no file NAME, or as NAME.pin or NAME.pal. Its copy is NAME.wsdb, whose
// provenance says that it is of a BLAST database and records all files of that database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/sequences/sequence_format.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Sequences that follow each other in the input.
struct TargetRecords {
    /// The name or accession of the first sequence. Without it, the input's first one is taken.
    std::optional<std::string> first = {};
    std::uint64_t most = ~std::uint64_t{0};
};

struct TargetSettings {
    std::filesystem::path temporary_folder = "/tmp";  // for databases that are too large for memory
    bool keep_copies = false;                         // keep a copy beside the original if its name is not taken
    /// The range of residues that is searched in each sequence. A sequence that ends within the
    /// range is searched up to its end. A sequence that ends right before the range becomes empty,
    /// and one that ends earlier is an error. Only FASTA can be searched by range; any other target
    /// is an error. Copies are then neither read nor kept.
    std::optional<ResidueRange> range = {};
    /// The options with which FASTA is read. If names or residues may differ from those that dbconv
    /// writes, copies are neither read nor kept. The dialect is that of `format`.
    FastaOptions reading = {};
    /// The format of files of sequences. With a kind that recognises formats, files of all formats
    /// are read, and otherwise those of one format.
    SequenceFileFormat format = {.kind = SequenceFileKind::kFasta};
    /// Whether a file without any sequence is no error. open_targets() then returns no target.
    bool may_be_empty = false;
    /// The sequences that the targets consist of. Nothing: all.
    std::optional<TargetRecords> records = {};
};

struct Target {
    WsdbReader reader;  // its file() is its name in messages: for FASTA on standard input "standard input"
    bool is_fasta = false;
    bool is_blast_database = false;  // the target was given as one
    /// The facts about the BLAST database that the target was converted from, now or earlier. Not
    /// set for other targets.
    std::optional<BlastFacts> blast = {};
    /// If a range is set, the lengths of the whole sequences in residues, in the order of the file.
    std::vector<std::uint64_t> whole_residues = {};
    /// The title of a database or a set, empty if it has none (formats/wsdb/database_labels.h).
    std::string title = {};
    /// The ranks of the reader's sequences that do not belong to the target, in any order, such as
    /// those that were removed from a volume of a set.
    std::vector<std::uint64_t> removed_ranks = {};
};

/// Opens `file`, which is a database, a BLAST database or FASTA; "-" is FASTA on standard input.
/// It may also be a file of sequences in another format that the settings admit. Any other file is
/// an error. The message says what kind of file it seems to be and what to do. FASTA that dbconv
/// would refuse is an error, too. Notes to `observer` report a file that has the
/// name of the copy but is not read, and a copy that cannot be written.
Result<Target> open_target(const std::filesystem::path& file, const TargetSettings& settings, const ThreadPool& pool,
                           Observer& observer);

/// Opens `file` as open_target() does. It may also be a set (formats/wsdb/wsdb_set.h), whose
/// volumes become targets in their order. Settings about empty files and about TargetRecords count
/// here alone.
Result<std::vector<Target>> open_targets(const std::filesystem::path& file, const TargetSettings& settings,
                                         const ThreadPool& pool, Observer& observer);

/// Returns the name of the copy of `file`.
std::filesystem::path copy_of_target(const std::filesystem::path& file);

}  // namespace warpseq
