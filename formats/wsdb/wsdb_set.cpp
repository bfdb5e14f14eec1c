#include "formats/wsdb/wsdb_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/io/checksum.h"
#include "formats/io/file_identity.h"
#include "formats/io/mapped_file.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_provenance.h"

namespace warpseq {

namespace {

/// Returns the folder of a set's files. Links to the manifest are followed.
std::filesystem::path folder_of(const std::filesystem::path& file) {
    const auto identity = identify_file(file);
    return identity.ok() ? identity->resolved.parent_path() : file.parent_path();
}

/// Returns how the mark of a file differs from what the manifest says, or an empty text if it does
/// not differ.
std::string why_no_file_of(const std::string& set, const std::string& file, const std::string& update,
                           const std::optional<WsdbSetMark>& mark) {
    const auto name = parse_set_file_name(file);
    if (!mark) return "does not say which set it belongs to";
    if (mark->set != set) return "belongs to another set";
    if (!name || mark->number != name->number) return "is file " + std::to_string(mark->number) + " of the set";
    if (mark->update != update) return "was made by another update of the set, " + mark->update;
    return "";
}

Status refused_file(const std::string& shown, std::size_t v, const std::filesystem::path& file,
                    const std::string& what) {
    return Status::invalid_input(shown + ": volume " + std::to_string(v + 1) + ": " + file.string() + ": " + what +
                                 "; this is not the file that the set was made of: restore that file");
}

/// Opens volume number `v`, counted from 0.
Result<WsdbSet::Volume> open_volume(const WsdbSetManifest& manifest, std::size_t v, const std::filesystem::path& folder,
                                    const std::string& shown) {
    const WsdbSetVolume& said = manifest.volumes[v];
    const auto refused = [&](const std::string& file, const std::string& what) {
        return refused_file(shown, v, folder / file, what);
    };
    auto reader = WsdbReader::open(folder / said.file);
    if (!reader.ok())
        return Status(reader.status().code(),
                      shown + ": volume " + std::to_string(v + 1) + ": " + reader.status().message());
    const auto differs = [&](const char* what, const auto& found, const auto& expected) {
        return refused(said.file, std::string("has ") + what + " " + found + "; " + expected + " was expected");
    };
    if (!said.update.empty()) {
        const auto text = reader->map().provenance();
        if (!text.ok())
            return Status(text.status().code(),
                          shown + ": volume " + std::to_string(v + 1) + ": " + text.status().message());
        const auto provenance = read_provenance(*text);
        const std::string why = why_no_file_of(manifest.identity, said.file, said.update,
                                               provenance ? provenance->set : std::optional<WsdbSetMark>());
        if (!why.empty()) return refused(said.file, why);
    }
    if (reader->content_digest() != said.content_digest)
        return differs("content", reader->content_digest(), said.content_digest);
    if (reader->sequence_count() != said.sequences)
        return differs("sequences", std::to_string(reader->sequence_count()), std::to_string(said.sequences));
    if (reader->residue_count() != said.residues)
        return differs("residues", std::to_string(reader->residue_count()), std::to_string(said.residues));
    if (!said.removed) return WsdbSet::Volume{*std::move(reader), nullptr};

    const WsdbSetRemoved& removed = *said.removed;
    auto list = read_removed_list(manifest, v, folder, shown);
    if (!list.ok()) return list.status();
    auto ranks = std::make_shared<const PositionSet>(*std::move(list));
    std::uint64_t residues = 0;
    bool within = true;
    ranks->for_each([&](std::uint64_t rank) {
        within = within && rank < said.sequences;
        if (within) residues += reader->lengths_residues()[rank];
    });
    if (!within || ranks->size() != removed.sequences || residues != removed.residues)
        return refused(removed.file, "lists other removed sequences than the manifest");
    return WsdbSet::Volume{*std::move(reader), std::move(ranks)};
}

}  // namespace

Result<PositionSet> read_removed_list(const WsdbSetManifest& manifest, std::size_t v,
                                      const std::filesystem::path& folder, const std::string& shown) {
    const WsdbSetVolume& said = manifest.volumes[v];
    const auto refused = [&](const std::string& file, const std::string& what) {
        return refused_file(shown, v, folder / file, what);
    };
    const WsdbSetRemoved& removed = *said.removed;
    auto mapped = MappedFile::open(folder / removed.file);
    if (!mapped.ok())
        return Status(mapped.status().code(),
                      shown + ": volume " + std::to_string(v + 1) + ": " + mapped.status().message());
    std::vector<std::uint64_t> words((said.sequences + 63) / 64);
    const std::size_t mark_bytes = removed.update.empty() ? 0 : kSetMarkBytes;
    if (const std::size_t expected = mark_bytes + words.size() * sizeof(std::uint64_t);
        mapped->bytes().size() != expected) {
        return refused(removed.file, "has " + std::to_string(mapped->bytes().size()) + " bytes; " +
                                         std::to_string(expected) + " were expected");
    }
    if (mark_bytes > 0) {
        const std::string start(reinterpret_cast<const char*>(mapped->bytes().data()), mark_bytes);
        const auto mark = set_mark_in(start);
        const std::string why = why_no_file_of(manifest.identity, removed.file, removed.update, mark);
        if (!why.empty() || start != set_mark_bytes(*mark))
            return refused(removed.file, why.empty() ? "does not begin as dbconv writes it" : why);
    }
    std::memcpy(words.data(), mapped->bytes().data() + mark_bytes, mapped->bytes().size() - mark_bytes);
    if (const std::string checksum = checksum_of_removed(words); mapped->lost() || checksum != removed.xxh3_64)
        return refused(removed.file, "has checksum " + checksum + "; " + removed.xxh3_64 + " was expected");
    return PositionSet(std::move(words));
}

std::string checksum_of_removed(std::span<const std::uint64_t> words) {
    return hex_text_of(checksum_of(words.data(), words.size_bytes()));
}

bool is_wsdb_set(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
    if (file.extension() == ".wsdbs") return true;
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    std::array<char, 64> start{};
    const ssize_t got = pread(descriptor, start.data(), start.size(), 0);
    close(descriptor);
    return got > 0 && begins_as_set_manifest({start.data(), static_cast<std::size_t>(got)});
}

Result<std::string> read_manifest_text(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return Status::io(file.string() + ": cannot be opened: " + std::strerror(errno));
    std::string text(kLongestManifestBytes + 1, '\0');
    std::size_t held = 0;
    Status status;
    while (held < text.size()) {
        const ssize_t got = ::read(descriptor, text.data() + held, text.size() - held);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = Status::io(file.string() + ": cannot be read: " + std::strerror(errno));
        if (got <= 0) break;
        held += static_cast<std::size_t>(got);
    }
    close(descriptor);
    if (!status.ok()) return status;
    text.resize(held);
    return text;
}

Result<WsdbSetManifest> read_set_manifest(const std::filesystem::path& file) {
    const auto text = read_manifest_text(file);
    if (!text.ok()) return text.status();
    return parse_set_manifest(*text, file.string());
}

Result<std::vector<WsdbSet::Volume>> open_set_volumes(const WsdbSetManifest& manifest,
                                                      const std::filesystem::path& folder, const std::string& shown) {
    if (manifest.volumes.empty())
        return Status::invalid_input(shown +
                                     ": holds no sequences yet; the update that adds the first ones has not ended");
    std::vector<WsdbSet::Volume> volumes;
    for (std::size_t v = 0; v < manifest.volumes.size(); ++v) {
        auto volume = open_volume(manifest, v, folder, shown);
        if (!volume.ok()) return volume.status();
        volumes.push_back(*std::move(volume));
    }
    return volumes;
}

Status read_wsdb_set(const std::filesystem::path& file,
                     const std::function<Status(const WsdbSetManifest& manifest)>& read) {
    constexpr int kMostTries = 20;
    for (int tries = 1;; ++tries) {
        const auto manifest = read_set_manifest(file);
        if (!manifest.ok()) return manifest.status();
        Status status = read(*manifest);
        if (status.ok()) return status;
        const auto now = read_set_manifest(file);
        if (tries == kMostTries || !now.ok() || *now == *manifest) return status;
    }
}

Result<WsdbSet> WsdbSet::open(const std::filesystem::path& file) {
    WsdbSet set;
    WARPSEQ_TRY(read_wsdb_set(file, [&](const WsdbSetManifest& manifest) -> Status {
        auto volumes = open_set_volumes(manifest, folder_of(file), file.string());
        if (!volumes.ok()) return volumes.status();
        set.manifest_ = manifest;
        set.volumes_ = *std::move(volumes);
        return {};
    }));
    return set;
}

Result<std::vector<WsdbSet::Volume>> open_volumes(const std::filesystem::path& file) {
    std::vector<WsdbSet::Volume> volumes;
    if (is_wsdb_set(file)) {
        auto set = WsdbSet::open(file);
        if (!set.ok()) return set.status();
        volumes = std::move(set->volumes());
    } else {
        auto reader = WsdbReader::open(file);
        if (!reader.ok()) return reader.status();
        volumes.push_back({*std::move(reader), nullptr});
    }
    return volumes;
}

std::vector<std::filesystem::path> volumes_of_wsdb_set(const std::filesystem::path& file,
                                                       const WsdbSetManifest& manifest) {
    const std::filesystem::path folder = folder_of(file);
    std::vector<std::filesystem::path> files;
    for (const WsdbSetVolume& volume : manifest.volumes) files.push_back(folder / volume.file);
    return files;
}

std::vector<std::filesystem::path> files_of_wsdb_set(const std::filesystem::path& file) {
    std::vector<std::filesystem::path> files = {file};
    const auto manifest = read_set_manifest(file);
    if (!manifest.ok()) return files;
    const std::filesystem::path folder = folder_of(file);
    for (const WsdbSetVolume& volume : manifest->volumes) {
        files.push_back(folder / volume.file);
        if (volume.removed) files.push_back(folder / volume.removed->file);
    }
    return files;
}

}  // namespace warpseq
