#include "engines/pair/pair_packet.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

#include "engines/alignment_packet.h"
#include "formats/io/packet.h"
#include "kernels/smith_waterman/local_alignment.h"

namespace warpseq {

template <typename Packet>
void describe(Packet& packet, PairResult& result) {
    packet(result.minus, result.number, result.of, result.alignment);
}

namespace {

constexpr std::string_view kPacketKind = "pairs";

/// Rules for what a search may find for one pair. Each result has its query and target.
class ResultRules {
   public:
    ResultRules(const PairInput& input, const ScoringScheme& scheme, const PairSearchSettings& settings)
        : input_(input), scheme_(scheme), settings_(settings) {}

    /// Whether a search may find this result. Fills in the query's reverse complement meanwhile.
    bool can_be(PairResult& result) const {
        if (settings_.strand != PairStrand::kBoth && result.minus != (settings_.strand == PairStrand::kMinus))
            return false;
        const Alignment& alignment = result.alignment;
        if (alignment.runs.empty()) return can_be_empty(alignment);
        if (settings_.score_only || !lies_in_sequences(result)) return false;
        if (result.minus) result.reversed = reverse_complement(input_.queries[result.query].residues);
        const std::int64_t score_raw =
            rescore(alignment, result.aligned_query(input_), input_.targets[result.target].residues, scheme_);
        result.reversed = {};
        if (settings_.local && alignment.score_raw <= 0) return false;
        if (settings_.list && alignment.score_raw < settings_.list->min_score_raw) return false;
        return score_raw == alignment.score_raw;
    }

   private:
    bool can_be_empty(const Alignment& alignment) const {
        if (alignment != Alignment{alignment.score_raw, 0, 0, 0, 0, {}}) return false;
        const std::int64_t least = settings_.local ? 0 : std::numeric_limits<std::int32_t>::min();
        if (settings_.score_only)
            return alignment.score_raw >= least && alignment.score_raw <= std::numeric_limits<std::int32_t>::max();
        const FreeEnds& free = settings_.free_ends;
        return alignment.score_raw == 0 &&
               (settings_.local || (free.query_begin && free.target_end) || (free.query_end && free.target_begin));
    }
    bool lies_in_sequences(const PairResult& result) const {
        const Alignment& alignment = result.alignment;
        const std::uint64_t query = input_.queries[result.query].residues.size();
        const std::uint64_t target = input_.targets[result.target].residues.size();
        if (alignment.target_begin > alignment.target_end || alignment.target_end > target ||
            !warpseq::can_be(alignment, query, target, result.aligned_target(input_)))
            return false;
        const FreeEnds& free = settings_.free_ends;
        const auto is_at = [&](std::uint64_t position, std::uint64_t end, bool is_free) {
            return settings_.local || is_free || position == end;
        };
        return is_at(alignment.query_begin, 0, free.query_begin) && is_at(alignment.query_end, query, free.query_end) &&
               is_at(alignment.target_begin, 0, free.target_begin) &&
               is_at(alignment.target_end, target, free.target_end);
    }

    const PairInput& input_;
    const ScoringScheme& scheme_;
    const PairSearchSettings& settings_;
};

/// Whether the results are those of the range's pairs, with a list for each. If so, fills in each
/// result's pair.
bool assign_pairs(std::vector<PairResult>& results, const PairInput& input, const PairSearchSettings& settings,
                  const PairRange& range) {
    const std::uint64_t most = settings.list ? settings.list->max_alignments : 1;
    std::size_t at = 0;
    for (std::uint64_t pair = range.first; pair < range.end(); ++pair) {
        if (at == results.size()) return false;
        const std::uint64_t of = results[at].of;
        if (of < 1 || of > std::max<std::uint64_t>(most, 1) || of > results.size() - at) return false;
        for (std::uint64_t number = 1; number <= of; ++number, ++at) {
            PairResult& result = results[at];
            if (result.number != number || result.of != of) return false;
            if (of > 1 && !result.has_alignment()) return false;
            if (number > 1 && result.alignment.score_raw > results[at - 1].alignment.score_raw) return false;
            std::tie(result.query, result.target) = input.pair(pair);
        }
    }
    return at == results.size();
}

}  // namespace

std::string to_bytes(const std::vector<PairResult>& results) {
    PacketWriter packet;
    packet(results);
    return packet.finish(kPacketKind);
}

Status read_pair_results(std::string_view bytes, const PairInput& input, const ScoringScheme& scheme,
                         const PairSearchSettings& settings, const PairRange& range, std::string_view origin,
                         const std::function<Status(const PairResult&)>& report) {
    auto packet = PacketReader::open(bytes, kPacketKind, origin);
    if (!packet.ok()) return packet.status();
    std::vector<PairResult> results;
    (*packet)(results);
    WARPSEQ_TRY(packet->finish());
    packet->require(assign_pairs(results, input, settings, range));
    WARPSEQ_TRY(packet->finish());
    const ResultRules rules(input, scheme, settings);
    packet->require(std::ranges::all_of(results, [&](PairResult& result) { return rules.can_be(result); }));
    WARPSEQ_TRY(packet->finish());
    for (PairResult& result : results) {
        if (result.minus) result.reversed = reverse_complement(input.queries[result.query].residues);
        WARPSEQ_TRY(report(result));
        result = {};
    }
    return {};
}

}  // namespace warpseq
