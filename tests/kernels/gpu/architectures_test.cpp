#include "kernels/gpu/architectures.h"

#include <doctest/doctest.h>

using warpseq::cuda::has_code_for;

TEST_CASE("machine code runs on its generation, what is virtual on later ones") {
    for (const int each : {80, 86, 89, 90, 100, 120}) CHECK(has_code_for("80-real,90a-real,90-virtual", each));
    CHECK(has_code_for("90a-real", 90));
    for (const int other : {80, 86, 89, 100, 120}) CHECK_FALSE(has_code_for("90a-real", other));
    CHECK(has_code_for("80-real", 80));
    CHECK(has_code_for("80-real", 89));
    CHECK_FALSE(has_code_for("80-real", 90));
    CHECK_FALSE(has_code_for("86-real", 80));
    CHECK(has_code_for("86-real,80-real", 80));
    CHECK(has_code_for("80", 120));
    CHECK(has_code_for("80-virtual", 90));
    CHECK_FALSE(has_code_for("90-virtual", 80));
    CHECK_FALSE(has_code_for("90a-virtual", 100));
    CHECK(has_code_for("native", 80));
    CHECK_FALSE(has_code_for("", 90));
}
