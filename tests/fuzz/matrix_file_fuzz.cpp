// Fuzz target: hostile matrix files. The scores of an accepted matrix are in their range. An
// accepted protein matrix has a row and a column for each letter.
#include <algorithm>

#include "formats/profiles/matrix_file.h"
#include "tests/fuzz/fuzz_support.h"

using namespace warpseq;
using namespace warpseq::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = text_of(data, size);
    for (const Alphabet alphabet : {Alphabet::kProtein, Alphabet::kNucleotide}) {
        const auto matrix = parse_matrix(text, "fuzz", "fuzz.txt", alphabet);
        if (!matrix.ok()) {
            require_message(matrix.status());
            continue;
        }
        for (int query = 0; query < kResidueTableSize; ++query) {
            for (int target = 0; target < kResidueTableSize; ++target) {
                const int score = matrix->score_raw(static_cast<ResidueCode>(query), static_cast<ResidueCode>(target));
                require(score >= -128 && score <= 127, "scores fit 8 bits");
            }
        }
    }
    return 0;
}
