#include "bench/cluster_simulator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace warpseq {
namespace {

/// A share is taken in units, which are these parts of it.
constexpr std::array<double, 5> kUnits = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 16};
/// The sum of the units from each one on.
constexpr std::array<double, 6> kLeftFrom = {1.0, 1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16, 0.0};

/// The most ranks of which each helps all its neighbours. With more ranks, each helps only those of
/// its own machine, as in search-mpi (apps/search/driver/mpi/mpi_division.cpp).
constexpr std::size_t kMostFarHelpers = 256;

/// Measured: mean lengths in 16 equal pieces of the 20,000 proteins, sorted.
constexpr std::array<double, 16> kSequenceResidues = {113, 224, 296, 352, 405,  468,  528,  594,
                                                      646, 714, 818, 942, 1130, 1367, 1899, 3494};

/// Returns noise that depends on a seed and two numbers only. Its mean is 0, its standard deviation
/// is 1, and its values lie within 3 of 0.
double noise(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    std::uint64_t state = seed * 0x9e3779b97f4a7c15u + a * 0xbf58476d1ce4e5b9u + b * 0x94d049bb133111ebu;
    double sum = 0;
    for (int i = 0; i < 3; ++i) {  // splitmix64
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        sum += static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    return (sum - 1.5) * 2;
}

void make_mean_one(std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    for (double& value : values) value *= static_cast<double>(values.size()) / sum;
}

/// Returns the mean cost of a piece of the sorted databases. `begin` and `end` are from 0 to 1.
double mean_cost(const std::array<double, 16>& cost_by_length, double begin, double end) {
    const auto until = [&](double at) {
        double sum = 0;
        for (std::size_t i = 0; i < cost_by_length.size(); ++i)
            sum += cost_by_length[i] * std::clamp(at * 16 - static_cast<double>(i), 0.0, 1.0);
        return sum;
    };
    return (until(end) - until(begin)) / ((end - begin) * 16);
}

/// Returns the work of each rank's share over the mean.
std::vector<double> share_costs(const EngineCosts& engine, const Cluster& cluster, const Search& search,
                                const Plan& plan, std::size_t ranks) {
    constexpr double kPiecesPerPart = 16;
    std::vector<double> costs(ranks);
    if (plan.dealing == Dealing::kContiguous) {
        for (std::size_t r = 0; r < ranks; ++r) {
            const double n = static_cast<double>(ranks);
            costs[r] = mean_cost(engine.cost_by_length, static_cast<double>(r) / n, static_cast<double>(r + 1) / n);
        }
    } else {
        struct Piece {
            double residues, cost;
        };
        std::vector<Piece> pieces;
        const double least = search.residues / static_cast<double>(ranks) / kPiecesPerPart;
        for (double at = 0; at < search.residues;) {
            // A piece ends with the tile in which it is large enough.
            const auto by_length = static_cast<std::size_t>(16 * at / search.residues);
            const double over = (noise(plan.seed, 1, pieces.size()) / 6 + 0.5) * cluster.tile_sequences *
                                kSequenceResidues[std::min(by_length, kSequenceResidues.size() - 1)];
            const double end = std::min(at + least + over, search.residues);
            const double cost = mean_cost(engine.cost_by_length, at / search.residues, end / search.residues);
            pieces.push_back({end - at, (end - at) * cost});
            at = end;
        }
        if (plan.dealing == Dealing::kLargestFirst)
            std::ranges::stable_sort(pieces, std::ranges::greater(), &Piece::residues);
        using Load = std::pair<double, std::size_t>;
        std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
        for (std::size_t r = 0; r < ranks; ++r) loads.emplace(0, r);
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            if (plan.dealing == Dealing::kInTurns) {
                const std::size_t turn = p % ranks;
                costs[p / ranks % 2 == 0 ? turn : ranks - 1 - turn] += pieces[p].cost;
                continue;
            }
            const auto [residues, rank] = loads.top();
            loads.pop();
            loads.emplace(residues + pieces[p].residues, rank);
            costs[rank] += pieces[p].cost;
        }
    }
    for (std::size_t r = 0; r < ranks; ++r) costs[r] *= 1 + engine.share_spread * noise(plan.seed, 2, r);
    make_mean_one(costs);
    return costs;
}

