#include "engines/hmm/hmm_query_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engines/hmm/hmmer2_calibration.h"
#include "engines/targets/chunk_reader.h"
#include "formats/fasta/hmmer_fasta.h"
#include "formats/fasta/nucleotide_detector.h"
#include "formats/profiles/pressed_profiles.h"
#include "formats/profiles/query_file.h"
#include "kernels/simd/flush_subnormals.h"
#include "libcore/profile/sequence_profile.h"

namespace warpseq {
struct HmmQueryReader::State {
    HmmQuerySettings settings;
    HmmBatchLimits limits;
    const ThreadPool& pool;
    std::optional<QueryFileReader> reader = {};  // empty with `pressed`
    std::shared_ptr<const PressedProfiles> pressed = {};
    std::size_t next_pressed = 0;
    std::optional<ReplacementProbabilities> replacements = {};  // of sequence queries
    std::optional<CalibrationSequences> sequences = {};         // drawn for them
    std::optional<CalibrationSequences> hmmer2_sequences = {};  // drawn for profiles of HMMER2
    bool finished = false;
    std::optional<bool> first_is_empty = {};  // set when the first sequence has been read
    NamedSequence sequence = {};
    std::uint64_t uninformative = 0;      // sequence queries that were left out because they tell nothing
    NucleotideDetector nucleotides = {};  // of sequence queries

    Result<std::vector<HmmSource>> next_sources(const std::stop_token& stop);
    Status read_pressed(std::size_t profile, HmmSource& source) const;

