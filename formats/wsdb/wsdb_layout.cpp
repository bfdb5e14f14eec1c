#include "formats/wsdb/wsdb_layout.h"

namespace warpseq::wsdb {

std::string_view section_name(SectionType type) {
    switch (type) {
        case SectionType::kTiles: return "TILES";
        case SectionType::kBlocks: return "BLOCKS";
        case SectionType::kBlockIndex: return "BLOCK_INDEX";
        case SectionType::kTileIndex: return "TILE_INDEX";
        case SectionType::kLengths: return "LENGTHS";
        case SectionType::kInputPositions: return "INPUT_POSITIONS";
        case SectionType::kHeaderBlockIndex: return "HEADER_BLOCK_INDEX";
        case SectionType::kHeaders: return "HEADERS";
        case SectionType::kNameIndex: return "NAME_INDEX";
        case SectionType::kStatistics: return "STATISTICS";
        case SectionType::kProvenance: return "PROVENANCE";
        case SectionType::kChecksums: return "CHECKSUMS";
        case SectionType::kTaxids: return "TAXIDS";
        case SectionType::kTaxonomy: return "TAXONOMY";
    }
    return "unknown";
}

void pack_sequences(TileLayout layout, std::span<const std::uint64_t> lengths, const std::uint8_t* residues,
                    std::uint32_t* words) {
    const std::uint64_t total = tile_words(layout, lengths.front());
    if (total == 0) return;
    if (layout == TileLayout::kLinear) {
        pack_lane({residues, lengths.front()}, words, total, 0, 1);
        return;
    }
    const std::uint64_t word_rows = words_for(lengths.front());
    for (std::size_t lane = 0; lane < kTileLanes; ++lane) {
        const std::uint64_t length = lane < lengths.size() ? lengths[lane] : 0;
        pack_lane({residues, length}, words, word_rows, lane, kTileLanes);
        residues += length;
    }
}

}  // namespace warpseq::wsdb
