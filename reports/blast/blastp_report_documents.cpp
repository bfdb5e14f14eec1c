// Writes --outfmt 13 to 16: a document for each query, in NCBI's schema NCBI_BlastOutput2, as JSON
// or as XML. All documents are in one output, or each is in a file of its own, and the output lists
// the files. The XML has the contents of the JSON. Its names are the same with hyphens, and each
// object has a type.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "formats/io/json_writer.h"
#include "formats/io/output_sink.h"
#include "reports/blast/blastp_record.h"
#include "reports/blast/blastp_report.h"
#include "reports/xml_writer.h"

namespace warpseq {
namespace {

/// A writer of a document's XML, with the functions of JsonWriter. An array of text becomes an
/// element for each text.
class DocumentXml {
   public:
    explicit DocumentXml(XmlWriter& xml) : xml_(xml) {}

    DocumentXml& key(std::string_view name) {
        key_ = name;
        return *this;
    }
    void begin_object() {
        const bool is_element = !open_.empty() && open_.back().is_array;
        // The document itself is no element.
        const std::string name = is_element ? open_.back().name : std::exchange(key_, {});
        if (!name.empty()) {
            if (!is_element || std::exchange(open_.back().is_empty, false)) xml_.open(element_of(name));
            xml_.open(type_of(name));
        }
        open_.push_back({.name = name});
    }
    void end_object() {
        const std::string name = open_.back().name;
        open_.pop_back();
        if (name.empty()) return;
        xml_.close();
        if (open_.empty() || !open_.back().is_array) xml_.close();
    }
    void begin_array() { open_.push_back({.name = std::exchange(key_, {}), .is_array = true}); }
    void value(std::string_view text) {
        xml_.element(element_of(open_.back().name), text);
        open_.back().has_text = true;
    }
    void end_array() {
        if (open_.back().has_text) {
            // Each text was an element of its own.
        } else if (open_.back().is_empty) {
            xml_.element(element_of(open_.back().name), "");
        } else {
            xml_.close();
        }
        open_.pop_back();
    }
    void member(std::string_view name, const auto& value) { xml_.element(element_of(name), value); }

   private:
    /// An object or array that is being written.
    struct Open {
        std::string name;
        bool is_array = false, is_empty = true, has_text = false;
    };

    static std::string element_of(std::string_view name) {
        std::string element(name);
        std::ranges::replace(element, '_', '-');
        return element;
    }
    /// Returns the type of the object that is a member's value, or of each object in its array.
    static std::string_view type_of(std::string_view name) {
        constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
            {"report", "Report"},   {"search_target", "Target"}, {"params", "Parameters"},
            {"results", "Results"}, {"search", "Search"},        {"bl2seq", "Search"},
            {"hits", "Hit"},        {"description", "HitDescr"}, {"hsps", "Hsp"},
            {"stat", "Statistics"}, {"query_masking", "Range"},
        };
        return std::ranges::find(kTypes, name, [](const auto& type) { return type.first; })->second;
    }

