// Figures of a database that take reading all of it: letters, low complexity, identical sequences.
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
    /// By residue code.
    std::array<std::uint64_t, kResidueTableSize> letter_residues{}, letter_sequences{};

    /// What SEG masks as BLAST has it: window 12, 2.2 and 2.5 bits.
    std::uint64_t masked_residues = 0;
    std::uint64_t masked_sequences = 0;         // with any residue masked
    std::uint64_t mostly_masked_sequences = 0;  // with at least half of their residues masked

    /// A group: sequences with the same residues, two at least.
    struct Group {
        std::uint64_t sequences = 0;
        std::uint64_t length_residues = 0;
        std::uint64_t first_rank = 0;  // of the sequence that comes first in the input
    };
    std::uint64_t groups = 0;
    std::uint64_t group_sequences = 0;  // in all groups
    std::uint64_t copies = 0;           // in all groups but the first of each
    std::uint64_t copy_residues = 0;
    std::vector<Group> largest_groups;  // most sequences first, then longest, then first in the database's order
};

struct WsdbContentFiguresOptions {
    bool letters = false, low_complexity = false, duplicates = false;  // what is not asked for stays 0
    std::size_t largest_groups = 10;                                   // at most so many
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;               // for sorting
    std::filesystem::path temporary_folder;
    std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)> on_progress;
};

/// The same figures with any number of threads. Sequences are compared by 128-bit hashes. Verifies
/// that the file is unchanged.
Result<WsdbContentFigures> wsdb_content_figures(const WsdbReader& reader, const ThreadPool& pool,
                                                const WsdbContentFiguresOptions& options);

}  // namespace warpseq