    /// Returns the next profile, calibrated or not; nothing after the last one.
    Result<std::optional<ProfileHmm>> next() {
        if (auto* profiles = std::get_if<HmmFileReader>(&*reader)) {
            ProfileHmm hmm;
            const auto more = profiles->next(hmm);
            if (!more.ok()) return more.status();
            return *more ? std::optional(std::move(hmm)) : std::nullopt;
        }
        for (;;) {
            const auto more = std::get<SequenceFileReader>(*reader).next(sequence);
            if (!more.ok()) return more.status();
            if (!*more) return std::optional<ProfileHmm>();
            if (!first_is_empty) first_is_empty = sequence.residues.empty();
            if (sequence.residues.empty()) continue;  // left out with a warning, as in phmmer
            nucleotides.add(sequence.residues);
            const FlushSubnormals flush;  // as HMMER builds profiles
            ProfileHmm hmm = profile_of_sequence(sequence.residues, sequence.name, sequence.description, *replacements,
                                                 settings.gaps);
            hmm.accession = sequence.accession;
            show_unscored(sequence.unscored, 0, sequence.residues);
            for (std::size_t i = 0; i < sequence.residues.size(); ++i)
                if (sequence.residues[i] > kCodeStop) hmm.consensus[i] = shown_letter(sequence.residues[i]);
            return std::optional(std::move(hmm));
        }
    }
};

HmmQueryReader::HmmQueryReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
HmmQueryReader::~HmmQueryReader() = default;
HmmQueryReader::HmmQueryReader(HmmQueryReader&&) noexcept = default;

Result<HmmQueryReader> HmmQueryReader::open(const HmmQuerySettings& settings, const HmmBatchLimits& limits,
                                            const ThreadPool& pool) {
    auto state = std::unique_ptr<State>(new State{settings, limits, pool});
    if (settings.takes_profiles) {
        auto pressed = PressedProfiles::open(settings.file);
        if (!pressed.ok()) return pressed.status();
        if (*pressed) {
            state->pressed = std::make_shared<const PressedProfiles>(**std::move(pressed));
            return HmmQueryReader(std::move(state));
        }
        auto reader = open_query_file(profile_file_of(settings.file), settings.sequence_format);
        if (!reader.ok()) return reader.status();
        state->reader.emplace(*std::move(reader));
    } else {
        auto reader = SequenceFileReader::open(settings.file, settings.sequence_format);
        if (!reader.ok()) return reader.status();
        state->reader.emplace(*std::move(reader));
    }
    if (std::holds_alternative<SequenceFileReader>(*state->reader)) {
        WARPSEQ_TRY(check_calibration(settings.calibration));
        auto replacements = replacement_probabilities(settings.matrix);
        if (!replacements.ok()) return replacements.status();
        state->replacements = *replacements;
    }
    return HmmQueryReader(std::move(state));
}

HmmQueryKind HmmQueryReader::kind() const {
    return !state_->reader || std::holds_alternative<HmmFileReader>(*state_->reader) ? HmmQueryKind::kProfile
                                                                                     : HmmQueryKind::kSequence;
}

Result<std::vector<ProfileHmm>> HmmQueryReader::next_batch(const std::stop_token& stop) {
    auto sources = next_sources(stop);
    if (!sources.ok()) return sources.status();
    std::vector<ProfileHmm> batch;
    batch.reserve(sources->size());
    for (HmmSource& source : *sources) batch.push_back(std::move(source.hmm));
    return batch;
}

Result<std::vector<HmmSource>> HmmQueryReader::next_sources(const std::stop_token& stop) {
    for (;;) {
        auto batch = state_->next_sources(stop);
        if (!batch.ok() || !batch->empty() || state_->finished) return batch;
    }
}

Status HmmQueryReader::check() const {
    return state_->pressed && state_->settings.by_forms ? state_->pressed->check_forms() : Status();
}

Status HmmQueryReader::State::read_pressed(std::size_t profile, HmmSource& source) const {
    if (!settings.by_forms || !pressed->has_forms(profile)) return pressed->read(profile, source.hmm);
    auto form = pressed->first_form(profile);
    if (!form.ok()) return form.status();
    source = {.hmm = std::move(form->head), .msv = std::move(form->msv), .rest = HmmPressedPlace{pressed, profile}};
    return {};
}

/// Returns the next batch. It may be empty before the last query if all of its queries were left
/// out.
Result<std::vector<HmmSource>> HmmQueryReader::State::next_sources(const std::stop_token& stop) {
    std::vector<HmmSource> batch;
    std::uint64_t nodes = 0;
    const std::size_t first_pressed = next_pressed;
    while (pressed && batch.size() < limits.profiles && nodes < limits.nodes) {
        finished = next_pressed == pressed->size();
        if (finished) break;
        nodes += static_cast<std::uint64_t>(pressed->nodes(next_pressed++));
        batch.emplace_back();
    }
    while (reader && !finished && batch.size() < limits.profiles && nodes < limits.nodes) {
        if (stop.stop_requested()) return Status::interrupted();
        auto hmm = next();
        if (!hmm.ok() && !batch.empty()) break;  // the next call returns the error again
        if (!hmm.ok()) return hmm.status();
        if (!*hmm) {
            finished = true;
            break;
        }
        nodes += static_cast<std::uint64_t>((*hmm)->length);
        batch.push_back({.hmm = **std::move(hmm)});
    }
    const CpuBackend backend = settings.backend;
    // Sequences have no statistics. Few profiles in files lack them.
    if (replacements && !sequences && !batch.empty()) sequences.emplace(settings.calibration);
    const auto is_hmmer2 = [](const HmmSource& source) { return source.hmm.calibrate_on_reading; };
    if (!hmmer2_sequences && std::ranges::any_of(batch, is_hmmer2)) hmmer2_sequences.emplace(hmmer2_calibration());
    WARPSEQ_TRY(pool.with_stop(stop).parallel_for(batch.size(), [&](std::uint64_t i, unsigned) -> Status {
        HmmSource& source = batch[i];
        ProfileHmm& hmm = source.hmm;
        if (pressed) WARPSEQ_TRY(read_pressed(first_pressed + i, source));
        if (source.rest) return {};  // was checked when it was pressed
        WARPSEQ_TRY(check_entry(hmm));
        if (hmm.statistics) return {};
        const auto& drawn = is_hmmer2(source) ? hmmer2_sequences : sequences;
        const auto statistics =
            drawn ? calibrate(hmm, backend, *drawn, stop) : calibrate(hmm, backend, settings.calibration, stop);
        // A query like X tells nothing. One such query among thousands is no reason to search none
        // of them.
        if (!statistics.ok() && statistics.status().code() == StatusCode::kInvalidInput && replacements) return {};
        if (!statistics.ok()) return statistics.status();
        hmm.statistics = *statistics;
        return {};
    }));
    uninformative += std::erase_if(batch, [](const HmmSource& source) { return !source.hmm.statistics; });
    return batch;
}

bool HmmQueryReader::first_is_empty() const { return state_->first_is_empty.value_or(false); }

std::vector<std::string> HmmQueryReader::warnings() const {
    std::vector<std::string> warnings;
    const auto* sequences = state_->reader ? std::get_if<SequenceFileReader>(&*state_->reader) : nullptr;
    if (sequences == nullptr) return warnings;
    const FastaCounts& counts = sequences->counts();
    const auto warn = [&](std::uint64_t count, const std::string& what) {
        if (count > 0) warnings.push_back(state_->settings.file.string() + ": " + std::to_string(count) + " " + what);
    };
    warn(counts.gaps_removed, "gap characters ('-' or '.') removed from queries");
    warn(counts.empty_sequences, "queries without residues, left out");
    warn(state_->uninformative, "queries without information (all X?), left out");
    warn(counts.unnamed, "queries without a name were given one (unnamed_N)");
    auto nucleotides = state_->nucleotides;
    if (const auto answer = nucleotides.take_answer(state_->settings.file.string())) warnings.push_back(*answer);
    return warnings;
}

std::optional<std::string> HmmQueryReader::take_nucleotide_answer() {
    return state_->nucleotides.take_answer(state_->settings.file.string());
}

}  // namespace warpseq
