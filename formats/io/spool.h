// A column on its way into a file that is not ready for it yet: bytes are appended, kept in memory
// up to a limit and beyond that in a temporary file, and copied out at the end.
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

    /// Another limit from now on.
    void set_memory(std::uint64_t memory_bytes);
    Status append(std::span<const std::uint8_t> bytes);
    std::uint64_t size_bytes() const;
    /// Hands everything, in order and in parts, to `sink`, and frees it.
    Status drain(const std::function<Status(std::span<const std::uint8_t>)>& sink);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
