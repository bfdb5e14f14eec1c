#include "libcore/status.h"

#include <doctest/doctest.h>

#include <memory>

using namespace warpseq;

namespace {

Status pass_on(const Status& status, bool& reached) {
    WARPSEQ_TRY(status);
    reached = true;
    return {};
}

}  // namespace

TEST_CASE("exit statuses") {
    CHECK(Status().exit_status() == 0);
    CHECK(Status::invalid_input("m").exit_status() == 1);
    CHECK(Status::io("m").exit_status() == 1);
    CHECK(Status::unavailable("m").exit_status() == 1);
    CHECK(Status::usage("m").exit_status() == 2);
    CHECK(Status::usage("why").message() == "why");
}

TEST_CASE("WARPSEQ_TRY returns an error and goes on without one") {
    bool reached = false;
    CHECK(pass_on(Status::io("broken"), reached).message() == "broken");
    CHECK_FALSE(reached);
    CHECK(pass_on(Status(), reached).ok());
    CHECK(reached);
}

TEST_CASE("a Result holds a value, also one that only moves, or a status") {
    Result<std::unique_ptr<int>> value(std::make_unique<int>(7));
    REQUIRE(value.ok());
    CHECK(**value == 7);
    const std::unique_ptr<int> taken = *std::move(value);
    CHECK(*taken == 7);
    const Result<int> error(Status::io("gone"));
    CHECK_FALSE(error.ok());
    CHECK(error.status().message() == "gone");
}
