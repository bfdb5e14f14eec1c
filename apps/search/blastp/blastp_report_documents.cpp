// --outfmt 13 to 16: a document per query, of NCBI's schema NCBI_BlastOutput2, as JSON or as XML; all of them in one output, or in files of
// their own, which the output lists. The XML says what the JSON says: the same names, with hyphens, and a type within each object.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/common/output_sink.h"
#include "apps/search/blastp/blastp_record.h"
#include "apps/search/blastp/blastp_report.h"
#include "apps/search/report/xml_writer.h"

namespace warpseq {
namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers without a decimal point, as blastp writes them.
Json number(double value) {
    constexpr double kMost = 1e15;
    if (std::abs(value) < kMost && value == std::trunc(value)) return static_cast<std::int64_t>(value);
    return value;
}

Json hsp_object(const HspRecord& hsp, std::size_t hsp_number) {
    return {{"num", hsp_number},
            {"bit_score", number(hsp.bits)},
            {"score", hsp.score_raw},
            {"evalue", number(hsp.evalue)},
            {"identity", hsp.counts.identities},
            {"positive", hsp.counts.positives},
            {"query_from", hsp.query_from},
            {"query_to", hsp.query_to},
            {"hit_from", hsp.target_from},
            {"hit_to", hsp.target_to},
            {"align_len", hsp.counts.columns},
            {"gaps", hsp.counts.gap_columns},
            {"qseq", hsp.text.query},
            {"hseq", hsp.text.target},
            {"midline", hsp.text.middle}};
}

Json hit_object(const HitRecord& hit, std::size_t hit_number) {
    Json hsps = Json::array();
    for (const HspRecord& hsp : hit.hsps) hsps.push_back(hsp_object(hsp, hsps.size() + 1));
    const Json description = {{"id", hit.id}, {"accession", hit.accession}, {"title", hit.title}};
    Json object;
    object["num"] = hit_number;
    object["description"] = Json::array({description});
    object["len"] = hit.residues;
    object["hsps"] = std::move(hsps);
    return object;
}

Json search_object(const RunRecord& run, const QueryRecord& query) {
    Json object = {{"query_id", query.id}};
    if (!query.title.empty()) object["query_title"] = query.title;
    object["query_len"] = query.residues;
    // Positions of masked residues count from 0, unlike all others.
    for (const QueryStretch& stretch : query.masked)
        object["query_masking"].push_back({{"from", stretch.begin}, {"to", stretch.end - 1}});
    std::string message = query.message;
    if (query.is_in_invalid_group) {
        message += " \nNo hits found";
    } else {
        Json hits = Json::array();
        for (const HitRecord& hit : query.hits) hits.push_back(hit_object(hit, hits.size() + 1));
        object["hits"] = std::move(hits);
    }
    object["stat"] = {{"db_num", run.database_sequences},   {"db_len", run.database_residues},
                      {"hsp_len", query.length_adjustment}, {"eff_space", query.effective_search_space},
                      {"kappa", number(query.k)},           {"lambda", number(query.lambda)},
                      {"entropy", number(query.h)}};
    if (!message.empty()) object["message"] = message;
    return object;
}

/// {"report": ...} of one query.
Json document_of(const BlastpRun& run, const BlastpResult& result) {
    const RunRecord about = describe_run(run);
    Json parameters = {{"matrix", about.matrix},
                       {"expect", number(about.evalue)},
                       {"gap_open", about.gap_open},
                       {"gap_extend", about.gap_extend},
                       {"filter", about.filter}};
    if (about.composition_mode != 0) parameters["cbs"] = about.composition_mode;
    Json report = {{"program", "blastp"}, {"version", about.version}, {"reference", about.reference}};
    report["search_target"]["db"] = about.databases;
    report["params"] = std::move(parameters);
    report["results"]["search"] = search_object(about, describe_query(run, result));
    Json document;
    document["report"] = std::move(report);
    return document;
}

std::string json_text(const Json& json) { return json.dump(2) + "\n"; }

/// What a member's value, or each value of its array, is an object of.
std::string_view type_of(std::string_view member) {
    constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
        {"report", "Report"}, {"search_target", "Target"}, {"params", "Parameters"}, {"results", "Results"},
        {"search", "Search"}, {"query_masking", "Range"},  {"hits", "Hit"},          {"description", "HitDescr"},
        {"hsps", "Hsp"},      {"stat", "Statistics"},
    };
    return std::ranges::find(kTypes, member, [](const auto& type) { return type.first; })->second;
}

