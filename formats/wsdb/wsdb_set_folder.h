// Chooses which files beside a manifest an update may remove. The rules are in docs/sets.md. A file
// is removed only if two things hold. First, it belongs to the set: it carries the mark of the set
// with the number in its name, is an unfinished manifest of the set, or has the content that the
// manifest records for an obsolete file. Second, one of the following proves that it is not needed:
//
// - It has the temporary name of a file that never got its own.
// - The lock says that it was made by an update that never became part of the set.
// - The manifest calls it obsolete, and no file beside it both belongs to the set and is unknown to
//   the manifest. Such an unknown file shows that there may have been a newer manifest, which may
//   still use files that this one calls obsolete.
//
// All other files that are named like files of the set stay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/wsdb/wsdb_set_lock.h"
#include "formats/wsdb/wsdb_set_manifest.h"

namespace warpseq {

struct SetFolderFiles {
    std::uint64_t highest_number = 0;  // the highest in a name like those of the set's files; 0: there are none
    /// Finished files whose names are formed like those of the set's files, but that the manifest
    /// does not name.
    std::vector<std::string> unknown;
    bool has_unknown_of_set = false;  // whether one of them carries the mark of the set and the number in its name
};

/// Looks at the files beside `file`, which is a manifest or will become one, and removes what
/// killed updates have left. The caller holds the lock. `note` is the note that its last holder
/// left. If the folder cannot be listed, all files stay.
SetFolderFiles clean_set_folder(const std::filesystem::path& file, const WsdbSetManifest& manifest,
                                const std::optional<SetLockNote>& note);

/// Removes the files that the manifest calls obsolete, if their marks or contents are those in the
/// manifest. Takes all obsolete files off the manifest's list, except those that should have been
/// removed but could not be. Readers that have them open are not affected.
void remove_obsolete_files(const std::filesystem::path& file, WsdbSetManifest& manifest);

}  // namespace warpseq
