#include "apps/search/hmmemit/hmmemit_command.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "apps/search/hmmconvert/profile_files.h"
#include "engines/hmm/hmm_alignment.h"
#include "formats/alignments/alignment_format.h"
#include "formats/alignments/alignment_writer.h"
#include "formats/io/byte_source.h"
#include "formats/io/shown_text.h"
#include "formats/profiles/pressed_profiles.h"
#include "libcore/base/draw_seed.h"
#include "libcore/profile/profile_sampler.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {
namespace {

constexpr std::size_t kResiduesPerLine = 60;

std::string name_of_sample(const ProfileHmm& hmm, std::int64_t number) {
    return hmm.name + "-sample" + std::to_string(number);
}

}  // namespace

ProfileEmitter::ProfileEmitter(const HmmemitOptions& options, OutputSink& output)
    : options_(options), output_(output), random_(options.seed == 0 ? draw_seed() : options.seed) {}

Status ProfileEmitter::emit_all(HmmFileReader& profiles) {
    ProfileHmm hmm;
    for (;;) {
        const auto more = profiles.next(hmm);
        if (!more.ok()) return more.status();
        if (!*more) return {};
        WARPSEQ_TRY(emit(hmm));
    }
}

Status ProfileEmitter::emit(const ProfileHmm& hmm) {
    const std::string consensus_name = hmm.name + "-consensus";
    switch (options_.output) {
        case HmmemitOptions::Output::kAlignment: return emit_alignment(hmm);
        case HmmemitOptions::Output::kConsensus:
            return write_sequence(consensus_name, decode_residues(majority_consensus(hmm)));
        case HmmemitOptions::Output::kGradedConsensus:
            return write_sequence(consensus_name, graded_consensus(hmm, options_.least_shown, options_.least_upper));
        case HmmemitOptions::Output::kCoreSamples:
        case HmmemitOptions::Output::kSearchSamples: break;
    }
    return emit_samples(hmm);
}

Status ProfileEmitter::emit_samples(const ProfileHmm& hmm) {
    if (!is_sound(hmm)) return fail(Fault::kProfile, hmm);
    // HMMER checks the search model for samples of the core model, too. It is then the default one.
    const SearchSampler sampler(hmm, options_.model);
    if (!sampler.is_sound()) return fail(Fault::kSearchModel, hmm);
    for (std::int64_t i = 1; i <= options_.samples; ++i) {
        std::optional<std::vector<ResidueCode>> residues;
        if (options_.output == HmmemitOptions::Output::kSearchSamples) {
            residues = sampler.sample(random_);
        } else if (auto sample = sample_core(hmm, random_)) {
            residues = std::move(sample->residues);
        }
        if (!residues) return fail(Fault::kNoChoice, hmm);
        WARPSEQ_TRY(write_sequence(name_of_sample(hmm, i), decode_residues(*residues)));
    }
    return {};
}

Status ProfileEmitter::emit_alignment(const ProfileHmm& hmm) {
    std::vector<AlignedSequence> sequences;
    for (std::int64_t i = 1; i <= options_.samples; ++i) {
        std::optional<CoreSample> sample = sample_core(hmm, random_);
        if (!sample) return fail(Fault::kNoChoice, hmm);
        AlignedSequence& row = sequences.emplace_back();
        row.name = name_of_sample(hmm, i);
        row.residues = std::move(sample->residues);
        row.trace = std::move(sample->trace);
    }
    return write_alignment(align_sequences(hmm, std::move(sequences), false), AlignmentFormat::kStockholm,
                           [this](std::string_view text) { return output_.write(text); });
}

Status ProfileEmitter::write_sequence(const std::string& name, std::string_view letters) {
    std::string text = ">" + name + "\n";
    for (std::size_t i = 0; i < letters.size(); i += kResiduesPerLine)
        text.append(letters.substr(i, kResiduesPerLine)).append(1, '\n');
    return output_.write(text);
}

Status ProfileEmitter::fail(Fault fault, const ProfileHmm& hmm) {
    fault_ = fault;
    const char* const why = fault == Fault::kProfile ? "the probabilities of a state do not add up to 1"
                            : fault == Fault::kSearchModel
                                ? "the probabilities to begin an alignment do not add up to 1"
                                : "a state has no probabilities that could be drawn from";
    return Status::invalid_input("the profile " + shown_text(hmm.name) + " has no samples: " + why);
}

Status run_hmmemit_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmemit cannot be divided between processes");
    const auto options = read_hmmemit_options(values);
    if (!options.ok()) return options.status();
    const std::string& file = options->profile_file;
    WARPSEQ_TRY(check_profile_files(file, "-d", options->output_file, options->output_file ? "-o" : "the sequences"));
    auto source = ByteSource::open(profile_file_of(file));
    if (!source.ok()) return source.status();
    HmmFileReader profiles(*std::move(source));
    auto output = OutputSink::open(options->output_file);
    if (!output.ok()) return output.status();
    WARPSEQ_TRY(ProfileEmitter(*options, *output).emit_all(profiles));
    return output->finish();
}

}  // namespace warpseq
