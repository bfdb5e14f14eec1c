// The division of chunks if the host helps GPUs, tested with fake GPUs. The hits must be those of
// the CPU alone. The host has its part if GPUs are slow. It has none if they are quick or still
// receive their chunks. Errors and stops are returned, and nothing remains.
#include "engines/devices/gpu_jobs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <future>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engines/sw/sw_search.h"
#include "formats/wsdb/wsdb_map.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sw_scan_fixture.h"
#include "tests/support/wait_until.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

Observer observer;  // shared by all searches

/// A search with many small chunks, so that some are left when the host comes.
struct Fixture : SwScanFixture {
    Fixture() { settings.chunk_bytes = 400; }

    /// Opens a scan whose chunks are on the machine's GPU, so that the host may help.
    std::unique_ptr<SwGpuScan> open_warm(FakeMachine& machine) const {
        auto scan = open(machine);
        REQUIRE(scan.ok());
        CHECK((*scan)->submit(queries, whole_share(databases), {observer}, {}).get().ok());
        return *std::move(scan);
    }
};
/// A host that helps. It records its work and merges its hits with the GPU's.
struct Helped {
    explicit Helped(const Fixture& fixture) : fixture_(fixture), pool_(2) {
        SwSearchSettings cpu;
        cpu.evalue = fixture.settings.evalue;
        cpu.max_hits = fixture.settings.max_hits;
        cpu.space = fixture.settings.space;
        search_.emplace(fixture.databases, fixture.scheme, fixture.statistics, cpu, pool_);
    }

    HostHelp help(std::stop_token stop = {}) {
        return {.scan = [this, stop](const TargetShare& share, Progress& progress) -> Status {
            if (stops) stops->request_stop();
            ++calls;
            if (throws) throw std::bad_alloc();
            for (const TileRange& range : share) tiles += range.tile_count;
            auto hits = search_->find_hits(fixture_.queries, share, progress, stop);
            if (!hits.ok()) return hits.status();
            std::this_thread::sleep_for(lingers);
            for (std::size_t q = 0; q < all_.size(); ++q) add((*hits)[q], all_[q]);
            return {};
        }};
    }

    std::string with(Hits of_gpus) const {
        for (std::size_t q = 0; q < of_gpus.size(); ++q) add(all_[q], of_gpus[q]);
        return shown(of_gpus);
    }

    std::atomic<int> calls = 0;
    std::atomic<std::uint64_t> tiles = 0;
    std::chrono::milliseconds lingers{0};  // a pause after a part has been counted
    bool throws = false;
    std::stop_source* stops = nullptr;  // the helping host requests a stop of this

   private:
    void add(const std::vector<Hit>& more, std::vector<Hit>& hits) const {
        HitList list(fixture_.settings.max_hits);
        for (const Hit& hit : hits) list.add(hit);
        for (const Hit& hit : more) list.add(hit);
        hits = list.take_sorted();
    }

    const Fixture& fixture_;
    ThreadPool pool_;
    std::optional<SwSearch> search_;
    Hits all_ = Hits(fixture_.queries.size());
};

/// An observer that checks all progress. It must never decrease, and must end at the announced
/// total.
struct Listener final : Observer {
    struct Heard final : Progress {
        explicit Heard(Listener& listener) : listener_(listener) {}
        void update(std::uint64_t units) override {
            CHECK(units >= listener_.done);
            listener_.done = units;
        }
        Listener& listener_;
    };
    std::unique_ptr<Progress> begin(const std::string&, std::uint64_t units) override {
        total = units;
        return std::make_unique<Heard>(*this);
    }
    std::uint64_t total = 0, done = 0;
};

