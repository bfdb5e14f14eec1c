// The options of `search hmmalign`, and its settings by them.
#pragma once

#include <filesystem>
#include <optional>

#include "formats/alignments/alignment_format.h"
#include "formats/alignments/sequence_file.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/search/common_options.h"

namespace warpseq {

struct HmmalignOptions {
    RunOptions run;
    std::filesystem::path profile_file, sequence_file;  // "-" is standard input
    SequenceFileKind sequence_kind = SequenceFileKind::kByContent;
    std::optional<AlignmentFormat> sequence_format;         // of alignments
    FastaDialect dialect = FastaDialect::kWarpseq;          // no option sets it
    std::optional<std::filesystem::path> mapped_alignment;  // --mapali
    bool trim = false;
    AlignmentFormat output_format = AlignmentFormat::kStockholm;
};

/// Returns the options with their help.
OptionSet make_hmmalign_options();
/// Reads them back. Wrong values are usage errors.
Result<HmmalignOptions> read_hmmalign_options(const OptionValues& values);

}  // namespace warpseq
