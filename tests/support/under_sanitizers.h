// Sanitizers make tests ten times as slow. They look at memory and threads, for which some of a
// test's cases do; the builds without them compare the results of all.
#pragma once

namespace warpseq::testing {

#if defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__)  // GCC's; fuzz targets, which Clang builds, are no tests
inline constexpr bool kUnderSanitizers = true;
#else
inline constexpr bool kUnderSanitizers = false;
#endif

/// The test suite of cases that take long under sanitizers: builds with sanitizers run them in
/// `make check-all` alone, others always.
///     TEST_CASE("..." * doctest::test_suite(kLaterUnderSanitizers))
inline constexpr const char* kLaterUnderSanitizers = "later under sanitizers";

template <typename T>
constexpr T fewer(T all, T under_sanitizers) {
    return kUnderSanitizers ? under_sanitizers : all;
}

}  // namespace warpseq::testing