    XmlWriter& xml_;
    std::string key_;
    std::vector<Open> open_;
};

// The functions below write with a JsonWriter or a DocumentXml.

/// Writes a number. Whole numbers have no decimal point, as in blastp.
template <typename Writer>
void add_number(std::string_view name, double value, Writer& out) {
    constexpr double kMost = 1e15;
    if (std::abs(value) < kMost && value == std::trunc(value)) {
        out.member(name, static_cast<std::int64_t>(value));
    } else {
        out.member(name, value);
    }
}

template <typename Writer>
void add_hsp(const HspRecord& hsp, std::size_t hsp_number, Writer& out) {
    out.begin_object();
    out.member("num", hsp_number);
    add_number("bit_score", hsp.bits, out);
    out.member("score", hsp.score_raw);
    add_number("evalue", hsp.evalue, out);
    out.member("identity", hsp.counts.identities);
    out.member("positive", hsp.counts.positives);
    out.member("query_from", hsp.query_from);
    out.member("query_to", hsp.query_to);
    out.member("hit_from", hsp.target_from);
    out.member("hit_to", hsp.target_to);
    out.member("align_len", hsp.counts.columns);
    out.member("gaps", hsp.counts.gap_columns);
    out.member("qseq", hsp.text.query);
    out.member("hseq", hsp.text.target);
    out.member("midline", hsp.text.middle);
    out.end_object();
}

template <typename Writer>
void add_hit(const RunRecord& about, const HitRecord& hit, std::size_t hit_number, Writer& out) {
    out.begin_object();
    out.member("num", hit_number);
    out.key("description").begin_array();
    for (const HitRecord::Description& each : hit.descriptions) {
        out.begin_object();
        out.member("id", each.id);
        // A local name of a sequence that was given for the run is not an accession.
        if (!about.are_subjects || each.is_public) out.member("accession", each.accession);
        out.member("title", each.title);
        if (each.taxid != 0) out.member("taxid", each.taxid);
        if (!each.scientific_name.empty()) out.member("sciname", each.scientific_name);
        out.end_object();
    }
    out.end_array();
    out.member("len", hit.residues);
    out.key("hsps").begin_array();
    for (std::size_t i = 0; i < hit.hsps.size(); ++i) add_hsp(hit.hsps[i], i + 1, out);
    out.end_array();
    out.end_object();
}

template <typename Writer>
void add_search(const BlastpRun& run, const RunRecord& about, const BlastpResult& result, Writer& out) {
    const QueryRecord query = describe_query(run, result);
    out.begin_object();
    out.member("query_id", query.id);
    if (!query.title.empty()) out.member("query_title", query.title);
    out.member("query_len", query.residues);
    if (!query.masked.empty()) {
        out.key("query_masking").begin_array();
        // Positions of masked residues count from 0, unlike all others.
        for (const QueryStretch& stretch : query.masked) {
            out.begin_object();
            out.member("from", run.query_begin + stretch.begin);
            out.member("to", run.query_begin + stretch.end - 1);
            out.end_object();
        }
        out.end_array();
    }
    std::string message = query.message;
    if (query.is_in_invalid_group) {
        message += " \nNo hits found";
    } else {
        out.key("hits").begin_array();
        for (std::size_t h = 0; h < result.hits.size(); ++h) add_hit(about, describe_hit(run, result, h), h + 1, out);
        out.end_array();
    }
    out.key("stat").begin_object();
    if (!about.are_subjects) {
        out.member("db_num", about.database_sequences);
        out.member("db_len", about.database_residues);
    }
    out.member("hsp_len", query.length_adjustment);
    out.member("eff_space", query.effective_search_space);
    add_number("kappa", query.k, out);
    add_number("lambda", query.lambda, out);
    add_number("entropy", query.h, out);
    out.end_object();
    if (!message.empty()) out.member("message", message);
    out.end_object();
}

/// Writes the object {"report": ...} of one query.
template <typename Writer>
void add_document(const BlastpRun& run, const BlastpResult& result, Writer& out) {
    const RunRecord about = describe_run(run);
    out.begin_object();
    out.key("report").begin_object();
    out.member("program", "blastp");
    out.member("version", about.version);
    out.member("reference", about.reference);
    out.key("search_target").begin_object();
    if (about.are_subjects) {
        out.key("subjects").begin_array();
        const std::vector<std::string>& subjects = run.names.subjects;
        for (std::uint64_t i = 1; i <= run.databases.sequence_count(); ++i)
            out.value(subjects.empty() ? "Subject_" + std::to_string(i) : valid_utf8(subjects[i - 1]));
        out.end_array();
    } else {
        out.member("db", about.databases);
    }
    out.end_object();
    out.key("params").begin_object();
    out.member("matrix", about.matrix);
    add_number("expect", about.evalue, out);
    if (!about.is_ungapped) {
        out.member("gap_open", about.gap_open);
        out.member("gap_extend", about.gap_extend);
    }
    out.member("filter", about.filter);
    if (about.composition_mode != 0) out.member("cbs", about.composition_mode);
    out.end_object();
    out.key("results").begin_object();
    if (about.are_subjects) {
        out.key("bl2seq").begin_array();
        add_search(run, about, result, out);
        out.end_array();
    } else {
        out.key("search");
        add_search(run, about, result, out);
    }
    out.end_object();
    out.end_object();
    out.end_object();
}

void add_document(const BlastpRun& run, const BlastpResult& result, XmlWriter& xml) {
    DocumentXml out(xml);
    add_document(run, result, out);
}

JsonWriter::Layout json_layout(const BlastpRun& run) {
    return run.layout.has_ncbi_lines ? JsonWriter::Layout::kOpenEnds : JsonWriter::Layout::kIndented;
}

constexpr std::string_view kXmlProlog = "<?xml version=\"1.0\"?>\n";

/// The attributes of the outermost element.
constexpr std::string_view kXmlSchema =
    "\n    xmlns=\"http://www.ncbi.nlm.nih.gov\""
    "\n    xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\""
    "\n    xs:schemaLocation=\"http://www.ncbi.nlm.nih.gov "
    "http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd\""
    "\n";
constexpr std::string_view kXmlIncludes = "\n    xmlns:xi=\"http://www.w3.org/2003/XInclude\"";
/// The whole start tag of a list of files, as NCBI's blastp writes it.
constexpr std::string_view kXmlListTag =
    "<BlastXML2\n"
    "xmlns=\"http://www.ncbi.nlm.nih.gov\"\n"
    "xmlns:xi=\"http://www.w3.org/2003/XInclude\"\n"
    "xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
    "xs:schemaLocation=\"http://www.ncbi.nlm.nih.gov "
    "http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd\">\n";

std::string xml_tag(std::string_view name, std::initializer_list<std::string_view> attributes) {
    std::string tag = "<" + std::string(name);
    for (const std::string_view attribute : attributes) tag += attribute;
    return tag + ">\n";
}

/// A report with all queries' documents in one output.
class BlastpDocuments final : public BlastpReport {
   public:
    explicit BlastpDocuments(BlastpNotation notation) : is_json_(notation == BlastpNotation::kJson) {}

