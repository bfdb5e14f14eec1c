// Saves whole sequences from a set with damaged or missing files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/wsdb/wsdb_salvage.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The result for one volume of the set. Sequences that were removed from it are not counted.
struct WsdbVolumeSalvage {
    std::filesystem::path file;
    WsdbSalvage salvage;
};

/// Salvages all volumes, in their order. Sequences that were removed from the set are skipped. If a
/// damaged list of removed sequences or a damaged header of the volume hides which these are, the
/// whole volume is lost, and the loss says this. A volume that is missing, or is not the one that
/// the manifest names, is lost, too. Returns an error only for a damaged manifest, for an error of
/// use(), and for an error of the system.
Result<std::vector<WsdbVolumeSalvage>> salvage_wsdb_set(const std::filesystem::path& file, const SalvageUse& use);

}  // namespace warpseq
