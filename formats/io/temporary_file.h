// TemporaryFile: a file on disk for temporary data. It has no name. The system removes it when it
// is closed or when the process ends in any way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "libcore/base/status.h"

namespace warpseq {

class TemporaryFile {
   public:
    TemporaryFile() = default;
    /// Opens an empty file in `folder`.
    static Result<TemporaryFile> create(const std::filesystem::path& folder);
    /// Opens an empty file in memory. Its content counts as memory of the process.
    static Result<TemporaryFile> create_in_memory();
    ~TemporaryFile();
    TemporaryFile(TemporaryFile&&) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) noexcept;

    bool is_open() const { return descriptor_ >= 0; }
    /// Returns the descriptor for code that reads and writes by other means, or -1 if the file is
    /// not open. The descriptor is open as long as this object.
    int descriptor() const { return descriptor_; }
    const std::filesystem::path& folder() const { return folder_; }
    std::uint64_t size_bytes() const { return size_bytes_; }
    Status append(std::span<const std::uint8_t> bytes);
    /// Lets the file grow by bytes that write_at() will write. Returns the offset at which they
    /// begin.
    std::uint64_t reserve(std::uint64_t bytes);
    /// Writes to reserved bytes. Thread-safe for ranges that do not overlap.
    Status write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes) const;
    /// Fills all of `bytes` from `offset_bytes` on. Reaching the end of the file is an error.
    Status read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> bytes) const;

   private:
    int descriptor_ = -1;
    std::uint64_t size_bytes_ = 0;
    std::filesystem::path folder_;
};

}  // namespace warpseq
