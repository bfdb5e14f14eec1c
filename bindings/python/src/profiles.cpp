// Profiles: reading, building, and aligning sequences to them.
#include "bindings/python/src/profiles.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/text.h"
#include "bindings/searches/profile_tools.h"
#include "bindings/searches/query_text.h"
#include "engines/hmm/press_profiles.h"
#include "formats/alignments/alignment_format.h"
#include "formats/alignments/alignment_writer.h"
#include "formats/profiles/hmm_writer.h"
#include "options/hmmalign/hmmalign_input.h"

namespace warpseq::python {
namespace {

/// A profile's cutoffs in bits, for the sequence and for a domain.
using Cutoffs = std::optional<std::pair<double, double>>;

Cutoffs cutoffs_of(const std::optional<ScoreCutoffs>& cutoffs) {
    if (!cutoffs) return std::nullopt;
    return std::pair<double, double>(cutoffs->sequence_bits, cutoffs->domain_bits);
}

/// Rounds to the two decimals that files of profiles hold.
float as_files_hold(double bits) {
    if (!std::isfinite(bits)) raise(Status::usage("a cutoff has to be a finite number of bits"));
    return static_cast<float>(std::round(bits * 100) / 100);
}

/// Returns a copy of a profile with the texts and cutoffs that are given.
PyProfile replaced(const PyProfile& profile, const std::optional<nb::bytes>& name,
                   const std::optional<nb::bytes>& accession, const std::optional<nb::bytes>& description,
                   const Cutoffs& gathering, const Cutoffs& trusted, const Cutoffs& noise) {
    ProfileHmm hmm = *profile.hmm;
    const auto set_text = [](std::string& text, const std::optional<nb::bytes>& given) {
        if (given) text.assign(given->c_str(), given->size());
    };
    const auto set_cutoffs = [](std::optional<ScoreCutoffs>& cutoffs, const Cutoffs& given) {
        if (given) cutoffs = ScoreCutoffs{as_files_hold(given->first), as_files_hold(given->second)};
    };
    set_text(hmm.name, name);
    if (hmm.name.empty()) raise(Status::usage("a profile has to have a name"));
    set_text(hmm.accession, accession);
    set_text(hmm.description, description);
    set_cutoffs(hmm.gathering, gathering);
    set_cutoffs(hmm.trusted, trusted);
    set_cutoffs(hmm.noise, noise);
    return {std::make_shared<const ProfileHmm>(std::move(hmm))};
}

QueryText text_or_file(const std::optional<std::filesystem::path>& file, const std::optional<nb::bytes>& text,
                       const std::string& name) {
    return text ? value_of(QueryText::of_text({text->c_str(), text->size()}, name)) : QueryText::of_file(*file);
}

/// Returns the values of a command's options, with its input and the number of threads.
OptionValues values_for(const OptionSet& options, const nb::dict& given, const nb::object& threads, const char* input,
                        const QueryText& text) {
    OptionValues values = value_of(values_of(options, named_values(given)));
    check(values.set(input, text.file().string()));
    if (!threads.is_none()) check(values.set("threads", nb::str(threads).c_str()));
    return values;
}

std::vector<PyProfile> build(const std::optional<std::filesystem::path>& file, const std::optional<nb::bytes>& text,
                             const nb::object& threads, const nb::dict& given) {
    const QueryText alignments = text_or_file(file, text, "alignment");
    const OptionValues values = values_for(make_hmmbuild_options(), given, threads, "query", alignments);
    HmmbuildOptions options = value_of(run_stoppable([&] { return read_hmmbuild_options(values); }));
    if (options.processed_file || options.summary_file || options.summary != HmmbuildOptions::Summary::kNone)
        raise(Status::usage(
            "options 'O' and 'summary' cannot be given here: a profile is returned, and no file is written"));
    std::stop_source stop;
    auto built = run_stoppable([&] { return build_profiles(alignments, std::move(options), stop.get_token()); },
                               [&] { stop.request_stop(); });
    std::vector<PyProfile> profiles;
    for (SharedProfile& each : value_of(std::move(built))) profiles.push_back({std::move(each)});
    return profiles;
}

PyMultipleAlignment align(const PyProfile& profile, const std::optional<std::filesystem::path>& file,
                          const std::optional<nb::bytes>& text, const nb::object& threads, const nb::dict& given) {
    const QueryText sequences = text_or_file(file, text, "sequences");
    OptionValues values = values_for(make_hmmalign_options(), given, threads, "db", sequences);
    check(values.set("query", profile.hmm->name));
    const HmmalignOptions options = value_of(run_stoppable([&] { return read_hmmalign_options(values); }));
    std::stop_source stop;
    auto aligned = run_stoppable([&] { return align_to_profile(*profile.hmm, sequences, options, stop.get_token()); },
                                 [&] { stop.request_stop(); });
    return {value_of(std::move(aligned))};
}

nb::bytes text_of(const ProfileHmm& hmm) {
    std::string text;
    append_hmm(hmm, text);
    return nb::bytes(text.data(), text.size());
}

std::uint64_t press(const std::filesystem::path& file, bool replace) {
    std::stop_source stop;
    PressSettings settings;
    settings.replace = replace;
    settings.stop = stop.get_token();
    auto pressed = run_stoppable([&] { return press_profile_file(file, settings); }, [&] { stop.request_stop(); });
    return value_of(std::move(pressed)).profiles;
}

/// A reader of profiles. A forked process lacks the threads that read ahead, so it leaves the
/// reader as it is.
class PyProfileReader {
   public:
    explicit PyProfileReader(QueryText text) : reader_(std::make_unique<ProfileReader>(std::move(text))) {}
    PyProfileReader(PyProfileReader&&) = default;
    ~PyProfileReader() {
        if (process_ != getpid()) static_cast<void>(reader_.release());
    }
    ProfileReader& reader() {
        if (process_ != getpid())
            raise(Status::usage("the profiles were opened before this process was forked; open them in each process"));
        return *reader_;
    }

