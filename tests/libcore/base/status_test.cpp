#include "libcore/base/status.h"

#include <doctest/doctest.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

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
    CHECK(Status::out_of_memory().exit_status() == 1);
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

TEST_CASE("guarded() makes exceptions errors, and passes on what is returned") {
    CHECK(guarded([] {}).ok());
    CHECK(guarded([] { return Status::io("why"); }).message() == "why");
    CHECK(*guarded([]() -> Result<int> { return 7; }) == 7);
    CHECK(guarded([]() -> Result<int> { throw std::runtime_error("no"); }).status().message() == "no");
    CHECK(guarded([] { throw std::bad_alloc(); }).code() == StatusCode::kOutOfMemory);
    CHECK(guarded([] { std::string().reserve(std::string().max_size() + 1); }).message() == "out of memory");
    CHECK(guarded([] { throw 1; }).code() == StatusCode::kUnavailable);
}
