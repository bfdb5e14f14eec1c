// Searches with profiles: the running search, the hits of a query, their domains and alignments.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <string>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/equality.h"
#include "bindings/python/src/gil_release.h"
#include "bindings/python/src/output.h"
#include "bindings/python/src/profiles.h"
#include "bindings/python/src/running_search.h"
#include "bindings/python/src/search_input.h"
#include "bindings/python/src/session.h"
#include "bindings/python/src/table.h"
#include "bindings/python/src/text.h"
#include "bindings/searches/hmm_hits_packet.h"
#include "bindings/searches/hmm_stream.h"
#include "bindings/searches/hmm_writer.h"
#include "bindings/searches/query_text.h"
#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/draw_seed.h"
#include "options/hmmscan/hmmscan_options.h"
#include "options/jackhmmer/jackhmmer_options.h"
#include "reports/blast/blastp_record.h"
#include "reports/hmmer/hmm_alignment_display.h"
#include "reports/hmmer/hmm_report_format.h"

namespace warpseq::python {
namespace {

/// The hits of a query, and places in them. A place shares the hits, so it outlives them.
struct PyHmmHits {
    std::shared_ptr<const HmmHits> hits;
    std::vector<std::size_t> reported;  // indexes into the report's hits
};
struct PyHmmHit {
    std::shared_ptr<const HmmHits> hits;
    std::size_t index = 0;
    const HmmHit& operator*() const { return hits->report.hits[index]; }
    const HmmHit* operator->() const { return &**this; }
};
struct PyHmmDomain {
    PyHmmHit hit;
    std::size_t index = 0;
    const HmmDomain& operator*() const { return hit->domains[index]; }
    const HmmDomain* operator->() const { return &**this; }
};
struct PyHmmAlignment {
    PyHmmDomain domain;
    HmmAlignmentLines lines;
    const HmmModel& model() const { return domain.hit.hits->query.model_of(*domain.hit); }
};

/// Returns the name of the sequence that is aligned with a profile: the query, in hmmscan.
const std::string& sequence_name(const PyHmmHit& hit) {
    return hit.hits->run->options.run.scans_models ? hit.hits->query.name : hit->target_name;
}

struct PyHmmSearch {
    std::shared_ptr<const QueryText> models;  // in which hmmscan searches
    std::shared_ptr<const HmmSearchRun> run;
    RunningSearch<HmmHits> search;
};

/// Sets what a session decides, and draws the seed if the options ask for that.
void prepare(HmmOptions& options, const PySession& session) {
    options.common.cpu_backend = session.session->settings().backend;
    if (options.seed == 0) options.seed = draw_seed();
}

PyHmmHits listed(std::shared_ptr<const HmmHits> hits) {
    PyHmmHits made{std::move(hits), {}};
    for (std::size_t h = 0; h < made.hits->report.hits.size(); ++h)
        if (made.hits->report.hits[h].reported) made.reported.push_back(h);
    return made;
}

/// Returns the query as tables have it. In a search in rounds, a round's model has another name.
HmmQuery query_of(const HmmHits& hits) { return hits.round ? named_by(*hits.own_profile, hits.query) : hits.query; }

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

/// Returns a name or a description of a file, or nothing if there is none.
std::optional<std::string> none_if_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(valid_utf8(text));
}

std::size_t checked_index(std::ptrdiff_t index, std::size_t size) {
    if (index < 0) index += static_cast<std::ptrdiff_t>(size);
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(size))
        throw nb::index_error("there is no result with this index");
    return static_cast<std::size_t>(index);
}

/// Runs `work`, which starts a search, and returns the search with its notes.
template <typename Work>
PyHmmSearch started(const PySession& session, const Work& work) {
    auto result = run_stoppable(work);
    session.notes->issue();
    StartedHmmSearch search = value_of(std::move(result));
    return {nullptr, std::move(search.run), {session.notes, std::move(search.stream)}};
}

