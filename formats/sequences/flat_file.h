// FlatFileReader reads sequences from EMBL and UniProt files, and from GenBank and DDBJ files. It
// accepts the same files as HMMER 3.3.2 does for proteins.
//
//                   EMBL, UniProt                   GenBank, DDBJ
//   begins with     "ID   "; blank lines before     "LOCUS   "; any lines before it are skipped
//                   it are skipped
//   name            the first word, which ends      the first word behind column 12, which ends
//                   with a blank or ';'             with a blank
//   accession       "AC   ": the text before ';'    "VERSION   ": the first word behind column
//                   in the first such line          12, in the last such line
//   description     "DE   ": the rest of all        "DEFINITION ": the rest of all such lines
//                   such lines                      behind column 12
//   residues        behind "SQ   "                  behind "ORIGIN"
//
// Letters and '*' are residues. Digits, blanks, tabs and CR are skipped. '.', '_' and '~' are
// residues that do not score, as in HMMER's FASTA (formats/fasta/hmmer_fasta.h). A line that begins
// with "//" ends the record. Any other byte is an error, and so are '-' and a '/' elsewhere.
//
// NUL hides the rest of a line above the residues. In HMMER's dialects a name or an accession that
// nothing ends within its line has the line's end in it, as in HMMER 3.3.2.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/fasta/hmmer_fasta.h"
#include "formats/io/byte_source.h"
#include "formats/sequences/named_sequence.h"
#include "libcore/base/status.h"

namespace warpseq {

enum class FlatFileLayout { kEmbl, kGenbank };

/// A reader of one file. Not thread-safe.
class FlatFileReader {
   public:
    /// Reads `source` from its first byte on. HMMER's dialects give errors in HMMER's words. These
    /// have no line numbers, since HMMER always says line 1.
    FlatFileReader(ByteSource source, FlatFileLayout layout, FastaDialect dialect);

    /// Reads the next sequence. Returns false after the last one. A file without any sequence is an
    /// error only if it is empty. After an error, every further call returns the same error.
    Result<bool> next(NamedSequence& sequence);

    /// Sets the limit of the residues of a sequence that are held. Those beyond it are counted.
    void set_most_residues(std::uint64_t most) { most_residues_ = most; }
    /// Returns the number of residues of the last sequence that were not held.
    std::uint64_t beyond_residues() const { return beyond_residues_; }

    std::uint64_t stored_bytes() const { return source_.stored_bytes(); }

   private:
    bool next_line();
    std::string_view text() const;
    std::string_view text_from(std::size_t column) const;
    std::optional<std::string_view> first_word(std::size_t column, std::string_view ends) const;
    Result<bool> read(NamedSequence& sequence);
    Result<bool> read_embl_header(NamedSequence& sequence);
    Result<bool> read_genbank_header(NamedSequence& sequence);
    Status append_description(std::size_t column, NamedSequence& sequence) const;
    Status read_residues(NamedSequence& sequence);
    void add_residue(ResidueCode code, NamedSequence& sequence);
    Status read_residue_line(NamedSequence& sequence, bool& ended);
    Status fault(const std::string& what, bool at_line) const;

    ByteSource source_;
    FlatFileLayout layout_;
    FastaDialect dialect_;
    std::string_view block_;  // the part of the source's block that was not read yet
    std::string kept_;        // a line that continues in the next block
    std::string_view line_;   // the current line with its end; empty at the end of the file
    std::uint64_t number_ = 0;
    bool begun_ = false;
    Status failure_;
    std::vector<UnscoredRun> unscored_;
    std::uint64_t most_residues_ = std::numeric_limits<std::uint64_t>::max(), beyond_residues_ = 0;
};

}  // namespace warpseq
