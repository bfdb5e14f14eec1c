// Fuzz target: XML and JSON reports with hostile names of queries and sequences. A parser must
// accept every report. A name in printable ASCII must come back from JSON unchanged. The input is a
// query's header, a NUL byte and a sequence's header.
#include <expat.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "formats/wsdb/wsdb_writer.h"
#include "libcore/base/thread_pool.h"
#include "libcore/scoring/builtin_matrices.h"
#include "reports/blast/blastp_report.h"
#include "reports/blast/blastp_report_text.h"
#include "reports/report.h"
#include "tests/fuzz/fuzz_support.h"

using namespace warpseq;
using namespace warpseq::fuzz;

namespace {

/// A database with one sequence, and a hit in it that is reported with any name.
struct Example {
    std::optional<DatabaseSet> databases;
    ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::optional<AlignmentStatistics> statistics = AlignmentStatistics::find(scheme);
    const BlastpNames names{.version = blastp_version(), .databases = "d.wsdb", .title = "d.wsdb"};
    BlastpSettings settings{scheme};
    std::vector<ResidueCode> residues = encode_residues("MKTAYIAKQRQISFVKSHFSRQ");

    Example() {
        const auto file =
            std::filesystem::temp_directory_path() / ("warpseq-report-fuzz-" + std::to_string(getpid()) + ".wsdb");
        ThreadPool pool(1);
        WsdbWriterOptions options;
        options.replace = true;
        auto writer = WsdbWriter::create(file, options, pool);
        require(writer.ok() && writer->add("name", residues).ok() && writer->finish({.provenance_json = "{}"}).ok(),
                "the database can be written");
        auto opened = DatabaseSet::open({file});
        require(opened.ok(), "the database can be opened");
        databases.emplace(*std::move(opened));
        std::filesystem::remove(file);
    }
};

void require_xml(const std::string& text) {
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                              XML_ParserFree);
    require(XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) == XML_STATUS_OK,
            "the report is well-formed XML");
}

bool is_plain(std::string_view text) {
    for (const char c : text) {
        if (c <= ' ' || c > '~' || c == '&' || c == '\\' || c == '"' || c == '<' || c == '>') return false;
    }
    return !text.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Example example;
    const std::string_view text = text_of(data, size);
    const std::size_t middle = std::min(text.find('\0'), text.size());
    // Headers have neither line ends nor NUL bytes, because the readers of FASTA files ensure it.
    std::string query_header(text.substr(0, middle)), target_header(text.substr(std::min(middle + 1, text.size())));
    for (std::string* header : {&query_header, &target_header}) {
        std::erase_if(*header, [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
    }

    BlastpQuery query;
    query.header = query_header;
    query.residues = example.residues;
    query.ungapped = ungapped_parameters(query.residues, example.scheme.matrix);
    BlastpHit hit;
    hit.hsps.push_back({100, 0, 22, 0, 22, 0, 0, 1e-10, {{AlignmentOperation::kMatch, 22}}});
    hit.aligned_targets.push_back(example.residues);
    const BlastpRun run{*example.databases, example.names, example.settings, *example.statistics};
    for (const char* format : {"5", "15", "16", "0", "6 std stitle", "7", "10"}) {
        const auto report = make_blastp_report(format, {});
        require(report.ok(), "the format is known");
        std::string out;
        (*report)->begin(run, out);
        require(
            (*report)
                ->add(run, {query, 1, query.residues.size(), 1000, 0, std::span(&hit, 1), std::span(&target_header, 1)},
                      out)
                .ok(),
            "a query is added");
        (*report)->end(run, out);
        if (format[0] == '5' || std::string_view(format) == "16") require_xml(out);
        if (std::string_view(format) == "15") {
            const auto document = nlohmann::json::parse(out, nullptr, false);
            require(!document.is_discarded(), "the report is JSON");
            if (is_plain(target_header)) {
                const auto& found = document["BlastOutput2"][0]["report"]["results"]["search"]["hits"][0];
                require(found["description"][0]["title"] == target_header, "a plain name comes back");
            }
        }
    }

    const RunDescription description{"sw", *example.databases, example.scheme, example.statistics};
    const Query plain_query{query_header, example.residues};
    ReportedHit reported;
    reported.target_header = target_header;
    reported.target_residues = 22;
    reported.alignment.runs = {{AlignmentOperation::kMatch, 22}};
    reported.alignment.query_end = reported.alignment.target_end = 22;
    reported.aligned_target = example.residues;
    for (const char* format : {"json", "0", "6"}) {
        const auto writer = make_report_writer(format);
        std::string out;
        (*writer)->begin(description, out);
        (*writer)->add(description, plain_query, std::span(&reported, 1), out);
        (*writer)->end(description, out);
        if (std::string_view(format) == "json") require(nlohmann::json::accept(out), "the report is JSON");
    }
    return 0;
}
