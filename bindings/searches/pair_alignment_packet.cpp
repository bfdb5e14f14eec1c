// Alignments of pairs as packets, which outlive the process: Python's pickles hold them.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "bindings/searches/pair_aligner.h"
#include "engines/pair/pair_packet.h"
#include "formats/io/packet.h"

namespace warpseq {

constexpr Alphabet last_value(Alphabet) { return Alphabet::kNucleotide; }
constexpr PairMode last_value(PairMode) { return PairMode::kSemiGlobal; }
constexpr PairStrand last_value(PairStrand) { return PairStrand::kBoth; }

template <typename Packet>
void describe(Packet& packet, PairSequence& sequence) {
    packet(sequence.header, sequence.residues);
}
template <typename Packet>
void describe(Packet& packet, LocalListSettings& list) {
    packet(list.max_alignments, list.min_score_raw);
}

namespace {

constexpr std::string_view kPacketKind = "pairalig";

/// The fields of a packet.
struct Stored {
    Alphabet alphabet = Alphabet::kProtein;
    PairMode mode = PairMode::kGlobal;
    PairStrand strand = PairStrand::kPlus;
    FreeEnds free_ends;
    bool score_only = false;
    std::optional<LocalListSettings> list;
    PairSequence query, target;
    std::string matrix_name;
    std::vector<std::int8_t> matrix;
    GapCosts gaps;
    std::uint64_t number = 1, of = 1;
    std::string result;  // a packet of one result that is alone in its list
};

template <typename Packet>
void describe(Packet& packet, Stored& stored) {
    FreeEnds& free = stored.free_ends;
    packet(stored.alphabet, stored.mode, stored.strand, free.query_begin, free.query_end, free.target_begin,
           free.target_end, stored.score_only, stored.list, stored.query, stored.target, stored.matrix_name,
           stored.matrix, stored.gaps.open, stored.gaps.extend, stored.number, stored.of, stored.result);
}

bool has_codes_of(Alphabet alphabet, const PairSequence& sequence) {
    const std::size_t codes = letters_of(alphabet).size();
    return !sequence.residues.empty() &&
           std::ranges::all_of(sequence.residues, [&](ResidueCode code) { return code < codes; });
}

bool can_be(const Stored& stored) {
    const auto is_cost = [](int cost) { return cost >= 0 && cost <= kHighestGapCost; };
    return has_codes_of(stored.alphabet, stored.query) && has_codes_of(stored.alphabet, stored.target) &&
           stored.matrix.size() == std::size_t{kResidueTableSize} * kResidueTableSize && is_cost(stored.gaps.open) &&
           is_cost(stored.gaps.extend) && stored.number >= 1 && stored.number <= stored.of &&
           (stored.alphabet == Alphabet::kNucleotide || stored.strand == PairStrand::kPlus);
}

std::shared_ptr<AlignedPair> pair_of(Stored& stored) {
    SubstitutionMatrix::Table table{};
    for (std::size_t q = 0; q < table.size(); ++q)
        std::ranges::copy(std::span(stored.matrix).subspan(q * kResidueTableSize, kResidueTableSize), table[q].begin());
    auto pair = std::make_shared<AlignedPair>();
    pair->input.alphabet = stored.alphabet;
    pair->input.queries.push_back(std::move(stored.query));
    pair->input.targets.push_back(std::move(stored.target));
    pair->input.listed.emplace_back(0, 0);
    pair->scheme = std::make_shared<const ScoringScheme>(
        ScoringScheme{SubstitutionMatrix(std::move(stored.matrix_name), table), stored.gaps});
    pair->mode = stored.mode;
    pair->settings.local = stored.mode == PairMode::kLocal;
    pair->settings.free_ends = stored.free_ends;
    pair->settings.strand = stored.strand;
    pair->settings.score_only = stored.score_only;
    pair->settings.list = stored.list;
    return pair;
}

}  // namespace

std::string to_bytes(const PairAlignment& alignment) {
    const AlignedPair& pair = *alignment.pair;
    Stored stored{.alphabet = pair.input.alphabet,
                  .mode = pair.mode,
                  .strand = pair.settings.strand,
                  .free_ends = pair.settings.free_ends,
                  .score_only = pair.settings.score_only,
                  .list = pair.settings.list,
                  .query = pair.input.queries[0],
                  .target = pair.input.targets[0],
                  .matrix_name = pair.scheme->matrix.name(),
                  .matrix = {},
                  .gaps = pair.scheme->gaps,
                  .number = alignment.result.number,
                  .of = alignment.result.of,
                  .result = {}};
    for (const auto& row : pair.scheme->matrix.table())
        stored.matrix.insert(stored.matrix.end(), row.begin(), row.end());
    PairResult alone = alignment.result;
    alone.number = alone.of = 1;
    stored.result = to_bytes(std::vector{std::move(alone)});
    PacketWriter packet;
    packet(stored);
    return packet.finish(kPacketKind);
}

Result<PairAlignment> pair_alignment_from_bytes(std::string_view bytes) {
    const std::string origin = "the stored alignment";
    auto packet = PacketReader::open(bytes, kPacketKind, origin);
    if (!packet.ok()) return packet.status();
    Stored stored;
    (*packet)(stored);
    WARPSEQ_TRY(packet->finish());
    packet->require(can_be(stored));
    WARPSEQ_TRY(packet->finish());
    const std::uint64_t number = stored.number, of = stored.of;
    const std::string stored_result = std::move(stored.result);
    PairAlignment alignment{pair_of(stored), {}};
    const AlignedPair& pair = *alignment.pair;
    WARPSEQ_TRY(read_pair_results(stored_result, pair.input, *pair.scheme, pair.settings, {0, 1}, origin,
                                  [&](const PairResult& result) {
                                      alignment.result = result;
                                      return Status();
                                  }));
    alignment.result.number = number;
    alignment.result.of = of;
    return alignment;
}

}  // namespace warpseq
