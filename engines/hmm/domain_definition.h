// Domain definition: finds where a target's domains lie. It uses posterior decoding of the begin
// and end states, regions, and envelopes from clustered sampled tracebacks. The heuristics, their
// constants and the order of operations are HMMER 3's (Eddy 2011 and its source).
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

/// Finder of regions. A region is where the occupancy reaches 0.25, as far as it stays above 0.10
/// around that. Nothing is kept of single residues.
class RegionFinder {
   public:
    /// Adds the next residue i, from 1 on. `begun` is the expected number of domains begun before
    /// or at i, and `ended` that of domains ended at or before i. `occupancy` is the probability
    /// that the core model emits i.
    void add(float begun, float ended, float occupancy);
    std::vector<Region> take_regions() { return std::move(regions_); }
    /// Returns the expected number of domains in all residues so far.
    float expected_domains() const { return begun_; }

   private:
    std::vector<Region> regions_;
    std::int64_t residue_ = 0;
    float begun_ = 0, ended_ = 0;  // of residue_
    std::int64_t from_ = 0;        // of the region that may be open; 0: none
    bool triggered_ = false;
    // The next three are for that region: the domains ended before it, whether enough have ended
    // since, and the domains begun before the residue from which that is so.
    float ended_before_ = 0;
    bool has_ended_ = false;
    float begun_before_end_ = 0;
};

struct TargetRegions {
    std::vector<Region> regions;
    float expected_domains = 0;
};

/// Finds the regions of a target from Forward and Backward. Returns nothing if scale factors
/// overflow: such a target (a repetitive one) has no domains.
std::optional<TargetRegions> find_regions(const ForwardTask& task, const ForwardBackward& kernels,
                                          ForwardBackward::Workspace& workspace);

struct Envelope {
    std::int64_t from, to;
    bool operator==(const Envelope&) const = default;
};

/// Clusters a region's sampled domains into envelopes, in the order of their first residue.
/// Positions are the sampled domains' own. Clusters are of single linkage: two sampled domains
/// belong together if they overlap by 80 % of the shorter on target and model and begin or end
/// within 4 diagonals. A cluster seen in 25 % of the traces becomes an envelope. The envelope goes
/// from the first residue that at least 2 % of its members begin at to the last residue that as
/// many end at. If two envelopes overlap by 80 %, the more probable one stays. Returns none soon
/// after a stop is requested.
std::vector<Envelope> cluster_domains(std::span<const SampledDomain> domains, int samples,
                                      const std::stop_token& stop = {});

}  // namespace warpseq
