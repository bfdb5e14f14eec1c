// Scratch space on disk that nobody sees: a file without a name, which the system removes when it
// is closed, whatever happens to the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "libcore/base/status.h"

namespace warpseq {

class TemporaryFile {
   public:
    TemporaryFile() = default;
    /// Opens in `folder`, empty.
    static Result<TemporaryFile> create(const std::filesystem::path& folder);
    /// Opens in memory, empty: what is written counts as the process's memory.
    static Result<TemporaryFile> create_in_memory();
    ~TemporaryFile();
    TemporaryFile(TemporaryFile&&) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) noexcept;

    bool is_open() const { return descriptor_ >= 0; }
    /// For whoever reads and writes by other means; open as long as this is. -1: not open.
    int descriptor() const { return descriptor_; }
    const std::filesystem::path& folder() const { return folder_; }
    std::uint64_t size_bytes() const { return size_bytes_; }
    Status append(std::span<const std::uint8_t> bytes);
    /// Lets the file grow by bytes that write_at() will write; returns where they begin.
    std::uint64_t reserve(std::uint64_t bytes);
    /// Of reserved bytes. Thread-safe for ranges that do not overlap.
    Status write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes) const;
    /// Fills all of `bytes` from `offset_bytes` on; the end of the file is an error.
    Status read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> bytes) const;

   private:
    int descriptor_ = -1;
    std::uint64_t size_bytes_ = 0;
    std::filesystem::path folder_;
};

}  // namespace warpseq
