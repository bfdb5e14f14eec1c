// The messages and exit statuses of NCBI BLAST+'s programs. Both are those of BLAST+ 2.12.0.
// Messages go to standard error.
#pragma once

#include <string>

#include "formats/fasta/fasta.h"
#include "libcore/base/status.h"
#include "options/blast_options.h"

namespace warpseq {

// Exit statuses of BLAST+.
inline constexpr int kBlastWrongInput = 1, kBlastDatabaseError = 2, kBlastEngineError = 3, kBlastOutOfMemory = 4,
                     kBlastException = 255;

/// Prints the output or the error with which a command line ends the program. Returns the exit
/// status.
int end_blast_program(const BlastEnding& ending);
/// Prints a message of one or more lines to standard error. Returns `exit_status`.
int blast_failure(int exit_status, const std::string& message);
/// Prints "Error: MESSAGE". Returns the exit status for mistakes that BLAST+ meets where it does
/// not expect them. Only NCBI's toolkit puts the names of its exceptions around such messages.
int blast_exception(const std::string& message);
/// Prints "BLAST query/options error: MESSAGE" and a line that refers to the manual. Returns the
/// exit status.
int blast_options_error(const std::string& message);
/// Returns 'Argument "NAME". File is not accessible:  `FILE''. A file without a name is left out.
std::string blast_inaccessible_text(const std::string& option, const std::string& file);
/// Prints this text behind 'Command line argument error: '. Returns the exit status.
int blast_inaccessible(const std::string& option, const std::string& file);
/// Writes messages from here on to the end of `file` instead of standard error, as -logfile asks.
/// Changes nothing if that file is "-" or cannot be opened.
void log_blast_messages(const std::string& file);
/// Reports the status of a library call. Returns 0 for success. For an error, prints its message
/// and returns the exit status that BLAST+ has for this kind of error.
int report_blast_status(const Status& status);

/// Returns the warnings about bytes of FASTA that were left out, each with its line end. The first
/// one is about hyphens, the second one ("FASTA-Reader: Ignoring invalid residues ...") about other
/// bytes.
std::string left_out_lines(const FastaLeftOut& left_out);

/// Whether a report can be written to `file`, as far as can be told before it is opened.
bool blast_can_write(const std::string& file);
/// Whether `file` can be opened for reading, as far as can be told without opening it. True for
/// "-".
bool blast_can_read(const std::string& file);

}  // namespace warpseq
