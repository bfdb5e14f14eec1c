// An output file that appears whole or not at all: written beside its place without a name where the file system allows
// it (under a temporary name else), synced, then renamed into place. Killed at any moment, nothing half-written is left
// under the final name, and an existing file stays until the new one replaces it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "libcore/status.h"

namespace warpseq {

class AtomicFile {
   public:
    /// Opens for writing. With `replace` false an existing file (of any kind but a character device) is an error.
    static Result<AtomicFile> create(const std::filesystem::path& file, bool replace);
    /// Discards everything unless commit() has succeeded.
    ~AtomicFile();
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;

    /// Appends; errors (disk full among them) name the final file.
    Status append(std::span<const std::uint8_t> bytes);
    /// Writes at an offset, anywhere; size_bytes() grows where needed. Thread-safe for ranges that do not overlap.
    Status write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes);
    /// Where append() goes next.
    std::uint64_t size_bytes() const;
    /// Syncs the content, renames, syncs the folder. Nothing may follow.
    Status commit();

   private:
    struct State;
    explicit AtomicFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