PyHmmSearch start_hmm(const PySession& session, const GivenQueries& given, const nb::dict& options,
                      bool takes_profiles) {
    const PySession on = opened(session);
    QueryText queries = given.as_text();
    const OptionSet set = make_hmm_options();
    const OptionValues values = search_values(set, options, queries, names_of_databases(*on.session));
    HmmOptions read = value_of(run_stoppable([&] { return read_hmm_options(values); }));
    prepare(read, on);
    read.only_kind = takes_profiles ? HmmQueryKind::kProfile : HmmQueryKind::kSequence;
    return started(on, [&] { return start_hmm_search(on.session, std::move(read), std::move(queries), *on.notes); });
}

PyHmmSearch start_jackhmmer(const PySession& session, const GivenQueries& given, const nb::dict& options) {
    const PySession on = opened(session);
    QueryText queries = given.as_text();
    const OptionSet set = make_jackhmmer_options();
    const OptionValues values = search_values(set, options, queries, names_of_databases(*on.session));
    JackhmmerOptions read = value_of(run_stoppable([&] { return read_jackhmmer_options(values); }));
    prepare(read.search, on);
    return started(on,
                   [&] { return start_jackhmmer_search(on.session, std::move(read), std::move(queries), *on.notes); });
}

PyHmmSearch start_hmmscan(const PySession& session, const GivenQueries& given, const GivenQueries& profiles,
                          const nb::dict& options) {
    const PySession on = opened(session);
    QueryText queries = given.as_text();
    const auto models = std::make_shared<const QueryText>(profiles.as_text());
    const OptionSet set = make_hmmscan_options();
    const OptionValues values = search_values(set, options, queries, {models->file()});
    HmmOptions read = value_of(run_stoppable([&] { return read_hmmscan_options(values); }));
    prepare(read, on);
    // Reports show the name of profiles in memory in place of the file that holds them.
    read.run.database_names = models->named(read.run.database_names);
    read.run.command_line = models->named(read.run.command_line);
    PyHmmSearch search = started(on, [&]() -> Result<StartedHmmSearch> {
        auto result = start_hmmscan_search(on.session, std::move(read), std::move(queries), *on.notes);
        if (!result.ok()) return models->named(result.status());
        return result;
    });
    search.models = models;
    return search;
}

std::optional<PyHmmHits> next(PyHmmSearch& search) {
    auto hits = search.search.next();
    if (hits == nullptr) return std::nullopt;
    return listed(std::move(hits));
}

