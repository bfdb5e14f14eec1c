// Computes figures of a database that require reading all of it: letters, low complexity, identical
// sequences.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct WsdbContentFigures {
    /// For each residue code, the number of residues that have it and the number of sequences that
    /// contain it.
    std::array<std::uint64_t, kResidueTableSize> letter_residues{}, letter_sequences{};

    /// Residues that SEG masks with the parameters of BLAST: window 12, 2.2 and 2.5 bits.
    std::uint64_t masked_residues = 0;
    std::uint64_t masked_sequences = 0;         // sequences with any residue masked
    std::uint64_t mostly_masked_sequences = 0;  // sequences with at least half of their residues masked

    /// A group of at least two sequences with the same residues.
    struct Group {
        std::uint64_t sequences = 0;
        std::uint64_t length_residues = 0;
        std::uint64_t first_rank = 0;  // rank of the sequence that comes first in the input
    };
    std::uint64_t groups = 0;
    std::uint64_t group_sequences = 0;  // sequences in all groups
    std::uint64_t copies = 0;           // sequences in all groups, without the first one of each group
    std::uint64_t copy_residues = 0;
    std::vector<Group> largest_groups;  // by number of sequences, then length, both descending, then by first rank
};

struct WsdbContentFiguresOptions {
    bool letters = false, low_complexity = false, duplicates = false;  // figures that are not asked for stay 0
    std::size_t largest_groups = 10;                                   // most groups to list
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;               // for sorting
    std::filesystem::path temporary_folder;
    std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)> on_progress;
};

/// Computes the figures, which are the same with any number of threads. Sequences are compared by
/// 128-bit hashes. Verifies that the file is unchanged.
Result<WsdbContentFigures> wsdb_content_figures(const WsdbReader& reader, const ThreadPool& pool,
                                                const WsdbContentFiguresOptions& options);

}  // namespace warpseq
