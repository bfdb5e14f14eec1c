#include "reports/blast/blastp_report.h"

#include <algorithm>
#include <string>

#include "engines/targets/headers.h"
#include "formats/blast/blast_database.h"
#include "formats/blast/blast_seqid_parser.h"
#include "formats/blast/given_defline.h"
#include "formats/fasta/fasta.h"
#include "formats/io/file_identity.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {

namespace {

constexpr std::string_view kUntitled = "unnamed protein product";

Result<std::unique_ptr<BlastpReport>> make_without_fields(std::string_view format,
                                                          const std::optional<std::filesystem::path>& output_file,
                                                          ExistingFile existing) {
    if (format == "0") return make_blastp_text_report(BlastpView::kPairwise);
    if (format == "1") return make_blastp_text_report(BlastpView::kAnchoredIdentities);
    if (format == "2") return make_blastp_text_report(BlastpView::kAnchored);
    if (format == "3") return make_blastp_text_report(BlastpView::kFlatIdentities);
    if (format == "4") return make_blastp_text_report(BlastpView::kFlat);
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
                             " writes a file per query: name a regular file for the list of these files, which are "
                             "named after it")
            .with(Advice::kOutputFile);
    }
    return make_blastp_document_files(format == "13" ? BlastpNotation::kJson : BlastpNotation::kXml, *output_file,
                                      existing);
}

void add_to_list(std::string_view separator, std::string_view text, std::string& list) {
    if (!list.empty()) list += separator;
    list += text;
}

/// Lists the taxonomy IDs of the definition lines, or `target.taxid` if they have none.
void list_taxids(TargetNames& target) {
    if (target.taxids.empty()) target.taxids.push_back(target.taxid);
    std::ranges::sort(target.taxids);
    target.taxids.erase(std::unique(target.taxids.begin(), target.taxids.end()), target.taxids.end());
    for (const std::uint64_t each : target.taxids) add_to_list(";", std::to_string(each), target.all_taxids);
}

/// The beginning of the identifier that BLAST gives to a sequence without one, in a database in
/// which only some sequences have identifiers.
constexpr std::string_view kNumberedId = "gnl|BL_ORD_ID|";

/// Returns the names of a target whose identifiers are not parsed.
TargetNames name_by_title(const BlastpNames& names, std::size_t of_database, std::string_view header) {
    const BlastpNames::Database& database = names.of(of_database);
    TargetNames target;
    std::string unmarked;
    if (names.has_taxids(of_database)) {
        for (std::size_t at = 0; at <= header.size();) {
            const std::size_t end = std::min(header.find('\x01', at), header.size());
            std::uint64_t own = 0;
            if (at != 0) unmarked += '\x01';
            unmarked += without_taxid(header.substr(at, end - at), own);
            target.taxids.push_back(own == 0 ? database.taxid : own);
            if (target.taxid == 0) target.taxid = own;
            at = end + 1;
        }
        header = unmarked;
    }
    if (target.taxid == 0) target.taxid = database.taxid;
    list_taxids(target);
    // Sequences that were given for the run are read as queries are. Their only title is the
    // cleaned one, but tables name them by the first word of the title as it is.
    std::string title = names.are_subjects ? cleaned_title(query_title(header)) : target_title(header);
    target.shown = names.are_subjects ? title : cleaned_title(title);
    target.id = first_word(names.are_subjects ? query_title(header) : target.shown);
    target.accession = target.bare_accession = target.all_ids = target.all_accessions = target.id;
    target.heading = broken_title(title);
    target.lines.push_back({.title = title, .taxid = target.taxid});
    target.title = target.all_titles = std::move(title);
    return target;
}

/// Parses the header of a query, or of a sequence that was given for the run.
BlastDefline parse_given_defline(std::string_view header) {
    const std::string_view word = split_given_defline(header, true).id;
    std::string id(word);
    if (has_replaced_comma(word)) std::ranges::replace(id, ',', '_');
    const auto end = static_cast<std::size_t>(word.data() + word.size() - header.data());
    return parse_defline(id + " " + std::string(query_title(header.substr(end))));
}

/// Returns the title that reports show for such a line. It is empty if the line has a title of
/// which nothing is left.
std::string title_of_given(const BlastDefline& line) { return marked_title(line.shown_title(), line.is_third_party()); }

/// Returns the names of a target with these definition lines. `taxid` is that of lines without one
/// of their own.
TargetNames name_by_identifiers(std::vector<BlastDefline> lines, std::uint64_t taxid) {
    TargetNames target;
    target.lines = std::move(lines);
    target.all_gis.clear();
    for (std::size_t i = 0; i < target.lines.size(); ++i) {
        BlastDefline& line = target.lines[i];
        if (line.taxid == 0) line.taxid = taxid;
        if (target.lines[target.best].gi.empty() && !line.gi.empty()) target.best = i;
        if (target.taxid == 0) target.taxid = line.taxid;
        target.taxids.push_back(line.taxid);
        add_to_list(";", line.full_id, target.all_ids);
        add_to_list(";", line.accession_without_version(), target.all_accessions);
        add_to_list(";", line.gi.empty() ? "0" : line.gi, target.all_gis);
        add_to_list("<>", line.title.empty() ? "N/A" : line.title, target.all_titles);
        add_to_list("\n ", line.label + " " + broken_title(line.shown_title()), target.heading);
    }
    const BlastDefline& best = target.lines[target.best];
    list_taxids(target);
    target.id = best.full_id;
    target.accession = best.accession;
    target.bare_accession = best.accession_without_version();
    if (!best.gi.empty()) target.gi = best.gi;
    target.title = target.lines.front().title;
    target.shown = best.summary();
    target.label = best.row_label();
    target.anchor = best.anchor();
    target.shown_id_bytes = best.label.size() + 1;
    return target;
}

}  // namespace