void bind_alignment(nb::module_& module) {
    nb::class_<PyHmmAlignment> bound(module, "HmmAlignment", "The alignment of a domain with the profile.");
    bind_equality(bound, [](const PyHmmAlignment& a) { return std::tuple(static_cast<const void*>(&*a.domain)); });
    bound
        .def_prop_ro(
            "hmm_name", [](const PyHmmAlignment& a) { return valid_utf8(a.model().name); }, "Name of the profile.")
        .def_prop_ro("hmm_accession", [](const PyHmmAlignment& a) { return none_if_empty(a.model().accession); })
        .def_prop_ro(
            "hmm_from", [](const PyHmmAlignment& a) { return a.domain->node_from; }, "First node, from 1.")
        .def_prop_ro(
            "hmm_to", [](const PyHmmAlignment& a) { return a.domain->node_to; }, "Last node.")
        .def_prop_ro(
            "hmm_length", [](const PyHmmAlignment& a) { return a.model().length; }, "Nodes of the profile.")
        .def_prop_ro(
            "hmm_sequence", [](const PyHmmAlignment& a) { return a.lines.model; },
            "The profile's consensus, with '.' in inserts.")
        .def_prop_ro(
            "target_name", [](const PyHmmAlignment& a) { return valid_utf8(sequence_name(a.domain.hit)); },
            "Name of the aligned sequence: the target, or the query in hmmscan.")
        .def_prop_ro(
            "target_from", [](const PyHmmAlignment& a) { return a.domain->alignment_from; },
            "First residue of the aligned sequence, from 1.")
        .def_prop_ro(
            "target_to", [](const PyHmmAlignment& a) { return a.domain->alignment_to; }, "Last residue.")
        .def_prop_ro(
            "target_length", [](const PyHmmAlignment& a) { return a.domain.hit->target_residues; },
            "Residues of the aligned sequence.")
        .def_prop_ro(
            "target_sequence", [](const PyHmmAlignment& a) { return a.lines.target; },
            "The sequence: upper case in match states, lower case in inserts, '-' in deletes.")
        .def_prop_ro(
            "identity_sequence", [](const PyHmmAlignment& a) { return a.lines.match; },
            "The line between both: equal letters, and '+' where the residue's odds are above 1.")
        .def_prop_ro(
            "posterior_probabilities", [](const PyHmmAlignment& a) { return a.lines.posterior; },
            "A digit per column, '*' from 0.95, '.' in deletes.")
        .def_prop_ro(
            "structure", [](const PyHmmAlignment& a) { return none_if_empty(a.lines.structure); },
            "The profile's structure line (CS), or None.")
        .def_prop_ro(
            "reference", [](const PyHmmAlignment& a) { return none_if_empty(a.lines.reference); },
            "The profile's reference line (RF), or None.")
        .def_prop_ro("domain", [](const PyHmmAlignment& a) { return a.domain; })
        .def("__len__", [](const PyHmmAlignment& a) { return a.lines.target.size(); })
        .def("_repr_html_", [](const nb::object& a) { return call_tables("as_html_text", a); })
        .def("__str__", [](const PyHmmAlignment& a) {
            std::string text;
            append_alignment(a.lines, *a.domain, a.model().name, sequence_name(a.domain.hit), 120, text);
            return valid_utf8(text);
        });
}

void bind_domain(nb::module_& module) {
    const auto report = [](const PyHmmDomain& d) -> const HmmReport& { return d.hit.hits->report; };
    nb::class_<PyHmmDomain> bound(module, "Domain", "A domain of a hit.");
    bind_equality(bound, [](const PyHmmDomain& d) { return std::tuple(static_cast<const void*>(&*d)); });
    bound
        .def_prop_ro(
            "score", [](const PyHmmDomain& d) { return d->score_bits; }, "Score in bits.")
        .def_prop_ro(
            "bias", [](const PyHmmDomain& d) { return bias_bits(*d); }, "Bits that the null2 correction took.")
        .def_prop_ro(
            "correction", [](const PyHmmDomain& d) { return d->null2_nats / std::numbers::ln2; },
            "Sum of null2 scores over the envelope, in bits.")
        .def_prop_ro(
            "c_evalue", [report](const PyHmmDomain& d) { return conditional_evalue(report(d), *d); },
            "Conditional E-value.")
        .def_prop_ro(
            "i_evalue", [report](const PyHmmDomain& d) { return independent_evalue(report(d), *d); },
            "Independent E-value.")
        .def_prop_ro("pvalue", [](const PyHmmDomain& d) { return std::exp(d->log_pvalue); })
        .def_prop_ro(
            "envelope_score", [](const PyHmmDomain& d) { return d->envelope_nats / std::numbers::ln2; },
            "Forward score of the envelope alone, in bits, without the null model.")
        .def_prop_ro(
            "env_from", [](const PyHmmDomain& d) { return d->envelope_from; }, "First residue of the envelope, from 1.")
        .def_prop_ro("env_to", [](const PyHmmDomain& d) { return d->envelope_to; })
        .def_prop_ro(
            "accuracy", [](const PyHmmDomain& d) { return mean_accuracy(*d); },
            "Mean expected accuracy per residue of the envelope.")
        .def_prop_ro("reported", [](const PyHmmDomain& d) { return d->reported; })
        .def_prop_ro("included", [](const PyHmmDomain& d) { return d->included; })
        .def_prop_ro("hit", [](const PyHmmDomain& d) { return d.hit; })
        .def_prop_ro("alignment", [](const PyHmmDomain& d) {
            return PyHmmAlignment{d, draw_alignment(d.hit.hits->query.model_of(*d.hit), *d)};
        });
}

