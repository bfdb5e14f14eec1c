// Fills the tables of simd_operations.h from a vector set. It is included only inside a target
// region.

namespace warpseq::testing {

template <class V>
struct Wrapped {
    using Lane = typename V::Lane;
    static void set(Lane x, Lane* out) { V::store(out, V::set(x)); }
    static void load_widened(const std::int8_t* bytes, Lane* out) { V::store(out, V::load_widened(bytes)); }
    static void add(const Lane* a, const Lane* b, Lane* out) { V::store(out, V::add(V::load(a), V::load(b))); }
    static void subtract(const Lane* a, const Lane* b, Lane* out) {
        V::store(out, V::subtract(V::load(a), V::load(b)));
    }
    static void max(const Lane* a, const Lane* b, Lane* out) { V::store(out, V::max(V::load(a), V::load(b))); }
    static bool any_greater(const Lane* a, const Lane* b) { return V::any_greater(V::load(a), V::load(b)); }
    template <std::size_t n>
    static void shift_up(const Lane* v, const Lane* fill, Lane* out) {
        V::store(out, V::template shift_up<n>(V::load(v), V::load(fill)));
    }
    template <std::size_t n>
    static constexpr auto shift_up_if_fits() -> void (*)(const Lane*, const Lane*, Lane*) {
        if constexpr (n < V::kLanes) {
            return shift_up<n>;
        } else {
            return nullptr;
        }
    }
    static std::uint64_t greater_mask(const Lane* a, const Lane* b) { return V::greater_mask(V::load(a), V::load(b)); }
    static Lane greatest(const Lane* v) { return V::greatest(V::load(v)); }
    static constexpr auto greatest_unless_wide() -> Lane (*)(const Lane*) {
        if constexpr (sizeof(Lane) < 4) {
            return greatest;
        } else {
            return nullptr;
        }
    }
    static constexpr LaneOperations<Lane> operations() {
        return {V::kLanes,
                V::kFloor,
                V::kHighest,
                set,
                load_widened,
                add,
                subtract,
                max,
                any_greater,
                greater_mask,
                greatest_unless_wide(),
                {shift_up_if_fits<1>(), shift_up_if_fits<2>(), shift_up_if_fits<4>(), shift_up_if_fits<8>(),
                 shift_up_if_fits<16>(), shift_up_if_fits<32>()}};
    }
};

template <class V>
struct WrappedUnsignedBytes {
    using Lane = std::uint8_t;
    static void set(Lane x, Lane* out) { V::store(out, V::set(x)); }
    static void load_unaligned(const Lane* bytes, Lane* out) { V::store(out, V::load_unaligned(bytes)); }
    static void add(const Lane* a, const Lane* b, Lane* out) { V::store(out, V::add(V::load(a), V::load(b))); }
    static void subtract(const Lane* a, const Lane* b, Lane* out) {
        V::store(out, V::subtract(V::load(a), V::load(b)));
    }
    static void max(const Lane* a, const Lane* b, Lane* out) { V::store(out, V::max(V::load(a), V::load(b))); }
    static bool any_greater(const Lane* a, const Lane* b) { return V::any_greater(V::load(a), V::load(b)); }
    static Lane greatest(const Lane* v) { return V::greatest(V::load(v)); }
    static constexpr UnsignedByteOperations operations() {
        return {V::kLanes, set, load_unaligned, add, subtract, max, any_greater, greatest};
    }
};

template <class V>
struct WrappedPairLanes {
    using Lane = typename V::Lane;
    static void load_unaligned(const Lane* p, Lane* out) { V::store(out, V::load_unaligned(p)); }
    static void wrapping_add(const Lane* a, const Lane* b, Lane* out) {
        V::store(out, V::wrapping_add(V::load(a), V::load(b)));
    }
    static void wrapping_subtract(const Lane* a, const Lane* b, Lane* out) {
        V::store(out, V::wrapping_subtract(V::load(a), V::load(b)));
    }
    static void select(const Lane* bits, const Lane* yes, const Lane* no, Lane* out) {
        V::store(out, V::select(V::load(bits), V::load(yes), V::load(no)));
    }
    static Lane first(const Lane* v) { return V::first(V::load(v)); }
    static void rotate_down(const Lane* v, Lane* out) { V::store(out, V::rotate_down(V::load(v))); }
    static void bit_where_equal(const Lane* a, const Lane* b, const Lane* bit, Lane* out) {
        V::store(out, V::bit_where_equal(V::load(a), V::load(b), V::load(bit)));
    }
    static void bit_or(const Lane* a, const Lane* b, Lane* out) { V::store(out, V::bit_or(V::load(a), V::load(b))); }
    static void store_bytes(const Lane* v, std::uint8_t* out) { V::store_bytes(out, V::load(v)); }
    static void where_greater(const Lane* a, const Lane* b, const Lane* yes, const Lane* no, Lane* out) {
        V::store(out, V::where_greater(V::load(a), V::load(b), V::load(yes), V::load(no)));
    }
    static void look_up(const Lane* table, const std::uint8_t* codes, Lane* out) {
        V::store(out, V::look_up(table, codes));
    }
    static void last_in_all(const Lane* v, Lane* out) { V::store(out, V::last_in_all(V::load(v))); }
    template <std::size_t n>
    static void shift_in(const Lane* v, const Lane* below, Lane* out) {
        V::store(out, V::template shift_in<n>(V::load(v), V::load(below)));
    }
    template <std::size_t k>
    static constexpr void add_shift_in(PairOperations<Lane>& all) {
        if constexpr ((std::size_t{1} << k) < V::kLanes) all.shift_in[k] = shift_in<(std::size_t{1} << k)>;
    }
    static constexpr PairOperations<Lane> operations() {
        PairOperations<Lane> all = {V::kLanes, load_unaligned, wrapping_add, wrapping_subtract, select,
                                    first,     rotate_down,    nullptr,      nullptr,           nullptr};
        if constexpr (sizeof(Lane) > 1) {
            all.bit_where_equal = bit_where_equal;
            all.bit_or = bit_or;
            all.store_bytes = store_bytes;
        }
        if constexpr (sizeof(Lane) == 4) all.look_up = look_up;
        if constexpr (sizeof(Lane) > 1 && requires(typename V::Vector v) { V::last_in_all(v); }) {
            all.where_greater = where_greater;
            all.last_in_all = last_in_all;
            add_shift_in<0>(all);
            add_shift_in<1>(all);
            add_shift_in<2>(all);
            add_shift_in<3>(all);
            add_shift_in<4>(all);
        }
        return all;
    }
};

template <class F>
struct WrappedQuads {
    static void set(float x, float* out) { F::store(out, F::set(x)); }
    static void load_quad(const float* p, float* out) { F::store(out, F::load_quad(p)); }
    static void load_quads(const float* const* p, std::size_t at, float* out) { F::store(out, F::load_quads(p, at)); }
    static void load_each(const float* p, float* out) { F::store(out, F::load_each(p)); }
    static void store_firsts(const float* v, float* out) { F::store_firsts(out, F::load(v)); }
    static void add(const float* a, const float* b, float* out) { F::store(out, F::add(F::load(a), F::load(b))); }
    static void multiply(const float* a, const float* b, float* out) {
        F::store(out, F::multiply(F::load(a), F::load(b)));
    }
    static void divide(const float* a, const float* b, float* out) { F::store(out, F::divide(F::load(a), F::load(b))); }
    static void max(const float* a, const float* b, float* out) { F::store(out, F::max(F::load(a), F::load(b))); }
    static void greater(const float* a, const float* b, float* out) {
        F::store(out, F::greater(F::load(a), F::load(b)));
    }
    static void bit_and(const float* a, const float* b, float* out) {
        F::store(out, F::bit_and(F::load(a), F::load(b)));
    }
    static void bit_or(const float* a, const float* b, float* out) { F::store(out, F::bit_or(F::load(a), F::load(b))); }
    static std::uint32_t not_less_mask(const float* a, const float* b) {
        return F::not_less_mask(F::load(a), F::load(b));
    }
    static void select(const float* bits, const float* yes, const float* no, float* out) {
        F::store(out, F::select(F::load(bits), F::load(yes), F::load(no)));
    }
    static void differing(const float* bits, const float* a, const float* b, float* out) {
        F::store(out, F::differing(F::load(bits), F::load(a), F::load(b)));
    }
    static bool any_bit(const float* v) { return F::any_bit(F::load(v)); }
    static void where_any_bit(const float* v, float* out) { F::store(out, F::where_any_bit(F::load(v))); }
    static void shift_up(const float* v, const float* fill, float* out) {
        F::store(out, F::shift_up(F::load(v), F::load(fill)));
    }
    static void shift_down(const float* v, float* out) { F::store(out, F::shift_down(F::load(v))); }
    static void sum_across(const float* v, float* out) { F::store(out, F::sum_across(F::load(v))); }
    static void max_across(const float* v, float* out) { F::store(out, F::max_across(F::load(v))); }
    static constexpr QuadOperations operations() {
        return {F::kLanes, F::kQuads, set,           load_quad, load_quads,    load_each,  store_firsts, add,
                multiply,  divide,    max,           greater,   not_less_mask, bit_and,    bit_or,       select,
                differing, any_bit,   where_any_bit, shift_up,  shift_down,    sum_across, max_across};
    }
};

template <class Set>
struct WrappedSet {
    using I8 = typename Set::I8;
    static void lookup(const std::int8_t* table, const std::int8_t* indices, std::int8_t* out) {
        I8::store(out, I8::lookup(I8::load_table(table), I8::load(indices)));
    }
    using I16 = typename Set::I16;
    static void lookup_16_bit(const std::int16_t* entries, const std::int16_t* codes, std::int16_t* out) {
        alignas(64) std::int16_t table[32];
        I16::fill_table(entries, table);
        I16::store(out, I16::lookup(table, I16::indices(I16::load(codes))));
    }
    static void broadcast_pair(const std::int32_t* pair, std::int16_t* out) {
        I16::store(out, I16::broadcast_pair(pair));
    }
    static constexpr auto lookup_16_bit_if_any() -> void (*)(const std::int16_t*, const std::int16_t*, std::int16_t*) {
        if constexpr (requires { typename I16::Indices; }) {
            return lookup_16_bit;
        } else {
            return nullptr;
        }
    }
    static constexpr auto broadcast_pair_if_any() -> void (*)(const std::int32_t*, std::int16_t*) {
        if constexpr (requires { typename I16::Indices; }) {
            return broadcast_pair;
        } else {
            return nullptr;
        }
    }
    using U8 = typename Set::U8;
    static void interleave_low(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out) {
        U8::store(out, U8::interleave_low(U8::load(a), U8::load(b)));
    }
    static void interleave_high(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out) {
        U8::store(out, U8::interleave_high(U8::load(a), U8::load(b)));
    }
    static bool any_excess(const std::uint8_t* a, const std::uint8_t* a_limit, const std::uint8_t* b,
                           const std::uint8_t* b_limit) {
        const auto excess = U8::with_excess(U8::no_excess(), U8::load(a), U8::load(a_limit));
        return U8::any_excess(U8::with_excess(excess, U8::load(b), U8::load(b_limit)));
    }
    static void lookup_bytes(const std::uint8_t* table, const std::uint8_t* indices, std::uint8_t* out) {
        U8::store(out, U8::lookup(U8::load_table(table), U8::load(indices)));
    }
    static constexpr auto lookup_bytes_if_any() -> void (*)(const std::uint8_t*, const std::uint8_t*, std::uint8_t*) {
        if constexpr (U8::kTableEntries > 0) {
            return lookup_bytes;
        } else {
            return nullptr;
        }
    }
    static constexpr SetOperations operations() {
        return {WrappedUnsignedBytes<typename Set::U8>::operations(),
                Wrapped<I8>::operations(),
                Wrapped<typename Set::I16>::operations(),
                Wrapped<typename Set::I32>::operations(),
                WrappedQuads<typename Set::F32>::operations(),
                lookup_16_bit_if_any(),
                broadcast_pair_if_any(),
                lookup,
                WrappedPairLanes<U8>::operations(),
                WrappedPairLanes<typename Set::I16>::operations(),
                WrappedPairLanes<typename Set::I32>::operations(),
                interleave_low,
                interleave_high,
                any_excess,
                U8::kTableEntries,
                lookup_bytes_if_any()};
    }
};

}  // namespace warpseq::testing
