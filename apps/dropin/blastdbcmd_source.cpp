#include "apps/dropin/blastdbcmd_source.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "formats/blast/blast_database.h"
#include "formats/blast/blast_volume.h"
#include "formats/fasta/sequence_names.h"
#include "formats/wsdb/fasta_target.h"
#include "formats/wsdb/ordered_sequences.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/observer.h"
#include "libcore/base/thread_pool.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq::blastdbcmd {
namespace {

namespace fs = std::filesystem;
using Kind = BlastSeqId::Kind;

constexpr std::uint64_t kSortingMemory = std::uint64_t{256} << 20;

/// Whether a title has this name, by which a sequence without parsed identifiers may be asked for.
/// A general identifier must match as a whole, because in other cases it belongs to another
/// database.
bool has_name(std::string_view title, std::string_view name) {
    const NameMatch match = match_name(title, name);
    return match == NameMatch::kWhole ||
           (match == NameMatch::kPart && seqid_kind(name.substr(0, name.find('|'))) != Kind::kGeneral);
}

/// A database in NCBI's own files. One volume at a time is mapped.
class NcbiSource final : public Source {
   public:
    /// Opens the volumes of `readers` as one source. `about` describes all readers together.
    static Result<std::unique_ptr<Source>> open(BlastDatabase about, std::vector<BlastDatabaseReader> readers) {
        std::unique_ptr<NcbiSource> source(new NcbiSource(std::move(about), std::move(readers)));
        for (std::size_t v = 0; v < source->names_.size(); ++v) {
            WARPSEQ_TRY(source->open_volume(v));
            const BlastIndex& index = source->volume_->index();
            source->longest_ = std::max(source->longest_, index.longest_residues);
            source->starts_.push_back(source->starts_.back() + index.sequences);
        }
        return std::unique_ptr<Source>(std::move(source));
    }

    std::uint64_t sequence_count() const override { return starts_.back(); }
    std::uint64_t told_sequences() const override {
        std::uint64_t sum = 0;
        for (const BlastDatabaseReader& reader : readers_) sum += reader.sequence_count();
        return sum;
    }
    std::uint64_t told_residues() const override {
        std::uint64_t sum = 0;
        for (const BlastDatabaseReader& reader : readers_) sum += reader.residue_count();
        return sum;
    }
    std::uint64_t longest_residues() const override { return longest_; }
    std::vector<std::uint64_t> volume_starts() const override { return starts_; }
    std::vector<fs::path> volumes() const override { return names_; }

    Status read(std::uint64_t number, bool with_letters, Sequence& sequence) override {
        const auto after = std::ranges::upper_bound(starts_, number);
        WARPSEQ_TRY(open_volume(static_cast<std::size_t>(after - starts_.begin()) - 1));
        const std::uint64_t within = number - starts_[opened_];
        auto lines = volume_->deflines(within);
        if (!lines.ok()) return lines.status();
        sequence.number = number;
        sequence.lines = *std::move(lines);
        // The stored ordinal counts within the volume.
        for (StoredDefline& line : sequence.lines) {
            for (BlastSeqId& id : line.ids)
                if (id.kind == Kind::kGeneral && id.first == "BL_ORD_ID") id.second = std::to_string(number);
        }
        sequence.letters.clear();
        return with_letters ? volume_->read_letters(within, sequence.letters) : Status();
    }

    Status for_each(bool with_letters, const Use& use) override {
        Sequence sequence;
        for (std::uint64_t number = 0; number < sequence_count(); ++number) {
            WARPSEQ_TRY(read(number, with_letters, sequence));
            WARPSEQ_TRY(use(sequence));
        }
        return {};
    }

    Status find_by_name(std::string_view name, std::vector<std::uint64_t>& numbers) override {
        return for_each(false, [&](const Sequence& sequence) -> Status {
            if (has_name(sequence.lines.front().title, name)) numbers.push_back(sequence.number);
            return {};
        });
    }

    Status verify_unchanged() const override {
        if (volume_) WARPSEQ_TRY(volume_->check_readable());
        for (const BlastDatabaseReader& reader : readers_) WARPSEQ_TRY(reader.verify_unchanged());
        return {};
    }

   private:
    NcbiSource(BlastDatabase about, std::vector<BlastDatabaseReader> readers)
        : Source(std::move(about)), readers_(std::move(readers)) {
        for (const BlastDatabaseReader& reader : readers_)
            for (const CountedVolume& volume : reader.volumes())
                names_.push_back(fs::absolute(volume.name).lexically_normal());
        const auto key = [](const fs::path& name) { return std::pair(name.filename(), name); };
        std::ranges::sort(names_, {}, key);
        names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    }

    Status open_volume(std::size_t number) {
        if (volume_ && opened_ == number) return {};
        if (volume_) WARPSEQ_TRY(volume_->check_readable());
        auto volume = BlastVolume::open(names_[number]);
        if (!volume.ok()) return volume.status();
        volume_ = *std::move(volume);
        opened_ = number;
        return {};
    }