void bind_hit(nb::module_& module) {
    const auto domains_if = [](const PyHmmHit& hit, auto&& keep) {
        std::vector<PyHmmDomain> domains;
        for (std::size_t d = 0; d < hit->domains.size(); ++d)
            if (keep(hit->domains[d])) domains.push_back({hit, d});
        return domains;
    };
    nb::class_<PyHmmHit> bound(module, "HmmHit", "A target, with its domains.");
    bound.def_prop_ro("name", [](const PyHmmHit& h) { return valid_utf8(h->target_name); })
        .def_prop_ro("accession", [](const PyHmmHit& h) { return none_if_empty(h->target_accession); })
        .def_prop_ro("description", [](const PyHmmHit& h) { return none_if_empty(h->target_description); })
        .def_prop_ro(
            "length", [](const PyHmmHit& h) { return h.hits->query.target_length(*h); },
            "Residues of the sequence, or nodes of the profile, that was found.")
        .def_prop_ro(
            "score", [](const PyHmmHit& h) { return h->score_bits; }, "Score of the whole sequence in bits.")
        .def_prop_ro(
            "pre_score", [](const PyHmmHit& h) { return h->uncorrected_bits; }, "Score without the null2 correction.")
        .def_prop_ro("bias", [](const PyHmmHit& h) { return bias_bits(*h); })
        .def_prop_ro("evalue", [](const PyHmmHit& h) { return evalue(h.hits->report, *h); })
        .def_prop_ro("pvalue", [](const PyHmmHit& h) { return std::exp(h->log_pvalue); })
        .def_prop_ro(
            "expected_domains", [](const PyHmmHit& h) { return h->expected_domains; },
            "Posterior expectation of the number of domains.")
        .def_prop_ro("regions", [](const PyHmmHit& h) { return h->regions; })
        .def_prop_ro("clustered_regions", [](const PyHmmHit& h) { return h->clustered_regions; })
        .def_prop_ro("overlapping_envelopes", [](const PyHmmHit& h) { return h->overlapping_envelopes; })
        .def_prop_ro("envelopes", [](const PyHmmHit& h) { return h->envelopes; })
        .def_prop_ro("reported", [](const PyHmmHit& h) { return h->reported; })
        .def_prop_ro("included", [](const PyHmmHit& h) { return h->included; })
        .def_prop_ro(
            "new", [](const PyHmmHit& h) { return h->change == HmmHit::Change::kNew; },
            "Whether the round before did not include it.")
        .def_prop_ro(
            "dropped", [](const PyHmmHit& h) { return h->change == HmmHit::Change::kLost; },
            "Whether the round before included it, and this one does not.")
        .def_prop_ro(
            "domains", [domains_if](const PyHmmHit& h) { return domains_if(h, [](const HmmDomain&) { return true; }); },
            "All domains, in the order of the target.")
        .def_prop_ro(
            "reported_domains",
            [domains_if](const PyHmmHit& h) { return domains_if(h, [](const HmmDomain& d) { return d.reported; }); })
        .def_prop_ro(
            "included_domains",
            [domains_if](const PyHmmHit& h) { return domains_if(h, [](const HmmDomain& d) { return d.included; }); })
        .def_prop_ro("best_domain",
                     [](const PyHmmHit& h) {
                         return PyHmmDomain{h, static_cast<std::size_t>(h->best_domain)};
                     })
        .def_prop_ro("hits", [](const PyHmmHit& h) { return listed(h.hits); });
    bind_equality(bound, [](const PyHmmHit& h) { return std::tuple(static_cast<const void*>(&*h)); });
}