   private:
    std::unique_ptr<ProfileReader> reader_;
    pid_t process_ = getpid();
};

void bind_profile(nb::module_& module) {
    nb::class_<PyProfileReader>(module, "ProfileReader")
        .def(
            "__init__",
            [](PyProfileReader* self, const std::optional<std::filesystem::path>& file,
               const std::optional<nb::bytes>& text) {
                new (self) PyProfileReader(text_or_file(file, text, "profile"));
            },
            nb::arg("file").none(), nb::arg("text").none())
        .def("next", [](PyProfileReader& profiles) -> std::optional<PyProfile> {
            ProfileReader& reader = profiles.reader();
            auto next = reader.is_ready() ? reader.next() : run_stoppable([&] { return reader.next(); });
            SharedProfile hmm = value_of(std::move(next));
            return hmm == nullptr ? std::nullopt : std::optional(PyProfile{std::move(hmm)});
        });
    nb::class_<PyProfile>(module, "Profile")
        .def_prop_ro("name", [](const PyProfile& p) { return text_of_file(p.hmm->name); })
        .def_prop_ro("accession", [](const PyProfile& p) { return text_of_file(p.hmm->accession); })
        .def_prop_ro("description", [](const PyProfile& p) { return text_of_file(p.hmm->description); })
        .def_prop_ro("length", [](const PyProfile& p) { return p.hmm->length; })
        .def_prop_ro("consensus", [](const PyProfile& p) { return text_of_file(p.hmm->consensus); })
        .def_prop_ro("sequences", [](const PyProfile& p) { return p.hmm->sequences; })
        .def_prop_ro("effective_sequences", [](const PyProfile& p) { return p.hmm->effective_sequences; })
        .def_prop_ro("gathering", [](const PyProfile& p) { return cutoffs_of(p.hmm->gathering); })
        .def_prop_ro("trusted", [](const PyProfile& p) { return cutoffs_of(p.hmm->trusted); })
        .def_prop_ro("noise", [](const PyProfile& p) { return cutoffs_of(p.hmm->noise); })
        .def("replace", &replaced, nb::arg("name").none(), nb::arg("accession").none(), nb::arg("description").none(),
             nb::arg("gathering").none(), nb::arg("trusted").none(), nb::arg("noise").none())
        .def_prop_ro("text", [](const PyProfile& p) { return text_of(*p.hmm); });
    module.def("read_only_profile", [](const std::filesystem::path& file) {
        auto read = run_stoppable([&] { return read_only_profile(file); });
        return PyProfile{std::make_shared<const ProfileHmm>(value_of(std::move(read)))};
    });
    module.def("hmmpress", &press);
    module.def("hmmbuild", &build, nb::arg("file").none(), nb::arg("text").none(), nb::arg("threads").none(),
               nb::arg("options"));
}

nb::object of_profiles(const char* name) { return nb::module_::import_("warpseq._profiles").attr(name); }

}  // namespace

nb::object profile_object(SharedProfile hmm) { return of_profiles("Profile")(PyProfile{std::move(hmm)}); }

nb::object alignment_object(MultipleAlignment alignment) {
    return of_profiles("MultipleAlignment")(
        PyMultipleAlignment{std::make_shared<const MultipleAlignment>(std::move(alignment))}, "stockholm");
}

void bind_profiles(nb::module_& module) {
    bind_profile(module);
    nb::class_<PyMultipleAlignment>(module, "MultipleAlignment")
        .def_prop_ro("rows",
                     [](const PyMultipleAlignment& a) {
                         nb::list rows;
                         for (const MultipleAlignment::Row& row : a.alignment->rows)
                             rows.append(nb::make_tuple(text_of_file(row.name), text_of_file(row.residues),
                                                        text_of_file(row.posteriors)));
                         return rows;
                     })
        .def_prop_ro("columns", [](const PyMultipleAlignment& a) { return a.alignment->columns(); })
        .def_prop_ro("annotation",
                     [](const PyMultipleAlignment& a) {
                         nb::dict lines;
                         const auto add = [&](const char* name, const std::string& line) {
                             if (!line.empty()) lines[name] = text_of_file(line);
                         };
                         add("PP_cons", a.alignment->posterior_consensus);
                         add("SS_cons", a.alignment->structure);
                         add("SA_cons", a.alignment->surface);
                         add("RF", a.alignment->reference);
                         add("MM", a.alignment->mask);
                         return lines;
                     })
        .def("text", [](const PyMultipleAlignment& a, const std::string& format) {
            const auto named = alignment_format_named(format);
            if (!named)
                raise(Status::usage(format + ": is no format of alignments, such as stockholm, afa or clustal"));
            std::string text;
            append_alignment(*a.alignment, *named, text);
            return nb::bytes(text.data(), text.size());
        });
    module.def("hmmalign", &align, nb::arg("profile"), nb::arg("file").none(), nb::arg("text").none(),
               nb::arg("threads").none(), nb::arg("options"));
}

}  // namespace warpseq::python