    std::vector<BlastDatabaseReader> readers_;
    std::vector<fs::path> names_;  // the volumes, each once, in the order in which BLAST numbers their sequences
    std::vector<std::uint64_t> starts_ = {0};
    std::optional<BlastVolume> volume_;
    std::size_t opened_ = 0;
    std::uint64_t longest_ = 0;
};

/// A .wsdb file, or FASTA that was converted to one in memory.
class WsdbSource final : public Source {
   public:
    WsdbSource(BlastDatabase about, Target target, fs::path temporary_folder)
        : Source(std::move(about)), target_(std::move(target)), temporary_folder_(std::move(temporary_folder)) {}

    std::uint64_t sequence_count() const override { return reader().sequence_count(); }
    std::uint64_t told_sequences() const override { return sequence_count(); }
    std::uint64_t told_residues() const override { return reader().residue_count(); }
    std::uint64_t longest_residues() const override { return reader().longest_residues(); }
    std::vector<std::uint64_t> volume_starts() const override { return {0, sequence_count()}; }
    std::vector<fs::path> volumes() const override { return {about_.base}; }

    Status read(std::uint64_t number, bool with_letters, Sequence& sequence) override {
        const std::uint64_t rank = rank_of(number);
        const auto header = reader().header(rank, headers_);
        if (!header.ok()) return header.status();
        if (!with_letters) {
            set(number, rank, *header, {}, sequence);
            return {};
        }
        const auto residues = reader().residues(rank, tiles_);
        if (!residues.ok()) return residues.status();
        set(number, rank, *header, *residues, sequence);
        return {};
    }

    Status for_each(bool with_letters, const Use& use) override {
        Sequence sequence;
        if (!with_letters) {
            // Headers are cheapest to read in the order in which they are stored. A caller that
            // wants another order has to sort.
            for (std::uint64_t rank = 0; rank < sequence_count(); ++rank) {
                const auto header = reader().header(rank, headers_);
                if (!header.ok()) return header.status();
                set(reader().input_positions()[rank], rank, *header, {}, sequence);
                WARPSEQ_TRY(use(sequence));
            }
            return {};
        }
        OrderedSequences sequences(kSortingMemory, temporary_folder_);
        for (std::uint64_t rank = 0; rank < sequence_count(); ++rank)
            WARPSEQ_TRY(sequences.add(reader(), rank, reader().input_positions()[rank]));
        return sequences.for_each(
            [&](std::uint64_t place, std::string_view header, std::span<const ResidueCode> residues) {
                set(place, rank_of(place), header, residues, sequence);
                return use(sequence);
            });
    }

    Status find_by_name(std::string_view name, std::vector<std::uint64_t>& numbers) override {
        const auto ranks = reader().find(name);
        if (!ranks.ok()) return ranks.status();
        for (const std::uint64_t rank : *ranks) {
            const auto header = reader().header(rank, headers_);
            if (!header.ok()) return header.status();
            if (has_name(*header, name)) numbers.push_back(reader().input_positions()[rank]);
        }
        return {};
    }

    std::shared_ptr<const Taxonomy> taxonomy() const override {
        // Damage is an error of verify_unchanged().
        auto read = reader().taxonomy();
        return read.ok() && !(*read)->empty() ? *std::move(read) : nullptr;
    }

    Status verify_unchanged() const override {
        ThreadPool pool(1);
        return reader().verify_unchanged(pool);
    }

   private:
    const WsdbReader& reader() const { return target_.reader; }

    std::uint64_t rank_of(std::uint64_t number) {
        if (ranks_.empty()) {
            ranks_.resize(sequence_count());
            std::uint64_t rank = 0;
            for (const std::uint64_t position : reader().input_positions()) {
                if (position < ranks_.size()) ranks_[position] = rank;
                ++rank;
            }
        }
        return ranks_[number];
    }

    void set(std::uint64_t number, std::uint64_t rank, std::string_view header, std::span<const ResidueCode> residues,
             Sequence& sequence) {
        sequence.number = number;
        sequence.lines = lines_of(number, header);
        if (reader().has_taxids()) set_taxids(rank, header, sequence.lines);
        sequence.letters.clear();
        for (const ResidueCode code : residues) sequence.letters += residue_letter(code);
    }

    /// Sets the taxonomy IDs of lines that do not tell their own to those in the database's list.
    void set_taxids(std::uint64_t rank, std::string_view header, std::vector<StoredDefline>& lines) const {
        const auto count = static_cast<std::size_t>(std::ranges::count(header, '\x01')) + 1;
        std::vector<std::uint32_t> taxids;
        // Damage is an error of verify_unchanged().
        static_cast<void>(reader().taxids(rank, count, taxids));
        if (lines.size() != count) {
            const auto known = std::ranges::find_if(taxids, [](std::uint32_t taxid) { return taxid != 0; });
            taxids.assign(lines.size(), known == taxids.end() ? 0 : *known);
        }
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (lines[i].taxid == 0) lines[i].taxid = taxids[i];
    }

