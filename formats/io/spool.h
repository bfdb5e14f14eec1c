// Spool: a buffer for a column whose file is not ready for it yet. Appended bytes are kept in
// memory up to a limit, and in a temporary file beyond it. At the end they are copied out.
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
    Spool(std::uint64_t memory_bytes, std::filesystem::path folder);
    ~Spool();
    Spool(Spool&&) noexcept;
    Spool& operator=(Spool&&) noexcept;

    /// Changes the memory limit from now on.
    void set_memory(std::uint64_t memory_bytes);
    Status append(std::span<const std::uint8_t> bytes);
    std::uint64_t size_bytes() const;
    /// Passes all bytes to `sink`, in order and in parts, and frees them.
    Status drain(const std::function<Status(std::span<const std::uint8_t>)>& sink);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