/// The scan of one batch on all ranks.
class BatchScan {
   public:
    /// Data for the time that rank `thief` needs for a unit of a neighbour's share. `part` is the
    /// unit's part of the share, and `now` is when the work begins.
    struct Theft {
        std::size_t thief, victim, unit;
        double part, now;
    };
    using TheftSeconds = std::function<double(const Theft&)>;

    /// Simulates the scan. Rank r begins at ends[r] and needs seconds[r] for its share. Sets
    /// ends[r] to the time at which it is done, including the units that it has stolen.
    void run(std::vector<double>& ends, const std::vector<double>& seconds, const TheftSeconds* theft,
             std::size_t group) {
        if (theft == nullptr) {
            for (std::size_t r = 0; r < ends.size(); ++r) ends[r] += seconds[r];
            return;
        }
        ranks_.resize(ends.size());
        own_.resize(ends.size());
        for (std::size_t r = 0; r < ends.size(); ++r) {
            ranks_[r] = {ends[r], ends[r] + seconds[r], 0};
            own_[r] = {ranks_[r].done, r};
        }
        std::ranges::sort(own_);
        for (std::size_t taken = 0; taken < own_.size() || !done_.empty();) {
            const bool is_own = done_.empty() || (taken < own_.size() && own_[taken] < done_.top());
            const auto [now, r] = is_own ? own_[taken++] : done_.top();
            if (!is_own) done_.pop();
            if (now != ranks_[r].done) continue;  // another rank has helped it since
            std::size_t victim = r;
            double most = 0;
            for (std::size_t bit = 1; bit < ends.size(); bit *= 2) {
                const std::size_t v = r ^ bit;
                if (v >= ends.size() || v / group != r / group) continue;
                const double left = left_at(v, now, seconds[v]);
                if (left > most) {
                    most = left;
                    victim = v;
                }
            }
            if (victim == r) {
                ends[r] = now;
                continue;
            }
            const std::size_t next = ranks_[victim].next++;
            const double unit = kUnits[next];
            ranks_[victim].done -= unit * seconds[victim];
            done_.emplace(ranks_[victim].done, victim);
            ranks_[r].done = now + (*theft)({r, victim, next, unit, now});
            done_.emplace(ranks_[r].done, r);
        }
    }

   private:
    struct Rank {
        double unit_end, done;  // end of the current unit; end of all its work as far as is known
        std::size_t next;       // first unit that no rank has taken
    };
    /// Returns the seconds of the units that no rank has taken.
    double left_at(std::size_t v, double now, double seconds) {
        Rank& rank = ranks_[v];
        while (rank.next < kUnits.size() && rank.unit_end <= now) rank.unit_end += kUnits[rank.next++] * seconds;
        return kLeftFrom[rank.next] * seconds;
    }

    std::vector<Rank> ranks_;
    using Event = std::pair<double, std::size_t>;                          // when a rank is done, and the rank
    std::vector<Event> own_;                                               // the ranks' own shares, if no rank steals
    std::priority_queue<Event, std::vector<Event>, std::greater<>> done_;  // changes since
};

/// The times at which a batch reached each stage.
struct Stages {
    double scanned = 0, merged = 0, finished = 0, reported = 0;
};

/// Sums over the batches so far. They are means over ranks, or delays of all ranks.
struct Sums {
    double link = 0, small_shares = 0, merging = 0, finishing = 0, reporting = 0;
};

/// The costs of every batch, before chance and waiting.
struct BatchCosts {
    bool has_gpus = false;
    double ranks_per_node = 1, ranks = 1, batches = 1;
    double share_bytes = 0;
    double scan_seconds = 0;                       // of a share
    double overhead_seconds = 0;                   // of a GPU, in addition to scanning
    double read_seconds = 0;                       // to read a share from the file system
    double link_seconds = 0;                       // for the part of a share that does not stay where it is needed
    double merge_seconds = 0;                      // of the whole tree
    double finish_seconds = 0;                     // with all threads of a rank
    double reads = 0, wait_for_reads_seconds = 0;  // random reads while the batch is finished
    double report_seconds = 0;                     // of rank 0
    double report_pool_seconds = 0;                // time to make its text with all threads of rank 0
};

