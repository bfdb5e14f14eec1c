// Simulates how long a search by many machines would take. The model has batches of queries,
// shares, stealing, the tree of merges, finishing and the report. It has times for chunks, link,
// network and file system. The times come from measurements of one machine and from assumptions.
// Each number below says which of the two it is. "h200" is the machine of docs/performance.md.
// "cpu" is two virtual cores of an AMD EPYC (AVX-512), with 20,000 proteins and one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace warpseq {

/// The costs of an engine. Cells are residues or nodes of queries times residues of the databases.
struct EngineCosts {
    std::string_view name;
    double gpu_cells_per_second = 0;               // of one GPU
    double cpu_thread_cells_per_second = 0;        // of one thread
    double gpu_batch_seconds = 0;                  // of a batch on a GPU, besides its cells; the same for any share
    double batch_queries = 0, batch_residues = 0;  // limits of a batch
    double query_residues = 0;                     // mean length of a query, in residues or nodes
    double hits = 0;                               // of a query
    double hits_per_residue = 0;                   // further hits of a query, for each residue of the databases
    double scan_seconds_per_hit = 0;               // of one thread of a host, while a share is scanned
    double partial_bytes_per_hit = 0;              // sent from rank to rank
    double merge_seconds_per_hit = 0;              // for the hits that arrive; one thread
    double finish_seconds_per_hit = 0;             // one thread
    double reads_per_hit = 0;                      // random reads of databases while a batch is finished
    double format_seconds_per_hit = 0;             // one thread
    double result_bytes_per_hit = 0;               // sent from the rank that finishes to rank 0
    double report_bytes_per_hit = 0;
    bool owners_format = false;  // whether the ranks that finish make the text in search-mpi
    double share_spread = 0;     // standard deviation of a share's cost over the mean, the same for all batches
    double batch_spread = 0;     // the same for a single batch
    /// The cost of a residue over the mean cost, by the length of its sequence. The elements are 16
    /// equal pieces of a database sorted by length.
    std::array<double, 16> cost_by_length = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
};

/// Returns the engines sw, hmm and blastp.
std::span<const EngineCosts> measured_engines();

/// The machines.
struct Cluster {
    double nodes = 1;
    double gpus = 4;                    // assumed; GPUs of a node, with a rank each. If 0, one rank has all threads
    double threads = 64;                // assumed; of a node. 16 for each GPU, as the h200 has
    double gpu_bytes = 120e9;           // assumed; room for a share in a GPU's 150 GB
    double host_bytes = 800e9;          // assumed; room for pages of databases in 1 TB
    double link_bytes = 55e9;           // measured: h200, from registered memory; bytes a second of each GPU
    double file_system_bytes = 20e9;    // assumed; bytes a second for all nodes
    double node_file_bytes = 2e9;       // assumed; bytes a second for one node
    double write_bytes = 2e9;           // assumed; bytes a second for rank 0
    double file_read_seconds = 0.5e-3;  // assumed; one random read
    double file_reads = 500e3;          // assumed; random reads a second for all nodes
    double network_bytes = 12.5e9;      // assumed; of one node, 100 Gb/s. 3.125e9 is 25 Gb/s
    double network_seconds = 20e-6;     // assumed; for a message, over InfiniBand or Ethernet with MPI
    double start_seconds = 3.2;         // measured: 1.2 to open four GPUs. Assumed: 2 until all ranks run
    /// Seconds for each residue to open databases and deal shares, on every rank. Measured: cpu,
    /// 200 million residues.
    double open_seconds_per_residue = 3.5e-11;
    double residue_bytes = 0.673;  // from docs/format.md: packed, without headers
    double tile_sequences = 32;    // from docs/format.md: pieces of shares end with a tile
};

/// The way in which shares are dealt to the ranks.
enum class Dealing {
    /// Pieces in the order of length go to the ranks by turns, there and back, as dealt_share()
    /// does (engines/targets/share.h).
    kInTurns,
    kLargestFirst,  // the same pieces; the largest goes first, to the rank that has least
    kContiguous,    // each share is a consecutive part of the databases
};

/// The ranks from which a rank that is done with a batch takes units. They are among its neighbours
/// in a hypercube.
enum class Stealing {
    kNone,
    kNode,   // the neighbours on its node
    kUsual,  // all; with more than 256 ranks those on its node, as in search-mpi
    kAll,
};

/// The ranks that make the text of results.
enum class Formatting {
    kUsual,   // as in search-mpi (EngineCosts::owners_format)
    kOwners,  // the ranks that finish; rank 0 only writes
    kRank0,
};

/// The way in which the search is divided.
struct Plan {
    Dealing dealing = Dealing::kInTurns;
    Stealing stealing = Stealing::kUsual;
    bool owners_finish = true;  // whether the batches' owners finish by turns; if not, rank 0 does
    Formatting formatting = Formatting::kUsual;
    double window = 0;  // batches in flight; if 0, clamp(2 ranks, 4, 32)
    std::uint64_t seed = 1;
    /// The most batches times ranks that are simulated. At least 256 batches are, and at least four
    /// windows of them. The others are assumed to take as long as the second half of those.
    double rank_batches = 200'000;
};

/// The size of a search.
struct Search {
    double residues = 0;  // of the databases
    double queries = 0;
};

/// The result. Times are in seconds and are means over ranks. The parts add up to `seconds`,
/// because `imbalance` is what the other parts leave.
struct Simulated {
    double ranks = 0, batches = 0;
    double seconds = 0;
    double ideal = 0;         // the work itself, evenly on all ranks: scanning and, on CPUs, finishing
    double start = 0;         // to start, to open databases and to deal shares
    double first_read = 0;    // waiting for the file system in the first batch
    double link = 0;          // in later batches, waiting for bytes of shares that do not stay where they are needed
    double small_shares = 0;  // EngineCosts::gpu_batch_seconds of all batches
    double imbalance = 0;     // waiting for other ranks' scans, and the costs of stealing
    double merging = 0, finishing = 0, reporting = 0;  // waiting for each of these while the window is full
    double drain = 0;                                  // after the last scan
    double efficiency() const { return ideal / seconds; }
    bool operator==(const Simulated&) const = default;
};

/// Simulates a search. Equal arguments give equal results.
Simulated simulate(const EngineCosts& engine, const Cluster& cluster, const Search& search, const Plan& plan);

}  // namespace warpseq
