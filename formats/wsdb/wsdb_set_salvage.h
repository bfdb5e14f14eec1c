// Saves whole sequences from a set of which files are damaged or missing.
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

/// Salvages all volumes, in their order. Sequences that were removed from the set are passed over.
/// If it cannot be known which these are, the whole volume is lost, and the loss says so. The
/// reason may be a damaged list of removed sequences, or a damaged header of the volume. A volume
/// that is missing, or is not the one that the set was made of, is lost, too. Errors are those of a
/// damaged manifest, of use(), and of the system.
Result<std::vector<WsdbVolumeSalvage>> salvage_wsdb_set(const std::filesystem::path& file, const SalvageUse& use);

}  // namespace warpseq
