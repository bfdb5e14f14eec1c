// A file's stamp, by which a program tells that the file was written to, or that another one has
// taken its name.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpseq {

/// The text that follows the name of a file in an error: the file's content is not of one time.
inline constexpr const char* kChangedWhileRead = "was changed while it was read; when it is whole, do it again";

/// The identity of a file, its size, and when its content was changed last. Equal stamps: the
/// content is the same, unless somebody wrote to the file twice within some milliseconds, which is
/// as far as file systems tell, or set its time back.
struct FileStamp {
    std::uint64_t device = 0, inode = 0;
    std::uint64_t size_bytes = 0;
    std::int64_t modified_seconds = 0, modified_nanoseconds = 0;

    static FileStamp of(const struct stat& info);
    /// Returns the stamp of a regular file; nothing where it is none, or is gone. Follows links.
    static std::optional<FileStamp> of(const std::filesystem::path& file);
    /// Returns the stamp of an open regular file; nothing for a pipe, a device and the like.
    static std::optional<FileStamp> of(int descriptor);

    /// The same inode, whatever its content.
    bool is_same_file(const FileStamp& other) const { return device == other.device && inode == other.inode; }
    bool operator==(const FileStamp& other) const;
};

/// Writes a time of a file as seconds since 1970, a point, and nine digits of nanoseconds.
std::string time_text(const timespec& time);

}  // namespace warpseq
