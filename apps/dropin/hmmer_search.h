// The common part of HMMER's programs that search sequences: turns their options into values of an
// engine's options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sequences/sequence_format.h"
#include "libcore/base/status.h"
#include "options/easel_options.h"
#include "options/option_set.h"
#include "options/search/common_options.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// The formats of the files of sequences. A format that is not asserted is recognised as HMMER
/// does.
struct SequenceFileFormats {
    SequenceFileFormat queries, targets;
};
/// Returns the formats that --qformat and --tformat assert. An unknown name is an error.
Result<SequenceFileFormats> sequence_formats_of(const EaselArguments& arguments);

/// Returns an error in HMMER's words if --mx names a matrix that HMMER does not have, or --mxfile a
/// file that cannot be read.
Status check_matrix(const EaselArguments& arguments);

/// Sets how targets are read by a program of HMMER.
void read_targets_as_hmmer(const SequenceFileFormat& format, CommonOptions& options);

/// Returns `status`, with another message if it says that the file `targets` is empty or
/// misformatted. The new message calls it "Target sequence database file", as HMMER's programs do
/// whose queries are sequences, too.
Status name_targets(const Status& status, const std::string& targets);

/// Returns the sequences that --restrictdb_n and --restrictdb_stkey restrict the targets to, or
/// nothing if there is no restriction. HMMER finds the first one in an SSI index, which warpseq
/// does not need.
Result<std::optional<TargetRecords>> target_records_of(const EaselArguments& arguments);

/// Returns the values of an engine's options that correspond to the command line. Options about
/// files of sequences are left out, because the engine does not have them. --cpu sets the number of
/// threads.
Result<OptionValues> search_values(const OptionSet& options, const EaselArguments& arguments,
                                   const std::string& queries, const std::string& database);

/// The labels of --qformat and --tformat at the top of a report.
struct SequenceFormatLabels {
    std::string_view queries, targets;
};
/// Adds the lines at the top of a report about options that `search` does not have, and the second
/// line that HMMER prints for --seed 0. run.given has the lines about its options already.
void describe_other_options(const EaselArguments& arguments, const SequenceFormatLabels& labels, HmmRun& run);

}  // namespace warpseq
