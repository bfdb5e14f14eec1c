#include "formats/wsdb_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/checksum.h"
#include "formats/file_identity.h"
#include "formats/mapped_file.h"

namespace warpseq {

namespace {

/// Where the files of a set are: links to the manifest are followed.
std::filesystem::path folder_of(const std::filesystem::path& file) {
    const auto identity = identify_file(file);
    return identity.ok() ? identity->resolved.parent_path() : file.parent_path();
}

/// All bytes, read at once: a manifest is replaced, never written to.
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

/// Of volume number `v`, from 0.
Result<WsdbSet::Volume> open_volume(const WsdbSetVolume& said, std::size_t v, const std::filesystem::path& folder,
                                    const std::string& shown) {
    const auto refused = [&](const std::string& file, const std::string& what) {
        return Status::invalid_input(shown + ": volume " + std::to_string(v + 1) + ": " + (folder / file).string() +
                                     ": " + what +
                                     "; the file is not the one that the set was made of: bring that back");
    };
    auto reader = WsdbReader::open(folder / said.file);
    if (!reader.ok())
        return Status(reader.status().code(),
                      shown + ": volume " + std::to_string(v + 1) + ": " + reader.status().message());
    const auto differs = [&](const char* what, const auto& found, const auto& expected) {
        return refused(said.file, std::string("has ") + what + " " + found + "; " + expected + " was expected");
    };
    if (reader->content_digest() != said.content_digest)
        return differs("content", reader->content_digest(), said.content_digest);
    if (reader->sequence_count() != said.sequences)
        return differs("sequences", std::to_string(reader->sequence_count()), std::to_string(said.sequences));
    if (reader->residue_count() != said.residues)
        return differs("residues", std::to_string(reader->residue_count()), std::to_string(said.residues));
    if (!said.removed) return WsdbSet::Volume{*std::move(reader), nullptr};

    const WsdbSetRemoved& removed = *said.removed;
    auto mapped = MappedFile::open(folder / removed.file);
    if (!mapped.ok())
        return Status(mapped.status().code(),
                      shown + ": volume " + std::to_string(v + 1) + ": " + mapped.status().message());
    std::vector<std::uint64_t> words((said.sequences + 63) / 64);
    if (mapped->bytes().size() != words.size() * sizeof(std::uint64_t)) {
        return refused(removed.file, "has " + std::to_string(mapped->bytes().size()) + " bytes; " +
                                         std::to_string(words.size() * sizeof(std::uint64_t)) + " were expected");
    }
    std::memcpy(words.data(), mapped->bytes().data(), mapped->bytes().size());
    if (const std::string checksum = checksum_of_removed(words); mapped->lost() || checksum != removed.xxh3_64)
        return refused(removed.file, "has checksum " + checksum + "; " + removed.xxh3_64 + " was expected");
    auto ranks = std::make_shared<const PositionSet>(std::move(words));
    std::uint64_t residues = 0;
    bool within = true;
    ranks->for_each([&](std::uint64_t rank) {
        within = within && rank < said.sequences;
        if (within) residues += reader->lengths_residues()[rank];
    });
    if (!within || ranks->size() != removed.sequences || residues != removed.residues)
        return refused(removed.file, "removes other sequences than the manifest says");
    return WsdbSet::Volume{*std::move(reader), std::move(ranks)};
}

}  // namespace

std::string checksum_of_removed(std::span<const std::uint64_t> words) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::uint64_t checksum = checksum_of(words.data(), words.size_bytes());
    std::string text(16, '0');
    for (std::size_t digit = 0; digit < text.size(); ++digit) text[digit] = kDigits[checksum >> (60 - 4 * digit) & 15];
    return text;
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

Result<WsdbSetManifest> read_set_manifest(const std::filesystem::path& file) {
    const auto text = read_manifest_text(file);
    if (!text.ok()) return text.status();
    return parse_set_manifest(*text, file.string());
}

Result<std::vector<WsdbSet::Volume>> open_set_volumes(const WsdbSetManifest& manifest,
                                                      const std::filesystem::path& folder, const std::string& shown) {
    if (manifest.volumes.empty())
        return Status::invalid_input(shown + ": holds no sequence yet; the update that fills it has not ended");
    std::vector<WsdbSet::Volume> volumes;
    for (std::size_t v = 0; v < manifest.volumes.size(); ++v) {
        auto volume = open_volume(manifest.volumes[v], v, folder, shown);
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
