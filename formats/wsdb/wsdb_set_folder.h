// Chooses which files beside a manifest an update may remove. The rules are in docs/sets.md. A file
// is removed only if two things hold. First, it carries the mark of the set and the number in its
// name, is an unfinished manifest of the set, or has the content that the manifest records for an
// obsolete file. Second, one of the following proves that it is not needed:
//
// - It has the temporary name of a file that never got its own.
// - The lock says that it was made by an update that never became part of the set.
// - The manifest calls it obsolete, and no file beside it both belongs to the set and is unknown to
//   the manifest. Such an unknown file shows that there may have been a newer manifest, which may
//   use what this one calls obsolete or no longer names.
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
    std::uint64_t highest_number = 0;  // in the names of files that are named like the set's; 0: there are none
    /// Finished files that are named like the set's but that the manifest does not name.
    std::vector<std::string> unknown;
    bool has_unknown_of_set = false;  // one of them carries the mark of the set and its own number
};

/// Looks at the files beside `file`, which is a manifest or will become one, and removes what
/// killed updates have left. The caller holds the lock, whose note is `note`. If the folder cannot
/// be listed, its files stay.
SetFolderFiles clean_set_folder(const std::filesystem::path& file, const WsdbSetManifest& manifest,
                                const std::optional<SetLockNote>& note);

/// Removes the files that the manifest calls obsolete if they are still what it says. Takes all of
/// them off the list except those that could not be removed. Readers that have them open are not
/// affected.
void remove_obsolete_files(const std::filesystem::path& file, WsdbSetManifest& manifest);

}  // namespace warpseq
