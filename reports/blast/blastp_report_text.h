// Names of queries and targets, and numbers, as blastp's reports print them. All text is bytes to
// blastp: so are the widths here.
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

/// A query's definition line: up to a tab or another control character, without blanks at its ends.
std::string_view query_title(std::string_view header);

/// A target's title as makeblastdb would keep it: a tab is three blanks, Ctrl-A is one, other
/// control characters are "#".
std::string target_title(std::string_view header);

/// A target's title as blastp's tables have it, of which the first word is the target's name:
/// without a few prefixes ("TPA:"), with HTML's character references decoded, punctuation at its
/// end left off, and blanks set as between words.
std::string cleaned_title(std::string_view title);

/// `text` in lines of at most `columns`, each with its line end: broken at a blank, which goes, or
/// behind a comma or a hyphen. No line for no text.
std::string wrapped(std::string_view text, std::size_t columns);

/// `title` in lines that end with the first blank from column 60 on; no line end at its end.
std::string broken_title(std::string_view title);

/// Whole per cent: 100 only for all of it.
int whole_percent(std::uint64_t part, std::uint64_t whole);

/// Of which pairs of different letters never count as positives, in pairwise text and in tables.
inline constexpr std::array<ResidueCode, 3> kCodesWithoutPositives = {kCodeJ, kCodeO, kCodeStop};

/// What count_alignment() and draw_alignment() need to take for positives what blastp takes for
/// them: equal letters, and pairs above 0 but for those of these letters.
SubstitutionMatrix positives_matrix(const SubstitutionMatrix& matrix, std::span<const ResidueCode> without_positives);

/// The query's row of an alignment that begins with residue `begin`: letters of masked residues
/// become lower-case ones.
void show_masked(std::span<const QueryStretch> masked, std::uint64_t begin, std::string& letters);

/// With HTML's references for what means something in it.
std::string html_escaped(std::string_view text);

/// Columns `at` to `at + count` - 1 of a row, with its masked residues, which are lower-case
/// letters, as NCBI's blastp shows them in HTML: grey, with gaps among them. One that ends with a
/// line's first letter is grey up to the end of the next one or of the line; one from the row's
/// first letter on that goes beyond the line, or is that letter alone, is not.
std::string masked_in_grey(std::string_view row, std::size_t at, std::size_t count);

/// "BLASTP (warpseq 1.2.3)": what readers of blastp's reports look for, and who it was.
std::string blastp_version();

/// Bit scores above it have no decimal.
inline constexpr double kHighestBitsWithDecimal = 99.9;

/// format_bits() in four columns at least, in three without a decimal: between 99.9 and 100 that is
/// " 99".
std::string blastp_bits(double bits);

}  // namespace warpseq
