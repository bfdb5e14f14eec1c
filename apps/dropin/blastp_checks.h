// The checks of blastp's command line, and the warnings about it, in the words and the order of
// NCBI's blastp. The parser (options/blast_options.h) has checked each option by itself before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/fasta/fasta.h"
#include "options/blast_options.h"
#include "options/search/target_options.h"

namespace warpseq {

// The last of the formats from 0 on that have both a table of hits and alignments, XML, and the
// formats that have a document for each query.
inline constexpr std::int64_t kBlastpLastWithTable = 4, kBlastpXml = 5, kBlastpFirstDocument = 13,
                              kBlastpLastDocument = 16;
/// Whether a format is a table whose columns can be named.
constexpr bool has_blastp_columns(std::int64_t format) { return format == 6 || format == 7 || format == 10; }

/// Prints "Warning: [SUBJECT] TEXT". The subject is the program or a group of queries.
void blastp_warn(const std::string& text, const std::string& subject = "blastp");
/// Prints that warpseq's blastp does not do something. Returns the exit status.
int refuse_in_blastp(const std::string& what);

// If something is wrong, the following functions print the error. They return the exit status, or
// set `ended` to it and return nothing.

/// Returns the number of the output format.
std::optional<std::int64_t> read_blastp_format(const std::string& outfmt, std::optional<int>& ended);
/// Reads a range such as "10-250": positions from 1, two residues or more. `what` is "query" or
/// "subject".
std::optional<ResidueRange> read_blastp_range(const std::string& text, const std::string& what,
                                              std::optional<int>& ended);
/// Returns the taxa that -taxids and the like ask for, or nothing if the list is empty.
std::optional<TaxonList> read_blastp_taxa(const BlastArguments& arguments, std::optional<int>& ended);
/// Checks a value of -seg: "yes", "no", or a window and two levels.
std::optional<int> check_blastp_seg(const std::string& value);
/// Checks what `search blastp` would refuse. `mode` is the one of composition-based statistics.
std::optional<int> check_blastp_search(const BlastArguments& arguments, std::int64_t format, const std::string& mode);

/// Returns the mode that BLAST+ reads from a value of -comp_based_stats. The first letter decides,
/// and an unknown one means 0. Returns nothing for a mode that is not supported.
std::optional<std::string> blastp_composition_mode(const std::string& value);
/// Returns the number of threads that BLAST+ would use.
std::int64_t blastp_threads(const BlastArguments& arguments);
/// Prints the warnings that concern the options.
void warn_of_blastp_options(const BlastArguments& arguments, std::int64_t format,
                            const std::string& subject = "blastp");

}  // namespace warpseq
