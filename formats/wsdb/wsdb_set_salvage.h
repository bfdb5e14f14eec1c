// Whole sequences out of a set, some of whose files are damaged or gone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/wsdb/wsdb_salvage.h"
#include "libcore/base/status.h"

namespace warpseq {

/// A volume of the set. Sequences that were removed from it count nowhere.
struct WsdbVolumeSalvage {
    std::filesystem::path file;
    WsdbSalvage salvage;
};

/// Salvages all volumes, in their order. Sequences that were removed from the set are passed over:
/// where it cannot be known which these are (a list of removed sequences is damaged, or the
/// volume's numbers of sequences are), all of the volume is lost, and the loss says so. So is a
/// volume that is not there, or is another one than the set was made of. Errors: the manifest is
/// damaged, those of use(), and of the system.
Result<std::vector<WsdbVolumeSalvage>> salvage_wsdb_set(const std::filesystem::path& file, const SalvageUse& use);

}  // namespace warpseq
