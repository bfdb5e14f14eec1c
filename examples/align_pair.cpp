// align_pair A.fasta B.fasta: prints the global alignment of two sequences of any length. They are
// bases or amino acids.
#include <cstdio>

#include "engines/pair/pair_search.h"
#include "engines/session.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/nucleotide_matrix.h"

using namespace warpseq;

static Status align(const char* query_file, const char* target_file) {
    Observer nobody;
    const auto input = read_pair_input({.query_file = query_file, .target_file = target_file});
    if (!input.ok()) return input.status();
    const bool bases = input->alphabet == Alphabet::kNucleotide;
    const ScoringScheme scheme = bases ? ScoringScheme{match_mismatch_matrix(2, -3), {5, 2}}
                                       : ScoringScheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    auto session = Session::open({});
    if (!session.ok()) return session.status();
    const SearchControl control{nobody};
    return PairSearch(**session, *input, scheme, {}, control).run([](const PairResult& result) {
        constexpr char kOperations[] = {'M', 'I', 'D'};
        std::printf("score %lld, ", static_cast<long long>(result.alignment.score_raw));
        for (const AlignmentRun& run : result.alignment.runs)
            std::printf("%llu%c", static_cast<unsigned long long>(run.length),
                        kOperations[static_cast<int>(run.operation)]);
        std::printf("\n");
        return Status();
    });
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const Status status = align(argv[1], argv[2]);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
    return status.exit_status();
}
