// Sorts the added sequences by length, then hands them to the parts that write a file: tiles and
// columns (wsdb_tile_writer.h), the index of names (wsdb_name_index.h), and sections and their
// table (wsdb_section_writer.h). The header is written last.
#include "formats/wsdb/wsdb_writer.h"
#include "formats/io/checksum.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/io/atomic_file.h"
#include "formats/io/byte_spans.h"
#include "formats/io/external_sort.h"
#include "formats/io/position_set.h"
#include "formats/io/temporary_file.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_name_index.h"
#include "formats/wsdb/wsdb_section_writer.h"
#include "formats/wsdb/wsdb_taxid_writer.h"
#include "formats/wsdb/wsdb_tile_writer.h"

namespace warpseq {

namespace {

using wsdb::SectionType;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
/// The memory for the program itself, the FASTA reader's buffers and the system's libraries.
constexpr std::uint64_t kFixedMemory = 24 * kMiB;
/// The memory for the blocks and the compressor of a thread.
constexpr std::uint64_t kMemoryPerThread = 8 * kMiB;
constexpr std::uint64_t kMinSortingMemory = 24 * kMiB;
/// The shares of the sorting memory for the sort by length, in percent. kReadingPercent holds while
/// records are added. kLengthSortPercent is the least share while the file is written; the sort
/// then takes what names and columns leave.
constexpr std::uint64_t kReadingPercent = 90, kLengthSortPercent = 56, kLeftPercent = 2;
static_assert(kLengthSortPercent + WsdbTileWriter::kMemoryPercent + kLeftPercent < 100);
/// The shares for taxonomy IDs in percent. With lists of taxonomy IDs, names are sorted, too.
constexpr std::uint64_t kTaxidListPercent = 10, kTaxidPercent = 2;
/// The memory for a record. It is in memory several times over while it is packed. The headers of a
/// whole tile are in memory once.
constexpr std::uint64_t kMemoryPerResidue = 8, kMemoryPerHeaderByte = 64;

/// Returns the error for a record that is too large for a database or for the sorting memory.
Status too_large(std::string_view header, std::uint64_t residues, std::uint64_t header_bytes,
                 std::uint64_t memory_bytes, std::uint64_t sorting_memory) {
    const std::string name = "sequence '" + std::string(identifier_of(header).substr(0, 60)) + "': its ";
    if (residues > wsdb::kMaxSequenceResidues) {
        return Status::invalid_input(name + std::to_string(residues) +
                                     " residues exceed the limit for a sequence of a database, " +
                                     std::to_string(wsdb::kMaxSequenceResidues));
    }
    const std::uint64_t needed = std::max(residues * kMemoryPerResidue, header_bytes * kMemoryPerHeaderByte);
    const std::uint64_t total = needed + memory_bytes - sorting_memory;
    return Status::invalid_input(name + std::to_string(residues) + " residues and " + std::to_string(header_bytes) +
                                 " bytes of header need " + std::to_string(total / kMiB + 1) + "M of memory or more")
        .with(Advice::kMemory);
}

}  // namespace

struct WsdbWriter::State {
    /// `file` is the file of an unnamed database, not open for a database with a name.
    State(const std::filesystem::path& folder, WsdbWriterOptions chosen, const ThreadPool& pool, AtomicFile opened,
          TemporaryFile file = {})
        : options(std::move(chosen)),
          unnamed(std::move(file)),
          out(std::move(opened)),
          sorting_memory(options.memory_bytes - kFixedMemory - pool.threads() * kMemoryPerThread),
          by_length(sorting_memory / 100 * kReadingPercent, folder, &pool),
          temporary_folder(folder),
          threads(pool),
          tiles(out, pool, options.codec, unnamed.is_open(), sorting_memory, folder) {}

    WsdbWriterOptions options;
    TemporaryFile unnamed;  // not open where the file has a name
    AtomicFile out;
    std::uint64_t sorting_memory;
    ExternalSort by_length;
    std::filesystem::path temporary_folder;
    const ThreadPool& threads;
    WsdbTileWriter tiles;
    bool has_taxids = false;
    std::optional<WsdbTaxidWriter> taxids;
    WsdbTotals input;
    std::uint64_t input_begin = 0, positions_end = 0;  // positions in all of the input
    std::optional<PositionSet> positions;              // set once they did not come in order
    std::uint64_t header_bytes = 0, most_names = 0;    // totals of all sequences
    std::array<std::uint64_t, kResidueTableSize> composition{};
    RecordBatch single;                    // a sequence that was added by itself
    std::vector<SortRecord> sort_records;  // records of a batch

