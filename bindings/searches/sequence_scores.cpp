#include "bindings/searches/sequence_scores.h"

#include <string>
#include <utility>

#include "bindings/searches/query_text.h"
#include "bindings/searches/sequence_letters.h"
#include "engines/devices/device_costs.h"
#include "engines/devices/devices.h"
#include "engines/sw/target_scores.h"
#include "options/sw/sw_options.h"

namespace warpseq {
namespace {

Result<SequencesOfLetters> read(std::span<const std::string_view> letters, const std::string& name,
                                const ThreadPool& pool, Observer& observer) {
    auto sequences = read_all_letters(letters, name, pool);
    if (sequences.ok() && sequences->gaps_removed > 0)
        observer.note(name + ": " + std::to_string(sequences->gaps_removed) + " gap characters ('-' or '.') removed");
    return sequences;
}

std::vector<Query> queries_of(const SequencesOfLetters& sequences) {
    std::vector<Query> queries;
    for (const auto& residues : sequences.residues) queries.push_back({{}, {residues.begin(), residues.end()}});
    return queries;
}

/// Whether GPUs of this machine should score sequences that are in memory.
bool takes_gpus(const SessionSettings& machine, const SearchSize& size) {
    if (machine.device.kind != DeviceRequest::Kind::kAuto) return machine.device.kind == DeviceRequest::Kind::kCuda;
    if (cpu_seconds(kSwSpeed, size, machine.threads, machine.backend) <= gpu_seconds(kSwSpeed, size, 1)) return false;
    const auto devices = choose_devices(machine.device);
    return devices.ok() && !devices->gpus.empty();
}

/// Scores sequences through a session, which converts them into a database in memory.
Status score_in_session(const SequencesOfLetters& queries, const SequencesOfLetters& targets,
                        const ScoringScheme& scheme, SessionSettings machine, const SearchControl& control,
                        std::span<std::int32_t> scores_raw) {
    std::string text;
    for (std::size_t t = 0; t < targets.residues.size(); ++t)
        text += ">" + std::to_string(t) + "\n" + decode_residues(targets.residues[t]) + "\n";
    const auto file = QueryText::of_text(text, "targets");
    if (!file.ok()) return file.status();
    text = {};
    machine.database_files = {file->file()};
    Observer nobody;
    const auto session = Session::open(machine, nobody);
    if (!session.ok()) return file->named(session.status());
    return file->named(score_databases(queries_of(queries), **session, scheme, control, scores_raw));
}

}  // namespace

Result<ScoringScheme> read_sw_scores(const std::vector<NamedValue>& options) {
    auto values = values_of(make_sw_options(), options);
    if (!values.ok()) return values.status();
    WARPSEQ_TRY(values->set("query", "queries"));
    WARPSEQ_TRY(values->set("db", "targets"));
    WARPSEQ_TRY(values->set("evalue", "inf"));
    auto read = read_sw_options(*values);
    if (!read.ok()) return read.status();
    return std::move(read->settings.scheme);
}

Status score_letters(std::span<const std::string_view> queries, std::span<const std::string_view> targets,
                     const ScoringScheme& scheme, const SessionSettings& machine, const SearchControl& control,
                     std::span<std::int32_t> scores_raw) {
    const ThreadPool pool = ThreadPool(machine.threads).with_stop(control.stop);
    const auto query_sequences = read(queries, "queries", pool, control.observer);
    if (!query_sequences.ok()) return query_sequences.status();
    const auto target_sequences = read(targets, "targets", pool, control.observer);
    if (!target_sequences.ok()) return target_sequences.status();
    const SearchSize size{query_sequences->total_residues, target_sequences->total_residues};
    if (size.query_residues > 0 && size.target_residues > 0 && takes_gpus(machine, size))
        return score_in_session(*query_sequences, *target_sequences, scheme, machine, control, scores_raw);
    return score_sequences(query_sequences->residues, target_sequences->residues, scheme, machine.backend, pool,
                           scores_raw);
}

Status score_letters(std::span<const std::string_view> queries, const Session& session, const ScoringScheme& scheme,
                     const SearchControl& control, std::span<std::int32_t> scores_raw) {
    const auto sequences = read(queries, "queries", session.pool().with_stop(control.stop), control.observer);
    if (!sequences.ok()) return sequences.status();
    return score_databases(queries_of(*sequences), session, scheme, control, scores_raw);
}

}  // namespace warpseq