BatchCosts batch_costs(const EngineCosts& engine, const Cluster& cluster, const Search& search, const Plan& plan) {
    BatchCosts costs;
    costs.has_gpus = cluster.gpus > 0;
    costs.ranks_per_node = costs.has_gpus ? cluster.gpus : 1;
    costs.ranks = cluster.nodes * costs.ranks_per_node;
    const double threads = cluster.threads / costs.ranks_per_node;
    const double most_queries =
        std::max(1.0, std::min(engine.batch_queries, std::floor(engine.batch_residues / engine.query_residues)));
    costs.batches = std::ceil(search.queries / most_queries);
    const double queries = search.queries / costs.batches;
    const double hits = queries * (engine.hits + engine.hits_per_residue * search.residues);

    // The scan of a share.
    const double cells = queries * engine.query_residues * search.residues / costs.ranks;
    const double cell_seconds =
        cells / (costs.has_gpus ? engine.gpu_cells_per_second : engine.cpu_thread_cells_per_second * threads);
    const double hit_seconds = hits / costs.ranks * engine.scan_seconds_per_hit / threads;
    costs.scan_seconds = costs.has_gpus ? std::max(cell_seconds, hit_seconds) : cell_seconds + hit_seconds;
    costs.overhead_seconds = costs.has_gpus ? engine.gpu_batch_seconds : 0;
    costs.share_bytes = search.residues * cluster.residue_bytes / costs.ranks;
    const double node_bytes = costs.share_bytes * costs.ranks_per_node;
    const double on_gpu = costs.has_gpus ? std::min(1.0, cluster.gpu_bytes / costs.share_bytes) : 0;
    const double on_host = std::min(1.0, cluster.host_bytes / node_bytes);
    costs.read_seconds = costs.share_bytes * costs.ranks_per_node /
                         std::min(cluster.file_system_bytes / cluster.nodes, cluster.node_file_bytes);
    costs.link_seconds = std::max(costs.has_gpus ? (1 - on_gpu) * costs.share_bytes / cluster.link_bytes : 0,
                                  std::max(0.0, 1 - on_gpu - on_host) * costs.read_seconds);

    // The stages after the scan.
    for (double merged = 1; merged < costs.ranks; merged *= 2) {
        const double arriving = hits * std::min(merged, costs.ranks - merged) / costs.ranks;
        costs.merge_seconds +=
            cluster.network_seconds +
            arriving * (engine.partial_bytes_per_hit / cluster.network_bytes + engine.merge_seconds_per_hit);
    }
    const double kept = std::min(node_bytes, cluster.host_bytes) / (node_bytes * cluster.nodes);
    costs.reads = hits * engine.reads_per_hit * (1 - kept);
    costs.wait_for_reads_seconds = costs.reads * cluster.file_read_seconds / threads;
    const bool owners_format =
        plan.formatting == Formatting::kOwners || (plan.formatting == Formatting::kUsual && engine.owners_format);
    const double format_seconds = hits * engine.format_seconds_per_hit;  // with one thread
    costs.finish_seconds = (hits * engine.finish_seconds_per_hit + (owners_format ? format_seconds : 0)) / threads;
    const double sent_bytes = hits * (owners_format ? engine.report_bytes_per_hit : engine.result_bytes_per_hit);
    costs.report_seconds =
        std::max({owners_format ? 0 : format_seconds, hits * engine.report_bytes_per_hit / cluster.write_bytes,
                  costs.ranks == 1 || !plan.owners_finish ? 0 : sent_bytes / cluster.network_bytes});
    costs.report_pool_seconds = owners_format ? 0 : format_seconds / threads;
    return costs;
}

}  // namespace

