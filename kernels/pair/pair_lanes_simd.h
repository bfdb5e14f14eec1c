// The lanes of the pair kernels. Every kernel has as many lanes as a vector has bytes, whatever the
// width of its numbers. This file is included only inside a target region.
#pragma once

namespace warpseq::simd {

/// A group of n vectors that acts as one vector. It has as many lanes as a vector has bytes, so the
/// number of lanes is the same in every width.
template <class V, std::size_t n>
struct VectorGroup {
    using Lane = typename V::Lane;
    static constexpr std::size_t kLanes = n * V::kLanes;
    struct Vector {
        typename V::Vector part[n];
    };
    WARPSEQ_SIMD Vector set(Lane x) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::set(x);
        return r;
    }
    WARPSEQ_SIMD Vector load(const Lane* p) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::load(p + k * V::kLanes);
        return r;
    }
    WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::load_unaligned(p + k * V::kLanes);
        return r;
    }
    WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::load_widened(p + k * V::kLanes);
        return r;
    }
    WARPSEQ_SIMD void store(Lane* p, const Vector& v) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) V::store(p + k * V::kLanes, v.part[k]);
    }
    WARPSEQ_SIMD void store_bytes(std::uint8_t* p, const Vector& v) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) V::store_bytes(p + k * V::kLanes, v.part[k]);
    }
    WARPSEQ_SIMD Vector max(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::max(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector wrapping_add(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::wrapping_add(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector wrapping_subtract(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::wrapping_subtract(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector select(const Vector& bits, const Vector& yes, const Vector& no) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::select(bits.part[k], yes.part[k], no.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector bit_where_equal(const Vector& a, const Vector& b, const Vector& bit) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::bit_where_equal(a.part[k], b.part[k], bit.part[k]);
        return r;
    }
    WARPSEQ_SIMD Vector bit_or(const Vector& a, const Vector& b) {
        Vector r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) r.part[k] = V::bit_or(a.part[k], b.part[k]);
        return r;
    }
    WARPSEQ_SIMD Lane first(const Vector& v) { return V::first(v.part[0]); }
    /// Moves lanes down, so that lane i becomes lane i + 1. The content of the last lane is
    /// unspecified here.
    WARPSEQ_SIMD Vector rotate_down(const Vector& v) {
        constexpr std::size_t kPartLanes = V::kLanes;
        alignas(64) static constexpr LastLane<Lane, kPartLanes> kLast;
        const typename V::Vector last = V::load(kLast.lane);
        Vector turned, r;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < n; ++k) turned.part[k] = V::rotate_down(v.part[k]);
#pragma GCC unroll 4
        for (std::size_t k = 0; k + 1 < n; ++k) r.part[k] = V::select(last, turned.part[k + 1], turned.part[k]);
        r.part[n - 1] = turned.part[n - 1];
        return r;
    }

   private:
    template <typename L, std::size_t lanes>
    struct LastLane {
        alignas(64) L lane[lanes] = {};
        constexpr LastLane() { lane[lanes - 1] = static_cast<L>(-1); }
    };
};

template <class Set, std::size_t lane_bytes>
struct PairLanes;
template <class Set>
struct PairLanes<Set, 1> : Set::U8 {
    WARPSEQ_SIMD typename Set::U8::Vector load_widened(const std::int8_t* p) {
        return Set::U8::load(reinterpret_cast<const std::uint8_t*>(p));
    }
};
template <class Set>
struct PairLanes<Set, 2> : VectorGroup<typename Set::I16, 2> {};
template <class Set>
struct PairLanes<Set, 4> : VectorGroup<typename Set::I32, 4> {};

/// The masks of the lanes from k on, for 0 <= k <= lanes.
template <class V>
struct LaneMasks {
    struct Ramp {
        alignas(64) typename V::Lane lane[2 * V::kLanes] = {};
        constexpr Ramp() {
            for (std::size_t i = V::kLanes; i < 2 * V::kLanes; ++i) lane[i] = static_cast<typename V::Lane>(-1);
        }
    };
    static constexpr Ramp kRamp{};
    WARPSEQ_SIMD typename V::Vector from(std::size_t k) { return V::load_unaligned(kRamp.lane + V::kLanes - k); }
};

}  // namespace warpseq::simd
