// Updates a set (formats/wsdb/wsdb_set.h). New sequences become a volume, a removed sequence
// becomes one bit in a list, and no existing volume is written to.
//
// There is only one update at a time, because an update holds the lock SET.wsdbs.lock
// (formats/wsdb/wsdb_set_lock.h). New files get their names when all of them are complete, just
// before the new manifest, and never replace another file. An update leaves nothing if it fails, or
// if a handled signal ends it (formats/io/unfinished_names.h). If it is killed at any moment, the
// set is in its old or in its new state. The next update then removes the files that were left, if
// it is certain that they were (formats/wsdb/wsdb_set_folder.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/fasta/record_selection.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/shared_identifiers.h"
#include "formats/wsdb/wsdb_set_manifest.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"

namespace warpseq {

struct SetUpdateReport {
    std::optional<ConvertReport> appended;  // report of the new volume
    std::uint64_t removed_sequences = 0;
    WsdbSetManifest manifest;  // after the update
    /// The new sequences whose identifier the set had before. Only set after appending without
    /// replacing.
    SharedIdentifiers repeated = {};
    bool knew_taxa = false;  // whether a volume had taxonomy IDs before the update
    /// Files whose names are formed like those of the set's files, but that do not belong to its
    /// current state. They stay.
    std::vector<std::string> unknown_files = {};
    bool manifest_may_be_old = false;  // an unknown file belongs to the set, so nothing obsolete is removed
};

/// Appends the inputs of `options` as a volume. The output in `options` is ignored. Makes the set
/// if there is none. With `replace`, removes the earlier sequences that have the identifier of a
/// new one.
Result<SetUpdateReport> append_to_set(const std::filesystem::path& set, const ConvertOptions& options, bool replace,
                                      Observer& observer);

/// Removes the sequences that the list in `names` names. Afterwards names.not_found() returns the
/// names that no sequence has. Removing all sequences is an error.
Result<SetUpdateReport> remove_from_set(const std::filesystem::path& set, const RecordSelection& names,
                                        const ConvertOptions& options);

/// Replaces all volumes by one, without the removed sequences. The inputs and the output in
/// `options` are ignored. A set that is compact already stays as it is, except in two cases. The
/// cases are that `options` names sources of taxa, and that `change_codec` is true and the set has
/// another codec than `options`.
Result<SetUpdateReport> compact_set(const std::filesystem::path& set, const ConvertOptions& options, bool change_codec,
                                    Observer& observer);

}  // namespace warpseq
