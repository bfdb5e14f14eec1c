// FASTA as HMMER 3 reads it, which is FastaDialect::kHmmer, and headers as it takes them apart.
//
//   before the first '>'   white space is skipped; where the file's name does not end with ".fa", nothing but lines of white
//                          space may stand before the '>'
//   name                   what stands behind '>', blanks and tabs, up to white space; Ctrl-A belongs to it. None is an error
//   description            what stands behind the name, blanks and tabs, up to the line's end or to Ctrl-A
//   end of a header        LF or CR; blank lines behind it are skipped. NUL hides what is left of the name or the description
//   sequence               letters and '*' are residues; blanks, tabs, CR and LF are skipped; '>' ends the record wherever it
//                          stands. '.', '_' and '~' are counted as residues that score as '*' does, and are shown as '-', '-'
//                          and '~'. Any other byte, '-' among them, is an error
//   errors                 in HMMER's words, with its line numbers, which do not count blank lines before and behind headers
//
// A file of white space alone has no sequences, which is no error where the name ends with ".fa".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct HmmerTitle {
    std::string_view name, description;
};

/// Splits a header line without '>' into its parts as HMMER does.
HmmerTitle hmmer_title(std::string_view header);
/// Returns HMMER's description of a header whose identifier is that of identifier_of().
std::string_view hmmer_description(std::string_view header);

/// The beginning of this dialect's messages about a fault within a file, the same as HMMER's.
inline constexpr std::string_view kHmmerParseFailure = "Parse failed (sequence file ";

// A record's '.', '_' and '~' are kept as '*' and noted, as text, behind a mark in its header. The
// mark begins with a Ctrl-A, so that descriptions end before it.

struct UnscoredRun {
    std::uint64_t begin = 0, residues = 0;
    char letter = '-';  // or '~'
};

/// Appends the note to a header. Notes of more than a mebibyte are left out: such letters are shown
/// as '*'.
void note_unscored(std::span<const UnscoredRun> runs, std::string& header);
/// The note of a header, with its mark; empty: it has none.
std::string_view unscored_note(std::string_view header);

// Codes of residues that are shown, never stored in databases nor scored: what '*' is replaced by.
inline constexpr ResidueCode kShownGap = 27, kShownMissing = 28;
constexpr char shown_letter(ResidueCode code) {
    return code == kShownGap ? '-' : code == kShownMissing ? '~' : residue_letter(code);
}
/// Replaces the residues of a sequence, `first` (from 0) and those behind it, by what a note says.
void show_unscored(std::string_view note, std::uint64_t first, std::span<ResidueCode> residues);

}  // namespace warpseq
