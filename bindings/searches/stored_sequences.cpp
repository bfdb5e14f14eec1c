#include "bindings/searches/stored_sequences.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bindings/searches/session_options.h"
#include "formats/io/position_set.h"
#include "formats/wsdb/named_sequences.h"
#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/stop_scope.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {
namespace {

constexpr std::uint64_t kFirstWindowResidues = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostWindowResidues = std::uint64_t{32} << 20;
constexpr std::uint64_t kMostResiduesOfLargeWindow = std::uint64_t{512} << 20;
constexpr std::uint64_t kLargeWindows = 16;  // windows of a large database
/// The number of positions of the input whose ranks are found in one pass over the database's
/// column of positions.
constexpr std::uint64_t kListedPositions = std::uint64_t{1} << 22;
constexpr std::uint64_t kNoRank = ~std::uint64_t{0};

/// Returns the sequence of a header that was just read, or the error of reading it.
Result<StoredSequence> sequence_of(Result<std::string> header, const WsdbReader& reader, std::uint64_t rank,
                                   TileBuffer& tiles) {
    if (!header.ok()) return header.status();
    const auto residues = reader.residues(rank, tiles);
    if (!residues.ok()) return residues.status();
    return StoredSequence{*std::move(header), decode_residues(*residues)};
}

}  // namespace

Result<std::shared_ptr<const StoredSequences>> StoredSequences::open(const std::vector<std::filesystem::path>& files,
                                                                     const std::vector<std::string>& names,
                                                                     const TargetSettings& settings,
                                                                     const ThreadPool& pool, Observer& observer) {
    auto opened = std::make_shared<StoredSequences>();
    for (std::size_t f = 0; f < files.size(); ++f) {
        const std::filesystem::path& file = files[f];
        auto targets = open_targets(file, settings, pool, observer);
        if (!targets.ok()) return targets.status();
        for (Target& target : *targets) {
            opened->sequences_ += target.reader.sequence_count() - target.removed_ranks.size();
            opened->residues_ += target.reader.residue_count();
            auto removed = std::make_shared<PositionSet>();
            for (const std::uint64_t rank : target.removed_ranks) {
                removed->insert(rank);
                opened->residues_ -= target.reader.lengths_residues()[rank];
            }
            if (target.removed_ranks.empty()) removed.reset();
            if (target.reader.is_private()) {
                target.reader.set_name(names[f]);
                opened->converted_.push_back({file, opened->volumes_.size(), target.is_fasta, target.is_blast_database,
                                              std::move(target.blast), std::move(target.title)});
            }
            opened->volumes_.push_back({std::move(target.reader), std::move(removed)});
        }
    }
    return std::shared_ptr<const StoredSequences>(std::move(opened));
}

/// Returns an error if what was read from the file is no longer what the file has. The whole check
/// is needed only if the system says that the file was touched.
Status StoredSequences::verify(const WsdbReader& reader) const {
    const WsdbReader::Map& map = reader.map();
    return map.has_changed() || map.mapped.lost() ? reader.verify_unchanged(ThreadPool(1)) : Status();
}

Result<std::vector<StoredSequence>> StoredSequences::find(std::string_view name, std::size_t most) const {
    const auto places = find_named_sequence(name, volumes_);
    if (!places.ok()) return places.status();
    std::vector<StoredSequence> found;
    TileBuffer tiles;
    for (const NamedSequence& place : std::span(*places).first(std::min(most, places->size()))) {
        const WsdbReader& reader = volumes_[place.volume].reader;
        // The look-up has decoded the block of this header, and the reader keeps it.
        auto sequence = sequence_of(reader.header(place.rank), reader, place.rank, tiles);
        if (!sequence.ok()) return sequence.status();
        found.push_back(*std::move(sequence));
    }
    for (const WsdbSet::Volume& volume : volumes_) WARPSEQ_TRY(verify(volume.reader));
    return found;
}

Result<bool> StoredSequences::has(std::string_view name) const {
    const auto places = find_named_sequence(name, volumes_);
    if (!places.ok()) return places.status();
    for (const WsdbSet::Volume& volume : volumes_) WARPSEQ_TRY(verify(volume.reader));
    return !places->empty();
}