// Assumed speeds, which hold until speeds are measured. The host's assumed speed also limits its
// measured speed. 1e15 is above any measured speed of fake GPUs, and the 1 of kSlowHost is below
// any measured speed of the host.
constexpr CellSpeeds kSlowGpus{.cpu_cells_per_second = 1e15, .gpus_cells_per_second = 1e6};
constexpr CellSpeeds kFastGpus{.cpu_cells_per_second = 1e15, .gpus_cells_per_second = 1e21};
constexpr CellSpeeds kSlowHost{.cpu_cells_per_second = 1, .gpus_cells_per_second = 1e13};

std::uint64_t tiles_of(const DatabaseSet& databases) {
    std::uint64_t tiles = 0;
    for (std::size_t d = 0; d < databases.size(); ++d) tiles += databases.reader(d).tile_count();
    return tiles;
}

/// Replaces a letter of the last tile by another one.
void damage_last_tile(const Fixture& fixture, const char* name) {
    const WsdbReader& reader = fixture.databases.reader(0);
    auto offset = reader.packed_tiles().data() - reader.map().bytes.data();
    for (std::uint64_t tile = 0; tile + 1 < reader.tile_count(); ++tile)
        offset += static_cast<std::ptrdiff_t>(reader.tile_bytes(tile));
    std::fstream bytes(fixture.folder.path(name), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(offset);
    const auto byte = static_cast<char>(bytes.get() ^ 1);
    bytes.seekp(offset);
    bytes.put(byte);
}

/// Makes all further kernels but the first wait until the condition holds.
template <typename Condition>
void hold_kernels(FakeMachine& machine, const Condition& condition) {
    machine.at_kernel = [first = machine.kernels.load(), condition](int number) {
        if (number > first) wait_until(condition);
    };
}

}  // namespace

TEST_CASE("beside slow GPUs the host takes chunks, beside quick ones none; the hits are the same") {
    for (const std::uint64_t max_hits : {0U, 3U}) {
        for (const bool slow : {true, false}) {
            CAPTURE(slow);
            Fixture fixture;
            fixture.settings.max_hits = max_hits;
            fixture.settings.speeds_with_help = slow ? kSlowGpus : kSlowHost;
            FakeMachine machine;
            const auto scan = fixture.open_warm(machine);
            const SwGpuCounts before = scan->counts();
            CHECK(before.host.cells == 0);
            Helped helped(fixture);
            helped.lingers = std::chrono::milliseconds(80);
            if (slow) hold_kernels(machine, [&] { return helped.calls > 0; });
            Listener listener;
            const auto hits =
                scan->submit(fixture.queries, whole_share(fixture.databases), {listener}, helped.help()).get();
            REQUIRE(hits.ok());
            CHECK(helped.with(*hits) == fixture.expected());
            const SwGpuCounts counts = scan->counts();
            CHECK((counts.host.cells > 0) == slow);
            CHECK((helped.calls > 0) == slow);
            CHECK(helped.tiles < tiles_of(fixture.databases));
            CHECK(counts.chunks > before.chunks);
            CHECK(counts.host.cells < counts.cells - before.cells);
            CHECK(listener.total == counts.cells - before.cells);
            CHECK(listener.done == listener.total);
        }
    }
}

TEST_CASE("while the host brings chunks to the GPUs it does not help") {
    for (const bool pins : {true, false}) {
        CAPTURE(pins);
        Fixture fixture;
        fixture.settings.speeds_with_help = kSlowGpus;
        fixture.settings.memory.bytes = 1;  // chunks do not stay
        FakeMachine machine;
        machine.pins = pins;
        const auto scan = fixture.open(machine);
        REQUIRE(scan.ok());
        Helped first(fixture), second(fixture);
        CHECK((*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}, first.help()).get().ok());
        CHECK(first.calls == 0);
        // The chunks come again. The GPU copies them from pages directly, or the host copies them.
        if (pins) hold_kernels(machine, [&] { return second.calls > 0; });
        const auto hits =
            (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}, second.help()).get();
        REQUIRE(hits.ok());
        CHECK(second.with(*hits) == fixture.expected());
        CHECK((second.calls > 0) == pins);
    }
}

