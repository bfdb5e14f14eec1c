// Searches with sequences, by Smith-Waterman and by BLAST's heuristics: the running search, the
// hits of a query, and their alignments.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/equality.h"
#include "bindings/python/src/output.h"
#include "bindings/python/src/running_search.h"
#include "bindings/python/src/search_input.h"
#include "bindings/python/src/sequence_table.h"
#include "bindings/python/src/session.h"
#include "bindings/python/src/table.h"
#include "bindings/searches/blastp_stream.h"
#include "bindings/searches/sequence_hits.h"
#include "bindings/searches/sequence_hits_packet.h"
#include "bindings/searches/sw_stream.h"
#include "engines/blastp/query_parts.h"
#include "reports/blast/blastp_record.h"
#include "reports/taxon_names.h"

namespace warpseq::python {
namespace {

/// The hits of a query, and places in them. A place shares the hits, so it outlives them.
struct PyHits {
    std::shared_ptr<const SequenceHits> hits;
};
struct PyHit {
    std::shared_ptr<const SequenceHits> hits;
    std::size_t index = 0;
    std::optional<FoundTarget> target = {};  // once it is needed

    const FoundTarget& found() {
        if (!target) target = hits->target(index);
        return *target;
    }
};
struct PyHsp {
    PyHit hit;
    FoundHsp found;                              // refers to the hits
    std::optional<AlignmentCounts> counts = {};  // once they are needed

    const AlignmentCounts& counted() {
        if (!counts) counts = found.counts();
        return *counts;
    }
};

struct PySequenceSearch {
    RunningSearch<SequenceHits> search;
    std::uint64_t queries = 0;  // up to the last one whose hits were returned, with those before the search
};

/// A writer, and a call of it that lets other threads of Python run.
struct PySequenceWriter {
    std::unique_ptr<SequenceWriter> writer;

