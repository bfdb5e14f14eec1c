// The common part of HMMER's programs that search sequences: turns their options into values of an
// engine's options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/alignments/sequence_file.h"
#include "libcore/base/status.h"
#include "options/easel_options.h"
#include "options/option_set.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// Returns an error if --qformat or --tformat names a format that warpseq does not read. It reads
/// FASTA, aligned or not, and for queries also alignments.
Status check_sequence_formats(const EaselArguments& arguments);
/// Returns an error in HMMER's words if --mx names a matrix that HMMER does not have.
Status check_matrix(const EaselArguments& arguments);
/// Returns the format that --qformat names. check_sequence_formats() must have accepted it.
QuerySequenceFormat query_format_of(const EaselArguments& arguments);

/// Returns `status`, with another message if it says that the file `targets` is empty or
/// misformatted. The new message calls it "Target sequence database file", as HMMER's programs do
/// whose queries are sequences, too.
Status name_targets(const Status& status, const std::string& targets);

/// Returns the values of an engine's options that correspond to the command line. --qformat and
/// --tformat are left out, because the engine does not have them. --cpu sets the number of threads.
Result<OptionValues> search_values(const OptionSet& options, const EaselArguments& arguments,
                                   const std::string& queries, const std::string& database);

/// The labels of --qformat and --tformat at the top of a report.
struct SequenceFormatLabels {
    std::string_view queries, targets;
};
/// Adds the lines at the top of a report about options that `search` does not have, and the second
/// line that HMMER prints for --seed 0.
void describe_other_options(const EaselArguments& arguments, const SequenceFormatLabels& labels, HmmRun& run);

}  // namespace warpseq
