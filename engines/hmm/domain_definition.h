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
    bool several_domains;  // whether it has to be resolved by clustering sampled tracebacks
};

/// A finder of regions. A region is a stretch of residues in which the occupancy stays above 0.10
/// and reaches 0.25 somewhere. The finder takes one residue after another and keeps no data of
/// single residues.
class RegionFinder {
   public:
    /// Adds the next residue i, from 1 on. `begun` is the expected number of domains that begin at
    /// i or before, and `ended` the expected number of those that end at i or before. `occupancy`
    /// is the probability that the core model emits i.
    void add(float begun, float ended, float occupancy);
    std::vector<Region> take_regions() { return std::move(regions_); }
    /// Returns the expected number of domains in all residues so far.
    float expected_domains() const { return begun_; }

   private:
    std::vector<Region> regions_;
    std::int64_t residue_ = 0;
    float begun_ = 0, ended_ = 0;  // of residue_
    std::int64_t from_ = 0;        // begin of the region that may be open; 0: none
    bool triggered_ = false;
    // The next three belong to that region: the expected domains that ended before it, whether
    // enough have ended since, and the expected domains begun before the first residue at which
    // enough had ended.
    float ended_before_ = 0;
    bool has_ended_ = false;
    float begun_before_end_ = 0;
};

struct TargetRegions {
    std::vector<Region> regions;
    float expected_domains = 0;
};

/// Finds the regions of a target from Forward and Backward. Returns nothing if scale factors
/// overflow, as in repetitive targets. Such a target has no domains.
std::optional<TargetRegions> find_regions(const ForwardTask& task, const ForwardBackward& kernels,
                                          ForwardBackward::Workspace& workspace);

struct Envelope {
    std::int64_t from, to;
    bool operator==(const Envelope&) const = default;
};

/// Clusters a region's sampled domains into envelopes. Returns the envelopes in the order of their
/// first residue, with positions counted as in `domains`. Clustering is by single linkage. Two
/// sampled domains are linked if they overlap by 80 % of the shorter one on target and model, and
/// if they begin or end within 4 diagonals of each other. A cluster that appears in 25 % of the
/// traces becomes an envelope. Its first residue is the first one at which a number of members
/// begin that is at least 2 % of the cluster's traces. Its last residue is the last one at which as
/// many end. If two envelopes overlap by 80 %, only the more probable one is kept. Returns none
/// soon after a stop is requested.
std::vector<Envelope> cluster_domains(std::span<const SampledDomain> domains, int samples,
                                      const std::stop_token& stop = {});

}  // namespace warpseq