QueryNames name_query(const BlastpNames& names, std::string_view header, std::uint64_t number) {
    QueryNames query;
    query.id = query.row_label = "Query_" + std::to_string(number);
    const std::string title(query_title(header));
    if (!names.parses_queries || title.empty()) {
        const std::string_view id = first_word(title);
        query.table_id = query.accession = query.bare_accession = id.empty() ? query.id : std::string(id);
        query.title = title.empty() ? std::string(kUntitled) : cleaned_title(title);
        query.shown = title;
        return query;
    }
    BlastDefline line = parse_given_defline(header);
    query.bare_accession = line.accession_without_version();
    query.id = line.label;
    query.accession = line.accession;
    query.row_label = line.row_label();
    query.table_id = std::move(line.full_id);
    if (!line.gi.empty()) query.gi = std::move(line.gi);
    query.title = title_of_given(line);
    query.shown = query.id + (line.title.empty() ? "" : " " + line.title);
    return query;
}

TargetNames name_target(const BlastpNames& names, const BlastpHit& hit, std::string_view header) {
    const BlastpNames::Database& database = names.of(hit.database);
    const std::string number =
        names.are_subjects ? "Subject_" + std::to_string(hit.position + 1) : std::to_string(hit.position);
    const auto by_title = [&](std::string_view text) {
        TargetNames target = name_by_title(names, hit.database, text);
        target.label = number;
        target.anchor = names.are_subjects ? number : "BL_ORD_ID:" + number;
        if (names.are_subjects && text == kUntitled) {
            target.all_ids = target.all_accessions = number;
        } else if (!names.are_subjects && target.id.empty()) {
            // Nothing is left of the title, so the sequence is named by its place.
            target.id = target.all_ids = std::string(kNumberedId) + number;
            target.accession = target.bare_accession = target.all_accessions = target.anchor;
        }
        return target;
    };
    if (!database.has_parsed_ids) return by_title(header);
    std::vector<BlastDefline> lines;
    if (names.are_subjects) {
        BlastDefline& line = lines.emplace_back(parse_given_defline(header));
        line.title = title_of_given(line);
        line.untitled.clear();
    } else {
        lines = parse_deflines(header, names.has_taxids(hit.database));
    }
    if (lines.front().full_id.starts_with(kNumberedId)) {
        const std::size_t end = std::min(header.find_first_of(" \x01"), header.size());
        return by_title(header.substr(std::min(end + 1, header.size())));
    }
    TargetNames target = name_by_identifiers(std::move(lines), database.taxid);
    if (names.are_subjects) target.shown = target.lines.front().label + " " + target.title;
    return target;
}

Result<std::vector<std::string>> name_subjects(const DatabaseSet& databases, const ThreadPool& pool) {
    std::vector<SequencePlace> places;
    std::vector<std::uint64_t> positions;  // in the input
    for (std::uint32_t d = 0; d < databases.size(); ++d) {
        const std::uint64_t first = places.size();
        for (const std::uint64_t position : databases.reader(d).input_positions()) {
            positions.push_back(first + position);
            places.push_back({d, places.size() - first});
        }
    }
    std::vector<std::string> subjects(places.size());
    WARPSEQ_TRY(for_each_header(databases, places, pool, [&](std::size_t i, std::string_view header) {
        const BlastDefline line = parse_given_defline(header);
        subjects[positions[i]] = line.gi.empty() ? line.label_in_list : "gi|" + line.gi;
    }));
    return subjects;
}

Result<std::unique_ptr<BlastpReport>> make_blastp_report(std::string_view outfmt,
                                                         const std::optional<std::filesystem::path>& output_file,
                                                         ExistingFile existing, bool header) {
    const std::size_t blank = outfmt.find_first_of(" \t");
    const std::string_view format = outfmt.substr(0, blank);
    const std::string_view names = blank == std::string_view::npos ? std::string_view() : outfmt.substr(blank + 1);
    auto layout = table_layout(format, header);
    if (!layout.ok()) return layout.status();
    if (*layout) {
        return make_blastp_table(names, **std::move(layout));
    }
    constexpr std::string_view kWithoutFields[] = {"0", "1", "2", "3", "4", "5", "13", "14", "15", "16"};
    if (std::ranges::find(kWithoutFields, format) == std::end(kWithoutFields)) {
        return Status::usage("unknown format '" + std::string(outfmt) +
                             "'; choose 0 (pairwise text), 1 to 4 (all hits below the query), 5 (XML), 6 "
                             "(tab-separated), 7 (with comments), 10 "
                             "(comma-separated), 13 or 14 (a file per query, of JSON or XML2), 15 (JSON) or 16 (XML2)");
    }
    if (names.find_first_not_of(" \t") != std::string_view::npos)
        return Status::usage("'" + std::string(outfmt) + "': only formats 6, 7 and 10 take field names");
    return make_without_fields(format, output_file, existing);
}

}  // namespace warpseq
