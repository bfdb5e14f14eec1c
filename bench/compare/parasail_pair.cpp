// parasail_pair RESIDUES BACKEND ROUNDS
//
// Compares one thread's sweep over two sequences of that length with parasail's fastest functions
// for it. The two take turns in one process, so that other work of the machine affects both. Prints
// cells per second of processor time, the best of the rounds, and checks the scores.
#include <parasail.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/pair/pair_sweep.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"

namespace {

using namespace warpseq;
using Sequence = std::vector<ResidueCode>;

double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

unsigned number(std::string_view text) {
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Sequence random_letters(Random& random, std::size_t residues, std::uint64_t letters) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(letters));
    return sequence;
}

// Returns a relative. Of a thousand places it has substitutions in `substituted`, and deletions and
// insertions in `gapped` each.
Sequence relative(Random& random, const Sequence& sequence, std::uint64_t letters, std::uint64_t substituted,
                  std::uint64_t gapped) {
    Sequence other;
    for (const ResidueCode code : sequence) {
        const std::uint64_t event = random.below(1000);
        if (event < gapped) continue;
        if (event < 2 * gapped) other.push_back(static_cast<ResidueCode>(random.below(letters)));
        other.push_back(event >= 2 * gapped && event < 2 * gapped + substituted
                            ? static_cast<ResidueCode>(random.below(letters))
                            : code);
    }
    return other;
}

struct Peer {
    const char* mode;  // the mode in parasail's names
    bool local, free;
    std::vector<const char*> kinds;
};

}  // namespace

int main(int argc, char** argv) {
    const auto backend = cpu_backend_from_name(argc == 4 ? argv[2] : "");
    const std::size_t residues = argc == 4 ? number(argv[1]) : 0;
    const unsigned rounds = argc == 4 ? number(argv[3]) : 0;
    if (residues < 1 || rounds < 1 || !backend.ok()) {
        std::fputs("parasail_pair RESIDUES BACKEND ROUNDS\n", stderr);
        return 2;
    }
    ThreadPool pool(1);
    Random random(1);
    bool equal = true;
    for (const bool protein : {true, false}) {
        const std::uint64_t letters = protein ? 20 : 4;
        SubstitutionMatrix::Table table{};
        for (std::size_t q = 0; q < table.size(); ++q) {
            for (std::size_t t = 0; t < table.size(); ++t) table[q][t] = q == t ? 2 : -3;
        }
        const ScoringScheme scheme = protein ? ScoringScheme{builtin_matrix("BLOSUM62").value(), {11, 1}}
                                             : ScoringScheme{SubstitutionMatrix("2/-3", table), {5, 2}};
        const parasail_matrix_t* const matrix =
            protein ? parasail_matrix_lookup("blosum62") : parasail_matrix_create("ACGT", 2, -3);
        const auto text_of = [protein](const Sequence& sequence) {
            std::string text;
            for (const ResidueCode code : sequence) text.push_back(protein ? residue_letter(code) : "ACGT"[code]);
            return text;
        };
        const Sequence query = random_letters(random, residues, letters);
        for (const bool related : {false, true}) {
            const Sequence target = !related  ? random_letters(random, residues, letters)
                                    : protein ? relative(random, query, letters, 300, 10)
                                              : relative(random, query, letters, 100, 20);
            const std::string query_text = text_of(query), target_text = text_of(target);
            for (const Peer& peer : {Peer{"nw", false, false, {"striped_16", "striped_32", "scan_16", "scan_32"}},
                                     Peer{"sw", true, true, {"striped_8", "striped_16", "striped_32", "striped_sat"}},
                                     Peer{"sg", false, true, {"striped_16", "striped_32", "scan_16", "scan_32"}}}) {
                const auto line_of = [&](std::size_t cells) {
                    std::vector<BorderCell> line(cells);
                    for (std::size_t k = 0; k < cells; ++k) {
                        line[k].h = peer.free || k == 0
                                        ? 0
                                        : -scheme.gaps.open - static_cast<std::int32_t>(k) * scheme.gaps.extend;
                        line[k].gap = line[k].h - scheme.gaps.first();
                    }
                    return line;
                };
                const auto top = line_of(target.size() + 1), left = line_of(query.size() + 1);
                SweepTask task{query, target, top, left, query.size(), target.size()};
                task.reached_raw = SweepTask::kNoPruning;
                const auto sweeper = make_cpu_pair_sweeper(*backend, {scheme, peer.local}, pool);
                double ours = 1e9, theirs = 1e9;
                std::string fastest = "none";
                std::int32_t score_raw = 0, peer_score_raw = 0;
                for (unsigned round = 0; round < rounds; ++round) {
                    const double begin = processor_seconds();
                    auto grids = sweeper->sweep({&task, 1}, {});
                    ours = std::min(ours, processor_seconds() - begin);
                    if (!grids.ok()) return 1;
                    const PairGrid& grid = *(*grids)[0];
                    std::vector<BorderCell> row(target.size() + 1), column(query.size() + 1);
                    if (!grid.read_row_checkpoint(0, 0, row).ok() || !grid.read_column_checkpoint(0, 0, column).ok())
                        return 1;
                    score_raw = row.back().h;
                    if (peer.local) score_raw = grid.block_maxima_raw()[0];
                    if (peer.free && !peer.local) {
                        for (const auto& line : {row, column}) {
                            for (const BorderCell& cell : line) score_raw = std::max(score_raw, cell.h);
                        }
                    }
                    for (const char* const kind : peer.kinds) {
                        parasail_function_t* const function =
                            parasail_lookup_function((std::string(peer.mode) + "_" + kind).c_str());
                        const double peer_begin = processor_seconds();
                        parasail_result_t* const result = function(
                            query_text.c_str(), static_cast<int>(query_text.size()), target_text.c_str(),
                            static_cast<int>(target_text.size()), scheme.gaps.first(), scheme.gaps.extend, matrix);
                        const double seconds = processor_seconds() - peer_begin;
                        if (!parasail_result_is_saturated(result) && seconds < theirs) {
                            theirs = seconds;
                            fastest = kind;
                            peer_score_raw = parasail_result_get_score(result);
                        }
                        parasail_result_free(result);
                    }
                }
                const double cells = 1e-9 * static_cast<double>(query.size()) * static_cast<double>(target.size());
                equal &= score_raw == peer_score_raw;
                std::printf("%-7s %-7s %s  %5.1f GCUPS, parasail %5.1f (%s): %.2f times%s\n",
                            protein ? "protein" : "DNA", related ? "related" : "random", peer.mode, cells / ours,
                            cells / theirs, fastest.c_str(), theirs / ours,
                            score_raw == peer_score_raw ? "" : ", SCORES DIFFER");
                std::fflush(stdout);
            }
        }
    }
    return equal ? 0 : 1;
}