TEST_CASE("GPUs that are slower than assumed are helped") {
    Fixture fixture;
    fixture.settings.speeds_with_help = kFastGpus;
    FakeMachine machine;
    const auto scan = fixture.open_warm(machine);
    Helped helped(fixture);
    hold_kernels(machine, [&] { return helped.calls > 0; });
    CHECK(scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, helped.help()).get().ok());
    CHECK(helped.calls > 0);
}

TEST_CASE("a host that has something else to do does not help") {
    Fixture fixture;
    fixture.settings.speeds_with_help = kSlowGpus;
    FakeMachine machine;
    const auto scan = fixture.open_warm(machine);
    Helped helped(fixture);
    HostHelp help = helped.help();
    std::atomic<int> asked = 0;
    SUBCASE("at any time") {
        help.is_idle = [&] { return ++asked < 0; };
        hold_kernels(machine, [&] { return asked > 0; });
        const auto hits = scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, help).get();
        REQUIRE(hits.ok());
        CHECK(helped.calls == 0);
        CHECK(asked > 0);
        CHECK(shown(*hits) == fixture.expected());
    }
    SUBCASE("at first") {
        help.is_idle = [&] { return ++asked > 1; };
        // The first kernel that is held goes on after `is_idle` was asked once. `is_idle` is asked
        // again when that kernel ends.
        const int first = machine.kernels;
        hold_kernels(machine, [&, first] { return helped.calls > 0 || (asked > 0 && machine.kernels < first + 4); });
        const auto hits = scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, help).get();
        REQUIRE(hits.ok());
        CHECK(helped.calls > 0);
        CHECK(helped.with(*hits) == fixture.expected());
    }
}

TEST_CASE("several waiting threads help one after the other, and each gets its own hits") {
    Fixture fixture;
    fixture.settings.speeds_with_help = kSlowGpus;
    FakeMachine machine;
    const auto scan = fixture.open_warm(machine);
    constexpr std::size_t kBatches = 6;
    std::deque<Helped> helped;
    std::vector<std::future<Result<Hits>>> found;
    hold_kernels(machine,
                 [&] { return std::ranges::any_of(helped, [](const Helped& each) { return each.calls > 0; }); });
    for (std::size_t b = 0; b < kBatches; ++b) helped.emplace_back(fixture);
    for (Helped& each : helped)
        found.push_back(scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, each.help()));
    std::vector<std::string> texts(kBatches);
    std::vector<std::thread> clients;
    for (std::size_t b = 0; b < kBatches; ++b) {
        clients.emplace_back([&, b] {
            auto hits = found[b].get();
            if (hits.ok()) texts[b] = helped[b].with(*std::move(hits));
        });
    }
    for (std::thread& client : clients) client.join();
    const std::string wanted = fixture.expected();
    for (const std::string& text : texts) {
        const bool same = text == wanted;
        CHECK(same);
    }
    CHECK(scan->counts().host.cells > 0);
}

TEST_CASE("two GPUs that are helped give the same hits, whichever device takes a chunk") {
    Fixture fixture;
    fixture.settings.speeds_with_help = kSlowGpus;
    fixture.settings.ordinals = {0, 1};
    FakeMachine machine(2);
    machine.gpus[0].delay = machine.gpus[1].delay = std::chrono::milliseconds(5);
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    const std::string wanted = fixture.expected();
    for (int batch = 0; batch < 4; ++batch) {
        Helped helped(fixture);
        auto hits = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}, helped.help()).get();
        REQUIRE(hits.ok());
        CHECK(helped.with(*std::move(hits)) == wanted);
    }
}

