// Updates of a set (formats/wsdb/wsdb_set.h): what is new becomes a volume, what is removed a bit,
// and nothing else is written.
//
// One update at a time: a file SET.wsdbs.lock is locked meanwhile (formats/wsdb/wsdb_set_lock.h).
// New files get their names when all of them are whole, just before the new manifest, and never
// replace another file. An update that fails, or that a signal ends which is handled
// (formats/io/unfinished_names.h), leaves nothing. Killed at any moment, the set is what it was
// before or after, and the next update removes what was left beside it, where it is proven to be
// that (formats/wsdb/wsdb_set_folder.h).
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
    std::optional<ConvertReport> appended;  // the new volume
    std::uint64_t removed_sequences = 0;
    WsdbSetManifest manifest;  // as it is now
    /// Appended without being replaced: what has an identifier that the set had before.
    SharedIdentifiers repeated = {};
    bool knew_taxa = false;  // some volume did before
    /// Files that are called as the set's are, and that it does not have; they stay.
    std::vector<std::string> unknown_files = {};
    bool manifest_may_be_old = false;  // one of those belongs to the set, so that nothing obsolete is removed
};

/// Appends what the inputs of `options` hold as a volume; its output says nothing. Makes the set
/// where there is none. With `replace` sequences that were there and have the identifier of a new
/// one are removed.
Result<SetUpdateReport> append_to_set(const std::filesystem::path& set, const ConvertOptions& options, bool replace,
                                      Observer& observer);

/// Removes the sequences that the list of `names` names, which says then what was not found. To
/// remove all is an error.
Result<SetUpdateReport> remove_from_set(const std::filesystem::path& set, const RecordSelection& names,
                                        const ConvertOptions& options);

/// One volume of all that is there, without what was removed. Inputs and output of `options` say
/// nothing. A set that is that already stays, unless `options` name other taxa or, with
/// `change_codec`, another codec than it has.
Result<SetUpdateReport> compact_set(const std::filesystem::path& set, const ConvertOptions& options, bool change_codec,
                                    Observer& observer);

}  // namespace warpseq