    /// Returns the definition lines of a header, which Ctrl-A separates. If identifiers are not
    /// parsed, returns one line with the sequence's number and title.
    std::vector<StoredDefline> lines_of(std::uint64_t number, std::string_view header) const {
        constexpr std::string_view kNumbered = "gnl|BL_ORD_ID|";
        std::vector<StoredDefline> lines;
        const auto numbered = [&](std::string_view text) {
            StoredDefline line;
            if (about_.has_taxids) {
                std::uint64_t taxid = 0;
                text = without_taxid(text, taxid);
                line.taxid = static_cast<std::int64_t>(taxid);
            }
            line.ids = {
                {.kind = Kind::kGeneral, .first = "BL_ORD_ID", .second = std::to_string(number), .is_number = true}};
            line.title = target_title(text);
            line.has_title = true;
            line.is_number = true;
            return line;
        };
        if (about_.has_parsed_ids && header.starts_with(kNumbered)) {
            header.remove_prefix(std::min(header.find(' '), header.size() - 1) + 1);
            lines.push_back(numbered(header));
        } else if (about_.has_parsed_ids) {
            for (;;) {
                const std::size_t end = std::min(header.find('\x01'), header.size());
                lines.push_back(stored_defline(header.substr(0, end), about_.has_taxids));
                if (end == header.size()) break;
                header.remove_prefix(end + 1);
            }
        } else {
            lines.push_back(numbered(header));
        }
        return lines;
    }

    Target target_;
    fs::path temporary_folder_;
    std::vector<std::uint64_t> ranks_;  // ranks of the sequences, by number
    HeaderBuffer headers_;
    TileBuffer tiles_;
};

}  // namespace

std::string date_of_database(const BlastDatabase& database) {
    if (!database.date.empty()) return database.date;
    std::error_code error;
    const auto changed = fs::last_write_time(database.database, error);
    if (error) return "";
    return blast_date(std::chrono::system_clock::to_time_t(std::chrono::file_clock::to_sys(changed) +
                                                           std::chrono::system_clock::duration::zero()));
}

namespace {

Result<std::unique_ptr<Source>> open_other(BlastDatabase found, const fs::path& temporary_folder) {
    const ThreadPool pool(1);
    Observer silent;
    auto target = open_target(found.database, {.temporary_folder = temporary_folder}, pool, silent);
    if (!target.ok()) return target.status();
    if (const auto& facts = target->blast) {
        if (!facts->title.empty()) found.title = facts->title;
        found.date = facts->date;
        found.version = static_cast<int>(facts->version);
        found.has_parsed_ids = facts->has_parsed_ids;
        found.has_taxids = facts->has_taxids;
    }
    if (!target->title.empty()) found.title = target->title;
    return std::unique_ptr<Source>(
        std::make_unique<WsdbSource>(std::move(found), *std::move(target), temporary_folder));
}

}  // namespace

Result<std::vector<std::unique_ptr<Source>>> Source::open(std::vector<BlastDatabase> found,
                                                          const fs::path& temporary_folder) {
    std::vector<std::unique_ptr<Source>> sources;
    std::optional<BlastDatabase> all;
    std::vector<BlastDatabaseReader> readers;
    std::set<fs::path> bases;
    std::string of_aliases, of_volumes;
    for (BlastDatabase& each : found) {
        if (each.files.empty()) {
            auto source = open_other(std::move(each), temporary_folder);
            if (!source.ok()) return source.status();
            sources.push_back(*std::move(source));
            continue;
        }
        if (!bases.insert(fs::absolute(each.base).lexically_normal()).second) continue;
        auto reader = BlastDatabaseReader::open(each.base);
        if (!reader.ok()) return reader.status();
        readers.push_back(*std::move(reader));
        std::string& titles = each.database.extension() == ".pal" ? of_aliases : of_volumes;
        titles += (titles.empty() ? "" : "; ") + each.title;
        if (!all) {
            all = std::move(each);
        } else {
            all->has_parsed_ids = all->has_parsed_ids || each.has_parsed_ids;
            if (is_later_blast_date(each.date, all->date)) all->date = each.date;
        }
    }
    if (!all) return sources;
    // NCBI's blastdbcmd shows the titles of aliases first.
    all->title = of_aliases + (of_aliases.empty() || of_volumes.empty() ? "" : "; ") + of_volumes;
    auto source = NcbiSource::open(*std::move(all), std::move(readers));
    if (!source.ok()) return source.status();
    sources.insert(sources.begin(), *std::move(source));
    return sources;
}

}  // namespace warpseq::blastdbcmd