TEST_CASE("the error of helped GPUs is that of the first chunk that failed, and ends only that batch") {
    // The host's chunks are damaged, or its memory runs out. In the second case a GPU's chunk
    // before them fails as well.
    for (const bool first_too : {false, true}) {
        for (const bool throws : {false, true}) {
            CAPTURE(first_too);
            CAPTURE(throws);
            Fixture fixture;
            fixture.databases = *DatabaseSet::open({fixture.folder.path("a.wsdb")});
            fixture.settings.speeds_with_help = kSlowGpus;
            FakeMachine machine;
            const auto scan = fixture.open_warm(machine);
            Helped failed(fixture), helped(fixture);
            failed.throws = throws;
            const std::uint64_t last_tile = fixture.databases.reader(0).tile_count() - 1;
            if (!throws) damage_last_tile(fixture, "a.wsdb");
            // The first kernel succeeds, so the host helps. The second one is of the second chunk.
            if (first_too) machine.failing_kernel = machine.kernels + 1;
            hold_kernels(machine, [&] { return failed.calls > 0; });
            const auto hits =
                scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, failed.help()).get();
            REQUIRE_FALSE(hits.ok());
            CHECK(failed.calls > 0);
            if (first_too) {
                CHECK(hits.status().message() == "the fake GPU fails");
            } else if (throws) {
                CHECK(hits.status().code() == StatusCode::kOutOfMemory);
            } else {
                const std::string tile = "tile " + std::to_string(last_tile) + " is damaged";
                CHECK_MESSAGE(hits.status().message().find(tile) != std::string::npos, hits.status().message());
            }
            machine.at_kernel = {};
            if (!throws) continue;
            auto next = scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, helped.help()).get();
            REQUIRE(next.ok());
            CHECK(helped.with(*std::move(next)) == fixture.expected());
        }
    }
}

TEST_CASE("helped GPUs that are stopped end soon; a thread that does not wait does not help, and no thread remains") {
    const auto threads = thread_count();
    {
        Fixture fixture;
        fixture.settings.speeds_with_help = kSlowGpus;
        FakeMachine machine;
        const auto scan = fixture.open_warm(machine);
        Helped helped(fixture), next(fixture), nobody(fixture);
        std::stop_source stop;
        helped.stops = &stop;
        hold_kernels(machine, [&] { return helped.calls > 0; });
        auto stopped = scan->submit(fixture.queries, whole_share(fixture.databases), {observer, stop.get_token()},
                                    helped.help(stop.get_token()));
        auto whole = scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, next.help());
        CHECK(stopped.get().status().code() == StatusCode::kInterrupted);
        CHECK(helped.calls == 1);
        auto hits = whole.get();
        REQUIRE(hits.ok());
        CHECK(next.with(*std::move(hits)) == fixture.expected());
        const auto abandoned = scan->submit(fixture.queries, whole_share(fixture.databases), {observer}, nobody.help());
        CHECK(nobody.calls == 0);
    }
    CHECK(thread_count() == threads);
}

TEST_CASE("dropping a batch's result without waiting for it blocks until no worker reads the batch") {
    Fixture fixture;
    FakeMachine machine;
    const auto scan = fixture.open_warm(machine);
    const int of_whole = machine.kernels;
    std::atomic<int> inside = 0;
    machine.at_kernel = [&](int) {
        ++inside;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        --inside;
    };
    for (const bool helps : {false, true}) {
        CAPTURE(helps);
        const int before = machine.kernels;
        Helped nobody(fixture);
        {
            const auto queries = std::make_unique<std::vector<Query>>(fixture.queries);
            const auto dropped =
                scan->submit(*queries, whole_share(fixture.databases), {observer}, helps ? nobody.help() : HostHelp());
            wait_until([&] { return machine.kernels > before; });
        }
        const int after = machine.kernels;
        CHECK(inside == 0);
        CHECK(after - before < of_whole);  // the rest is left out
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        CHECK(machine.kernels == after);
    }
    const auto hits = scan->submit(fixture.queries, whole_share(fixture.databases), {observer}).get();
    REQUIRE(hits.ok());
    CHECK(shown(*hits) == fixture.expected());
    machine.at_kernel = {};
}
