// Alignments of pairs of sequences: the aligner and its alignments.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/sequences.h"
#include "bindings/searches/pair_aligner.h"
#include "bindings/searches/sequence_letters.h"
#include "formats/fasta/fasta.h"
#include "libcore/statistics/karlin_altschul.h"
#include "reports/alignment_text.h"

namespace warpseq::python {
namespace {

const PairSequence& query_of(const PairAlignment& a) { return a.pair->input.queries[0]; }
const PairSequence& target_of(const PairAlignment& a) { return a.pair->input.targets[0]; }

AlignmentCounts counts_of(const PairAlignment& a) {
    return count_alignment(a.result.alignment, a.result.aligned_query(a.pair->input),
                           a.result.aligned_target(a.pair->input), a.pair->scheme->matrix);
}

std::string cigar_of(const PairAlignment& a) {
    return extended_cigar(a.result.alignment, a.result.aligned_query(a.pair->input),
                          a.result.aligned_target(a.pair->input));
}

AlignmentText lines_of(const PairAlignment& a) { return pair_alignment_text(a.pair->run(), a.result); }

/// Returns the first and the last residue of the query, as it was given, from 1. They are 0 if
/// there is no alignment.
std::pair<std::uint64_t, std::uint64_t> query_places(const PairAlignment& a) {
    const Alignment& alignment = a.result.alignment;
    if (!a.result.has_alignment()) return {0, 0};
    const std::uint64_t residues = query_of(a).residues.size();
    if (a.result.minus) return {residues - alignment.query_end + 1, residues - alignment.query_begin};
    return {alignment.query_begin + 1, alignment.query_end};
}

std::pair<std::uint64_t, std::uint64_t> target_places(const PairAlignment& a) {
    if (!a.result.has_alignment()) return {0, 0};
    return {a.result.alignment.target_begin + 1, a.result.alignment.target_end};
}

std::string text_of(Alphabet alphabet) { return alphabet == Alphabet::kNucleotide ? "nucleotide" : "protein"; }

std::string representation(const PairAlignment& a) {
    const auto [query_from, query_to] = query_places(a);
    const auto [target_from, target_to] = target_places(a);
    return "<warpseq.Alignment " + std::string(pair_mode_name(a.pair->mode)) + " " +
           std::string(identifier_of(query_of(a).header)) + ":" + std::to_string(query_from) + "-" +
           std::to_string(query_to) + " " + std::string(identifier_of(target_of(a).header)) + ":" +
           std::to_string(target_from) + "-" + std::to_string(target_to) +
           " score=" + std::to_string(a.result.alignment.score_raw) + ">";
}

std::optional<AlignmentStatistics> statistics_of(const PairAlignment& a) { return a.pair->run().statistics; }

/// A pair's sequences as Python has them: the name of each, and its letters as str or bytes.
struct GivenPair {
    std::string query_name;
    nb::handle query;
    std::string target_name;
    nb::handle target;
};

/// Aligns a pair, with notes for the user.
std::vector<PairAlignment> align(const PairAligner& aligner, const GivenPair& given, NoteCollector& notes) {
    const std::pair<std::string, std::string> names{"query", "target"};
    const auto read = [&notes](nb::handle letters, const std::string& name) {
        auto sequence = value_of(read_letters(letters_of(letters), name));
        if (const auto gaps = sequence.gaps_removed; gaps > 0)
            notes.note(name + ": " + std::to_string(gaps) + " gap characters ('-' or '.') removed");
        return sequence;
    };
    auto query = read(given.query, names.first);
    auto target = read(given.target, names.second);
    PairInput input =
        value_of(make_pair_input({given.query_name, std::move(query.residues)},
                                 {given.target_name, std::move(target.residues)}, aligner.alphabet(), names));
    // Most users align proteins. So the note about the guess is left out if it says just that.
    if (input.alphabet == Alphabet::kNucleotide)
        for (const PairNote& note : input.notes) notes.note(note.text);
    Observer nobody;
    if (aligner.is_quick(input) && !aligner.reads_matrix()) {
        auto aligned = [&] {
            const GilRelease release;
            return guarded([&] { return aligner.align(std::move(input), {nobody}); });
        }();
        return value_of(std::move(aligned));
    }
    std::stop_source stop;
    auto aligned = run_stoppable(
        [&] {
            return aligner.align(std::move(input), {notes, stop.get_token()});
        },
        [&] { stop.request_stop(); });
    return value_of(std::move(aligned));
}

/// Aligns a pair and issues the notes, also before an error.
std::vector<PairAlignment> align_with_warnings(const PairAligner& aligner, const GivenPair& given) {
    NoteCollector notes;
    std::vector<PairAlignment> alignments;
    try {
        alignments = align(aligner, given, notes);
    } catch (const nb::python_error&) {
        notes.issue();
        throw;
    }
    notes.issue();
    return alignments;
}

using AlignmentClass = nb::class_<PairAlignment>;

void bind_places(AlignmentClass& alignment) {
    alignment
        .def_prop_ro(
            "mode", [](const PairAlignment& a) { return std::string(pair_mode_name(a.pair->mode)); },
            "\"global\", \"local\" or \"semi-global\".")
        .def_prop_ro(
            "alphabet", [](const PairAlignment& a) { return text_of(a.pair->input.alphabet); },
            "\"protein\" or \"nucleotide\".")
        .def_prop_ro(
            "score", [](const PairAlignment& a) { return a.result.alignment.score_raw; },
            "Score in the units of the matrix.")
        .def_prop_ro("cigar", &cigar_of,
                     "CIGAR along the target: '=' for equal letters, 'X' for others, 'I' for query residues against a "
                     "gap, 'D' for target residues against a gap. Empty without an alignment.")
        .def_prop_ro("query_name",
                     [](const PairAlignment& a) { return std::string(identifier_of(query_of(a).header)); })
        .def_prop_ro(
            "query_length", [](const PairAlignment& a) { return query_of(a).residues.size(); },
            "Residues of the query.")
        .def_prop_ro(
            "query_from", [](const PairAlignment& a) { return query_places(a).first; },
            "First residue of the query, from 1, in the query as it was given. 0 without an alignment.")
        .def_prop_ro(
            "query_to", [](const PairAlignment& a) { return query_places(a).second; }, "Last residue of the query.")
        .def_prop_ro("target_name",
                     [](const PairAlignment& a) { return std::string(identifier_of(target_of(a).header)); })
        .def_prop_ro(
            "target_length", [](const PairAlignment& a) { return target_of(a).residues.size(); },
            "Residues of the target.")
        .def_prop_ro(
            "target_from", [](const PairAlignment& a) { return target_places(a).first; },
            "First residue of the target, from 1. 0 without an alignment.")
        .def_prop_ro(
            "target_to", [](const PairAlignment& a) { return target_places(a).second; }, "Last residue of the target.")
        .def_prop_ro(
            "strand", [](const PairAlignment& a) { return std::string(a.result.minus ? "minus" : "plus"); },
            "\"minus\" if the query's reverse complement is aligned, else \"plus\".");
}

void bind_columns(AlignmentClass& alignment) {
    alignment
        .def_prop_ro(
            "aligned_query", [](const PairAlignment& a) { return lines_of(a).query; },
            "The query in upper case, with '-' in gaps. On the minus strand it is the reverse complement.")
        .def_prop_ro(
            "aligned_target", [](const PairAlignment& a) { return lines_of(a).target; },
            "The target in upper case, with '-' in gaps.")
        .def_prop_ro(
            "middle_line", [](const PairAlignment& a) { return lines_of(a).middle; },
            "'|' for equal letters, ':' for others that score above 0, '.' for the rest, a blank in gaps.")
        .def_prop_ro(
            "columns", [](const PairAlignment& a) { return counts_of(a).columns; }, "Columns, which are also len().")
        .def_prop_ro(
            "identities", [](const PairAlignment& a) { return counts_of(a).identities; }, "Columns of equal letters.")
        .def_prop_ro(
            "positives", [](const PairAlignment& a) { return counts_of(a).positives; }, "Columns that score above 0.")
        .def_prop_ro(
            "mismatches", [](const PairAlignment& a) { return counts_of(a).mismatches; },
            "Columns of two different letters.")
        .def_prop_ro(
            "gaps", [](const PairAlignment& a) { return counts_of(a).gap_columns; }, "Columns with a gap.")
        .def_prop_ro(
            "gap_openings", [](const PairAlignment& a) { return counts_of(a).gap_openings; }, "Number of gaps.")
        .def_prop_ro(
            "bits",
            [](const PairAlignment& a) -> std::optional<double> {
                const auto statistics = statistics_of(a);
                if (!statistics) return {};
                return statistics->bits(a.result.alignment.score_raw);
            },
            "Bit score of a local alignment of proteins, or None where BLAST has no parameters for the scores.")
        .def_prop_ro(
            "evalue",
            [](const PairAlignment& a) -> std::optional<double> {
                const auto statistics = statistics_of(a);
                if (!statistics) return {};
                const std::uint64_t target = target_of(a).residues.size();
                return statistics->evalue(static_cast<double>(a.result.alignment.score_raw),
                                          query_of(a).residues.size(), target, target);
            },
            "E-value with the target as the database, or None as bits.")
        .def_prop_ro(
            "number", [](const PairAlignment& a) { return a.result.number; }, "Place in the pair's list, from 1.");
}

void bind_texts(AlignmentClass& alignment) {
    alignment
        .def(
            "report",
            [](const PairAlignment& a, const std::string& format, bool header) {
                return value_of(pair_report({a}, format, header));
            },
            nb::arg("format") = "0", nb::arg("header") = false,
            "Returns the program's report of this alignment alone, as pair_report() does.")
        .def(
            "dot_plot", [](const PairAlignment& a) { return value_of(pair_dot_plot({a})); },
            "Returns a drawing of where the alignment runs, as the text of an SVG file.")
        .def("__len__", [](const PairAlignment& a) { return counts_of(a).columns; })
        .def("__repr__", &representation)
        .def("__str__", [](const PairAlignment& a) { return value_of(pair_block(a)); })
        .def("__getstate__",
             [](const PairAlignment& a) {
                 const std::string bytes = to_bytes(a);
                 return nb::bytes(bytes.data(), bytes.size());
             })
        .def("__setstate__", [](PairAlignment& self, const nb::bytes& bytes) {
            new (&self) PairAlignment(value_of(pair_alignment_from_bytes({bytes.c_str(), bytes.size()})));
        });
}

}  // namespace

void bind_pair_alignments(nb::module_& module) {
    AlignmentClass alignment(module, "Alignment", "An alignment of a query and a target.");
    bind_places(alignment);
    bind_columns(alignment);
    bind_texts(alignment);
    nb::class_<PairAligner>(module, "PairAligner")
        .def("align", [](const PairAligner& aligner, std::string query_name, nb::handle query, std::string target_name,
                         nb::handle target) {
            return align_with_warnings(aligner, {std::move(query_name), query, std::move(target_name), target});
        });
    module.def("make_pair_aligner", [](const nb::dict& options, const nb::dict& machine) {
        return value_of(PairAligner::of(named_values(options), named_values(machine)));
    });
    module.def("pair_report", [](const std::vector<PairAlignment>& alignments, const std::string& format, bool header) {
        return value_of(pair_report(alignments, format, header));
    });
    module.def("pair_dot_plot",
               [](const std::vector<PairAlignment>& alignments) { return value_of(pair_dot_plot(alignments)); });
}

}  // namespace warpseq::python
