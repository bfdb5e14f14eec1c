// NCBI BLAST+'s programs as processes: their messages on standard error and their exit statuses, as
// those of BLAST+ 2.12.0.
#pragma once

#include <string>

#include "formats/fasta/fasta.h"
#include "libcore/base/status.h"
#include "options/blast_options.h"

namespace warpseq {

// Exit statuses of BLAST+.
inline constexpr int kBlastWrongInput = 1, kBlastDatabaseError = 2, kBlastEngineError = 3, kBlastOutOfMemory = 4;

/// Prints what ends the program, and returns its exit status.
int end_blast_program(const BlastEnding& ending);
/// Prints the line, or lines, on standard error, and returns `exit_status`.
int blast_failure(int exit_status, const std::string& message);
/// "BLAST query/options error: MESSAGE", and where to look things up.
int blast_options_error(const std::string& message);
/// 'Command line argument error: Argument "NAME". File is not accessible:  `FILE''
int blast_inaccessible(const std::string& option, const std::string& file);
/// Of a library: 0 for success, else what it says and the status that BLAST+ has for it.
int report_blast_status(const Status& status);

/// "FASTA-Reader: Ignoring invalid residues ...", and a line for hyphens before it, each with its
/// end.
std::string left_out_lines(const FastaLeftOut& left_out);

/// Whether a report can appear there, as far as can be told beforehand.
bool blast_can_write(const std::string& file);
/// Whether a file can be opened for reading, as far as can be told without opening it; "-" can.
bool blast_can_read(const std::string& file);

}  // namespace warpseq
