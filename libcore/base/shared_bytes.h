// Immutable bytes that live as long as any SharedBytes refers to them. They are the bytes of a
// vector, or of memory that another object owns, such as a mapped file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpseq {

class SharedBytes {
   public:
    SharedBytes() = default;
    /// Takes over the bytes of a vector.
    explicit SharedBytes(std::vector<std::uint8_t> bytes) {
        auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
        bytes_ = *owner;
        owner_ = std::move(owner);
    }
    /// Refers to `bytes`, which stay valid as long as `owner` lives. Keeps `owner` alive.
    SharedBytes(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner)
        : bytes_(bytes), owner_(std::move(owner)) {}

    const std::uint8_t* data() const { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }
    const std::uint8_t* begin() const { return bytes_.data(); }
    const std::uint8_t* end() const { return bytes_.data() + bytes_.size(); }
    std::uint8_t operator[](std::size_t at) const { return bytes_[at]; }

   private:
    std::span<const std::uint8_t> bytes_;
    std::shared_ptr<const void> owner_;
};

}  // namespace warpseq
