// Every operation of a vector set behind plain function pointers, so that one test runs them on every instruction set. Each
// simd_operations_<instruction set>.cpp defines its table inside its own target region.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpseq::testing {

/// Operations on arrays of `lanes` values, 64-byte aligned.
template <typename Lane>
struct LaneOperations {
    std::size_t lanes;
    Lane floor, highest;
    void (*set)(Lane x, Lane* out);
    void (*load_widened)(const std::int8_t* bytes, Lane* out);
    void (*add)(const Lane* a, const Lane* b, Lane* out);
    void (*subtract)(const Lane* a, const Lane* b, Lane* out);
    void (*max)(const Lane* a, const Lane* b, Lane* out);
    bool (*any_greater)(const Lane* a, const Lane* b);
    std::uint32_t (*greater_mask)(const Lane* a, const Lane* b);  // nullptr in 8 bits
    /// By 1, 2, 4, ... 32 lanes, those that are fewer than `lanes`; the others are nullptr.
    void (*shift_up[6])(const Lane* v, const Lane* fill, Lane* out);
};

struct SetOperations {
    LaneOperations<std::int8_t> i8;
    LaneOperations<std::int16_t> i16;
    LaneOperations<std::int32_t> i32;
    void (*lookup)(const std::int8_t* table, const std::int8_t* indices, std::int8_t* out);
};

extern const SetOperations kPortableOperations;
extern const SetOperations kSse41Operations;
extern const SetOperations kAvx2Operations;
extern const SetOperations kAvx512Operations;

}  // namespace warpseq::testing
