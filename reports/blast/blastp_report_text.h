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

/// Returns a query's definition line without blanks at its ends, up to a tab or another control
/// character. A control character that is no white space may come first.
std::string_view query_title(std::string_view header);

/// Returns the text up to the first blank.
std::string_view first_word(std::string_view title);

/// Returns a target's title as makeblastdb would keep it. A tab becomes three blanks and Ctrl-A
/// becomes one blank. Other control characters and DEL become "#".
std::string target_title(std::string_view header);

/// Returns a target's title as blastp's tables have it. The first word of the result is the
/// target's name. Some prefixes, such as "TPA:", are removed, and so is punctuation at the end.
/// The result is UTF-8 if the title is text (as_utf8()). HTML's character references are decoded.
/// `prefix` is put before the title. Runs of blanks become one blank. A blank before a comma or a
/// semicolon is moved after it. Blanks just inside parentheses are removed, and so is a full stop
/// or comma before " [".
std::string cleaned_title(std::string_view title, std::string_view prefix = {});

/// Returns `text` in lines of at most `columns` bytes, each with its line end. A line is broken at
/// its last blank, and blanks there are dropped. Without a blank it is broken after its last comma,
/// else after its last hyphen, else after `columns` bytes. An empty text has no lines.
std::string wrapped(std::string_view text, std::size_t columns);

/// Returns `title` with a line end after the first blank from byte 60 on, after the first one from
/// byte 120 on, and so on. Bytes are counted from 0 in the whole title. No line end is added at the
/// title's own end.
std::string broken_title(std::string_view title);

/// Returns 100 * part / whole, rounded to the nearest whole number. The result is at most 99 unless
/// `part` equals `whole`.
int whole_percent(std::uint64_t part, std::uint64_t whole);

/// Residues that count as positives only in pairs of equal letters. This is so in pairwise text and
/// in tables.
inline constexpr std::array<ResidueCode, 3> kCodesWithoutPositives = {kCodeJ, kCodeO, kCodeStop};

/// Returns a matrix for count_alignment() and draw_alignment() whose positives are blastp's. These
/// are pairs of equal letters, and pairs of different letters that score above 0 and have none of
/// `without_positives`.
SubstitutionMatrix positives_matrix(const SubstitutionMatrix& matrix, std::span<const ResidueCode> without_positives);

/// Turns the letters of masked residues into lower-case ones. `letters` is the query's row of an
/// alignment that begins with residue `begin`.
void show_masked(std::span<const QueryStretch> masked, std::uint64_t begin, std::string& letters);

/// Returns `text` with references in place of the characters that have a meaning in HTML.
std::string html_escaped(std::string_view text);

/// Returns one line of an alignment's query row, columns `at` to `at + count` - 1, as HTML. Masked
/// residues are lower-case letters in `row`. A masked stretch is a run of them with the gaps
/// between them. As in NCBI's blastp, each stretch is put between <font color="#000000"> and
/// </font>, also the part of a stretch that begins or ends in another line. There are two
/// exceptions, as in blastp:
///  - If a stretch ends in the line's first column, </font> comes later, at the end of the next
///    stretch or of the line.
///  - A stretch that begins in the row's first column is not marked in the row's first line if it
///    goes on in the next line or is a single letter.
std::string masked_in_grey(std::string_view row, std::size_t at, std::size_t count);

/// Returns "BLASTP (warpseq 1.2.3)": the word that readers of blastp's reports look for, and the
/// program that wrote the report.
std::string blastp_version();

/// The highest bit score that is printed with a decimal.
inline constexpr double kHighestBitsWithDecimal = 99.9;

/// Returns format_bits() with blanks before it, up to four columns, or three if the score has no
/// decimal. So a score between 99.9 and 100 is " 99".
std::string blastp_bits(double bits);

}  // namespace warpseq
