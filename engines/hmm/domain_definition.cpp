#include "engines/hmm/domain_definition.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <stop_token>
#include <tuple>

namespace warpseq {
namespace {

constexpr float kTriggerOccupancy = 0.25f;
constexpr float kEdgeOccupancy = 0.10f;
constexpr float kSeveralDomains = 0.20f;
constexpr float kOverlapShare = 0.8f;
constexpr int kDiagonals = 4;
constexpr float kClusterProbability = 0.25f;
constexpr float kEndpointShare = 0.02f;

/// Returns the overlap of two closed ranges as a share of the shorter; 0 if there is none. HMMER
/// counts the overlap on the model without its last node.
float overlap_share(int begin_a, int end_a, int begin_b, int end_b, int closed) {
    const int overlap = std::min(end_a, end_b) - std::max(begin_a, begin_b) + closed;
    if (overlap <= 0) return 0;
    return static_cast<float>(overlap) / static_cast<float>(std::min(end_a - begin_a + 1, end_b - begin_b + 1));
}

bool are_linked(const SampledDomain& a, const SampledDomain& b) {
    if (overlap_share(a.residue_begin, a.residue_end, b.residue_begin, b.residue_end, 1) < kOverlapShare) return false;
    if (overlap_share(a.node_begin, a.node_end, b.node_begin, b.node_end, 0) < kOverlapShare) return false;
    const int begin_diagonals = (a.residue_begin - a.node_begin) - (b.residue_begin - b.node_begin);
    const int end_diagonals = (a.residue_end - a.node_end) - (b.residue_end - b.node_end);
    return std::abs(begin_diagonals) <= kDiagonals || std::abs(end_diagonals) <= kDiagonals;
}

/// Makes single-linkage clusters. Returns the cluster number of each domain.
///
/// The order in which clusters are numbered decides ties later, so the walk is Easel's. It keeps a
/// stack of free domains, the first on top. Linked domains are taken from it from top to bottom,
/// and the top moves into each one's place.
///
/// Samples repeat each other, and a target may hold hundreds of repeats. So links are asked only
/// between different domains that can overlap. Of equal domains only the first to be extended can
/// find anything. Once a stop is requested, all other domains have number 0.
std::vector<int> link_domains(std::span<const SampledDomain> domains, const std::stop_token& stop) {
    constexpr std::size_t kTaken = std::numeric_limits<std::size_t>::max();
    struct Shape {
        SampledDomain domain;
        std::vector<std::size_t> members;
        std::size_t free_members = 0;
        bool extended = false;
    };
    // Shapes are in the order of their first residue, so that those that overlap a range stand
    // together.
    using Place = std::tuple<int, int, int, int>;
    const auto place_of = [](const SampledDomain& d) {
        return Place(d.residue_begin, d.residue_end, d.node_begin, d.node_end);
    };
    std::vector<std::size_t> by_place(domains.size());
    std::iota(by_place.begin(), by_place.end(), std::size_t{0});
    std::ranges::sort(by_place, {}, [&](std::size_t d) { return place_of(domains[d]); });
    std::vector<Shape> shapes;
    std::vector<std::size_t> shape_of(domains.size());
    int longest = 0;
    for (const std::size_t d : by_place) {
        if (shapes.empty() || place_of(shapes.back().domain) != place_of(domains[d]))
            shapes.push_back({domains[d], {}});
        shapes.back().members.push_back(d);
        ++shapes.back().free_members;
        shape_of[d] = shapes.size() - 1;
        longest = std::max(longest, domains[d].residue_end - domains[d].residue_begin);
    }

    std::vector<std::size_t> free(domains.size()),
        position(domains.size());  // position: of each domain in `free`, or kTaken
    for (std::size_t d = 0; d < free.size(); ++d) {
        position[d] = free.size() - 1 - d;
        free[position[d]] = d;
    }
    std::vector<int> cluster(domains.size());
    std::vector<std::size_t> pending, found;
    const auto take = [&](std::size_t at) {
        pending.push_back(free[at]);
        --shapes[shape_of[free[at]]].free_members;
        position[free.back()] = at;
        position[free[at]] = kTaken;
        free[at] = free.back();
        free.pop_back();
    };
    const auto first_from = [&shapes](int residue) {
        return std::ranges::lower_bound(shapes, residue, {}, [](const Shape& s) { return s.domain.residue_begin; });
    };
    int clusters = 0;
    while (!free.empty() && !stop.stop_requested()) {
        take(free.size() - 1);
        while (!pending.empty() && !stop.stop_requested()) {
            const std::size_t d = pending.back();
            pending.pop_back();
            cluster[d] = clusters;
            Shape& shape = shapes[shape_of[d]];
            if (shape.extended) continue;
            shape.extended = true;
            found.clear();
            const auto end = first_from(shape.domain.residue_end + 1);
            for (auto other = first_from(shape.domain.residue_begin - longest); other != end; ++other) {
                if (other->free_members == 0 || !are_linked(shape.domain, other->domain)) continue;
                std::erase_if(other->members, [&](std::size_t member) { return position[member] == kTaken; });
                for (const std::size_t member : other->members) found.push_back(position[member]);
            }
            std::ranges::sort(found, std::ranges::greater());
            for (const std::size_t at : found) take(at);
        }
        ++clusters;
    }
    return cluster;
}

/// Returns the first (or last) position that enough members have as their end point, or the
/// commonest position if none has enough.
int end_point(std::span<const int> positions, int threshold, bool first) {
    const auto [least, greatest] = std::ranges::minmax(positions);
    std::vector<int> counts(static_cast<std::size_t>(greatest - least) + 1, 0);
    for (const int position : positions) ++counts[static_cast<std::size_t>(position - least)];
    const auto enough = [threshold](int count) { return count >= threshold; };
    if (first) {
        const auto found = std::ranges::find_if(counts, enough);
        if (found != counts.end()) return least + static_cast<int>(found - counts.begin());
    } else {
        const auto found = std::find_if(counts.rbegin(), counts.rend(), enough);
        if (found != counts.rend()) return greatest - static_cast<int>(found - counts.rbegin());
    }
    return least + static_cast<int>(std::ranges::max_element(counts) - counts.begin());
}

struct Cluster {
    int from, to;
    float probability;
    bool dominated = false;
};

}  // namespace

void RegionFinder::add(float begun, float ended, float occupancy) {
    ++residue_;
    if (!triggered_ && (from_ == 0 || occupancy - (begun - begun_) < kEdgeOccupancy)) {
        from_ = residue_;
        ended_before_ = ended_;
        has_ended_ = false;
    }
    // A domain may end before z and another begin from z on. The number that counts is the expected
    // number of the fewer, at the best z. Both sums only grow, so the best z is the first one
    // before which enough have ended.
    if (!has_ended_ && ended - ended_before_ >= kSeveralDomains) {
        has_ended_ = true;
        begun_before_end_ = begun_;
    }
    if (!triggered_) {
        triggered_ = occupancy >= kTriggerOccupancy;
    } else if (occupancy - (ended - ended_) < kEdgeOccupancy) {
        regions_.push_back({from_, residue_, has_ended_ && !(begun - begun_before_end_ < kSeveralDomains)});
        from_ = 0;
        triggered_ = false;
    }
    begun_ = begun;
    ended_ = ended;
}

std::optional<TargetRegions> find_regions(const ForwardTask& task, const ForwardBackward& kernels,
                                          ForwardBackward::Workspace& workspace) {
    using Row = SpecialStates::Row;
    const float loop = task.length_model.loop;
    // Product of Forward's scales over Backward's up to the row, over the total probability. It is
    // constant while they share scales.
    float scale = 0, begun = 0, ended = 0;
    Row f0{}, b0{};  // of the row before
    bool first = true;
    RegionFinder finder;
    kernels.read_special_states(task, workspace, [&](std::span<const Row> forward, std::span<const Row> backward) {
        for (std::size_t i = 0; i < forward.size(); ++i) {
            const Row &f1 = forward[i], &b1 = backward[i];
            if (first) {
                scale = static_cast<float>(1.0 / b1.n);
                first = false;
            } else {
                begun = begun + f0.b * b0.b * f0.scale * scale;
                if (task.backward.own_scales) scale *= f0.scale / b0.scale;
                ended = ended + f1.e * b1.e * f1.scale * scale;
                float outside = f0.n * b1.n * loop * scale;
                outside += f0.j * b1.j * loop * scale;
                outside += f0.c * b1.c * loop * scale;
                finder.add(begun, ended, static_cast<float>(1.0 - static_cast<double>(outside)));
            }
            f0 = f1;
            b0 = b1;
        }
    });
    if (std::isinf(scale)) return std::nullopt;
    TargetRegions found;
    found.regions = finder.take_regions();
    found.expected_domains = finder.expected_domains();
    return found;
}

std::vector<Envelope> cluster_domains(std::span<const SampledDomain> domains, int samples,
                                      const std::stop_token& stop) {
    const std::vector<int> cluster_of = link_domains(domains, stop);
    if (stop.stop_requested()) return {};
    const int cluster_count = domains.empty() ? 0 : *std::ranges::max_element(cluster_of) + 1;
    std::vector<std::vector<std::size_t>> members(static_cast<std::size_t>(cluster_count));
    for (std::size_t d = 0; d < domains.size(); ++d) members[static_cast<std::size_t>(cluster_of[d])].push_back(d);

    std::vector<Cluster> clusters;
    std::vector<int> positions;
    for (const std::vector<std::size_t>& cluster : members) {
        // A trace counts once, however many of its domains are in the cluster. Domains stand in
        // sampling order.
        int traces = 0, last_trace = -1;
        for (const std::size_t d : cluster) {
            traces += domains[d].trace != last_trace;
            last_trace = domains[d].trace;
        }
        const float probability = static_cast<float>(traces) / static_cast<float>(samples);
        if (probability < kClusterProbability) continue;
        const int threshold = static_cast<int>(std::ceil(static_cast<float>(traces) * kEndpointShare));
        const auto end_point_of = [&](std::int32_t SampledDomain::*coordinate, bool first) {
            positions.clear();
            for (const std::size_t d : cluster) positions.push_back(domains[d].*coordinate);
            return end_point(positions, threshold, first);
        };
        const int from = end_point_of(&SampledDomain::residue_begin, true);
        const int to = end_point_of(&SampledDomain::residue_end, false);
        const int node_from = end_point_of(&SampledDomain::node_begin, true);
        const int node_to = end_point_of(&SampledDomain::node_end, false);
        if (from <= to && node_from <= node_to) clusters.push_back({from, to, probability});
    }
    std::ranges::stable_sort(clusters, {}, &Cluster::from);

    for (std::size_t a = 0; a < clusters.size(); ++a) {
        for (std::size_t b = a + 1; b < clusters.size(); ++b) {
            const int overlap =
                std::min(clusters[a].to, clusters[b].to) - std::max(clusters[a].from, clusters[b].from) + 1;
            if (overlap <= 0) break;  // the following ones begin even later
            if (overlap_share(clusters[a].from, clusters[a].to, clusters[b].from, clusters[b].to, 1) < kOverlapShare)
                continue;
            (clusters[a].probability > clusters[b].probability ? clusters[b] : clusters[a]).dominated = true;
        }
    }
    std::vector<Envelope> envelopes;
    for (const Cluster& cluster : clusters) {
        if (!cluster.dominated) envelopes.push_back({cluster.from, cluster.to});
    }
    return envelopes;
}

}  // namespace warpseq
