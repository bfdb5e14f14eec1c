// A set of databases that is updated without being converted again (.wsdbs): a manifest beside its
// volumes, which are databases, and lists of removed sequences. docs/sets.md is the specification.
//
// Volumes and lists are never written to once they have their names. An update writes new ones,
// syncs them, and then puts another manifest in the place of the old one, so whoever opens a set
// sees it before or after an update. What it has open stays as it was.
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

/// Whether a file is a set: it begins as a manifest, or is a regular file whose name ends with
/// ".wsdbs".
bool is_wsdb_set(const std::filesystem::path& file);

class WsdbSet {
   public:
    struct Volume {
        WsdbReader reader;
        std::shared_ptr<const PositionSet> removed;  // by rank; null: none
    };

    /// Opens all volumes, which have to be what the manifest says. A set that is updated meanwhile
    /// is opened as it was before or as it is then. One without a volume is an error.
    static Result<WsdbSet> open(const std::filesystem::path& file);

    const WsdbSetManifest& manifest() const { return manifest_; }
    /// In the order in which their sequences follow each other. They may be moved out.
    std::vector<Volume>& volumes() { return volumes_; }
    const std::vector<Volume>& volumes() const { return volumes_; }

   private:
    WsdbSetManifest manifest_;
    std::vector<Volume> volumes_;
};

/// The volumes of a set, or a database that is none as the only one.
Result<std::vector<WsdbSet::Volume>> open_volumes(const std::filesystem::path& file);

/// All bytes of a manifest, read at once: it is replaced, never written to.
Result<std::string> read_manifest_text(const std::filesystem::path& file);
/// The manifest alone, without a look at the volumes.
Result<WsdbSetManifest> read_set_manifest(const std::filesystem::path& file);
/// Calls `read` with the manifest, to open what that names. Where it fails and an update has
/// changed the manifest since, the files may have been removed: it is called again with the new
/// one. The error of the last call, or of reading the manifest.
Status read_wsdb_set(const std::filesystem::path& file,
                     const std::function<Status(const WsdbSetManifest& manifest)>& read);
/// The volumes of a set that is named `shown`, whose files are in `folder`. None is an error.
Result<std::vector<WsdbSet::Volume>> open_set_volumes(const WsdbSetManifest& manifest,
                                                      const std::filesystem::path& folder, const std::string& shown);
/// The ranks of volume `v`, from 0, that its list has, which has to be what the manifest says of
/// it; there is one. They may be any.
Result<PositionSet> read_removed_list(const WsdbSetManifest& manifest, std::size_t v,
                                      const std::filesystem::path& folder, const std::string& shown);
/// The files of its volumes, in their order.
std::vector<std::filesystem::path> volumes_of_wsdb_set(const std::filesystem::path& file,
                                                       const WsdbSetManifest& manifest);
/// 16 hexadecimal digits of a list of removed sequences, as the manifest has them.
std::string checksum_of_removed(std::span<const std::uint64_t> words);
/// All files of the set: the manifest and what it names; the file alone where it cannot be read.
std::vector<std::filesystem::path> files_of_wsdb_set(const std::filesystem::path& file);

}  // namespace warpseq
