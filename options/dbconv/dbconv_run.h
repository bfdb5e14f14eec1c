// A run of dbconv without its output on the terminal: the conversion or the update of a set that
// options ask for, and the warnings about it in words.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/wsdb_set_update.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/dbconv/dbconv_options.h"
#include "options/option_values.h"

namespace warpseq {

/// The result of a run of dbconv.
struct DbconvRun {
    std::vector<ConvertReport> reports;     // of each database that was written, in their order
    std::optional<SetUpdateReport> update;  // of a run that updated a set instead
    std::vector<std::string> warnings;      // the most important ones first, without "warning: "
};

/// Converts the inputs, or updates the set. `settings` have been read from `values`. The caller may
/// have set the callback on_invalid_record and the stop token of the conversion; this function sets
/// the other callbacks and the temporary folder. Checks first that no output is a file that is
/// read.
Result<DbconvRun> run_dbconv(const OptionValues& values, DbconvSettings& settings, Observer& observer);

/// Returns the files that such a run writes: the set, or the databases in the order of their parts.
std::vector<std::filesystem::path> outputs_of(const DbconvSettings& settings);

}  // namespace warpseq
