#include "reports/blast/blastp_report.h"

#include <algorithm>
#include <string>

#include "formats/fasta.h"
#include "formats/file_identity.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {

namespace {

Result<std::unique_ptr<BlastpReport>> make_without_fields(std::string_view format,
                                                          const std::optional<std::filesystem::path>& output_file) {
    if (format == "0") return make_blastp_pairwise_report();
    if (format == "5") return make_blastp_xml_report();
    if (format == "15") return make_blastp_documents(BlastpNotation::kJson);
    if (format == "16") return make_blastp_documents(BlastpNotation::kXml);
    const auto is_ordinary = [](const std::filesystem::path& file) {
        const auto place = identify_file(file);
        using Kind = FileIdentity::Kind;
        return !place.ok() ||
               (place->descriptor < 0 && (place->kind == Kind::kAbsent || place->kind == Kind::kRegular));
    };
    if (!output_file || !is_ordinary(*output_file)) {
        return Status::usage("format " + std::string(format) +
                             " writes a file per query: name an ordinary file, which lists them and after which they "
                             "are named")
            .with(Advice::kOutputFile);
    }
    return make_blastp_document_files(format == "13" ? BlastpNotation::kJson : BlastpNotation::kXml, *output_file);
}

}  // namespace

TargetNames name_target(const BlastpNames& names, const BlastpHit& hit, std::string_view header) {
    TargetNames target;
    // Sequences that are no database are read as queries are.
    const std::string title = names.are_subjects ? std::string(query_title(header)) : target_title(header);
    if (!names.of(hit.database).has_parsed_ids) {
        const std::string clean = cleaned_title(title);
        target.id = target.accession = target.bare_accession = identifier_of(clean);
        target.title = target.shown = title;
        return target;
    }
    BlastDefline line = parse_defline(title);
    target.bare_accession = line.accession_without_version();
    target.id = std::move(line.full_id);
    target.accession = std::move(line.accession);
    if (!line.gi.empty()) target.gi = std::move(line.gi);
    target.title = std::move(line.title);
    target.shown = target.accession + " " + (target.title.empty() ? "unnamed protein product" : target.title);
    return target;
}

Result<std::unique_ptr<BlastpReport>> make_blastp_report(std::string_view outfmt,
                                                         const std::optional<std::filesystem::path>& output_file) {
    const std::size_t blank = outfmt.find_first_of(" \t");
    const std::string_view format = outfmt.substr(0, blank);
    const std::string_view names = blank == std::string_view::npos ? std::string_view() : outfmt.substr(blank + 1);
    if (format == "6" || format == "7") return make_blastp_table(names, "\t", format == "7");
    if (format == "10") return make_blastp_table(names, ",", false);
    constexpr std::string_view kWithoutFields[] = {"0", "5", "13", "14", "15", "16"};
    if (std::ranges::find(kWithoutFields, format) == std::end(kWithoutFields)) {
        return Status::usage("unknown format '" + std::string(outfmt) +
                             "'; choose 0 (pairwise text), 5 (XML), 6 (tab-separated), 7 (with comments), 10 "
                             "(comma-separated), 13 or 14 (a file per query, of JSON or XML2), 15 (JSON) or 16 (XML2)");
    }
    if (names.find_first_not_of(" \t") != std::string_view::npos)
        return Status::usage("'" + std::string(outfmt) + "': only formats 6, 7 and 10 take field names");
    return make_without_fields(format, output_file);
}

}  // namespace warpseq
