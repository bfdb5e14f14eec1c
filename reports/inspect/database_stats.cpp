#include "reports/inspect/database_stats.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "formats/io/json_writer.h"
#include "formats/wsdb/wsdb_map.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"
#include "reports/inspect/content_stats.h"
#include "reports/inspect/stats_text.h"

namespace warpseq {

namespace {

void add_figures(const WsdbReader& reader, DatabaseFigures& figures) {
    const WsdbReader::Map& map = reader.map();
    const auto lengths = reader.lengths_residues();
    figures.mean_residues = static_cast<double>(reader.residue_count()) / static_cast<double>(lengths.size());
    figures.median_residues = lengths[lengths.size() / 2];
    std::uint64_t sum = 0;
    for (const std::uint64_t length : lengths) {
        sum += length;
        if (sum >= reader.residue_count() - sum) {
            figures.n50_residues = length;
            break;
        }
    }
    for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile) {
        const std::uint64_t words = reader.tile_bytes(tile) / sizeof(std::uint32_t);
        figures.packed_bytes += reader.tile_bytes(tile);
        if (map.layout_of(tile) == TileLayout::kLinear || words == 0) continue;
        std::uint64_t filled = 0;
        for (const std::uint64_t length : lengths.subspan(map.first_sequence_of(tile), map.lanes_of(tile)))
            filled += words_for(length);
        ++figures.fill[static_cast<std::size_t>(std::min<std::uint64_t>(filled * 10 / words, 9))];
        const double fill = static_cast<double>(filled) / static_cast<double>(words);
        if (map.lanes_of(tile) < kTileLanes) continue;
        ++figures.full_tiles;
        if (fill < figures.worst_fill) {
            figures.worst_fill = fill;
            figures.worst_tile = tile;
        }
    }
    const bool packed = reader.codec() == ResidueCodec::kPacked;
    figures.residue_bytes = map.section(packed ? wsdb::SectionType::kTiles : wsdb::SectionType::kBlocks).size_bytes;
    figures.header_bytes_stored = map.section(wsdb::SectionType::kHeaders).size_bytes;
}

std::string decimals(double value, int digits) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string bin_name(std::size_t bin) {
    const std::uint64_t first = wsdb::histogram_bin_start(bin);
    const std::uint64_t last = bin + 1 < wsdb::kHistogramBins ? wsdb::histogram_bin_start(bin + 1) - 1 : first;
    return first == last ? format_count(first) : format_count(first) + "-" + format_count(last);
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? "-" : decimals(static_cast<double>(part) / static_cast<double>(whole), 3);
}

std::string stats_text(const WsdbReader& reader, const DatabaseFigures& figures, std::size_t columns) {
    const wsdb::Statistics& statistics = figures.statistics;
    const std::uint64_t residues = reader.residue_count();
    std::string text;
    text += format_count(reader.sequence_count()) + " sequences, " + format_count(residues) + " residues\n\n";
    text += "length      shortest " + format_count(statistics.shortest_residues) + ", median " +
            format_count(figures.median_residues) + ", mean " + decimals(figures.mean_residues, 1) + ", N50 " +
            format_count(figures.n50_residues) + ", longest " + format_count(statistics.longest_residues) + "\n";
    std::size_t first_bin = wsdb::kHistogramBins, last_bin = 0;
    std::uint64_t largest_bin = 1;
    for (std::size_t bin = 0; bin < wsdb::kHistogramBins; ++bin) {
        if (statistics.length_histogram[bin] == 0) continue;
        first_bin = std::min(first_bin, bin);
        last_bin = bin;
        largest_bin = std::max(largest_bin, statistics.length_histogram[bin]);
    }
    constexpr std::size_t kBinColumns = 19, kCountColumns = 14;
    const std::size_t bar_columns = columns - kBinColumns - kCountColumns - 3;
    for (std::size_t bin = first_bin; bin <= last_bin; ++bin) {
        const std::uint64_t count = statistics.length_histogram[bin];
        text += right(bin_name(bin), kBinColumns) + right(format_count(count), kCountColumns);
        const std::string drawn = bar(static_cast<double>(count) / static_cast<double>(largest_bin), bar_columns);
        text += drawn.empty() ? "\n" : "  " + drawn + "\n";
    }

    text += "\ncomposition\n";
    std::uint64_t most_common = 1;
    for (const std::uint64_t count : statistics.composition) most_common = std::max(most_common, count);
    for (int code = 0; code < kResidueCodes; ++code) {
        const std::uint64_t count = statistics.composition[static_cast<std::size_t>(code)];
        if (count == 0) continue;
        text += "  ";
        text += residue_letter(static_cast<ResidueCode>(code));
        text += right(format_count(count), 18) +
                right(percentage(static_cast<double>(count), static_cast<double>(residues)), 10) + "  " +
                bar(static_cast<double>(count) / static_cast<double>(most_common), columns - 34) + "\n";
    }

    const std::uint64_t words = statistics.residue_words + statistics.padding_words;
    text += "\ntiles       " + format_count(reader.tile_count()) + " (" + format_count(reader.linear_tile_count()) +
            " linear), padding " +
            percentage(static_cast<double>(statistics.padding_words), static_cast<double>(words)) + " of " +
            format_count(words) + " words\n";
    if (figures.full_tiles > 0) {
        text += "balance     of full interleaved tiles the worst is filled to " + percentage(figures.worst_fill, 1) +
                " (tile " + format_count(figures.worst_tile) + ")\n";
    }
    std::uint64_t fullest = 1;
    for (const std::uint64_t count : figures.fill) fullest = std::max(fullest, count);
    for (std::size_t tenth = 0; tenth < figures.fill.size(); ++tenth) {
        const std::uint64_t count = figures.fill[tenth];
        if (count == 0) continue;
        text += right(std::to_string(tenth * 10) + "-" + std::to_string(tenth * 10 + 10) + " % filled", kBinColumns) +
                right(format_count(count), kCountColumns) + "  " +
                bar(static_cast<double>(count) / static_cast<double>(fullest), bar_columns) + "\n";
    }
    text += "\nstorage     " + ratio(figures.residue_bytes, residues) + " bytes a residue, " +
            ratio(figures.packed_bytes, residues) + " as packed tiles,\n            " +
            ratio(reader.file_bytes(), residues) + " with headers and indexes\n";
    text += "headers     " + format_size_bytes(statistics.header_bytes) + ", stored in " +
            format_size_bytes(figures.header_bytes_stored) + " (" +
            percentage(static_cast<double>(figures.header_bytes_stored), static_cast<double>(statistics.header_bytes)) +
            ")\n";
    text += "input       empty sequences " + format_count(statistics.empty_sequences) + ", duplicate identifiers " +
            format_count(statistics.duplicate_identifiers) + ", unnamed " + format_count(statistics.unnamed_sequences) +
            ",\n            gaps removed " + format_count(statistics.gaps_removed) + ", invalid records left out " +
            format_count(statistics.skipped_invalid) + "\n";
    return text;
}

/// Writes the figures as members of the JSON object that is open.
void write_stats_json(const WsdbReader& reader, const DatabaseFigures& figures, JsonWriter& json) {
    const wsdb::Statistics& statistics = figures.statistics;
    json.member("file", reader.file().string());
    json.member("sequences", reader.sequence_count());
    json.member("residues", reader.residue_count());
    json.member("shortest_residues", statistics.shortest_residues);
    json.member("median_residues", figures.median_residues);
    json.member("mean_residues", figures.mean_residues);
    json.member("n50_residues", figures.n50_residues);
    json.member("longest_residues", statistics.longest_residues);
    json.key("length_histogram").begin_array();
    for (std::size_t bin = 0; bin < wsdb::kHistogramBins; ++bin) {
        if (statistics.length_histogram[bin] == 0) continue;
        json.begin_object();
        json.member("from_residues", wsdb::histogram_bin_start(bin));
        json.member("sequences", statistics.length_histogram[bin]);
        json.end_object();
    }
    json.end_array();
    json.key("composition").begin_object();
    for (int code = 0; code < kResidueCodes; ++code) {
        const char letter = residue_letter(static_cast<ResidueCode>(code));
        json.member({&letter, 1}, statistics.composition[static_cast<std::size_t>(code)]);
    }
    json.end_object();
    json.member("tiles", reader.tile_count());
    json.member("linear_tiles", reader.linear_tile_count());
    json.member("residue_words", statistics.residue_words);
    json.member("padding_words", statistics.padding_words);
    json.member("full_tiles", figures.full_tiles);
    json.key("worst_full_tile");
    if (figures.full_tiles == 0) {
        json.null();
    } else {
        json.begin_object();
        json.member("tile", figures.worst_tile);
        json.member("filled", figures.worst_fill);
        json.end_object();
    }
    json.key("interleaved_tiles_by_tenth_filled").begin_array();
    for (const std::uint64_t tiles : figures.fill) json.value(tiles);
    json.end_array();
    json.member("file_bytes", reader.file_bytes());
    json.member("residue_section_bytes", figures.residue_bytes);
    json.member("packed_tile_bytes", figures.packed_bytes);
    json.member("header_bytes", statistics.header_bytes);
    json.member("header_bytes_stored", figures.header_bytes_stored);
    json.member("empty_sequences", statistics.empty_sequences);
    json.member("duplicate_identifiers", statistics.duplicate_identifiers);
    json.member("unnamed_sequences", statistics.unnamed_sequences);
    json.member("gaps_removed", statistics.gaps_removed);
    json.member("skipped_invalid", statistics.skipped_invalid);
}

}  // namespace

Result<DatabaseFigures> database_figures(const WsdbReader& reader) {
    DatabaseFigures figures;
    const auto statistics = reader.map().statistics();
    if (!statistics.ok()) return statistics.status();
    figures.statistics = *statistics;
    add_figures(reader, figures);
    WARPSEQ_TRY(reader.verify_unchanged(ThreadPool(1)));
    return figures;
}

Result<std::string> database_stats_text(const WsdbReader& reader, const DatabaseFigures& figures,
                                        const ContentStats& content, std::size_t columns) {
    const auto content_lines = content_text(reader, content.chosen, content.figures);
    if (!content_lines.ok()) return content_lines.status();
    return stats_text(reader, figures, columns) + *content_lines;
}

Result<std::string> database_stats_json(const WsdbReader& reader, const DatabaseFigures& figures,
                                        const ContentStats& content) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    json.begin_object();
    write_stats_json(reader, figures, json);
    WARPSEQ_TRY(write_content_json(reader, content.chosen, content.figures, json));
    json.end_object();
    json.line_break();
    return text;
}

}  // namespace warpseq
