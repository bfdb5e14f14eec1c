// Where a target's domains lie: posterior decoding of the begin and end states, regions, and
// envelopes by clustering sampled tracebacks. The heuristics and their constants are HMMER 3's
// (Eddy 2011 and its source), in its order of operations.
//
// Residues count from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "kernels/profile/forward_backward.h"

namespace warpseq {

struct Region {
    std::int64_t from, to;
    bool several_domains;  // has to be resolved by clustering
};

/// Regions in which the occupancy reaches 0.25, as far as it stays above 0.10 around them. Nothing
/// is kept of single residues.
class RegionFinder {
   public:
    /// The next residue i, from 1 on: the expected number of domains begun before or at i and ended
    /// at or before i, and the probability that i is emitted by the core model.
    void add(float begun, float ended, float occupancy);
    std::vector<Region> take_regions() { return std::move(regions_); }
    /// Of all residues so far.
    float expected_domains() const { return begun_; }

   private:
    std::vector<Region> regions_;
    std::int64_t residue_ = 0;
    float begun_ = 0, ended_ = 0;  // of residue_
    std::int64_t from_ = 0;        // of the region that may be open; 0: none
    bool triggered_ = false;
    // Of that region: ended before it, whether enough have ended since, and begun before the
    // residue from which that is so.
    float ended_before_ = 0;
    bool has_ended_ = false;
    float begun_before_end_ = 0;
};

struct TargetRegions {
    std::vector<Region> regions;
    float expected_domains = 0;
};

/// From Forward and Backward of one target. Nothing where scale factors overflow: such a target (a
/// repetitive one) has no domains.
std::optional<TargetRegions> find_regions(const ForwardTask& task, const ForwardBackward& kernels,
                                          ForwardBackward::Workspace& workspace);

struct Envelope {
    std::int64_t from, to;
    bool operator==(const Envelope&) const = default;
};

/// Envelopes of a region from its sampled domains, in order of their first residue; positions are
/// the sampled domains' own. Single linkage: two sampled domains belong together when they overlap
/// by 80 % of the shorter on target and model and begin or end within 4 diagonals. A cluster seen
/// in 25 % of the traces becomes an envelope, from the first residue that at least 2 % of its
/// members begin at to the last that as many end at; of two envelopes that overlap by 80 % the more
/// probable one stays. None soon after a stop is requested.
std::vector<Envelope> cluster_domains(std::span<const SampledDomain> domains, int samples,
                                      const std::stop_token& stop = {});

}  // namespace warpseq
