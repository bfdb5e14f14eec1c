// Reduces the work of tests in builds with sanitizers, which make tests ten times as slow.
// Sanitizers check memory and threads, for which some of a test's cases suffice. The builds without
// them compare the results of all cases.
#pragma once

namespace warpseq::testing {

#if defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__)  // GCC's; fuzz targets, which Clang builds, are no tests
inline constexpr bool kUnderSanitizers = true;
#else
inline constexpr bool kUnderSanitizers = false;
#endif

/// The test suite of cases that take long under sanitizers. Builds with sanitizers run these cases
/// only in `make check-all`. Other builds always run them.
///     TEST_CASE("..." * doctest::test_suite(kLaterUnderSanitizers))
inline constexpr const char* kLaterUnderSanitizers = "later under sanitizers";

/// Returns the number of cases for this build.
template <typename T>
constexpr T fewer(T all, T under_sanitizers) {
    return kUnderSanitizers ? under_sanitizers : all;
}

}  // namespace warpseq::testing