std::vector<PyHmmHit> items(const PyHmmHits& hits, const nb::slice& slice) {
    const auto [start, stop, step, length] = slice.compute(hits.reported.size());
    std::vector<PyHmmHit> some;
    for (std::size_t i = 0; i < length; ++i)
        some.push_back({hits.hits, hits.reported[static_cast<std::size_t>(start + static_cast<Py_ssize_t>(i) * step)]});
    return some;
}

/// Returns the name of the session's function that made the hits.
std::string engine_of(const HmmHits& hits) {
    if (hits.round) return "jackhmmer";
    if (hits.run->options.run.scans_models) return "hmmscan";
    return hits.run->kind == HmmQueryKind::kProfile ? "hmmsearch" : "phmmer";
}

/// Returns the profile that hits are aligned with, or None. A profile that was pickled has left its
/// probabilities behind.
nb::object profile_of(const PyHmmHits& hits) {
    const SharedProfile& hmm = hits.hits->hmm;
    return hmm == nullptr || hmm->match.empty() ? nb::none() : profile_object(hmm);
}

nb::object msa_of(const PyHmmHits& hits) {
    auto alignment = [&] {
        const GilRelease release;
        return alignment_of(*hits.hits);
    }();
    return alignment ? alignment_object(*std::move(alignment)) : nb::none();
}

/// Returns a row for each reported domain.
Table table_of(const HmmHits& hits) {
    using Numbers = std::vector<std::int64_t>;
    using Reals = std::vector<double>;
    using Texts = std::vector<std::string>;
    Texts query, query_accession, target, target_accession, description;
    Numbers query_length, target_length, number, domains, hmm_from, hmm_to, target_from, target_to, env_from, env_to;
    Reals evalues, scores, biases, c_evalues, i_evalues, domain_scores, domain_biases, accuracies;
    const HmmReport& report = hits.report;
    const HmmQuery shown = query_of(hits);
    for (const HmmHit& hit : report.hits) {
        std::int64_t count = 0;
        for (const HmmDomain& domain : hit.domains) {
            if (!hit.reported || !domain.reported) continue;
            query.push_back(valid_utf8(shown.name));
            query_accession.push_back(valid_utf8(shown.accession));
            query_length.push_back(static_cast<std::int64_t>(shown.length));
            target.push_back(valid_utf8(hit.target_name));
            target_accession.push_back(valid_utf8(hit.target_accession));
            target_length.push_back(static_cast<std::int64_t>(shown.target_length(hit)));
            description.push_back(valid_utf8(hit.target_description));
            evalues.push_back(evalue(report, hit));
            scores.push_back(hit.score_bits);
            biases.push_back(bias_bits(hit));
            number.push_back(++count);
            domains.push_back(hit.reported_domains);
            c_evalues.push_back(conditional_evalue(report, domain));
            i_evalues.push_back(independent_evalue(report, domain));
            domain_scores.push_back(domain.score_bits);
            domain_biases.push_back(bias_bits(domain));
            hmm_from.push_back(domain.node_from);
            hmm_to.push_back(domain.node_to);
            target_from.push_back(domain.alignment_from);
            target_to.push_back(domain.alignment_to);
            env_from.push_back(domain.envelope_from);
            env_to.push_back(domain.envelope_to);
            accuracies.push_back(mean_accuracy(domain));
        }
    }
    return {{"query_name", std::move(query)},
            {"query_accession", std::move(query_accession)},
            {"query_length", std::move(query_length)},
            {"target_name", std::move(target)},
            {"target_accession", std::move(target_accession)},
            {"target_length", std::move(target_length)},
            {"evalue", std::move(evalues)},
            {"score", std::move(scores)},
            {"bias", std::move(biases)},
            {"domain", std::move(number)},
            {"domains", std::move(domains)},
            {"c_evalue", std::move(c_evalues)},
            {"i_evalue", std::move(i_evalues)},
            {"domain_score", std::move(domain_scores)},
            {"domain_bias", std::move(domain_biases)},
            {"hmm_from", std::move(hmm_from)},
            {"hmm_to", std::move(hmm_to)},
            {"target_from", std::move(target_from)},
            {"target_to", std::move(target_to)},
            {"env_from", std::move(env_from)},
            {"env_to", std::move(env_to)},
            {"accuracy", std::move(accuracies)},
            {"description", std::move(description)}};
}

