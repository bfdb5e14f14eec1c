// The options of dbconv, and the conversion or the update of a set that their values ask for.
#pragma once

#include <filesystem>
#include <optional>

#include "formats/fasta/record_selection.h"
#include "formats/wsdb/convert_fasta.h"
#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// Returns the options with their help.
OptionSet make_dbconv_options();

/// A change to a set.
struct SetUpdate {
    enum class Kind { kAppend, kReplace, kRemove, kCompact };
    Kind kind;
    std::filesystem::path set;
};

/// The settings of a run of dbconv.
struct DbconvSettings {
    /// The conversion. Without an update it names the output. Its callbacks, its temporary folder
    /// and its pointer to `selection` are the caller's to set.
    ConvertOptions conversion;
    std::optional<SetUpdate> update;  // nothing: the output is a database
    RecordSelection selection;        // lengths and taxa; the names of `list` are not read yet
    /// The file of the names that are converted, or that are removed from the set.
    std::optional<std::filesystem::path> list;
    unsigned parts = 1;           // databases that the sequences are divided among
    bool expect_protein = false;  // whether sequences that look like nucleotides are an error
    bool quiet = false;           // whether only errors and left-out records are printed
};

/// Returns the settings that the values ask for, or an error of usage. Reads no file; only looks
/// whether the output is a link to a set.
Result<DbconvSettings> read_dbconv_options(const OptionValues& values);

}  // namespace warpseq
