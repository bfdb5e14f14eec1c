// The formats of files of sequences, their names in HMMER's programs, and how they are recognised.
//
// formats/sequences holds files of sequences in any text format: FASTA, EMBL and UniProt, GenBank,
// and alignments, of which each row is a sequence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "formats/alignments/alignment_format.h"
#include "formats/fasta/fasta.h"

namespace warpseq {

/// The way in which the content of a file of sequences is determined.
enum class SequenceFileKind {
    kByContent,  // recognised; a file that is not recognised is read as an alignment
    /// Recognised, with the rules by which HMMER recognises files of queries and targets. Only a
    /// regular file whose name does not end with ".gz", ".fa" or ".gb" can then hold alignments. A
    /// file that is not recognised is read as FASTA, so that an error message says what is wrong
    /// with it as FASTA.
    kAsHmmer,
    kFasta,
    kEmbl,     // EMBL or UniProt
    kGenbank,  // GenBank or DDBJ
    kAlignments,
    // Formats that HMMER has names for, and that are no text.
    kBlastDatabase,
    kFmIndex
};

/// The format of a file of sequences, as far as it is known before the file is opened.
struct SequenceFileFormat {
    SequenceFileKind kind = SequenceFileKind::kAsHmmer;
    std::optional<AlignmentFormat> alignments = {};  // for kAlignments; nothing: recognised
    FastaDialect dialect = FastaDialect::kWarpseq;   // for FASTA; HMMER's also decide about names and messages

    /// Whether the format is known, so that the content does not decide.
    bool is_asserted() const;
};

/// Returns the format with one of Easel's names, in upper or lower case, or nothing if there is no
/// such name. The names are fasta, embl, uniprot, genbank, ddbj, ncbi, daemon, hmmpgmd, fmindex and
/// those of alignments that HMMER has.
std::optional<SequenceFileFormat> sequence_format_named(std::string_view name);

/// Returns the format of `file`, whose kind is not kByContent or kAsHmmer any more. `start` is the
/// beginning of its content, without compression. Opens the file once more if it may hold
/// alignments and `format` has the kind kAsHmmer.
SequenceFileFormat recognised_format(const std::filesystem::path& file, std::span<const std::uint8_t> start,
                                     const SequenceFileFormat& format);

}  // namespace warpseq
