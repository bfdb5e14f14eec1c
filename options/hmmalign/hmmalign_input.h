// The input of hmmalign as its options say: the profile, and the sequences that are aligned to it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engines/hmm/hmm_alignment.h"
#include "formats/alignments/alignment_reader.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "options/hmmalign/hmmalign_options.h"

namespace warpseq {

/// Reads a file of one profile. A file of several is an error in HMMER's words.
Result<ProfileHmm> read_only_profile(const std::filesystem::path& file);

/// The rows of an alignment before they are aligned.
struct SequencesToAlign {
    std::vector<AlignedSequence> rows;  // first those of --mapali, which are aligned already
    std::size_t mapped = 0;             // rows of --mapali
    std::vector<std::string> notes;     // of formats/fasta/hmmer_fasta.h about each other row

    std::span<AlignedSequence> to_align() { return std::span(rows).subspan(mapped); }
};

/// Reads the alignment of --mapali, if any, and then the sequences. `mapped_reader` is a reader of
/// that alignment. If it is nullptr, the function makes a reader of its own.
Result<SequencesToAlign> read_sequences_to_align(const HmmalignOptions& options, const ProfileHmm& hmm,
                                                 AlignmentReader* mapped_reader = nullptr);

/// Makes the alignment once the sequences have been aligned (SequenceAligner::align()). Letters
/// that have no score are shown as the input has them.
MultipleAlignment finish_alignment(const ProfileHmm& hmm, SequencesToAlign sequences, bool trim);

}  // namespace warpseq
