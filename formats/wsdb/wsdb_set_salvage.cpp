#include "formats/wsdb/wsdb_set_salvage.h"

#include <optional>
#include <utility>

#include "formats/io/checksum.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_set.h"
#include "formats/wsdb/wsdb_wreck.h"

namespace warpseq {

namespace {

/// Returns why nothing may be saved from a volume, or an empty text if it may.
std::string why_not(const WsdbSetVolume& said, const std::filesystem::path& file) {
    const auto wreck = WsdbWreck::open(file);
    if (!wreck.ok()) return wreck.status().message();
    const wsdb::FileHeader& header = wreck->header();
    if (wreck->is_header_lost()) {
        return said.removed
                   ? "its header is damaged, so that it is not known which of its sequences were removed; salvage "
                     "the file itself"
                   : "";
    }
    if (digest_text(header.content_digest) != said.content_digest || header.sequences != said.sequences)
        return "is another database than the set was made of";
    return "";
}

WsdbSalvage all_lost(const WsdbSetVolume& said, const std::string& why) {
    WsdbSalvage salvage;
    salvage.sequences = salvage.lost_sequences = said.sequences - (said.removed ? said.removed->sequences : 0);
    salvage.lost_residues = said.residues - (said.removed ? said.removed->residues : 0);
    salvage.losses.push_back({false, 0, salvage.lost_sequences, salvage.lost_residues, why});
    return salvage;
}

}  // namespace

Result<std::vector<WsdbVolumeSalvage>> salvage_wsdb_set(const std::filesystem::path& file, const SalvageUse& use) {
    const auto manifest = read_set_manifest(file);
    if (!manifest.ok()) return manifest.status();
    const std::vector<std::filesystem::path> files = volumes_of_wsdb_set(file, *manifest);
    std::vector<WsdbVolumeSalvage> volumes;
    for (std::size_t v = 0; v < files.size(); ++v) {
        const WsdbSetVolume& said = manifest->volumes[v];
        WsdbVolumeSalvage& volume = volumes.emplace_back();
        volume.file = files[v];
        std::string why = why_not(said, files[v]);
        std::optional<PositionSet> removed;
        if (why.empty() && said.removed) {
            auto list = read_removed_list(*manifest, v, files[v].parent_path(), file.string());
            if (!list.ok() || list->size() != said.removed->sequences) {
                why = "it is not known which of its sequences were removed; salvage the file itself: ";
                why += list.ok() ? "the list has other ones than the set says" : list.status().message();
            } else {
                removed = *std::move(list);
            }
        }
        if (!why.empty()) {
            volume.salvage = all_lost(said, why);
            continue;
        }
        auto salvage = salvage_wsdb(files[v], use, removed ? &*removed : nullptr);
        if (!salvage.ok()) return salvage.status();
        volume.salvage = *std::move(salvage);
    }
    return volumes;
}

}  // namespace warpseq
