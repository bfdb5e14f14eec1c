// Spool: a buffer for a column that cannot be written into its file yet, because other data comes
// before it there. Appended bytes are kept in memory up to a limit, and in a temporary file beyond
// it. drain() hands them out at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "libcore/base/status.h"

namespace warpseq {

class Spool {
   public:
    /// Makes an empty spool. The memory limit is at least 64 KiB. The temporary file goes to
    /// `folder`.
    Spool(std::uint64_t memory_bytes, std::filesystem::path folder);
    ~Spool();
    Spool(Spool&&) noexcept;
    Spool& operator=(Spool&&) noexcept;

    /// Changes the memory limit from now on.
    void set_memory(std::uint64_t memory_bytes);
    /// Adds bytes at the end.
    Status append(std::span<const std::uint8_t> bytes);
    std::uint64_t size_bytes() const;
    /// Passes all bytes to `sink`, in order and in parts, and frees them.
    Status drain(const std::function<Status(std::span<const std::uint8_t>)>& sink);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
