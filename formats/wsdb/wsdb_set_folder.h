// The choice of the files beside a manifest that an update may remove. By its rules (docs/sets.md)
// a file is removed only where it carries the mark of the set, under the number of its name, or has
// the content that the manifest records for an obsolete file, and is proven not to be needed:
//
// - it has the temporary name of a file that never got its own;
// - the lock says that it was made by an update that never became part of the set;
// - the manifest calls it obsolete, and no file beside it both belongs to the set and is unknown to
//   the manifest. Such a file shows that there may have been a newer manifest than this one. What
//   this one calls obsolete, or no longer names, may be in use in the newer one.
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
    std::uint64_t highest_number = 0;  // in the names of files, be they the set's or not; 0: there are none
    /// Finished files that are called as the set's are, and that the manifest does not name.
    std::vector<std::string> unknown;
    bool has_unknown_of_set = false;  // one of them carries the mark of the set and its own number
};

/// Looks at the files beside `file`, a manifest that has or will have that name, and removes what
/// killed updates have left. The caller holds the lock, whose note is `note`. Files of a folder
/// that cannot be listed stay.
SetFolderFiles clean_set_folder(const std::filesystem::path& file, const WsdbSetManifest& manifest,
                                const std::optional<SetLockNote>& note);

/// Removes the files that the manifest calls obsolete, as far as they are what it says, and takes
/// all from the list but those that could not be removed. Readers that have them open go on.
void remove_obsolete_files(const std::filesystem::path& file, WsdbSetManifest& manifest);

}  // namespace warpseq
