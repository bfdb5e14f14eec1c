// What HMMER's programs that search sequences have in common as command lines over `search`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/dropin/easel_options.h"
#include "formats/alignments/sequence_file.h"
#include "libcore/base/status.h"
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

/// The command line of `search ENGINE` that says the same: queries are the first argument, the
/// database is the second one.
std::vector<std::string> as_search_options(const char* engine, const EaselArguments& arguments);

/// Lines at the top of a report about options that `search` does not have; labels of --qformat and
/// --tformat.
struct SequenceFormatLabels {
    std::string_view queries, targets;
};
void describe_other_options(const EaselArguments& arguments, const SequenceFormatLabels& labels, HmmRun& run);

}  // namespace warpseq
