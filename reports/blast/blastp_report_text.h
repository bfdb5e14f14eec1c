// Formats names of queries and targets, and numbers, as blastp's reports print them. As in blastp,
// text is bytes, and widths count bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/seeds/word_hits.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Returns a query's definition line up to a tab or another control character, without blanks at
/// its ends.
std::string_view query_title(std::string_view header);

/// Returns a target's title as makeblastdb would keep it. A tab becomes three blanks and Ctrl-A
/// becomes one. Other control characters become "#".
std::string target_title(std::string_view header);

/// Returns a target's title as blastp's tables have it. The first word of the result is the
/// target's name. Some prefixes ("TPA:") are removed, and so is punctuation at the end. HTML's
/// character references are decoded. Blanks are set as between words.
std::string cleaned_title(std::string_view title);

/// Returns `text` in lines of at most `columns`, each with its line end. A line is broken at a
/// blank, which is dropped, or after a comma or a hyphen. An empty text has no lines.
std::string wrapped(std::string_view text, std::size_t columns);

/// Returns `title` in lines that end with the first blank from column 60 on. The last line has no
/// line end.
std::string broken_title(std::string_view title);

/// Returns a share as a whole percentage. Only the whole gives 100.
int whole_percent(std::uint64_t part, std::uint64_t whole);

/// Residues that count as positives only in pairs of equal letters, in pairwise text and in tables.
inline constexpr std::array<ResidueCode, 3> kCodesWithoutPositives = {kCodeJ, kCodeO, kCodeStop};

/// Returns a matrix for count_alignment() and draw_alignment() whose positives are blastp's: pairs
/// of equal letters, and pairs that score above 0. Pairs of different letters with one of
/// `without_positives` do not count.
SubstitutionMatrix positives_matrix(const SubstitutionMatrix& matrix, std::span<const ResidueCode> without_positives);

/// Turns the letters of masked residues into lower-case ones. `letters` is the query's row of an
/// alignment that begins with residue `begin`.
void show_masked(std::span<const QueryStretch> masked, std::uint64_t begin, std::string& letters);

/// Returns `text` with references in place of the characters that have a meaning in HTML.
std::string html_escaped(std::string_view text);

/// Returns columns `at` to `at + count` - 1 of a row as NCBI's blastp shows them in HTML. Masked
/// residues are lower-case letters in `row`. They are grey, with the gaps among them. There are two
/// exceptions, as in blastp. After a masked stretch that ends with a line's first letter, the text
/// stays grey up to the end of the next stretch or of the line. A stretch that begins with the
/// row's first letter is not grey if it goes beyond the line or is that letter alone.
std::string masked_in_grey(std::string_view row, std::size_t at, std::size_t count);

/// Returns "BLASTP (warpseq 1.2.3)": the word that readers of blastp's reports look for, and the
/// program that wrote the report.
std::string blastp_version();

/// The highest bit score that is printed with a decimal.
inline constexpr double kHighestBitsWithDecimal = 99.9;

/// Returns format_bits() padded to at least four columns, or to three if it has no decimal. A score
/// between 99.9 and 100 is " 99".
std::string blastp_bits(double bits);

}  // namespace warpseq
