// All operations of a vector set behind plain function pointers, so that one test runs them on
// every instruction set. Each simd_operations_<instruction set>.cpp defines its table inside its
// own target region.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpseq::testing {

/// Operations on arrays of `lanes` values, which are 64-byte aligned.
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
    std::uint64_t (*greater_mask)(const Lane* a, const Lane* b);
    Lane (*greatest)(const Lane* v);  // nullptr in 32 bits
    /// Shifts by 1, 2, 4, ... 32 lanes. Those by `lanes` or more are nullptr.
    void (*shift_up[6])(const Lane* v, const Lane* fill, Lane* out);
};

/// Operations on arrays of `lanes` unsigned bytes, which are 64-byte aligned.
struct UnsignedByteOperations {
    std::size_t lanes;
    void (*set)(std::uint8_t x, std::uint8_t* out);
    void (*load_unaligned)(const std::uint8_t* bytes, std::uint8_t* out);
    void (*add)(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out);
    void (*subtract)(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out);
    void (*max)(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out);
    bool (*any_greater)(const std::uint8_t* a, const std::uint8_t* b);
    std::uint8_t (*greatest)(const std::uint8_t* v);
};

/// Further operations that sweeps over pairs need, of U8, I16 and I32.
template <typename Lane>
struct PairOperations {
    std::size_t lanes;
    void (*load_unaligned)(const Lane* p, Lane* out);
    void (*wrapping_add)(const Lane* a, const Lane* b, Lane* out);
    void (*wrapping_subtract)(const Lane* a, const Lane* b, Lane* out);
    void (*select)(const Lane* bits, const Lane* yes, const Lane* no, Lane* out);
    Lane (*first)(const Lane* v);
    void (*rotate_down)(const Lane* v, Lane* out);
    // These are nullptr in bytes.
    void (*bit_where_equal)(const Lane* a, const Lane* b, const Lane* bit, Lane* out);
    void (*bit_or)(const Lane* a, const Lane* b, Lane* out);
    void (*store_bytes)(const Lane* v, std::uint8_t* out);
    // This is nullptr except in 32 bits.
    void (*look_up)(const Lane* table, const std::uint8_t* codes, Lane* out) = nullptr;
    // These are nullptr in bytes, and may be in 16 bits if a vector has sixteen bytes.
    void (*where_greater)(const Lane* a, const Lane* b, const Lane* yes, const Lane* no, Lane* out) = nullptr;
    void (*last_in_all)(const Lane* v, Lane* out) = nullptr;
    /// Shifts by 1, 2, 4, 8 and 16 lanes. Those by `lanes` or more are nullptr too.
    void (*shift_in[5])(const Lane* v, const Lane* below, Lane* out) = {};
};

/// Operations on arrays of `lanes` floats, which are 64-byte aligned. A quad is four of them.
struct QuadOperations {
    std::size_t lanes, quads;
    void (*set)(float x, float* out);
    void (*load_quad)(const float* p, float* out);
    void (*load_quads)(const float* const* p, std::size_t at, float* out);
    void (*load_each)(const float* p, float* out);
    void (*store_firsts)(const float* v, float* out);
    void (*add)(const float* a, const float* b, float* out);
    void (*multiply)(const float* a, const float* b, float* out);
    void (*divide)(const float* a, const float* b, float* out);
    void (*max)(const float* a, const float* b, float* out);
    void (*greater)(const float* a, const float* b, float* out);
    std::uint32_t (*not_less_mask)(const float* a, const float* b);
    void (*bit_and)(const float* a, const float* b, float* out);
    void (*bit_or)(const float* a, const float* b, float* out);
    void (*select)(const float* bits, const float* yes, const float* no, float* out);
    void (*differing)(const float* bits, const float* a, const float* b, float* out);
    bool (*any_bit)(const float* v);
    void (*where_any_bit)(const float* v, float* out);
    void (*shift_up)(const float* v, const float* fill, float* out);
    void (*shift_down)(const float* v, float* out);
    void (*sum_across)(const float* v, float* out);
    void (*max_across)(const float* v, float* out);
};

/// All operations of a vector set.
struct SetOperations {
    UnsignedByteOperations u8;
    LaneOperations<std::int8_t> i8;
    LaneOperations<std::int16_t> i16;
    LaneOperations<std::int32_t> i32;
    QuadOperations f32;
    /// Operations on 16-bit lanes. They are nullptr if the set has none. `entries` has 32 values.
    void (*lookup_16_bit)(const std::int16_t* entries, const std::int16_t* codes, std::int16_t* out);
    void (*broadcast_pair)(const std::int32_t* pair, std::int16_t* out);
    void (*lookup)(const std::int8_t* table, const std::int8_t* indices, std::int8_t* out);
    PairOperations<std::uint8_t> pair_u8;
    PairOperations<std::int16_t> pair_i16;
    PairOperations<std::int32_t> pair_i32;
    void (*interleave_low)(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out);
    void (*interleave_high)(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out);
    /// Returns whether `a` is above `a_limit` or `b` is above `b_limit` in any lane.
    bool (*any_excess)(const std::uint8_t* a, const std::uint8_t* a_limit, const std::uint8_t* b,
                       const std::uint8_t* b_limit);
    std::size_t table_entries;
    /// This is nullptr if `table_entries` is 0.
    void (*lookup_bytes)(const std::uint8_t* table, const std::uint8_t* indices, std::uint8_t* out);
};

extern const SetOperations kPortableOperations;
extern const SetOperations kSse41Operations;
extern const SetOperations kAvx2Operations;
extern const SetOperations kAvx512Operations;

}  // namespace warpseq::testing
