// Views of numbers, structs, columns and text as the bytes that go into a file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpseq {

/// Returns the bytes of a number or a struct that is written to a file.
template <typename T>
requires std::is_trivially_copyable_v<T> std::span<const std::uint8_t> object_bytes(const T& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

/// Returns the bytes of a column of numbers or structs, in its order.
template <typename T>
requires std::is_trivially_copyable_v<T> std::span<const std::uint8_t> column_bytes(const std::vector<T>& items) {
    return {reinterpret_cast<const std::uint8_t*>(items.data()), items.size() * sizeof(T)};
}

/// Returns the bytes of a text.
inline std::span<const std::uint8_t> text_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace warpseq
