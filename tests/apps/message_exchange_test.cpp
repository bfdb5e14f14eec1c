// Messages of a rank to itself: their order, and errors in the thread that makes MPI's calls.
#include "apps/search/driver/mpi/message_exchange.h"

#include <doctest/doctest.h>
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <string>

#include "tests/support/refused_threads.h"
#include "tests/support/wait_until.h"

using namespace warpseq;
using warpseq::testing::threads_are_refused;
using warpseq::testing::wait_until;

namespace {

/// A communicator of one rank, this one, for each test. So a test does not get messages that
/// another one left unread.
MPI_Comm alone() {
    struct Mpi {
        Mpi() {
            int provided = 0;
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
        }
        ~Mpi() { MPI_Finalize(); }
    };
    static const Mpi mpi;
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &communicator);
    return communicator;
}

enum Kind : int { kText, kHandled };

}  // namespace

TEST_CASE("messages about one subject wait in the order in which they were sent") {
    MessageExchange exchange(alone());
    REQUIRE(exchange.start().ok());
    for (const char* text : {"first", "second", "", "fourth"}) exchange.send(0, {kText, 7}, text);
    exchange.send(0, {kText, 8}, "of another batch");
    CHECK(*exchange.receive(0, {kText, 8}) == "of another batch");
    for (const char* text : {"first", "second", "", "fourth"}) CHECK(*exchange.receive(0, {kText, 7}) == text);
    CHECK(exchange.finish().ok());
}

TEST_CASE("a rank that gives up no longer waits") {
    MessageExchange exchange(alone());
    REQUIRE(exchange.start().ok());
    exchange.give_up();
    CHECK(exchange.receive(0, {kText, 0}).status().code() == StatusCode::kInterrupted);
    CHECK(exchange.finish().ok());
}

TEST_CASE("memory that runs out in a handler is an error of waiting receivers, and of the end") {
    MessageExchange exchange(alone());
    std::atomic<bool> hears = false;
    exchange.handle(kHandled, [](int, std::uint64_t, const std::string&) { throw std::bad_alloc(); });
    exchange.at_failure([&] { hears = true; });
    REQUIRE(exchange.start().ok());
    exchange.send(0, {kHandled, 0}, "bytes");
    const auto received = exchange.receive(0, {kText, 0});
    REQUIRE_FALSE(received.ok());
    CHECK(received.status().code() == StatusCode::kOutOfMemory);
    CHECK(received.status().message().find("other ranks") != std::string::npos);
    wait_until([&] { return hears.load(); });
    CHECK(hears);
    CHECK(exchange.status_of_end().code() == StatusCode::kOutOfMemory);
    CHECK(exchange.finish().code() == StatusCode::kOutOfMemory);
}

TEST_CASE("a message that there is no memory for is an error") {
    const MPI_Comm communicator = alone();
    MessageExchange exchange(communicator);
    const std::uint64_t frame[2] = {0, std::uint64_t{1} << 60};  // batch, size of what follows
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(frame, 2, MPI_UINT64_T, 0, kText, communicator, &sent);
    REQUIRE(exchange.start().ok());
    CHECK(exchange.receive(0, {kText, 0}).status().code() == StatusCode::kOutOfMemory);
    CHECK_FALSE(exchange.finish().ok());
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

TEST_CASE("a thread that the system refuses is an error that says what to do") {
    MessageExchange exchange(alone());
    threads_are_refused = true;
    const Status started = exchange.start();
    threads_are_refused = false;
    CHECK(started.code() == StatusCode::kUnavailable);
    CHECK(started.message().find("ulimit -u") != std::string::npos);
}
