// The command `search hmmalign`: sequences aligned to one profile.
#pragma once

#include <filesystem>
#include <optional>

#include "apps/common/option_set.h"
#include "apps/search/common_options.h"
#include "apps/search/division.h"
#include "formats/alignments/alignment_format.h"
#include "formats/alignments/alignment_reader.h"
#include "formats/alignments/sequence_file.h"
#include "libcore/base/status.h"

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

OptionSet make_hmmalign_options();
/// The work. Messages are HMMER's where it has the same. `mapped` reads options.mapped_alignment,
/// so that the caller can tell its faults; without it the command has a reader of its own.
Status run_hmmalign(const HmmalignOptions& options, AlignmentReader* mapped = nullptr);
/// The command. It is not divided: `division` has to be none.
Status run_hmmalign_command(int argc, char** argv, Division* division);

}  // namespace warpseq