std::span<const EngineCosts> measured_engines() {
    static const std::array<EngineCosts, 3> engines = [] {
        EngineCosts sw;
        sw.name = "sw";
        sw.gpu_cells_per_second = 5.96e12;      // measured: h200, scoring of twenty queries
        sw.cpu_thread_cells_per_second = 64e9;  // measured: cpu
        sw.gpu_batch_seconds = 0.05;            // measured: h200, (1.16 s - 2.2e12 cells) / 16 batches, 20,000 proteins
        sw.batch_queries = 64;                  // engines/sw/sw_engine.cpp
        sw.batch_residues = 16 << 10;           // engines/sw/sw_engine.cpp
        sw.query_residues = 361.6;              // measured: Swiss-Prot's mean
        sw.hits = 500;                          // --max-hits, and as many in all shares together
        sw.partial_bytes_per_hit = 32;          // measured: cpu, a part of 50,000 hits
        sw.merge_seconds_per_hit = 55e-9;       // measured: cpu, search merge of 16 parts against one
        sw.finish_seconds_per_hit = 109e-6;     // measured: cpu, 50,000 alignments, queries of 476 residues
        sw.reads_per_hit = 2;                   // assumed: its residues, its header
        sw.format_seconds_per_hit = 6e-6;       // measured: cpu, --outfmt 6, with 0.7 kilocells of alignment
        sw.result_bytes_per_hit = 600;          // assumed: header, alignment and aligned residues
        sw.report_bytes_per_hit = 90;           // measured: cpu, --outfmt 6
        sw.share_spread = 0.02;                 // assumed
        sw.batch_spread = 0.02;                 // assumed
        // sw.cost_by_length stays 1. The 16 pieces of the 20,000 proteins differed in padding only,
        // of which large databases have none.
        EngineCosts hmm;
        hmm.name = "hmm";
        hmm.owners_format = true;
        hmm.gpu_cells_per_second = 12.9e12;         // measured: h200, 118 profiles, 4.0 G residues
        hmm.cpu_thread_cells_per_second = 77e9;     // measured: cpu, the filters
        hmm.gpu_batch_seconds = 0.05;               // assumed: as sw
        hmm.batch_queries = 32;                     // engines/hmm/hmm_engine.cpp
        hmm.batch_residues = 8 << 10;               // engines/hmm/hmm_engine.cpp
        hmm.query_residues = 180;                   // assumed: Pfam's mean; 148 in the 43 profiles measured
        hmm.hits_per_residue = 1 / 350.0 / 20'000;  // assumed: each protein hits one of 20,000 profiles
        hmm.scan_seconds_per_hit = 0.38e-3;         // measured: cpu, Forward and on
        hmm.partial_bytes_per_hit = 1005;           // measured: cpu, with the alignments of 1.4 domains
        hmm.merge_seconds_per_hit = 2e-6;           // assumed: to read and write a kilobyte
        hmm.finish_seconds_per_hit = 10e-6;         // measured: cpu, search merge without the report
        hmm.reads_per_hit = 1;                      // assumed: its header
        hmm.format_seconds_per_hit = 37e-6;         // measured: cpu, report with alignments, two tables
        hmm.result_bytes_per_hit = 1100;            // assumed: a partial's, and the header
        hmm.report_bytes_per_hit = 2240;            // measured: cpu, report with alignments, two tables
        hmm.share_spread = 0.03;                    // assumed
        hmm.batch_spread = 0.05;                    // assumed; 16 shares of the 20,000 proteins differed by 7 %
        // Measured: cpu, the 20,000 proteins.
        hmm.cost_by_length = {.73, .98, .99, 1.25, 1.13, 1.07, .83, .89, .93, .84, .87, .95, 1.02, 1.03, 1.16, 1.31};
        EngineCosts blastp;
        blastp.name = "blastp";
        blastp.gpu_cells_per_second = 14e12;        // measured: h200, 32 queries, 4.0 G residues, whole program
        blastp.cpu_thread_cells_per_second = 63e9;  // measured: cpu, without what search merge does
        blastp.gpu_batch_seconds = 0.05;            // assumed: as sw
        blastp.batch_queries = 128;                 // engines/blastp/blastp_gpu_screen.cpp
        blastp.batch_residues = 48 << 10;           // engines/blastp/blastp_gpu_screen.cpp
        blastp.query_residues = 361.6;              // measured: Swiss-Prot's mean
        blastp.hits = 500;                          // --max_target_seqs
        blastp.partial_bytes_per_hit = 440;         // measured: cpu, four pairs in a part for one that is reported
        blastp.merge_seconds_per_hit = 220e-9;      // assumed: four times a hit of sw
        blastp.finish_seconds_per_hit = 390e-6;     // measured: cpu, search merge
        blastp.reads_per_hit = 2;                   // assumed: its residues, its header
        blastp.format_seconds_per_hit = 5.7e-6;     // measured: cpu, --outfmt 6
        blastp.result_bytes_per_hit = 800;          // assumed
        blastp.report_bytes_per_hit = 90;           // measured: cpu, --outfmt 6
        blastp.share_spread = 0.03;                 // assumed
        blastp.batch_spread = 0.05;                 // assumed; 16 shares of the 20,000 proteins differed by 15 %
        // Measured: cpu, the 20,000 proteins.
        blastp.cost_by_length = {.39, .48, .54, .63, .69, .71, .77, .85, .85, .98, .94, .99, 1.35, 1.6, 1.88, 2.36};
        return std::array{sw, hmm, blastp};
    }();
    return engines;
}

