// Fuzz target: hostile manifests of sets. Reading must not crash. An accepted manifest names files
// beside it, each once, with numbers that fit into the format. It is the same after it was written
// and read again.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_set_manifest.h"
#include "tests/fuzz/fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace warpseq;
    using warpseq::fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(begins_as_set_manifest(text));
    const auto manifest = parse_set_manifest(text, "the manifest");
    if (!manifest.ok()) {
        require(manifest.status().message().starts_with("the manifest: "), "a refusal names the file");
        return 0;
    }
    std::set<std::string> names;
    const auto check_name = [&](const std::string& name) {
        require(!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
                    name.find('\0') == std::string::npos,
                "names are those of files in the folder");
        require(names.insert(name).second, "each is there once");
    };
    for (const WsdbSetVolume& volume : manifest->volumes) {
        check_name(volume.file);
        require(volume.sequences > 0 && volume.content_digest.size() == 32, "volumes have sequences and a digest");
        if (!volume.removed) continue;
        check_name(volume.removed->file);
        require(volume.removed->sequences < volume.sequences && volume.removed->residues <= volume.residues,
                "something is left of each volume");
    }
    for (const WsdbSetObsolete& obsolete : manifest->obsolete) check_name(obsolete.file);
    require(manifest->sequence_count() <= wsdb::kMaxSequences && manifest->residue_count() <= wsdb::kMaxResidues,
            "sums are within the format");
    // A manifest of version 1 has what that version lacks when it is written again, and no longer
    // has its obsolete files.
    WsdbSetManifest written = *manifest;
    if (written.identity.empty()) {
        written.identity = std::string(kSetIdentityDigits, '0');
        written.obsolete.clear();
    }
    const std::string again_text = set_manifest_text(written);
    if (again_text.size() > kLongestManifestBytes) return 0;
    const auto again = parse_set_manifest(again_text, "what was written");
    // Names that are not UTF-8 are refused in JSON, so writing changes none.
    require(again.ok() && *again == written, "a manifest comes back");
    return 0;
}
