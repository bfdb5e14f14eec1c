// The figures of a database, as `inspect stats` prints them: composition, lengths, how well the
// tiles are filled, and what only reading all of the database shows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/wsdb/wsdb_content_figures.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The statistics in the file, and figures that follow from the sequences' lengths and the index.
struct DatabaseFigures {
    wsdb::Statistics statistics{};
    double mean_residues = 0;
    std::uint64_t median_residues = 0;
    std::uint64_t n50_residues = 0;  // sequences of at least this length hold half of all residues
    std::uint64_t full_tiles = 0;    // interleaved tiles with all lanes
    double worst_fill = 1;           // least share of residue words in an interleaved tile with all lanes
    std::uint64_t worst_tile = 0;
    std::array<std::uint64_t, 10> fill{};  // interleaved tiles, by the tenths of their words that hold residues
    std::uint64_t residue_bytes = 0;       // size of the section with residues
    std::uint64_t packed_bytes = 0;        // size of all tiles as packed words
    std::uint64_t header_bytes_stored = 0;
};

/// The figures that need all of a database: those that were chosen, and their values.
struct ContentStats {
    WsdbContentFiguresOptions chosen;  // its members about the work are ignored
    WsdbContentFigures figures;
};

/// Reads the figures from the index. Verifies that the file is unchanged.
Result<DatabaseFigures> database_figures(const WsdbReader& reader);

/// Return the figures as text with bars for a terminal of `columns` columns, or as a JSON object.
/// Errors are those of reading headers.
Result<std::string> database_stats_text(const WsdbReader& reader, const DatabaseFigures& figures,
                                        const ContentStats& content, std::size_t columns);
Result<std::string> database_stats_json(const WsdbReader& reader, const DatabaseFigures& figures,
                                        const ContentStats& content);

}  // namespace warpseq
