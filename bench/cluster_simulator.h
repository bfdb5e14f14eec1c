// What a search by many machines would take: batches of queries, shares, stealing, the tree of
// merges, finishing and the report, with the times of chunks, link, network and file system. A
// simulation: its times come from measurements of one machine and from assumptions, and each number
// says here which of both it is. "h200" is the machine of docs/performance.md, "cpu" two virtual
// cores of an AMD EPYC (AVX-512), 20,000 proteins, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace warpseq {

/// What an engine costs. Cells are residues or nodes of queries times residues of the databases.
struct EngineCosts {
    std::string_view name;
    double gpu_cells_per_second = 0;               // of one GPU
    double cpu_thread_cells_per_second = 0;        // of one thread
    double gpu_batch_seconds = 0;                  // a batch on a GPU, however small the share is
    double batch_queries = 0, batch_residues = 0;  // limits of a batch
    double query_residues = 0;                     // the mean; nodes of a profile
    double hits = 0;                               // of a query
    double hits_per_residue = 0;                   // and of a query for each residue of the databases
    double scan_seconds_per_hit = 0;               // of a host's thread, while a share is scanned
    double partial_bytes_per_hit = 0;              // from rank to rank
    double merge_seconds_per_hit = 0;              // of those that arrive; one thread
    double finish_seconds_per_hit = 0;             // one thread
    double reads_per_hit = 0;                      // random reads of databases while a batch is finished
    double format_seconds_per_hit = 0;             // one thread
    double result_bytes_per_hit = 0;               // from who finishes to rank 0
    double report_bytes_per_hit = 0;
    bool owners_format = false;  // whether search-mpi lets who finishes make the text
    double share_spread = 0;     // standard deviation of the cost of a share for all batches, over the mean
    double batch_spread = 0;     // and for one batch
    /// The cost of a residue by the length of its sequence, over the mean: a database sorted by
    /// length in 16 equal pieces.
    std::array<double, 16> cost_by_length = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
};

/// sw, hmm, blastp.
std::span<const EngineCosts> measured_engines();

struct Cluster {
    double nodes = 1;
    double gpus = 4;                    // assumed: GPUs of a node, a rank each; 0: one rank of all threads
    double threads = 64;                // assumed: of a node; 16 for a GPU, as the h200 has
    double gpu_bytes = 120e9;           // assumed: of a GPU's 150 GB, what a share may fill
    double host_bytes = 800e9;          // assumed: of 1 TB, what keeps pages of databases
    double link_bytes = 55e9;           // measured: h200, from registered memory, bytes a second of each GPU
    double file_system_bytes = 20e9;    // assumed: bytes a second for all nodes
    double node_file_bytes = 2e9;       // assumed: bytes a second for one node
    double write_bytes = 2e9;           // assumed: bytes a second for rank 0
    double file_read_seconds = 0.5e-3;  // assumed: one random read
    double file_reads = 500e3;          // assumed: random reads a second for all nodes
    double network_bytes = 12.5e9;      // assumed: 100 Gb/s, of one node; 3.125e9 is 25 Gb/s
    double network_seconds = 20e-6;     // assumed: for a message, InfiniBand or Ethernet with MPI
    double start_seconds = 3.2;         // measured: 1.2 to open four GPUs; assumed: 2 until all ranks run
    /// measured: cpu, 200 million residues, to open databases and to deal shares, on every rank
    double open_seconds_per_residue = 3.5e-11;
    double residue_bytes = 0.673;  // measured: docs/format.md, packed, without headers
    double tile_sequences = 32;    // docs/format.md: pieces of shares end where tiles do
};

/// What a rank's share is.
enum class Dealing {
    kInTurns,  // pieces in the order of length, to the ranks by turns, there and back; as dealt_share() (engines/targets/share.h)
    kLargestFirst,  // the same pieces, the largest first to who has least
    kContiguous,    // a consecutive part of the databases
};

/// Of whom a rank that is done with a batch takes units: its neighbours in a hypercube.
enum class Stealing {
    kNone,
    kNode,   // those on its node
    kUsual,  // all; of more than 256 ranks those on its node: as search-mpi
    kAll,
};

/// Who makes the text of results.
enum class Formatting {
    kUsual,   // as search-mpi: EngineCosts::owners_format
    kOwners,  // who finishes; rank 0 writes alone
    kRank0,
};

/// How the search is divided.
struct Plan {
    Dealing dealing = Dealing::kInTurns;
    Stealing stealing = Stealing::kUsual;
    bool owners_finish = true;  // the batches' owners by turns; false: rank 0
    Formatting formatting = Formatting::kUsual;
    double window = 0;  // batches in flight; 0: clamp(2 ranks, 4, 32)
    std::uint64_t seed = 1;
    /// At most so many batches times ranks are simulated (but 256 batches, and four windows of
    /// them, at least); the others take what the second half of those takes.
    double rank_batches = 200'000;
};

struct Search {
    double residues = 0;  // of the databases
    double queries = 0;
};

/// Seconds, means over ranks. They add up to `seconds` (imbalance is what the others leave).
struct Simulated {
    double ranks = 0, batches = 0;
    double seconds = 0;
    double ideal = 0;       // the work itself, evenly on all ranks: scanning, and on CPUs finishing
    double start = 0;       // to start, to open databases, to deal
    double first_read = 0;  // waiting for the file system with the first batch
    double link = 0;  // waiting for bytes of shares that do not stay where they are needed, with all later batches
    double small_shares = 0;                           // what a batch costs a GPU, however small the share
    double imbalance = 0;                              // waiting for other ranks' scans, and what stealing costs
    double merging = 0, finishing = 0, reporting = 0;  // waiting for these, while the window is full
    double drain = 0;                                  // after the last scan
    double efficiency() const { return ideal / seconds; }
    bool operator==(const Simulated&) const = default;
};

/// The same for the same arguments.
Simulated simulate(const EngineCosts& engine, const Cluster& cluster, const Search& search, const Plan& plan);

}  // namespace warpseq
