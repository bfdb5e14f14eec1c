// FASTA as HMMER 3 reads it, and headers as HMMER splits them.
//
//   before the first '>'   White space is skipped. A file that is only taken for FASTA by its
//                          content (FastaDialect::kHmmer) and whose name does not end with ".fa"
//                          may have only lines of white space before the '>'.
//   name                   The text behind '>', blanks and tabs, up to white space. Ctrl-A
//                          belongs to it. A missing name is an error.
//   description            The text behind the name, blanks and tabs, up to the end of the line
//                          or to Ctrl-A.
//   end of a header        LF or CR. Blank lines behind it are skipped. NUL hides the rest of the
//                          name or the description.
//   sequence               Letters and '*' are residues. Blanks, tabs, CR and LF are skipped.
//                          '>' ends the record, even within a line. '.', '_' and '~' are counted
//                          as residues that score like '*', and are shown as '-', '-' and '~'.
//                          Any other byte, '-' among them, is an error.
//   errors                 HMMER's words and line numbers. The line numbers do not count blank
//                          lines before and behind headers.
//
// A file of white space alone has no sequences. This is not an error if the name ends with ".fa" or
// the file is known to be FASTA. An empty file always is one.
//
// Two formats consist of FASTA and are read only if they are asked for:
//
//   hmmpgmd   The first line begins with '#' and is skipped. '.', '_' and '~' are errors.
//   daemon    "//" and the rest of its line end a sequence. '>' within a sequence is an error. The
//             line ends behind "//" and one more character are skipped. So the '>' of another
//             record is lost if it comes next, which is an error, as it is in HMMER 3.3.2.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The names of a sequence in HMMER's outputs. FASTA has no accessions.
struct HmmerTitle {
    std::string name, description, accession = {};
};

/// Splits a header line without '>' into its parts as HMMER does. A header that header_of_title()
/// made gives that title.
HmmerTitle hmmer_title(std::string_view header);
/// Returns HMMER's description of a header whose identifier is that of identifier_of().
std::string_view hmmer_description(std::string_view header);

/// Returns a header for a sequence from a file of another format. It has no line end, whatever
/// bytes the title has: the accession stands behind a mark, and bytes with a meaning in headers are
/// replaced.
std::string header_of_title(const HmmerTitle& title);
/// Replaces the marks of header_of_title() and note_unscored() in a header from a file. Without
/// them, such a header cannot pose as one with an accession or a note.
void disarm_marks(std::string& header);
/// Whether header_of_title() made a header.
bool has_title(std::string_view header);

/// The beginning of this dialect's messages about a fault within a file, the same as HMMER's.
inline constexpr std::string_view kHmmerParseFailure = "Parse failed (sequence file ";
/// Returns the error, in HMMER's words, for a file that is empty or not in the expected format.
Status misformatted_sequences(const std::string& file);

// A record's '.', '_' and '~' are stored as '*'. A note behind a mark in its header says where they
// were. The mark begins with a Ctrl-A, so that descriptions end before it.

/// A run of letters that are shown, but score like '*'.
struct UnscoredRun {
    std::uint64_t begin = 0, residues = 0;
    char letter = '-';  // or '~'
};

/// Adds a residue at `position`, behind those of `runs`. At most one run more than a note can hold
/// is kept, so that a record cannot ask for any amount of memory.
void add_unscored(std::uint64_t position, char letter, std::vector<UnscoredRun>& runs);
/// Appends the note of these runs to a header. A note of more than one MiB is left out, and the
/// letters are then shown as '*'.
void note_unscored(std::span<const UnscoredRun> runs, std::string& header);
/// Returns the note of a header with its mark, or nothing if the header has none.
std::string_view unscored_note(std::string_view header);

// Codes of letters that are shown in place of a '*'. They are never stored in databases and never
// scored.
inline constexpr ResidueCode kShownGap = 27, kShownMissing = 28;
constexpr char shown_letter(ResidueCode code) {
    return code == kShownGap ? '-' : code == kShownMissing ? '~' : residue_letter(code);
}
/// Replaces residues of a sequence as a note says. `residues` begins at residue `first`, counted
/// from 0.
void show_unscored(std::string_view note, std::uint64_t first, std::span<ResidueCode> residues);

}  // namespace warpseq
