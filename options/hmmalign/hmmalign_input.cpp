#include "options/hmmalign/hmmalign_input.h"

#include <utility>

#include "engines/hmm/mapped_alignment.h"
#include "formats/fasta/hmmer_fasta.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/pressed_profiles.h"
#include "formats/sequences/sequence_file.h"

namespace warpseq {
namespace {

Result<std::vector<AlignedSequence>> read_mapped(const ProfileHmm& hmm, const std::filesystem::path& file,
                                                 AlignmentReader& reader) {
    MultipleAlignment alignment;
    const Result<bool> got = reader.next(alignment);
    if (!got.ok()) return got.status();
    return map_alignment(hmm, alignment, file.string(), "--mapali");
}

/// Reads the sequences. Adds the note of formats/fasta/hmmer_fasta.h about each sequence to
/// `notes`.
Status read_sequences(const HmmalignOptions& options, std::vector<AlignedSequence>& sequences,
                      std::vector<std::string>& notes) {
    auto reader = SequenceFileReader::open(options.sequence_file, options.sequences);
    if (!reader.ok()) return reader.status();
    NamedSequence sequence;
    for (;;) {
        const Result<bool> got = reader->next(sequence);
        if (!got.ok()) return got.status();
        if (!*got) return {};
        AlignedSequence& row = sequences.emplace_back();
        row.name = sequence.name;
        row.accession = sequence.accession;
        row.description = sequence.description;
        row.residues = sequence.residues;
        notes.push_back(sequence.unscored);
    }
}

}  // namespace

Result<ProfileHmm> read_only_profile(const std::filesystem::path& file) {
    HmmFileReader reader(profile_file_of(file));
    ProfileHmm hmm, other;
    const Result<bool> first = reader.next(hmm);
    if (!first.ok()) return first.status();
    const Result<bool> second = reader.next(other);
    if (!second.ok() || *second)
        return Status::invalid_input("HMM file " + file.string() + " does not contain just one HMM");
    return hmm;
}

Result<SequencesToAlign> read_sequences_to_align(const HmmalignOptions& options, const ProfileHmm& hmm,
                                                 AlignmentReader* mapped_reader) {
    SequencesToAlign sequences;
    if (options.mapped_alignment) {
        AlignmentReader own(*options.mapped_alignment);
        auto mapped = read_mapped(hmm, *options.mapped_alignment, mapped_reader == nullptr ? own : *mapped_reader);
        if (!mapped.ok()) return mapped.status();
        sequences.rows = *std::move(mapped);
    }
    sequences.mapped = sequences.rows.size();
    WARPSEQ_TRY(read_sequences(options, sequences.rows, sequences.notes));
    return sequences;
}

MultipleAlignment finish_alignment(const ProfileHmm& hmm, SequencesToAlign sequences, bool trim) {
    const std::span<AlignedSequence> aligned = sequences.to_align();
    for (std::size_t s = 0; s < sequences.notes.size(); ++s) show_unscored(sequences.notes[s], 0, aligned[s].residues);
    return align_sequences(hmm, std::move(sequences.rows), trim);
}

}  // namespace warpseq
