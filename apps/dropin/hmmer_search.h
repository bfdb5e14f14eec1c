// HMMER's programs that search sequences share this: their options as values of an engine's.
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

/// Whether what --qformat and --tformat say of files of sequences is read here: FASTA, aligned or
/// not, and for queries alignments.
Status check_sequence_formats(const EaselArguments& arguments);
/// What --qformat says, after that.
QuerySequenceFormat query_format_of(const EaselArguments& arguments);

/// The error that a file of targets is misformatted, in the words of programs whose queries are
/// sequences, too.
Status name_targets(const Status& status, const std::string& targets);

/// Returns the values of an engine's options that say the same. Options of the program alone (--cpu,
/// --qformat, --tformat) are left out; --cpu becomes the number of threads.
Result<OptionValues> search_values(const OptionSet& options, const EaselArguments& arguments,
                                   const std::string& queries, const std::string& database);

/// Lines at the top of a report about options that `search` does not have; labels of --qformat and
/// --tformat.
struct SequenceFormatLabels {
    std::string_view queries, targets;
};
void describe_other_options(const EaselArguments& arguments, const SequenceFormatLabels& labels, HmmRun& run);

}  // namespace warpseq
