// V vectors of floats that are computed side by side, so that their chains of operations hide each
// other's latency. This file is included only inside a target region.
#pragma once

namespace warpseq::simd {

/// V vectors of a vector set F (kernels/simd/portable.h). Operations on packs apply the operation
/// of F with the same name to each vector.
template <typename F, std::size_t V>
struct FloatPack {
    using Vector = typename F::Vector;
    Vector v[V];

    WARPSEQ_SIMD FloatPack all(Vector x) {
        FloatPack p;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < V; ++k) p.v[k] = x;
        return p;
    }
    WARPSEQ_SIMD FloatPack load(const float* at) {
        FloatPack p;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < V; ++k) p.v[k] = F::load(at + k * F::kLanes);
        return p;
    }
    /// Loads a float for each target and repeats it in the target's quad.
    WARPSEQ_SIMD FloatPack load_each(const float* per_target) {
        FloatPack p;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < V; ++k) p.v[k] = F::load_each(per_target + k * F::kQuads);
        return p;
    }
};

template <typename F, std::size_t V>
WARPSEQ_SIMD void store(float* at, const FloatPack<F, V>& p) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < V; ++k) F::store(at + k * F::kLanes, p.v[k]);
}
/// Stores the first float of each quad.
template <typename F, std::size_t V>
WARPSEQ_SIMD void store_firsts(float* per_target, const FloatPack<F, V>& p) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < V; ++k) F::store_firsts(per_target + k * F::kQuads, p.v[k]);
}

/// The operations of a vector set as types, for each() and combine(). Lambdas would not inherit the
/// target region.
template <typename F>
struct FloatOperations {
    using Vector = typename F::Vector;
    struct Add {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::add(a, b); }
    };
    struct Multiply {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::multiply(a, b); }
    };
    struct Divide {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::divide(a, b); }
    };
    struct Max {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::max(a, b); }
    };
    struct And {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::bit_and(a, b); }
    };
    struct Or {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::bit_or(a, b); }
    };
    struct Greater {
        WARPSEQ_SIMD Vector of(Vector a, Vector b) { return F::greater(a, b); }
    };
    struct ShiftUp {
        WARPSEQ_SIMD Vector of(Vector a, Vector fill) { return F::shift_up(a, fill); }
    };
    struct ShiftDown {
        WARPSEQ_SIMD Vector of(Vector a) { return F::shift_down(a); }
    };
    struct WhereAnyBit {
        WARPSEQ_SIMD Vector of(Vector a) { return F::where_any_bit(a); }
    };
    struct SumAcross {
        WARPSEQ_SIMD Vector of(Vector a) { return F::sum_across(a); }
    };
    struct MaxAcross {
        WARPSEQ_SIMD Vector of(Vector a) { return F::max_across(a); }
    };
};
/// Return the results of an operation on one vector, or on two.
template <typename Operation, typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> each(const FloatPack<F, V>& a) {
    FloatPack<F, V> p;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < V; ++k) p.v[k] = Operation::of(a.v[k]);
    return p;
}
template <typename Operation, typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> combine(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    FloatPack<F, V> p;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < V; ++k) p.v[k] = Operation::of(a.v[k], b.v[k]);
    return p;
}

template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> add(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    return combine<typename FloatOperations<F>::Add>(a, b);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> multiply(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    return combine<typename FloatOperations<F>::Multiply>(a, b);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> divide(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    return combine<typename FloatOperations<F>::Divide>(a, b);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> max(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    return combine<typename FloatOperations<F>::Max>(a, b);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> bit_and(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    return combine<typename FloatOperations<F>::And>(a, b);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> bit_or(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    return combine<typename FloatOperations<F>::Or>(a, b);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> greater(const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
    return combine<typename FloatOperations<F>::Greater>(a, b);
}

// Operations whose second operand is the same for all vectors of the pack.
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> multiply(const FloatPack<F, V>& a, typename F::Vector b) {
    return combine<typename FloatOperations<F>::Multiply>(a, FloatPack<F, V>::all(b));
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> bit_and(const FloatPack<F, V>& a, typename F::Vector b) {
    return combine<typename FloatOperations<F>::And>(a, FloatPack<F, V>::all(b));
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> bit_or(const FloatPack<F, V>& a, typename F::Vector b) {
    return combine<typename FloatOperations<F>::Or>(a, FloatPack<F, V>::all(b));
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> shift_up(const FloatPack<F, V>& a, typename F::Vector b) {
    return combine<typename FloatOperations<F>::ShiftUp>(a, FloatPack<F, V>::all(b));
}

template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> shift_down(const FloatPack<F, V>& a) {
    return each<typename FloatOperations<F>::ShiftDown>(a);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> where_any_bit(const FloatPack<F, V>& a) {
    return each<typename FloatOperations<F>::WhereAnyBit>(a);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> sum_across(const FloatPack<F, V>& a) {
    return each<typename FloatOperations<F>::SumAcross>(a);
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> max_across(const FloatPack<F, V>& a) {
    return each<typename FloatOperations<F>::MaxAcross>(a);
}

template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> select(const FloatPack<F, V>& bits, const FloatPack<F, V>& yes,
                                    const FloatPack<F, V>& no) {
    FloatPack<F, V> p;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < V; ++k) p.v[k] = F::select(bits.v[k], yes.v[k], no.v[k]);
    return p;
}
template <typename F, std::size_t V>
WARPSEQ_SIMD FloatPack<F, V> differing(FloatPack<F, V> bits, const FloatPack<F, V>& a, const FloatPack<F, V>& b) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < V; ++k) bits.v[k] = F::differing(bits.v[k], a.v[k], b.v[k]);
    return bits;
}
template <typename F, std::size_t V>
WARPSEQ_SIMD bool any_bit(const FloatPack<F, V>& a) {
    typename F::Vector bits = a.v[0];
#pragma GCC unroll 4
    for (std::size_t k = 1; k < V; ++k) bits = F::bit_or(bits, a.v[k]);
    return F::any_bit(bits);
}

}  // namespace warpseq::simd