void add_members(const Json& object, XmlWriter& xml) {
    for (const auto& [member, value] : object.items()) {
        const std::string& object_name = member;
        std::string name = member;
        std::ranges::replace(name, '_', '-');
        const auto add_object = [&](const Json& of_type) {
            xml.open(type_of(object_name));
            add_members(of_type, xml);
            xml.close();
        };
        if (value.is_string()) {
            xml.element(name, value.get_ref<const std::string&>());
        } else if (value.is_number_float()) {
            xml.element(name, value.get<double>());
        } else if (value.is_number()) {
            xml.element(name, value.dump());
        } else if (value.empty()) {
            xml.element(name, "");
        } else {
            xml.open(name);
            if (value.is_object()) add_object(value);
            if (value.is_array()) std::ranges::for_each(value, add_object);
            xml.close();
        }
    }
}

constexpr std::string_view kXmlProlog = "<?xml version=\"1.0\"?>\n";

/// Attributes of the outermost element.
constexpr std::string_view kXmlSchema =
    "\n    xmlns=\"http://www.ncbi.nlm.nih.gov\""
    "\n    xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\""
    "\n    xs:schemaLocation=\"http://www.ncbi.nlm.nih.gov "
    "http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd\""
    "\n";
constexpr std::string_view kXmlIncludes = "\n    xmlns:xi=\"http://www.w3.org/2003/XInclude\"";

std::string xml_tag(std::string_view name, std::initializer_list<std::string_view> attributes) {
    std::string tag = "<" + std::string(name);
    for (const std::string_view attribute : attributes) tag += attribute;
    return tag + ">\n";
}

/// All queries' documents in one.
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
        const Json document = document_of(run, result);
        if (result.number > 1) out += is_json_ ? ",\n" : "\n";
        if (is_json_) {
            out += json_text(document);
        } else {
            XmlWriter xml(out);
            xml.open("BlastOutput2");
            add_members(document, xml);
            xml.close();
        }
        return {};
    }

    void end(const BlastpRun&, std::string& out) override { out += is_json_ ? "]\n}\n" : "</BlastXML2>\n"; }

   private:
    bool is_json_;
};

/// A file per query, and a list of them: LIST_1.json and so on, or, where the list is called LIST.json, the same without that ending.
class BlastpDocumentFiles final : public BlastpReport {
   public:
    BlastpDocumentFiles(BlastpNotation notation, std::filesystem::path list)
        : is_json_(notation == BlastpNotation::kJson), ending_(is_json_ ? ".json" : ".xml"), base_(std::move(list)) {
        const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
        if (std::ranges::equal(base_.extension().string(), ending_, {}, lower)) base_.replace_extension();
    }

    void begin(const BlastpRun&, std::string& out) override {
        if (is_json_) {
            out += "{\n\t\"BlastJSON\": [\n";
        } else {
            out += kXmlProlog;
            out += xml_tag("BlastXML2", {kXmlIncludes, kXmlSchema});
        }
    }

    Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        std::filesystem::path file = base_;
        file += "_" + std::to_string(result.number) + ending_;
        const std::string name = valid_utf8(file.filename().string());
        const Json document = document_of(run, result);
        std::string text;
        if (is_json_) {
            text = json_text({{"BlastOutput2", document}});
            out += std::string(result.number > 1 ? ",\n" : "") + "\t\t{\"File\": " + Json(name).dump() + " }";
        } else {
            text = kXmlProlog;
            text += xml_tag("BlastOutput2", {kXmlSchema});
            XmlWriter xml(text, 1);
            add_members(document, xml);
            text += "</BlastOutput2>\n";
            out += "\t<xi:include href=\"" + xml_escaped(name) + "\"/>\n";
        }
        auto sink = OutputSink::open(file);
        if (!sink.ok()) return sink.status();
        WARPSEQ_TRY(sink->write(text));
        return sink->finish();
    }

    void end(const BlastpRun&, std::string& out) override { out += is_json_ ? "\n\t]\n}" : "</BlastXML2>\n"; }

    void add_outputs(RunFiles& files) const override { files.add_numbered_outputs("-o", base_, ending_); }

   private:
    bool is_json_;
    std::string ending_;
    std::filesystem::path base_;
};

}  // namespace

std::unique_ptr<BlastpReport> make_blastp_documents(BlastpNotation notation) {
    return std::make_unique<BlastpDocuments>(notation);
}

std::unique_ptr<BlastpReport> make_blastp_document_files(BlastpNotation notation, const std::filesystem::path& list) {
    return std::make_unique<BlastpDocumentFiles>(notation, list);
}

}  // namespace warpseq
