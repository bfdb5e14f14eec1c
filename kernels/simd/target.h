// Macros for target regions. A target region is code that is compiled for a named instruction set,
// inside a translation unit that is otherwise compiled for the baseline processor.
//
//     WARPSEQ_TARGET_BEGIN("avx2")
//     ... functions and templates that may use AVX2 ...
//     WARPSEQ_TARGET_END
//
// A whole translation unit is never compiled with -mavx2. Inline functions that it shares with
// baseline code (std::sort, std::vector) would then exist twice, and the linker may keep the copy
// that an older processor cannot run. A template takes the instruction set of the region in which
// it is defined. So headers of the standard library and of libcore come before the region, and
// headers with kernels come inside it. Under Clang lambdas do not inherit the region, so a region
// must not contain any.
#pragma once

#define WARPSEQ_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#define WARPSEQ_TARGET_BEGIN(features) \
    WARPSEQ_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define WARPSEQ_TARGET_END WARPSEQ_PRAGMA(clang attribute pop)
#else
#define WARPSEQ_TARGET_BEGIN(features) \
    WARPSEQ_PRAGMA(GCC push_options)   \
    WARPSEQ_PRAGMA(GCC target(features))
#define WARPSEQ_TARGET_END WARPSEQ_PRAGMA(GCC pop_options)
#endif

/// Marks one vector operation. It is always inlined, so that no vector passes through memory
/// between two operations.
#define WARPSEQ_SIMD [[gnu::always_inline]] static inline

// Whether this build has back ends for x86's instruction sets.
#if defined(__x86_64__) && !defined(WARPSEQ_PORTABLE_KERNELS)
#define WARPSEQ_X86 1
#else
#define WARPSEQ_X86 0
#endif