    void begin(const BlastpRun&, std::string& out) override {
        if (is_json_) {
            out += "{\n\"BlastOutput2\": [\n";
        } else {
            out += kXmlProlog;
            out += xml_tag("BlastXML2", {kXmlSchema});
        }
    }

    Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        if (++documents_ > 1) out += is_json_ ? ",\n" : "\n";
        if (is_json_) {
            JsonWriter json(out, json_layout(run), run.layout.has_ncbi_lines ? 1 : 0);
            add_document(run, result, json);
            json.line_break();
        } else {
            XmlWriter xml(out);
            xml.open("BlastOutput2");
            add_document(run, result, xml);
            xml.close();
        }
        return {};
    }

    void end(const BlastpRun&, std::string& out) override { out += is_json_ ? "]\n}\n" : "</BlastXML2>\n"; }
    bool lists_subjects() const override { return true; }
    bool names_taxa() const override { return true; }

   private:
    bool is_json_;
    std::uint64_t documents_ = 0;
};

/// A report with a file for each query, and a list of these files. The files are LIST_1.json and so
/// on. If the list is called LIST.json, its ending is removed first.
class BlastpDocumentFiles final : public BlastpReport {
   public:
    BlastpDocumentFiles(BlastpNotation notation, std::filesystem::path list, ExistingFile existing)
        : is_json_(notation == BlastpNotation::kJson),
          ending_(is_json_ ? ".json" : ".xml"),
          base_(std::move(list)),
          existing_(existing) {
        const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
        if (std::ranges::equal(base_.extension().string(), ending_, {}, lower)) base_.replace_extension();
    }

    void begin(const BlastpRun& run, std::string& out) override {
        if (is_json_) {
            out += "{\n\t\"BlastJSON\": [\n";
        } else {
            out += kXmlProlog;
            out +=
                run.layout.has_ncbi_lines ? std::string(kXmlListTag) : xml_tag("BlastXML2", {kXmlIncludes, kXmlSchema});
        }
    }

    Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        std::filesystem::path file = base_;
        file += "_" + std::to_string(++documents_) + ending_;
        const std::string name = valid_utf8(file.filename().string());
        auto sink = OutputSink::open(file, existing_);
        if (!sink.ok()) return sink.status();
        if (is_json_) {
            out += std::string(documents_ > 1 ? ",\n" : "") + "\t\t{\"File\": " + json_string(name) + " }";
            JsonWriter json(*sink, json_layout(run));
            json.begin_object();
            json.key("BlastOutput2");
            add_document(run, result, json);
            json.end_object();
            json.line_break();
            WARPSEQ_TRY(json.finish());
        } else {
            out += "\t<xi:include href=\"" + xml_escaped(name) + "\"/>\n";
            std::string text(kXmlProlog);
            text += xml_tag("BlastOutput2", {kXmlSchema});
            XmlWriter xml(text, 1);
            add_document(run, result, xml);
            text += "</BlastOutput2>\n";
            WARPSEQ_TRY(sink->write(text));
        }
        return sink->finish();
    }

    void end(const BlastpRun&, std::string& out) override { out += is_json_ ? "\n\t]\n}" : "</BlastXML2>\n"; }

    void add_outputs(RunFiles& files) const override {
        files.add_numbered_outputs("-o", base_.string() + "_", ending_);
    }
    bool lists_subjects() const override { return true; }
    bool names_taxa() const override { return true; }

   private:
    bool is_json_;
    std::uint64_t documents_ = 0;
    std::string ending_;
    std::filesystem::path base_;
    ExistingFile existing_;
};

}  // namespace

std::unique_ptr<BlastpReport> make_blastp_documents(BlastpNotation notation) {
    return std::make_unique<BlastpDocuments>(notation);
}

std::unique_ptr<BlastpReport> make_blastp_document_files(BlastpNotation notation, const std::filesystem::path& list,
                                                         ExistingFile existing) {
    return std::make_unique<BlastpDocumentFiles>(notation, list, existing);
}

}  // namespace warpseq
