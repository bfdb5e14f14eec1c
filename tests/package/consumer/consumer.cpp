// Uses each of the libraries once: reads a FASTA file, packs a tile, scores it, asks for devices,
// makes a report's writer.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

#include "engines/devices/devices.h"
#include "formats/fasta/fasta.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/sequence/tile.h"
#include "reports/report.h"

int main(int argc, char** argv) {
    using namespace warpseq;
    if (argc != 2) return 2;
    std::ofstream(argv[1]) << ">a\nMKVLAW\n";
    FastaReader reader({argv[1]});
    FastaRecord record;
    const Result<bool> got = reader.next(record);
    if (!got.ok() || !*got) return 1;

    const std::vector<std::uint64_t> lengths{record.residues.size()};
    std::vector<std::uint32_t> words(tile_words(TileLayout::kLinear, lengths[0]) + kTileLanes);
    std::uint32_t* aligned = words.data();
    while (reinterpret_cast<std::uintptr_t>(aligned) % kTileAlignmentBytes != 0) ++aligned;
    const std::size_t word_count = tile_words(TileLayout::kLinear, lengths[0]);
    pack_lane(record.residues, aligned, word_count, 0, 1);
    const TileView tile{{aligned, word_count}, lengths, words_for(lengths[0]), 0, TileLayout::kLinear};

    const std::span<const ResidueCode> query = record.residues;
    const auto backend = cpu_backend_from_name("auto");
    const auto matrix = builtin_matrix("BLOSUM62");
    if (!backend.ok() || !matrix) return 1;
    const auto scorer = make_smith_waterman_scorer(*backend, {&query, 1}, ScoringScheme{*matrix, GapCosts{}});
    if (!scorer.ok()) return 1;
    const auto workspace = (*scorer)->make_workspace();
    std::vector<std::int32_t> scores(1);
    (*scorer)->score({&tile, 1}, *workspace, scores);
    DeviceRequest request;
    if (!choose_devices(request).ok() || !make_report_writer("6").ok()) return 1;
    std::printf("%d\n", scores[0]);
    return scores[0] == 5 + 5 + 4 + 4 + 4 + 11 ? 0 : 1;
}
