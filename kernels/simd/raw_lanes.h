// Conversions between raw scores and the lanes that hold them (kernels/simd/portable.h). The kernel
// headers include this file, so it stands inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp.
#pragma once

namespace warpseq::simd {

template <class V>
WARPSEQ_SIMD std::int32_t raw_score(typename V::Lane lane) {
    return static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(V::kFloor);
}

/// Returns the lane value of a raw score that fits the lane.
template <class V>
WARPSEQ_SIMD typename V::Lane lane_of_raw(std::int32_t score_raw) {
    return static_cast<typename V::Lane>(score_raw + static_cast<std::int32_t>(V::kFloor));
}

}  // namespace warpseq::simd
