// Opens sets of databases (.wsdbs), which are updated without being converted again. A set is a
// manifest beside its volumes, which are databases, and lists of removed sequences. docs/sets.md is
// the specification.
//
// Volumes and lists are never written to once they have their names. An update writes new files,
// syncs them, and then replaces the manifest. So a process that opens a set sees its state before
// or after an update. The files that a process has open do not change.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/io/position_set.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_set_manifest.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Whether a file is a set. A set is a regular file that begins as a manifest or whose name ends
/// with ".wsdbs".
bool is_wsdb_set(const std::filesystem::path& file);

class WsdbSet {
   public:
    struct Volume {
        WsdbReader reader;
        std::shared_ptr<const PositionSet> removed;  // ranks of removed sequences; null: none
    };

    /// Opens all volumes, which have to match the manifest. If the set is updated at the same time,
    /// the result is its state before or after the update. A set without a volume is an error.
    static Result<WsdbSet> open(const std::filesystem::path& file);

    const WsdbSetManifest& manifest() const { return manifest_; }
    /// Returns the volumes in the order in which their sequences follow each other. They may be
    /// moved out.
    std::vector<Volume>& volumes() { return volumes_; }
    const std::vector<Volume>& volumes() const { return volumes_; }

   private:
    WsdbSetManifest manifest_;
    std::vector<Volume> volumes_;
};

/// Opens the volumes of a set. A database that is not a set is opened as the only volume.
Result<std::vector<WsdbSet::Volume>> open_volumes(const std::filesystem::path& file);

/// Reads all bytes of a manifest at once. A manifest is replaced, never written to.
Result<std::string> read_manifest_text(const std::filesystem::path& file);
/// Reads and parses the manifest. Does not open the volumes.
Result<WsdbSetManifest> read_set_manifest(const std::filesystem::path& file);
/// Calls `read` with the manifest. `read` opens the files that the manifest names. If `read` fails
/// and an update has changed the manifest since, `read` is called again with the new manifest,
/// because the old files may have been removed. Returns the error of the last call, or of reading
/// the manifest.
Status read_wsdb_set(const std::filesystem::path& file,
                     const std::function<Status(const WsdbSetManifest& manifest)>& read);
/// Opens the volumes of a set whose files are in `folder`. `shown` is the set's name in messages. A
/// set without a volume is an error.
Result<std::vector<WsdbSet::Volume>> open_set_volumes(const WsdbSetManifest& manifest,
                                                      const std::filesystem::path& folder, const std::string& shown);
/// Reads the list of removed ranks of volume `v`, counted from 0. The volume must have a list, and
/// the list has to match the manifest. The ranks are not compared with the volume.
Result<PositionSet> read_removed_list(const WsdbSetManifest& manifest, std::size_t v,
                                      const std::filesystem::path& folder, const std::string& shown);
/// Returns the files of the set's volumes, in their order.
std::vector<std::filesystem::path> volumes_of_wsdb_set(const std::filesystem::path& file,
                                                       const WsdbSetManifest& manifest);
/// Returns the checksum of a list of removed sequences as 16 hexadecimal digits, as manifests have
/// it.
std::string checksum_of_removed(std::span<const std::uint64_t> words);
/// Returns all files of the set: the manifest and the files that it names. Returns `file` alone if
/// it cannot be read.
std::vector<std::filesystem::path> files_of_wsdb_set(const std::filesystem::path& file);

}  // namespace warpseq