void write(const PyHmmHits& hits, const nb::object& file, const FormatName& format, bool header) {
    Output out(file);
    HmmWriter writer = value_of(HmmWriter::of(hits.hits->run, text_of(format).value_or("0"), header, out.path()));
    std::string text;
    writer.begin(text);
    check(writer.add(*hits.hits, text));
    writer.end(text);
    out.write(text);
    out.finish();
}

void bind_hits(nb::module_& module) {
    nb::class_<PyHmmHits> bound(module, "HmmHits", "The reported targets of a query, best first.");
    bind_equality(bound, [](const PyHmmHits& hits) { return std::tuple(static_cast<const void*>(hits.hits.get())); });
    bind_table(bound, "reported domain", [](const PyHmmHits& hits) { return table_of(*hits.hits); });
    bound
        .def("write", &write, nb::arg("file"), nb::arg("format") = nb::none(), nb::arg("header") = false,
             "Writes the hits of this query as a whole report of the program, to a path or a binary file object.")
        .def("__getstate__", [](const PyHmmHits& hits) { return as_bytes(value_of(to_bytes(*hits.hits))); })
        .def("__setstate__",
             [](PyHmmHits& hits, const nb::bytes& bytes) {
                 new (&hits) PyHmmHits(listed(value_of(hmm_hits_from_bytes({bytes.c_str(), bytes.size()}, "pickle"))));
             })
        .def("__len__", [](const PyHmmHits& hits) { return hits.reported.size(); })
        .def("__getitem__",
             [](const PyHmmHits& hits, std::ptrdiff_t index) {
                 return PyHmmHit{hits.hits, hits.reported[checked_index(index, hits.reported.size())]};
             })
        .def("__getitem__", &items)
        .def("__iter__",
             [](nb::handle hits) {
                 return nb::typed<nb::iterator, PyHmmHit>(nb::steal<nb::iterator>(PySeqIter_New(hits.ptr())));
             })
        .def_prop_ro(
            "engine", [](const PyHmmHits& hits) { return engine_of(*hits.hits); },
            "'hmmsearch', 'phmmer', 'jackhmmer' or 'hmmscan'.")
        .def_prop_ro("databases",
                     [](const PyHmmHits& hits) {
                         return nb::borrow<nb::str>(text_of_file(hits.hits->run->options.run.database_names));
                     })
        .def_prop_ro(
            "profile", &profile_of, nb::for_getter(nb::sig("def profile(self) -> warpseq._profiles.Profile | None")),
            "The profile that the hits are aligned with: that of this round, in jackhmmer. None for hits of hmmscan, "
            "and for hits that were pickled.")
        .def("to_msa", &msa_of, nb::sig("def to_msa(self) -> warpseq._profiles.MultipleAlignment | None"),
             "Returns the alignment of the included domains, as write() with \"stockholm\" does, or None if there are "
             "none. In jackhmmer, the query is the first row.")
        .def_prop_ro("query_name", [](const PyHmmHits& hits) { return valid_utf8(query_of(*hits.hits).name); })
        .def_prop_ro("query_accession",
                     [](const PyHmmHits& hits) { return none_if_empty(query_of(*hits.hits).accession); })
        .def_prop_ro("query_description",
                     [](const PyHmmHits& hits) { return none_if_empty(query_of(*hits.hits).description); })
        .def_prop_ro(
            "query_length", [](const PyHmmHits& hits) { return hits.hits->query.length; },
            "Nodes of the profile, or residues of the sequence.")
        .def_prop_ro("Z", [](const PyHmmHits& hits) { return hits.hits->report.targets_z; })
        .def_prop_ro("domZ", [](const PyHmmHits& hits) { return hits.hits->report.domains_z; })
        .def_prop_ro(
            "included",
            [](const PyHmmHits& hits) {
                std::vector<PyHmmHit> included;
                for (const std::size_t h : hits.reported)
                    if (hits.hits->report.hits[h].included) included.push_back({hits.hits, h});
                return included;
            },
            "The included targets, best first.")
        .def_prop_ro("included_count", [](const PyHmmHits& hits) { return hits.hits->report.included; })
        .def_prop_ro("searched_sequences", [](const PyHmmHits& hits) { return hits.hits->report.counts.targets; })
        .def_prop_ro("searched_residues", [](const PyHmmHits& hits) { return hits.hits->report.counts.residues; })
        .def_prop_ro(
            "rounds",
            [](const PyHmmHits& hits) {
                std::vector<PyHmmHits> rounds;
                for (const auto& earlier : hits.hits->earlier_rounds) rounds.push_back(listed(earlier));
                if (hits.hits->round) rounds.push_back(hits);
                return rounds;
            },
            "The hits of each round of a jackhmmer search, the last one included.")
        .def_prop_ro("converged", [](const PyHmmHits& hits) { return hits.hits->round && hits.hits->round->converged; })
        .def_prop_ro(
            "round", [](const PyHmmHits& hits) { return hits.hits->round ? hits.hits->round->number : 0; },
            "Number of the round in a jackhmmer search, from 1. Otherwise 0.")
        .def_prop_ro("searched_models", [](const PyHmmHits& hits) { return hits.hits->report.counts.models; })
        .def_prop_ro("searched_nodes", [](const PyHmmHits& hits) { return hits.hits->report.counts.nodes; })
        .def("__repr__", [](const PyHmmHits& hits) {
            return "<HmmHits of " + query_of(*hits.hits).name + ": " + std::to_string(hits.reported.size()) +
                   " targets>";
        });
}

}  // namespace

