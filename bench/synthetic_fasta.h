// Makes protein FASTA of any size that is like Swiss-Prot for an aligner. It has Swiss-Prot's amino
// acid composition and lengths, and homologs of given sequences with a known identity. The same
// options give the same bytes with any number of threads.
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

/// Median and mean of the lengths, which are log-normal. They are Swiss-Prot's of 2014
/// (metastudent-data's 516,371 sequences).
inline constexpr double kMedianResidues = 298;
inline constexpr double kMeanResidues = 361.6;

/// A sequence that homologs are made from.
struct SyntheticQuery {
    std::string name;
    std::vector<ResidueCode> residues;
};

/// The options of write_synthetic_fasta().
struct SyntheticOptions {
    std::uint64_t residues = 0;  // exact number of residues in all sequences, including homologs
    std::uint64_t seed = 1;
    /// The length of the longest random sequence, by default that of Swiss-Prot's longest. Homologs
    /// are as long as their queries.
    std::uint64_t longest_residues = 35'213;
    std::vector<SyntheticQuery> queries;  // sequences of which homologs are made
    std::vector<double> identities;       // from 0 to 1; each query gets `homologs` sequences of each identity
    std::uint64_t homologs = 1;
};

struct SyntheticCounts {
    std::uint64_t sequences = 0;
    std::uint64_t residues = 0;
    std::uint64_t homologs = 0;
};

/// Makes the text and hands it to `sink` piece by piece, in order. Calls come from changing
/// threads, never two at once. An error of `sink` stops the work and is returned. A homolog differs
/// from its query by substitutions at random places. Exactly round(identity * length) of its
/// residues are the query's. The header of a random sequence is "SB_N", where B is the piece and N
/// the number in it. The header of the N-th homolog is "HN homolog_of=QUERY identity=0.70
/// matches=210/300". Homologs are spread evenly over the file.
Result<SyntheticCounts> write_synthetic_fasta(const SyntheticOptions& options, const ThreadPool& pool,
                                              const std::function<Status(std::string_view)>& sink);

}  // namespace warpseq