Result<std::optional<Target>> StoredSequences::open_converted(const std::filesystem::path& file) const {
    const auto found = std::ranges::find(converted_, file, &Converted::file);
    if (found == converted_.end()) return std::optional<Target>();
    auto reader = volumes_[found->volume].reader.reopen_private();
    if (!reader.ok()) return reader.status();
    return std::optional<Target>({.reader = *std::move(reader),
                                  .is_fasta = found->is_fasta,
                                  .is_blast_database = found->is_blast_database,
                                  .blast = found->blast,
                                  .title = found->title});
}

bool StoredSequences::are_those_of(const DatabaseSet& databases) const {
    bool are_same = databases.size() == volumes_.size() && databases.sequence_count() == sequences_ &&
                    databases.residue_count() == residues_;
    for (std::size_t i = 0; are_same && i < volumes_.size(); ++i)
        are_same = databases.reader(i).content_digest() == volumes_[i].reader.content_digest();
    return are_same;
}

Result<std::shared_ptr<const StoredSequences>> open_stored_sequences(const std::vector<std::filesystem::path>& files,
                                                                     const std::vector<std::string>& names,
                                                                     Observer& observer) {
    const auto machine = machine_settings({});
    if (!machine.ok()) return machine.status();
    const ThreadPool pool = ThreadPool(machine->threads).with_stop(StopScope::current());
    return StoredSequences::open(files, names, machine->targets, pool, observer);
}

StoredSequenceCursor::StoredSequenceCursor(std::shared_ptr<const StoredSequences> sequences)
    : sequences_(std::move(sequences)),
      most_window_residues_(
          std::clamp(sequences_->residues_ / kLargeWindows, kMostWindowResidues, kMostResiduesOfLargeWindow)),
      window_residues_(kFirstWindowResidues) {}

Result<StoredSequence*> StoredSequenceCursor::next(const std::stop_token& stop) {
    if (!is_ready()) WARPSEQ_TRY(read_window(stop));
    return is_ready() ? &window_[next_++] : nullptr;
}

/// Fills ranks_ with the ranks at the next positions of the input. It is empty at the end.
Status StoredSequenceCursor::list_ranks(const std::stop_token& stop) {
    ranks_.clear();
    next_rank_ = 0;
    while (ranks_.empty() && volume_ < sequences_->volumes_.size()) {
        const WsdbSet::Volume& volume = sequences_->volumes_[volume_];
        const WsdbNumbers positions = volume.reader.input_positions();
        if (listed_ == positions.size()) {
            ++volume_;
            listed_ = 0;
            continue;
        }
        const std::uint64_t begin = listed_;
        listed_ = std::min(begin + kListedPositions, positions.size());
        ranks_.assign(listed_ - begin, kNoRank);
        for (std::uint64_t rank = 0; rank < positions.size(); ++rank) {
            if (rank % kListedPositions == 0 && stop.stop_requested()) return Status::interrupted();
            const std::uint64_t position = positions[rank];
            if (position < begin || position >= listed_ || (volume.removed && volume.removed->has(rank))) continue;
            ranks_[position - begin] = rank;
        }
        std::erase(ranks_, kNoRank);
    }
    return {};
}

Status StoredSequenceCursor::read_window(const std::stop_token& stop) {
    window_.clear();
    next_ = 0;
    if (next_rank_ == ranks_.size()) WARPSEQ_TRY(list_ranks(stop));
    if (ranks_.empty()) return {};
    const WsdbReader& reader = sequences_->volumes_[volume_].reader;
    const std::size_t first = next_rank_;
    for (std::uint64_t residues = 0; next_rank_ < ranks_.size() && residues < window_residues_; ++next_rank_)
        residues += reader.lengths_residues()[ranks_[next_rank_]];
    window_residues_ = std::min(window_residues_ * 2, most_window_residues_);
    const auto ranks = std::span(ranks_).subspan(first, next_rank_ - first);
    std::vector<std::size_t> order(ranks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t place) { return ranks[place]; });
    window_.resize(ranks.size());
    TileBuffer tiles;
    HeaderBuffer headers;
    for (const std::size_t place : order) {
        if (stop.stop_requested()) return Status::interrupted();
        auto sequence = sequence_of(reader.header(ranks[place], headers), reader, ranks[place], tiles);
        if (!sequence.ok()) return sequence.status();
        window_[place] = *std::move(sequence);
    }
    return sequences_->verify(reader);
}

}  // namespace warpseq
