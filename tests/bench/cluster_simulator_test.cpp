// The simulator of searches on many machines: cases with known answers.
#include "bench/cluster_simulator.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace warpseq {
namespace {

EngineCosts plain_engine() {
    EngineCosts engine;
    engine.gpu_cells_per_second = engine.cpu_thread_cells_per_second = 1e9;
    engine.batch_queries = 10;
    engine.batch_residues = 1e9;
    engine.query_residues = 100;
    return engine;
}

/// Returns ranks of one thread for which only the work takes time.
Cluster free_cluster(double nodes) {
    Cluster cluster;
    cluster.nodes = nodes;
    cluster.gpus = 0;
    cluster.threads = 1;
    cluster.start_seconds = cluster.open_seconds_per_residue = cluster.file_read_seconds = cluster.network_seconds = 0;
    cluster.file_system_bytes = cluster.node_file_bytes = cluster.write_bytes = cluster.file_reads =
        cluster.network_bytes = 1e30;
    cluster.tile_sequences = 0;
    return cluster;
}

constexpr Search kSearch = {1e9, 1000};  // 100 batches of 1,000 seconds of a thread

double sum_of_parts(const Simulated& s) {
    return s.ideal + s.start + s.first_read + s.link + s.small_shares + s.imbalance + s.merging + s.finishing +
           s.reporting + s.drain;
}

TEST_CASE("one rank takes the ideal time, and that of starting and the first read") {
    Cluster cluster = free_cluster(1);
    CHECK(simulate(plain_engine(), cluster, kSearch, {}).seconds == doctest::Approx(100'000));
    cluster.start_seconds = 7;
    cluster.open_seconds_per_residue = 1e-9;
    cluster.node_file_bytes = 1e9 * cluster.residue_bytes / 1'500;  // half as long again as the first batch
    const Simulated s = simulate(plain_engine(), cluster, kSearch, {});
    CHECK(s.ideal == doctest::Approx(100'000));
    CHECK(s.start == doctest::Approx(8));
    CHECK(s.first_read == doctest::Approx(500));
    CHECK(s.seconds == doctest::Approx(100'508));
    CHECK(s.imbalance == doctest::Approx(0).scale(1e-3));
}

TEST_CASE("without imbalance, on a network without limits, nothing is lost") {
    for (const double nodes : {2.0, 7.0, 64.0, 1000.0}) {
        for (const Stealing stealing : {Stealing::kNone, Stealing::kNode, Stealing::kAll}) {
            CAPTURE(nodes);
            Plan plan;
            plan.stealing = stealing;
            const Simulated s = simulate(plain_engine(), free_cluster(nodes), kSearch, plan);
            CHECK(s.ranks == nodes);
            CHECK(s.batches == 100);
            CHECK(s.efficiency() == doctest::Approx(1));
        }
    }
}

TEST_CASE("finishing on rank 0 alone bounds as Amdahl says, on CPUs and on GPUs") {
    EngineCosts engine = plain_engine();
    engine.hits = 1;
    engine.finish_seconds_per_hit = 10;  // 100 seconds of a batch, a tenth of the scan
    Plan plan;
    plan.stealing = Stealing::kNone;
    plan.owners_finish = false;
    for (const double nodes : {2.0, 10.0, 100.0}) {
        CAPTURE(nodes);
        const Simulated s = simulate(engine, free_cluster(nodes), kSearch, plan);
        CHECK(s.seconds == doctest::Approx(100'000 / nodes + 10'000).epsilon(0.02));
        CHECK(s.ideal == doctest::Approx(110'000 / nodes));
        plan.owners_finish = true;
        if (nodes < 100) CHECK(simulate(engine, free_cluster(nodes), kSearch, plan).efficiency() > 0.85);
        plan.owners_finish = false;
    }
    // Hosts finish while GPUs scan. The time is the slower of both bounds.
    Cluster cluster = free_cluster(1000);
    cluster.gpus = 1;
    CHECK(simulate(engine, cluster, kSearch, plan).seconds == doctest::Approx(10'000).epsilon(0.02));
    cluster.nodes = 2;
    CHECK(simulate(engine, cluster, kSearch, plan).seconds == doctest::Approx(50'000).epsilon(0.02));
}

TEST_CASE("rank 0 bounds with the text that it makes, and with what it writes") {
    EngineCosts engine = plain_engine();
    engine.hits = 1;
    engine.format_seconds_per_hit = 10;
    engine.report_bytes_per_hit = 1e6;
    Cluster cluster = free_cluster(1000);
    cluster.gpus = 1;
    cluster.write_bytes = 1e6;
    Plan plan;
    CHECK(simulate(engine, cluster, kSearch, plan).seconds == doctest::Approx(10'000).epsilon(0.02));
    plan.formatting = Formatting::kOwners;
    CHECK(simulate(engine, cluster, kSearch, plan).seconds == doctest::Approx(1'000).epsilon(0.12));
    plan.formatting = Formatting::kUsual;
    engine.owners_format = true;
    CHECK(simulate(engine, cluster, kSearch, plan).seconds == doctest::Approx(1'000).epsilon(0.12));
    plan.formatting = Formatting::kRank0;
    CHECK(simulate(engine, cluster, kSearch, plan).seconds == doctest::Approx(10'000).epsilon(0.02));
}

TEST_CASE("shares that fit nowhere are read again with every batch") {
    Cluster cluster = free_cluster(1);
    cluster.host_bytes = 0;
    cluster.node_file_bytes = 1e9 * cluster.residue_bytes / 3'000;  // three times as long as scanning
    const Simulated s = simulate(plain_engine(), cluster, kSearch, {});
    CHECK(s.first_read == doctest::Approx(2'000));
    CHECK(s.link == doctest::Approx(99 * 2'000.0));
    CHECK(s.seconds == doctest::Approx(100 * 3'000.0));
}

TEST_CASE("stealing is never slower than none by more than a unit of each batch, and removes most imbalance") {
    EngineCosts engine = plain_engine();
    engine.share_spread = engine.batch_spread = 0.1;
    for (const double nodes : {2.0, 5.0, 64.0}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            CAPTURE(nodes);
            CAPTURE(seed);
            Plan plan;
            plan.seed = seed;
            for (const double queries : {10.0, 1000.0}) {
                const Search search = {1e9, queries};
                plan.stealing = Stealing::kNone;
                const Simulated without = simulate(engine, free_cluster(nodes), search, plan);
                plan.stealing = Stealing::kAll;
                const Simulated with = simulate(engine, free_cluster(nodes), search, plan);
                CHECK(with.seconds <= without.seconds + with.batches * 1'000 / nodes / 2);
                CHECK(sum_of_parts(with) == doctest::Approx(with.seconds));
                CHECK(with.imbalance >= -1e-6 * with.seconds);
                if (queries == 1000) CHECK(with.imbalance < without.imbalance / 2);
            }
        }
    }
}

TEST_CASE("dealt shares balance what depends on the length, contiguous ones do not") {
    EngineCosts engine = plain_engine();
    for (std::size_t i = 0; i < 16; ++i) engine.cost_by_length[i] = i < 8 ? 0.5 : 1.5;
    Plan plan;
    plan.stealing = Stealing::kNone;
    CHECK(simulate(engine, free_cluster(2), kSearch, plan).efficiency() > 0.99);
    CHECK(simulate(engine, free_cluster(100), kSearch, plan).efficiency() > 0.99);
    plan.dealing = Dealing::kLargestFirst;
    CHECK(simulate(engine, free_cluster(2), kSearch, plan).efficiency() > 0.9);
    plan.dealing = Dealing::kContiguous;
    CHECK(simulate(engine, free_cluster(2), kSearch, plan).efficiency() == doctest::Approx(1 / 1.5).epsilon(0.01));
}

TEST_CASE("the same seed gives the same time, another seed another; unsimulated batches are like simulated ones") {
    const EngineCosts& engine = measured_engines()[0];
    Cluster cluster;
    cluster.nodes = 3;
    const Search search = {1e10, 100'000};
    Plan plan;
    const Simulated first = simulate(engine, cluster, search, plan);
    CHECK(first == simulate(engine, cluster, search, plan));
    Plan other = plan;
    other.seed = 2;
    CHECK(first.seconds != simulate(engine, cluster, search, other).seconds);
    other = plan;
    other.rank_batches = 0;
    CHECK(simulate(engine, cluster, search, other).seconds == doctest::Approx(first.seconds).epsilon(0.01));
}

}  // namespace
}  // namespace warpseq
