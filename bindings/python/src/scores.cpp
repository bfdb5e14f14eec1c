// Smith-Waterman scores of queries against many targets, written into numpy's arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/sequences.h"
#include "bindings/python/src/session.h"
#include "bindings/searches/sequence_scores.h"

namespace warpseq::python {
namespace {

/// A row per query and a column per target.
using ScoreArray = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The letters of a tuple's sequences. A tuple, because a list could change meanwhile.
std::vector<std::string_view> letters_of_all(const nb::tuple& sequences) {
    std::vector<std::string_view> letters;
    letters.reserve(sequences.size());
    for (const nb::handle each : sequences) letters.push_back(letters_of(each));
    return letters;
}

std::span<std::int32_t> cells_of(const ScoreArray& array, std::size_t rows, std::size_t columns) {
    if (array.shape(0) != rows || array.shape(1) != columns) throw nb::value_error("an array of the wrong shape");
    return {array.data(), rows * columns};
}

/// Calls `score` with a SearchControl, in a thread that Ctrl-C can stop.
template <typename Score>
void run(const Score& score) {
    NoteCollector notes;
    std::stop_source stop;
    const Status status = run_stoppable(
        [&] {
            return score(SearchControl{notes, stop.get_token()});
        },
        [&] { stop.request_stop(); });
    notes.issue();
    check(status);
}

ScoringScheme scheme_of(const nb::dict& options) {
    const std::vector<NamedValue> values = named_values(options);
    return value_of(run_stoppable([&] { return read_sw_scores(values); }));
}

void score_targets(const nb::tuple& queries, const nb::tuple& targets, const nb::dict& options, const nb::dict& machine,
                   const ScoreArray& scores) {
    const ScoringScheme scheme = scheme_of(options);
    const SessionSettings settings = value_of(machine_settings(named_values(machine)));
    const std::vector<std::string_view> query_letters = letters_of_all(queries),
                                        target_letters = letters_of_all(targets);
    const std::span<std::int32_t> cells = cells_of(scores, queries.size(), targets.size());
    run([&](const SearchControl& control) {
        return score_letters(query_letters, target_letters, scheme, settings, control, cells);
    });
}

void score_session(const nb::tuple& queries, const PySession& session, const nb::dict& options,
                   const ScoreArray& scores) {
    const ScoringScheme scheme = scheme_of(options);
    const PySession on = opened(session);  // a copy, because another thread may close the session
    const std::vector<std::string_view> letters = letters_of_all(queries);
    const std::span<std::int32_t> cells = cells_of(scores, queries.size(), on.session->databases().sequence_count());
    run([&](const SearchControl& control) { return score_letters(letters, *on.session, scheme, control, cells); });
}

}  // namespace

void bind_scores(nb::module_& module) {
    module.def("score_targets", &score_targets, nb::arg("queries"), nb::arg("targets"), nb::arg("options"),
               nb::arg("machine"), nb::arg("scores").noconvert());
    module.def("score_session", &score_session, nb::arg("queries"), nb::arg("session"), nb::arg("options"),
               nb::arg("scores").noconvert());
}

}  // namespace warpseq::python
