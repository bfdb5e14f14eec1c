// Databases as collections of sequences: look-up by name, and iteration in input order.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/database.h"
#include "bindings/python/src/text.h"
#include "formats/fasta/fasta.h"
#include "formats/wsdb/named_sequences.h"

namespace warpseq::python {
namespace {

/// Returns (name, description, residues).
nb::tuple tuple_of(const StoredSequence& sequence) {
    return nb::make_tuple(text_of_file(identifier_of(sequence.header)), text_of_file(description_of(sequence.header)),
                          nb::str(sequence.residues.data(), sequence.residues.size()));
}

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

std::string shown_names(const PyDatabase& database) {
    std::string all;
    for (const std::string& name : database.names) all += (all.empty() ? "" : "; ") + name;
    return all;
}

void open(PyDatabase* self, const std::vector<std::filesystem::path>& files, const std::optional<nb::bytes>& text,
          const std::string& name) {
    PyDatabase made;
    made.files = files;
    for (const auto& file : files) made.names.push_back(file.string());
    if (text) {
        made.text = value_of(QueryText::of_text(view_of(*text), name));
        made.files = {made.text->file()};
        made.names = {name};
    }
    NoteCollector notes;
    std::optional<NamingObserver> naming;
    if (made.text) naming.emplace(*made.text, notes);
    Observer& observer = naming ? static_cast<Observer&>(*naming) : notes;
    auto opened = run_stoppable([&] { return open_stored_sequences(made.files, made.names, observer); });
    notes.issue();
    if (!opened.ok() && made.text) raise(made.text->named(opened.status()));
    made.sequences = value_of(std::move(opened));
    new (self) PyDatabase(std::move(made));
}

nb::list find(const PyDatabase& database, const nb::bytes& name, std::size_t most) {
    auto found = [&] {
        const GilRelease release;
        return guarded([&] { return database.sequences->find(view_of(name), most); });
    }();
    nb::list records;
    for (const StoredSequence& each : value_of(std::move(found))) records.append(tuple_of(each));
    return records;
}

bool has(const PyDatabase& database, const nb::bytes& name) {
    auto found = [&] {
        const GilRelease release;
        return guarded([&] { return database.sequences->has(view_of(name)); });
    }();
    return value_of(std::move(found));
}

std::optional<nb::tuple> next(StoredSequenceCursor& cursor) {
    std::stop_source stop;
    auto sequence = cursor.is_ready()
                        ? cursor.next(stop.get_token())
                        : run_stoppable([&] { return cursor.next(stop.get_token()); }, [&] { stop.request_stop(); });
    const StoredSequence* const got = value_of(std::move(sequence));
    return got == nullptr ? std::nullopt : std::optional(tuple_of(*got));
}

}  // namespace

void bind_database(nb::module_& module) {
    nb::class_<StoredSequenceCursor>(module, "SequenceCursor")
        .def("__init__", [](StoredSequenceCursor* self,
                            const PyDatabase& database) { new (self) StoredSequenceCursor(database.sequences); })
        .def("next", &next);
    nb::class_<PyDatabase>(module, "Database")
        .def("__init__", &open, nb::arg("files"), nb::arg("text").none(), nb::arg("name"))
        .def("find", &find)
        .def("has", &has)
        .def("missing",
             [](const PyDatabase& database, const nb::bytes& name) {
                 return text_of_file(missing_names_text(shown_names(database), std::vector{view_of(name)}, 1));
             })
        .def_prop_ro("files", [](const PyDatabase& database) { return database.files; })
        .def_prop_ro("names",
                     [](const PyDatabase& database) {
                         nb::list names;
                         for (const std::string& name : database.names) names.append(text_of_file(name));
                         return names;
                     })
        .def_prop_ro("sequences", [](const PyDatabase& database) { return database.sequences->sequence_count(); })
        .def_prop_ro("residues", [](const PyDatabase& database) { return database.sequences->residue_count(); });
}

}  // namespace warpseq::python