Simulated simulate(const EngineCosts& engine, const Cluster& cluster, const Search& search, const Plan& plan) {
    const BatchCosts costs = batch_costs(engine, cluster, search, plan);
    const double rank_count = costs.ranks;
    const auto ranks = static_cast<std::size_t>(costs.ranks), batches = static_cast<std::size_t>(costs.batches);
    Simulated result;
    result.ranks = rank_count;
    result.batches = costs.batches;
    result.ideal =
        costs.batches *
        (costs.scan_seconds + (costs.has_gpus ? 0 : (costs.finish_seconds + costs.report_pool_seconds) / rank_count));
    result.start = cluster.start_seconds + cluster.open_seconds_per_residue * search.residues;

    const double asked_window = plan.window > 0 ? plan.window : std::clamp(2 * rank_count, 4.0, 32.0);
    const auto window = static_cast<std::size_t>(asked_window);
    const std::size_t simulated = std::min(
        batches, std::max({std::size_t{256}, 4 * window, static_cast<std::size_t>(plan.rank_batches / rank_count)}));
    const std::size_t half = simulated / 2;

    const std::vector<double> share = share_costs(engine, cluster, search, plan, ranks);
    std::vector<double> ends(ranks, result.start), seconds(ranks), finisher_free(ranks, 0.0);
    std::vector<Stages> stages(simulated);
    // A unit that is stolen from another node's share comes from the file system. The thief's node
    // keeps it if memory allows.
    const auto neighbours = static_cast<std::size_t>(std::bit_width(ranks - 1));
    std::vector<std::uint8_t> kept_units(ranks * neighbours);  // a bit for each unit
    std::vector<double> kept_bytes(static_cast<std::size_t>(cluster.nodes), costs.share_bytes * costs.ranks_per_node);
    double theft_files_free =
        result.start + costs.share_bytes * rank_count / cluster.file_system_bytes;  // after the first read
    const BatchScan::TheftSeconds theft_seconds = [&](const BatchScan::Theft& theft) {
        const auto node = static_cast<std::size_t>(costs.ranks_per_node);
        const double unit_bytes = theft.part * costs.share_bytes;
        double read = costs.has_gpus ? unit_bytes / cluster.link_bytes : 0;
        const auto neighbour = static_cast<std::size_t>(std::countr_zero(theft.thief ^ theft.victim));
        std::uint8_t& units = kept_units[theft.thief * neighbours + neighbour];
        const auto bit = static_cast<std::uint8_t>(1 << theft.unit);
        if (theft.thief / node != theft.victim / node && (units & bit) == 0) {
            theft_files_free = std::max(theft_files_free, theft.now) + unit_bytes / cluster.file_system_bytes;
            read = std::max(unit_bytes / cluster.node_file_bytes, theft_files_free - theft.now);
            double& held_bytes = kept_bytes[theft.thief / node];
            if (held_bytes + unit_bytes <= cluster.host_bytes) {
                held_bytes += unit_bytes;
                units |= bit;
            }
        }
        return std::max(theft.part * seconds[theft.victim], read) + 4 * cluster.network_seconds;
    };
    BatchScan scan;
    Sums sums, sums_of_half;
    double files_free = 0, report_free = 0, first_read = 0;
    for (std::size_t b = 0; b < simulated; ++b) {
        Stages& batch = stages[b];
        if (b >= window) {
            const Stages& oldest = stages[b - window];
            // The search is held up by what the slowest rank waits for. Further waiting of the
            // other ranks is imbalance.
            const double slowest = *std::ranges::max_element(ends);
            sums.merging += std::max(0.0, oldest.merged - std::max(slowest, oldest.scanned));
            sums.finishing += std::max(0.0, oldest.finished - std::max(slowest, oldest.merged));
            sums.reporting += std::max(0.0, oldest.reported - std::max(slowest, oldest.finished));
            for (double& end : ends) end = std::max(end, oldest.reported);
        }
        for (std::size_t r = 0; r < ranks; ++r)
            seconds[r] = share[r] * (1 + engine.batch_spread * noise(plan.seed, 3 + b, r));
        make_mean_one(seconds);
        for (std::size_t r = 0; r < ranks; ++r) {
            const double work = seconds[r] * costs.scan_seconds;
            seconds[r] = std::max(work, b == 0 ? costs.read_seconds : costs.link_seconds);
            (b == 0 ? first_read : sums.link) += (seconds[r] - work) / rank_count;
            ends[r] += costs.overhead_seconds;
        }
        sums.small_shares += costs.overhead_seconds;
        const bool within_node =
            plan.stealing == Stealing::kNode || (plan.stealing == Stealing::kUsual && ranks > kMostFarHelpers);
        scan.run(ends, seconds, plan.stealing != Stealing::kNone && ranks > 1 ? &theft_seconds : nullptr,
                 within_node ? static_cast<std::size_t>(costs.ranks_per_node) : ranks);
        batch.scanned = *std::ranges::max_element(ends);
        batch.merged = batch.scanned + costs.merge_seconds;
        const std::size_t finisher = plan.owners_finish ? b % ranks : 0;
        const double begun = std::max(batch.merged, finisher_free[finisher]);
        files_free = std::max(files_free, begun) + costs.reads / cluster.file_reads;
        batch.finished = std::max(begun + costs.finish_seconds + costs.wait_for_reads_seconds, files_free);
        finisher_free[finisher] = batch.finished;
        report_free = std::max(report_free, batch.finished) + costs.report_seconds;
        batch.reported = report_free;
        if (!costs.has_gpus) {  // the threads that scan do this work, too
            ends[finisher] += costs.finish_seconds + costs.wait_for_reads_seconds;
            ends[0] += costs.report_pool_seconds;
            sums.finishing += costs.wait_for_reads_seconds / rank_count;
        }
        if (b + 1 == half) sums_of_half = sums;
    }
    // The drain is that of the last batch and of a rank's own finishing.
    const Stages& last = stages[simulated - 1];
    result.seconds = std::max(last.reported, *std::ranges::max_element(ends));
    for (const double end : ends) result.drain += (result.seconds - std::max(end, last.scanned)) / rank_count;

    if (batches > simulated) {
        const double more = static_cast<double>(batches - simulated) / static_cast<double>(simulated - half);
        const Stages& middle = stages[half - 1];
        const auto extend = [&](double Sums::*sum) { sums.*sum += more * (sums.*sum - sums_of_half.*sum); };
        const double scanning = last.scanned - middle.scanned;
        const double finishing = last.finished - middle.finished, reporting = last.reported - middle.reported;
        for (const auto sum : {&Sums::link, &Sums::small_shares, &Sums::merging, &Sums::finishing, &Sums::reporting})
            extend(sum);
        // Add the backlog that has not filled the window yet.
        sums.finishing += more * std::max(0.0, finishing - scanning);
        sums.reporting += more * std::max(0.0, reporting - std::max(finishing, scanning));
        result.seconds += more * std::max({scanning, finishing, reporting});
    }
    result.first_read = first_read;
    result.link = sums.link;
    result.small_shares = sums.small_shares;
    result.merging = sums.merging;
    result.finishing = sums.finishing;
    result.reporting = sums.reporting;
    result.imbalance = result.seconds - result.ideal - result.start - result.first_read - result.link -
                       result.small_shares - result.merging - result.finishing - result.reporting - result.drain;
    return result;
}

}  // namespace warpseq