void bind_hmm_hits(nb::module_& module) {
    bind_alignment(module);
    bind_domain(module);
    bind_hit(module);
    bind_hits(module);
    nb::class_<PyHmmSearch>(module, "HmmSearch").def("next", &next);
    module.def("start_hmm", &start_hmm, nb::arg("session"), nb::arg("queries"), nb::arg("options"),
               nb::arg("takes_profiles"));
    module.def("start_jackhmmer", &start_jackhmmer, nb::arg("session"), nb::arg("queries"), nb::arg("options"));
    module.def("start_hmmscan", &start_hmmscan, nb::arg("session"), nb::arg("queries"), nb::arg("profiles"),
               nb::arg("options"));
    nb::class_<HmmWriter>(module, "HmmWriter")
        .def(
            "__init__",
            [](HmmWriter* self, const PyHmmSearch& search, const std::string& format, bool header,
               const std::filesystem::path& file) {
                new (self) HmmWriter(value_of(HmmWriter::of(search.run, format, header, file.string())));
            },
            nb::arg("search"), nb::arg("format"), nb::arg("header"), nb::arg("file"))
        .def(
            "__init__",
            [](HmmWriter* self, const PyHmmHits& hits, const std::string& format, bool header,
               const std::filesystem::path& file) {
                new (self) HmmWriter(value_of(HmmWriter::of(hits.hits->run, format, header, file.string())));
            },
            nb::arg("hits"), nb::arg("format"), nb::arg("header"), nb::arg("file"))
        .def("begin",
             [](HmmWriter& w) {
                 std::string out;
                 w.begin(out);
                 return as_bytes(out);
             })
        .def("add",
             [](HmmWriter& w, const PyHmmHits& hits) {
                 std::string out;
                 check(w.add(*hits.hits, out));
                 return nb::bytes(out.data(), out.size());
             })
        .def("end", [](HmmWriter& w) {
            std::string out;
            w.end(out);
            return nb::bytes(out.data(), out.size());
        });
}

}  // namespace warpseq::python