    template <typename Write>
    nb::bytes text_of(const Write& write) {
        Status status;
        std::string text;
        {
            const GilRelease release;
            status = guarded([&] { return write(*writer); });
            text = writer->take();
        }
        check(status);
        return nb::bytes(text.data(), text.size());
    }
    nb::bytes begin() {
        return text_of([](SequenceWriter& w) { return w.begin(), Status(); });
    }
    nb::bytes add(const PyHits& hits) {
        return text_of([&](SequenceWriter& w) { return w.add(*hits.hits); });
    }
    nb::bytes end() {
        return text_of([](SequenceWriter& w) { return w.end(), Status(); });
    }
};

std::optional<std::string> none_if_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

using StartedStream = Result<std::unique_ptr<ResultStream<SequenceHits>>>;

StartedStream start_sw(const PySession& on, const OptionValues& values, QueryText queries,
                       std::uint64_t queries_before) {
    SwOptions options = value_of(run_stoppable([&] { return read_sw_options(values); }));
    return run_stoppable(
        [&] { return start_sw_search(on.session, std::move(options), std::move(queries), queries_before, *on.notes); });
}

StartedStream start_blastp(const PySession& on, const OptionValues& values, QueryText queries,
                           std::uint64_t queries_before) {
    BlastpOptions options = value_of(run_stoppable([&] { return read_blastp_options(values); }));
    return run_stoppable([&] {
        return start_blastp_search(on.session, std::move(options), on.targets.lines, std::move(queries), queries_before,
                                   *on.notes);
    });
}

/// Starts a search of the engine "sw" or "blastp".
PySequenceSearch start(const PySession& session, const std::string& engine, const GivenQueries& given,
                       const nb::dict& options, std::uint64_t queries_before) {
    const PySession on = opened(session);  // a copy, because another thread may close the session
    const bool is_sw = engine == "sw";
    if (!is_sw && engine != "blastp") raise(Status::usage("there is no engine '" + engine + "'"));
    QueryText queries = given.as_text();
    const OptionSet set = is_sw ? make_sw_options() : make_blastp_options();
    const OptionValues values = search_values(set, options, queries, names_of_databases(*on.session), on.targets, true);
    auto stream = is_sw ? start_sw(on, values, std::move(queries), queries_before)
                        : start_blastp(on, values, std::move(queries), queries_before);
    on.notes->issue();
    return {{on.notes, value_of(std::move(stream))}, queries_before};
}

std::optional<PyHits> next(PySequenceSearch& running) {
    auto hits = running.search.next();
    if (hits == nullptr) return std::nullopt;
    running.queries = hits->number();
    return PyHits{std::move(hits)};
}

PyHit hit_at(const PyHits& hits, std::size_t index) { return {hits.hits, index}; }

PyHit item(const PyHits& hits, std::ptrdiff_t index) {
    const auto size = static_cast<std::ptrdiff_t>(hits.hits->size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) throw nb::index_error("there is no result with this index");
    return hit_at(hits, static_cast<std::size_t>(index));
}

std::vector<PyHit> items(const PyHits& hits, const nb::slice& slice) {
    const auto [start, stop, step, length] = slice.compute(hits.hits->size());
    std::vector<PyHit> some;
    for (std::size_t i = 0; i < length; ++i)
        some.push_back(hit_at(hits, static_cast<std::size_t>(start + static_cast<Py_ssize_t>(i) * step)));
    return some;
}

/// `file` is empty if the report has no file.
PySequenceWriter writer_of(const PyHits& hits, const std::optional<std::string>& format, bool header,
                           const std::string& file) {
    return {value_of(
        hits.hits->writer(format, header, file.empty() ? std::nullopt : std::optional<std::filesystem::path>(file)))};
}

/// Writes a report on one query.
void write(const PyHits& hits, const nb::object& file, const FormatName& format, bool header) {
    Output out(file);
    PySequenceWriter writer = writer_of(hits, text_of(format), header, out.path());
    for (const nb::bytes& part : {writer.begin(), writer.add(hits), writer.end()})
        out.write({part.c_str(), part.size()});
    out.finish();
}

/// Returns one member of the names of all definition lines.
std::vector<std::string> of_all(PyHit& hit, std::string SequenceNames::*member) {
    std::vector<std::string> all;
    for (const SequenceNames& names : hit.found().all_names) all.push_back(names.*member);
    return all;
}

/// Returns the known names in a list of names of taxa, as tables have it.
std::vector<std::string> taxon_names(const PyHit& hit, std::string TaxonNames::*list) {
    const TaxonNames taxa = hit.hits->taxa(hit.index);
    std::vector<std::string> names;
    std::istringstream text(taxa.*list);
    for (std::string name; std::getline(text, name, ';');)
        if (name != "N/A") names.push_back(valid_utf8(name));
    return names;
}

std::vector<PyHsp> hsps_of(const PyHit& hit) {
    std::vector<PyHsp> hsps;
    for (std::size_t i = 0; i < hit.hits->hsp_count(hit.index); ++i)
        hsps.push_back({{hit.hits, hit.index}, hit.hits->hsp(hit.index, i)});
    return hsps;
}

std::string number_text(const std::optional<double>& number) {
    return number ? nb::cast<std::string>(nb::str("{:.3g}").format(*number)) : "unknown";
}

void bind_hsp_columns(nb::class_<PyHsp>& hsp) {
    hsp.def_prop_ro(
           "aligned_query", [](const PyHsp& h) { return h.found.text().query; },
           "The query's letters, with '-' in gaps.")
        .def_prop_ro(
            "aligned_target", [](const PyHsp& h) { return h.found.text().target; },
            "The target's letters, with '-' in gaps.")
        .def_prop_ro(
            "middle", [](const PyHsp& h) { return h.found.text().middle; },
            "The line between both: equal letters, '+' for scores above 0.")
        .def_prop_ro(
            "length", [](PyHsp& h) { return h.counted().columns; }, "Columns of the alignment.")
        .def("__len__", [](PyHsp& h) { return h.counted().columns; })
        .def_prop_ro("identities", [](PyHsp& h) { return h.counted().identities; })
        .def_prop_ro(
            "positives", [](PyHsp& h) { return h.counted().positives; }, "Pairs that score above 0.")
        .def_prop_ro(
            "mismatches", [](PyHsp& h) { return h.counted().mismatches; }, "Pairs of different letters.")
        .def_prop_ro(
            "gaps", [](PyHsp& h) { return h.counted().gap_columns; }, "Columns with a gap.")
        .def_prop_ro("gap_openings", [](PyHsp& h) { return h.counted().gap_openings; })
        .def_prop_ro("identity_percent", [](PyHsp& h) { return percent(h.counted().identities, h.counted().columns); })
        .def_prop_ro("positive_percent", [](PyHsp& h) { return percent(h.counted().positives, h.counted().columns); })
        .def_prop_ro(
            "query_coverage",
            [](const PyHsp& h) {
                return percent(h.found.alignment.query_end - h.found.alignment.query_begin, h.found.query_residues);
            },
            "Percentage of the query that the alignment covers.")
        .def_prop_ro(
            "cigar", [](const PyHsp& h) { return cigar(h.found.alignment); },
            "CIGAR with M for pairs, I for residues of the query alone, D for residues of the target alone.")
        .def_prop_ro(
            "extended_cigar",
            [](const PyHsp& h) { return extended_cigar(h.found.alignment, h.found.query, h.found.aligned_target); },
            "CIGAR with = and X instead of M.")
        .def_prop_ro(
            "btop", [](const PyHsp& h) { return btop(h.found.text()); }, "BLAST's traceback operations.")
        .def_prop_ro(
            "adjustment",
            [](const PyHsp& h) -> std::optional<std::string> {
                if (!h.found.rule) return std::nullopt;
                return *h.found.rule == CompositionAdjuster::Rule::kOptimized ? "optimized" : "scaled";
            },
            "How scores were adjusted to the compositions: 'optimized', 'scaled' or None.")
        .def_prop_ro("hit",
                     [](const PyHsp& h) {
                         return PyHit{h.hit.hits, h.hit.index};
                     })
        .def("__repr__", [](const PyHsp& h) {
            const Alignment& alignment = h.found.alignment;
            return "<Hsp query " + std::to_string(alignment.query_begin + 1) + "-" +
                   std::to_string(alignment.query_end) + ", target " + std::to_string(alignment.target_begin + 1) +
                   "-" + std::to_string(alignment.target_end) + ", raw score " + std::to_string(alignment.score_raw) +
                   ", E-value " + number_text(h.found.evalue) + ">";
        });
}

void bind_hsp(nb::module_& module) {
    nb::class_<PyHsp> hsp(module, "Hsp", "A local alignment of the query with a target (a high-scoring segment pair).");
    bind_equality(hsp, [](const PyHsp& h) {
        const Alignment& alignment = h.found.alignment;
        return std::tuple(static_cast<const void*>(h.hit.hits.get()), h.hit.index, alignment.query_begin,
                          alignment.query_end, alignment.target_begin, alignment.target_end);
    });
    hsp.def_prop_ro(
           "evalue", [](const PyHsp& h) { return h.found.evalue; },
           "E-value, or None if the scores have no statistics.")
        .def_prop_ro(
            "bits", [](const PyHsp& h) { return h.found.bits; }, "Score in bits, or None.")
        .def_prop_ro(
            "score", [](const PyHsp& h) { return h.found.bits; }, "The same as `bits`.")
        .def_prop_ro(
            "raw_score", [](const PyHsp& h) { return h.found.alignment.score_raw; }, "Score in units of the matrix.")
        .def_prop_ro(
            "query_from", [](const PyHsp& h) { return h.found.alignment.query_begin + 1; },
            "First residue of the query, from 1.")
        .def_prop_ro(
            "query_to", [](const PyHsp& h) { return h.found.alignment.query_end; }, "Last residue of the query.")
        .def_prop_ro(
            "target_from", [](const PyHsp& h) { return h.found.alignment.target_begin + 1; },
            "First residue of the target, from 1.")
        .def_prop_ro(
            "target_to", [](const PyHsp& h) { return h.found.alignment.target_end; }, "Last residue of the target.")
        .def_prop_ro(
            "query_span", [](const PyHsp& h) { return h.found.alignment.query_end - h.found.alignment.query_begin; },
            "Residues of the query in the alignment.")
        .def_prop_ro(
            "target_span", [](const PyHsp& h) { return h.found.alignment.target_end - h.found.alignment.target_begin; },
            "Residues of the target in the alignment.");
    bind_hsp_columns(hsp);
}

void bind_hit(nb::module_& module) {
    const auto best = [](const PyHit& hit) { return hit.hits->hsp(hit.index, 0); };
    nb::class_<PyHit> bound(module, "Hit", "A target, with its alignments.");
    bind_equality(bound, [](const PyHit& h) { return std::tuple(static_cast<const void*>(h.hits.get()), h.index); });
    bound
        .def_prop_ro(
            "name", [](PyHit& h) { return h.found().names.name; }, "Identifier, as tables have it (sseqid).")
        .def_prop_ro(
            "accession", [](PyHit& h) { return h.found().names.accession; },
            "Accession without its version, or the name if the database has no parsed identifiers.")
        .def_prop_ro("accession_version", [](PyHit& h) { return h.found().names.accession_version; })
        .def_prop_ro("gi", [](PyHit& h) { return none_if_empty(h.found().names.gi); })
        .def_prop_ro("description", [](PyHit& h) { return none_if_empty(h.found().names.description); })
        .def_prop_ro(
            "length", [](PyHit& h) { return h.found().residues; }, "Residues of the target.")
        .def_prop_ro(
            "position", [](PyHit& h) { return h.found().position; },
            "Place of the target in the order of the databases' input, from 0.")
        .def_prop_ro(
            "taxids", [](PyHit& h) { return h.found().taxids; }, "Taxonomy IDs that the database has for the target.")
        .def_prop_ro(
            "scientific_names", [](const PyHit& h) { return taxon_names(h, &TaxonNames::all_scientific); },
            "Names of the taxa, if the database has them.")
        .def_prop_ro("common_names", [](const PyHit& h) { return taxon_names(h, &TaxonNames::all_common); })
        .def_prop_ro("blast_names", [](const PyHit& h) { return taxon_names(h, &TaxonNames::all_blast); })
        .def_prop_ro("super_kingdoms", [](const PyHit& h) { return taxon_names(h, &TaxonNames::all_kingdoms); })
        .def_prop_ro(
            "all_names", [](PyHit& h) { return of_all(h, &SequenceNames::name); },
            "Names of all definition lines of merged sequences.")
        .def_prop_ro("all_accessions", [](PyHit& h) { return of_all(h, &SequenceNames::accession); })
        .def_prop_ro("all_gis", [](PyHit& h) { return of_all(h, &SequenceNames::gi); })
        .def_prop_ro("all_descriptions", [](PyHit& h) { return of_all(h, &SequenceNames::description); })
        .def_prop_ro(
            "evalue", [](const PyHit& h) { return h.hits->evalue(h.index); }, "The lowest E-value, or None.")
        .def_prop_ro(
            "score", [best](const PyHit& h) { return best(h).bits; }, "Bits of the first alignment, or None.")
        .def_prop_ro(
            "bits", [best](const PyHit& h) { return best(h).bits; }, "The same as `score`.")
        .def_prop_ro(
            "raw_score", [best](const PyHit& h) { return best(h).alignment.score_raw; },
            "Score of the first alignment in units of the matrix.")
        .def_prop_ro(
            "query_coverage",
            [](const PyHit& h) { return percent(h.hits->covered_residues(h.index), h.hits->query_residues()); },
            "Percentage of the query that all alignments cover together.")
        .def_prop_ro("hsps", &hsps_of, "The alignments, best first.")
        .def_prop_ro("hits", [](const PyHit& h) { return PyHits{h.hits}; })
        .def("__len__", [](const PyHit& h) { return h.hits->hsp_count(h.index); })
        .def("__repr__", [](PyHit& h) {
            return "<Hit " + h.found().names.name + ", E-value " + number_text(h.hits->evalue(h.index)) + ", " +
                   std::to_string(h.hits->hsp_count(h.index)) + " alignments>";
        });
}

void bind_hits(nb::module_& module) {
    nb::class_<PyHits> bound(module, "Hits", "The targets that were found for a query, best first.");
    bind_equality(bound, [](const PyHits& hits) { return std::tuple(static_cast<const void*>(hits.hits.get())); });
    bind_table(bound, "alignment", [](const PyHits& hits) { return table_of(*hits.hits); });
    bound.def("__len__", [](const PyHits& hits) { return hits.hits->size(); })
        .def("__getitem__", &item)
        .def("__getitem__", &items)
        .def("__iter__",
             [](nb::handle hits) {
                 return nb::typed<nb::iterator, PyHit>(nb::steal<nb::iterator>(PySeqIter_New(hits.ptr())));
             })
        .def("__getstate__",
             [](const PyHits& hits) {
                 const std::string bytes = value_of(to_bytes(*hits.hits));
                 return nb::bytes(bytes.data(), bytes.size());
             })
        .def("__setstate__",
             [](PyHits& hits, const nb::bytes& bytes) {
                 auto read = sequence_hits_from_bytes({bytes.c_str(), bytes.size()}, "pickle");
                 new (&hits) PyHits{value_of(std::move(read))};
             })
        .def_prop_ro("query_name", [](const PyHits& h) { return h.hits->query_names().name; })
        .def_prop_ro("query_accession", [](const PyHits& h) { return h.hits->query_names().accession; })
        .def_prop_ro("query_accession_version", [](const PyHits& h) { return h.hits->query_names().accession_version; })
        .def_prop_ro("query_gi", [](const PyHits& h) { return none_if_empty(h.hits->query_names().gi); })
        .def_prop_ro("query_description",
                     [](const PyHits& h) { return none_if_empty(h.hits->query_names().description); })
        .def_prop_ro(
            "query_length", [](const PyHits& h) { return h.hits->query_residues(); }, "Residues of the query.")
        .def_prop_ro(
            "query_number", [](const PyHits& h) { return h.hits->number(); }, "Number in the search, from 1.")
        .def_prop_ro(
            "engine", [](const PyHits& h) { return h.hits->facts().engine; }, "'sw' or 'blastp'.")
        .def_prop_ro("databases", [](const PyHits& h) { return h.hits->facts().databases; })
        .def_prop_ro(
            "reference", [](const PyHits& h) { return none_if_empty(h.hits->facts().reference); },
            "The paper to cite, as blastp's XML has it.")
        .def_prop_ro("matrix", [](const PyHits& h) { return h.hits->facts().matrix; })
        .def_prop_ro("gap_open", [](const PyHits& h) { return h.hits->facts().gap_open; })
        .def_prop_ro(
            "gap_extend", [](const PyHits& h) { return h.hits->facts().gap_extend; },
            "A gap of k residues costs gap_open + k * gap_extend.")
        .def_prop_ro("evalue_limit", [](const PyHits& h) { return h.hits->facts().evalue; })
        .def_prop_ro(
            "filter", [](const PyHits& h) { return none_if_empty(h.hits->facts().filter); },
            "blastp's word for what masks the query: 'F' or 'L;' for instance.")
        .def_prop_ro("composition_mode", [](const PyHits& h) { return h.hits->facts().composition; })
        .def_prop_ro("searched_sequences", [](const PyHits& h) { return h.hits->facts().sequences; })
        .def_prop_ro("searched_residues", [](const PyHits& h) { return h.hits->facts().residues; })
        .def_prop_ro(
            "search_space", [](const PyHits& h) { return h.hits->facts().search_space; },
            "Effective search space of blastp.")
        .def_prop_ro("length_adjustment", [](const PyHits& h) { return h.hits->facts().length_adjustment; })
        .def_prop_ro(
            "lambda_", [](const PyHits& h) { return h.hits->facts().lambda; }, "Karlin-Altschul lambda, in nats.")
        .def_prop_ro(
            "k", [](const PyHits& h) { return h.hits->facts().k; }, "Karlin-Altschul K.")
        .def_prop_ro(
            "entropy", [](const PyHits& h) { return h.hits->facts().h; }, "Relative entropy H, in nats.")
        .def_prop_ro(
            "message", [](const PyHits& h) { return none_if_empty(h.hits->facts().message); },
            "blastp's message about the query.")
        .def("write", &write, nb::arg("file"), nb::arg("format") = nb::none(), nb::arg("header") = false,
             "Writes a report on this query alone to a path or a binary file object.")
        .def("__repr__", [](const PyHits& h) {
            return "<Hits of " + h.hits->query_names().name + ": " + std::to_string(h.hits->size()) + " targets>";
        });
}

}  // namespace

void bind_sequence_hits(nb::module_& module) {
    bind_hsp(module);
    bind_hit(module);
    bind_hits(module);
    nb::class_<PySequenceSearch>(module, "SequenceSearch")
        .def("next", &next)
        .def_ro("queries", &PySequenceSearch::queries);
    module.def("start_sequence_search", &start, nb::arg("session"), nb::arg("engine"), nb::arg("queries"),
               nb::arg("options"), nb::arg("queries_before"));
    nb::class_<PySequenceWriter>(module, "SequenceWriter")
        .def(
            "__init__",
            [](PySequenceWriter* self, const PyHits& any, const std::optional<std::string>& format, bool header,
               const std::filesystem::path& file) {
                new (self) PySequenceWriter(writer_of(any, format, header, file.string()));
            },
            nb::arg("hits"), nb::arg("format").none(), nb::arg("header"), nb::arg("file"))
        .def("begin", &PySequenceWriter::begin)
        .def("add", &PySequenceWriter::add)
        .def("end", &PySequenceWriter::end);
    module.attr("blastp_group_residues") = kQueryGroupResidues;
}

}  // namespace warpseq::python
