// Reads the residues of a record on its way into a database (formats/fasta/record_batch.h), one by
// one.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/fasta/record_batch.h"
#include "libcore/sequence/tile.h"

namespace warpseq::testing {

/// Returns the residue codes of a record that has `residues` of them.
inline std::vector<ResidueCode> residues_of(const RecordView& record, std::uint64_t residues) {
    std::vector<ResidueCode> codes;
    for (std::uint64_t i = 0; i < residues; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, record.words.data() + i / kResiduesPerWord * sizeof word, sizeof word);
        codes.push_back(residue_of_word(word, static_cast<std::uint32_t>(i % kResiduesPerWord)));
    }
    return codes;
}

}  // namespace warpseq::testing
