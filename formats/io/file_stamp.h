// A file's stamp, which shows whether the file was written to and whether another file has taken
// its name.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpseq {

/// The text that follows the name of a file in an error if its content mixes two states of the
/// file.
inline constexpr const char* kChangedWhileRead =
    "was changed while it was read; run the command again when the file is complete";

/// The identity of a file, its size, and the time when its content was last changed. Equal stamps
/// mean equal content, with two exceptions. A process may have written to the file twice within a
/// few milliseconds, which is the resolution of times in file systems. A process may also have set
/// the time of the file back.
struct FileStamp {
    std::uint64_t device = 0, inode = 0;
    std::uint64_t size_bytes = 0;
    std::int64_t modified_seconds = 0, modified_nanoseconds = 0;

    static FileStamp of(const struct stat& info);
    /// Returns the stamp of a regular file, or nothing if there is no regular file of that name.
    /// Follows links.
    static std::optional<FileStamp> of(const std::filesystem::path& file);
    /// Returns the stamp of an open regular file, or nothing for a pipe, a device and the like.
    static std::optional<FileStamp> of(int descriptor);

    /// Whether both are the same inode, even if its content has changed.
    bool is_same_file(const FileStamp& other) const { return device == other.device && inode == other.inode; }
    bool operator==(const FileStamp& other) const;
};

/// Writes a time of a file as seconds since 1970, a point, and nine digits of nanoseconds.
std::string time_text(const timespec& time);

}  // namespace warpseq
