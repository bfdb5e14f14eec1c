// Makes protein FASTA of any size that looks like Swiss-Prot to an aligner: its amino acid
// composition, its lengths, and homologs of given sequences at a known identity. The same options
// give the same bytes with any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Lengths are log-normal. Median and mean are Swiss-Prot's of 2014 (metastudent-data's 516,371
/// sequences).
inline constexpr double kMedianResidues = 298;
inline constexpr double kMeanResidues = 361.6;

struct SyntheticQuery {
    std::string name;
    std::vector<ResidueCode> residues;
};

struct SyntheticOptions {
    std::uint64_t residues = 0;  // of all sequences together, homologs among them; exactly this many are made
    std::uint64_t seed = 1;
    /// Of a random sequence, as Swiss-Prot's longest; homologs are as long as their queries.
    std::uint64_t longest_residues = 35'213;
    std::vector<SyntheticQuery> queries;  // what homologs are planted of
    std::vector<double> identities;       // 0 to 1; every query gets `homologs` sequences of each
    std::uint64_t homologs = 1;
};

struct SyntheticCounts {
    std::uint64_t sequences = 0;
    std::uint64_t residues = 0;
    std::uint64_t homologs = 0;
};

/// Hands the text to `sink` piece by piece, in order, never two at once but from changing threads.
/// An error of `sink` stops the work and comes back. A homolog differs from its query by
/// substitutions at random places, so that exactly round(identity * length) residues are the
/// query's. Headers are "SB_N" (piece and number in it) for random sequences, and "HN
/// homolog_of=QUERY identity=0.70 matches=210/300" for the N-th homolog; homologs are spread evenly
/// over the file.
Result<SyntheticCounts> write_synthetic_fasta(const SyntheticOptions& options, const ThreadPool& pool,
                                              const std::function<Status(std::string_view)>& sink);

}  // namespace warpseq