    Status take_place_of_header() {
        std::array<std::uint8_t, sizeof(wsdb::FileHeader)> bytes{};
        std::ranges::copy(options.unfinished_mark, bytes.begin());
        return out.append(bytes);
    }
    Status choose_place_of_unnamed();
    Status check_size(std::string_view header, std::uint64_t residues) const {
        const bool fits = residues <= wsdb::kMaxSequenceResidues && residues * kMemoryPerResidue <= sorting_memory &&
                          header.size() * kMemoryPerHeaderByte <= sorting_memory;
        return fits ? Status() : too_large(header, residues, header.size(), options.memory_bytes, sorting_memory);
    }

    /// Returns the position of a record in all of the input, or nothing if another record has it.
    std::optional<std::uint64_t> place_of(std::uint64_t position) {
        if (position != RecordBatch::kInOrder && !positions) positions.emplace().insert_all_below(positions_end);
        const std::uint64_t place = position == RecordBatch::kInOrder ? positions_end : input_begin + position;
        positions_end = std::max(positions_end, place + 1);
        if (positions && positions->has(place)) return std::nullopt;
        if (positions) positions->insert(place);
        return place;
    }
};

WsdbWriter::WsdbWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
WsdbWriter::~WsdbWriter() = default;
WsdbWriter::WsdbWriter(WsdbWriter&&) noexcept = default;
WsdbWriter& WsdbWriter::operator=(WsdbWriter&&) noexcept = default;

std::uint64_t WsdbWriter::min_memory_bytes(unsigned threads) {
    return kFixedMemory + kMinSortingMemory + threads * kMemoryPerThread;
}

Status WsdbWriter::check_memory(const WsdbWriterOptions& options, const ThreadPool& pool) {
    if (options.memory_bytes >= min_memory_bytes(pool.threads())) return {};
    return Status::usage(std::to_string(options.memory_bytes) + " bytes of memory are too few; with " +
                         std::to_string(pool.threads()) + " threads at least " +
                         std::to_string(min_memory_bytes(pool.threads()) / kMiB) + "M are needed")
        .with(Advice::kMemory);
}

Result<WsdbWriter> WsdbWriter::create(const std::filesystem::path& file, WsdbWriterOptions options,
                                      const ThreadPool& pool) {
    WARPSEQ_TRY(check_memory(options, pool));
    auto out = AtomicFile::create(file, options.replace);
    if (!out.ok()) return out.status();
    if (!out->can_seek()) {
        return Status::io(file.string() +
                          ": cannot hold a database, because databases are not written from beginning to end; "
                          "name a regular file");
    }
    const std::filesystem::path folder =
        options.temporary_folder.empty() ? file.parent_path() : options.temporary_folder;
    auto state = std::make_unique<State>(folder, std::move(options), pool, *std::move(out));
    // The header's place is taken now, so that a full disk is known before the input is read.
    WARPSEQ_TRY(state->take_place_of_header());
    return WsdbWriter(std::move(state));
}

Result<WsdbWriter> WsdbWriter::create_unnamed(WsdbWriterOptions options, const ThreadPool& pool) {
    WARPSEQ_TRY(check_memory(options, pool));
    auto file = TemporaryFile::create_in_memory();
    if (!file.ok()) return file.status();
    auto out = AtomicFile::of_temporary(*file);
    if (!out.ok()) return out.status();
    const std::filesystem::path folder = options.temporary_folder;
    auto state = std::make_unique<State>(folder, std::move(options), pool, *std::move(out), *std::move(file));
    WARPSEQ_TRY(state->take_place_of_header());
    return WsdbWriter(std::move(state));
}

Result<WsdbReader> WsdbWriter::open_unnamed(const std::filesystem::path& shown) const {
    return WsdbReader::open_private(state_->unnamed.descriptor(), shown);
}

/// Moves an unnamed database that is too large for memory to a file in the folder. This is known
/// once all is added, when only the room for the header has been written.
Status WsdbWriter::State::choose_place_of_unnamed() {
    // This is somewhat more than the sections take: a residue takes five bits and padding, a header
    // less than its bytes.
    const std::uint64_t most_bytes = input.residues * 2 + header_bytes + input.sequences * 128;
    if (!unnamed.is_open() || most_bytes <= kMostInMemoryBytes) return {};
    auto file = TemporaryFile::create(options.temporary_folder);
    if (!file.ok()) return file.status();
    auto opened = AtomicFile::of_temporary(*file);
    if (!opened.ok()) return opened.status();
    out = *std::move(opened);
    unnamed = *std::move(file);
    return take_place_of_header();
}

RecordLimits WsdbWriter::limits() const {
    const std::uint64_t most_residues = state_->sorting_memory / kMemoryPerResidue;
    return {std::min(most_residues, wsdb::kMaxSequenceResidues), state_->sorting_memory / kMemoryPerHeaderByte,
            [memory_bytes = state_->options.memory_bytes, sorting_memory = state_->sorting_memory](
                std::string_view header, std::uint64_t residues, std::uint64_t header_bytes) {
                return too_large(header, residues, header_bytes, memory_bytes, sorting_memory);
            }};
}

Status WsdbWriter::add(std::string_view header, std::span<const ResidueCode> residues) {
    State& state = *state_;
    WARPSEQ_TRY(state.check_size(header, residues.size()));
    assert(header.find_first_of("\r\n") == std::string_view::npos);
    state.single.clear();
    state.single.add(header, residues);
    PendingCopies copies;
    Result<bool> added = add(state.single, copies);
    while (added.ok() && !*added) {
        WARPSEQ_TRY(make_room());
        added = add(state.single, copies);
    }
    make_copies(copies);
    return added.status();
}

Result<bool> WsdbWriter::add(const RecordBatch& batch, PendingCopies& copies) {
    State& state = *state_;
    if (!state.by_length.has_room(batch.records().size(), batch.bytes().size())) return false;
    state.sort_records.clear();
    for (const RecordBatch::Record& record : batch.records()) {
        if (record.residues > wsdb::kMaxSequenceResidues ||
            record.residues * kMemoryPerResidue > state.sorting_memory ||
            (record.end - record.begin) * kMemoryPerHeaderByte > state.sorting_memory)
            WARPSEQ_TRY(
                state.check_size(view_of_record(batch.bytes_of(record), record.residues).header, record.residues));
        // The longest sequence comes first; ties are in input order.
        const std::optional<std::uint64_t> place = state.place_of(record.position);
        if (!place) {
            return Status::invalid_input("two sequences of an input have the position " +
                                         std::to_string(record.position) +
                                         ", so that input is a damaged database; inspect validate shows the details");
        }
        state.sort_records.push_back({{~record.residues, *place}, record.end - record.begin});
        ++state.input.sequences;
    }
    state.by_length.add_all(state.sort_records, batch.bytes(), copies);
    state.has_taxids = state.has_taxids || batch.has_taxids();
    state.input.residues += batch.residues();
    state.header_bytes += batch.header_bytes();
    state.most_names += batch.most_names();
    const auto composition = batch.composition();
    for (std::size_t code = 0; code < composition.size(); ++code) state.composition[code] += composition[code];
    return true;
}

void WsdbWriter::begin_input() { state_->input_begin = state_->positions_end; }

Status WsdbWriter::make_room() { return state_->by_length.make_room(); }

Result<WsdbSummary> WsdbWriter::finish(const WsdbInputFacts& facts) {
    State& state = *state_;
    if (state.input.sequences == 0) return Status::invalid_input(std::string(kNoSequenceToWrite));
    WARPSEQ_TRY(state.choose_place_of_unnamed());
    const std::uint64_t percent = state.sorting_memory / 100;
    const std::uint64_t columns_bytes = state.tiles.plan_memory(state.input, state.header_bytes, state.most_names);
    const std::vector<std::filesystem::path>& lists = state.options.taxid_lists;
    const bool with_taxids = state.has_taxids || !lists.empty();
    const std::uint64_t taxids_bytes = with_taxids ? percent * (lists.empty() ? kTaxidPercent : kTaxidListPercent) : 0;
    const std::uint64_t length_sort_bytes = percent * (100 - kLeftPercent) - columns_bytes - taxids_bytes;
    state.by_length.set_memory(length_sort_bytes);
    WARPSEQ_TRY(state.by_length.finish(columns_bytes));
    if (state.positions) state.positions->count();
    if (state.positions_end > state.input.sequences) state.input.positions = &*state.positions;
    if (with_taxids) state.taxids.emplace(taxids_bytes, state.temporary_folder, state.threads, lists);
    WARPSEQ_TRY(state.tiles.write(state.by_length, state.input, state.taxids ? &*state.taxids : nullptr,
                                  state.options.on_progress));
    state.by_length.free();

    wsdb::FileHeader header{};
    WsdbSectionWriter sections(state.out, header);
    WARPSEQ_TRY(state.tiles.append_sections(sections));
    const Result<WsdbDuplicates> duplicates = append_name_index(state.tiles.names(), length_sort_bytes, sections);
    if (!duplicates.ok()) return duplicates.status();
    if (duplicates->sequences > 0 && state.options.on_duplicates)
        WARPSEQ_TRY(state.options.on_duplicates(duplicates->example));

    WsdbTaxidCounts taxid_counts;
    if (state.taxids) {
        const auto counts = state.taxids->append_sections(facts.taxonomy ? *facts.taxonomy : Taxonomy(), sections);
        if (!counts.ok()) return counts.status();
        taxid_counts = *counts;
    }

    wsdb::Statistics statistics = state.tiles.statistics();
    statistics.composition = state.composition;
    statistics.duplicate_identifiers = duplicates->sequences;
    statistics.unnamed_sequences = facts.unnamed_sequences;
    statistics.gaps_removed = facts.gaps_removed;
    statistics.skipped_invalid = facts.skipped_invalid;
    WARPSEQ_TRY(sections.append(SectionType::kStatistics, object_bytes(statistics)));
    WARPSEQ_TRY(sections.append(SectionType::kProvenance, text_bytes(facts.provenance_json)));

    WARPSEQ_TRY(sections.finish());

    header.magic = wsdb::kMagic;
    header.version_major = wsdb::kVersionMajor;
    header.version_minor = wsdb::kVersionMinor;
    header.header_bytes = wsdb::kHeaderBytes;
    header.file_bytes = state.out.size_bytes();
    header.sequences = state.input.sequences;
    header.residues = state.input.residues;
    header.linear_tiles = state.tiles.linear_tiles();
    header.longest_residues = statistics.longest_residues;
    header.required_features = state.tiles.required_features();
    header.codec = static_cast<std::uint32_t>(state.options.codec);
    header.alphabet = wsdb::kProteinAlphabet;
    header.content_digest = state.tiles.content_digest();
    header.checksum = XXH3_64bits(&header, offsetof(wsdb::FileHeader, checksum));
    WARPSEQ_TRY(state.out.write_at(0, object_bytes(header)));
    if (state.options.uncommitted != nullptr) {
        WARPSEQ_TRY(state.out.sync());
        state.options.uncommitted->emplace(std::move(state.out));
    } else {
        WARPSEQ_TRY(state.out.commit());
    }

    WsdbSummary summary;
    summary.sequences = header.sequences;
    summary.residues = header.residues;
    summary.longest_residues = statistics.longest_residues;
    summary.shortest_residues = statistics.shortest_residues;
    summary.tiles = header.tiles();
    summary.linear_tiles = header.linear_tiles;
    summary.padding_words = statistics.padding_words;
    summary.residue_words = statistics.residue_words;
    summary.empty_sequences = statistics.empty_sequences;
    summary.duplicate_identifiers = statistics.duplicate_identifiers;
    summary.duplicate_example = duplicates->example;
    summary.file_bytes = header.file_bytes;
    summary.spilled_bytes = state.by_length.spilled_bytes() + state.tiles.names().spilled_bytes();
    summary.content_digest = digest_text(header.content_digest);
    summary.taxids = taxid_counts;
    return summary;
}

}  // namespace warpseq
