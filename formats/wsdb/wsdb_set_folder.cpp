#include "formats/wsdb/wsdb_set_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>

#include "formats/io/checksum.h"
#include "formats/io/mapped_file.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_set_mark.h"

namespace warpseq {

namespace {

/// Returns the name that a file with this temporary name was to get, or nothing for other names. A
/// temporary name is ".NAME.part-" and 16 hexadecimal digits (UnfinishedName::choose()).
std::optional<std::string_view> unfinished_name_in(std::string_view name) {
    constexpr std::string_view kMark = ".part-";
    constexpr std::size_t kDigits = 16;
    if (!name.starts_with('.') || name.size() <= 1 + kMark.size() + kDigits) return std::nullopt;
    const std::string_view named = name.substr(1, name.size() - 1 - kMark.size() - kDigits);
    const std::string_view added = name.substr(1 + named.size());
    if (!added.starts_with(kMark) || !is_hex_text(added.substr(kMark.size()), kDigits)) return std::nullopt;
    return named;
}

/// Whether a file holds a manifest of the set, or the beginning of one.
bool holds_manifest_of(const std::filesystem::path& file, std::string_view identity) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (descriptor < 0) return false;
    std::array<char, 256> start{};
    const ssize_t got = pread(descriptor, start.data(), start.size(), 0);
    close(descriptor);
    return got > 0 && begins_as_manifest_of({start.data(), static_cast<std::size_t>(got)}, identity);
}

bool is_what_is_obsolete(const std::filesystem::path& file, const std::string& identity,
                         const WsdbSetObsolete& obsolete, const WsdbSetFileName& name) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) return false;
    const auto mark = mark_of_set_file(file, name.kind, false);
    if (!obsolete.update.empty()) return mark == WsdbSetMark{identity, name.number, obsolete.update};
    if (mark) return false;
    if (!obsolete.content_digest.empty()) {
        const auto reader = WsdbReader::open(file);
        return reader.ok() && reader->content_digest() == obsolete.content_digest;
    }
    const auto mapped = MappedFile::open(file);
    return mapped.ok() && hex_text_of(checksum_of(mapped->bytes().data(), mapped->bytes().size())) == obsolete.xxh3_64;
}

}  // namespace

SetFolderFiles clean_set_folder(const std::filesystem::path& file, const WsdbSetManifest& manifest,
                                const std::optional<SetLockNote>& note) {
    const std::string manifest_name = file.filename().string(), set = file.stem().string();
    const std::filesystem::path folder = file.parent_path().empty() ? "." : file.parent_path();
    std::set<std::string_view> named;
    for (const WsdbSetVolume& volume : manifest.volumes) {
        named.insert(volume.file);
        if (volume.removed) named.insert(volume.removed->file);
    }
    for (const WsdbSetObsolete& obsolete : manifest.obsolete) named.insert(obsolete.file);
    const bool is_noted = note && note->set == manifest.identity && note->manifest == state_of_manifest(file);
    SetFolderFiles files;
    std::vector<std::string> left_over;
    std::error_code error;
    for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        const std::string name = each->path().filename().string();
        const auto final_name = unfinished_name_in(name);
        if (final_name == manifest_name) {
            if (holds_manifest_of(each->path(), manifest.identity)) left_over.push_back(name);
            continue;
        }
        const auto parts = parse_set_file_name(final_name ? *final_name : std::string_view(name));
        if (!parts || parts->set != set) continue;
        files.highest_number = std::max(files.highest_number, parts->number);
        if (named.contains(name)) continue;
        const auto mark = mark_of_set_file(each->path(), parts->kind, final_name.has_value());
        const bool is_of_set = mark && mark->set == manifest.identity && mark->number == parts->number;
        if (is_of_set && (final_name || (is_noted && mark->update == note->update))) {
            left_over.push_back(name);
        } else if (!final_name) {
            files.unknown.push_back(name);
            files.has_unknown_of_set = files.has_unknown_of_set || is_of_set;
        }
    }
    for (const std::string& name : left_over) std::filesystem::remove(folder / name, error);
    std::ranges::sort(files.unknown);
    return files;
}

void remove_obsolete_files(const std::filesystem::path& file, WsdbSetManifest& manifest) {
    const std::string set = file.stem().string();
    std::erase_if(manifest.obsolete, [&](const WsdbSetObsolete& obsolete) {
        const auto parts = parse_set_file_name(obsolete.file);
        // A file that is named after another set stays, because the manifest is a copy of that
        // set's.
        if (!parts || parts->set != set) return true;
        const std::filesystem::path place = file.parent_path() / obsolete.file;
        if (!is_what_is_obsolete(place, manifest.identity, obsolete, *parts)) return true;
        std::error_code error;
        std::filesystem::remove(place, error);
        return !error;
    });
}

}  // namespace warpseq
