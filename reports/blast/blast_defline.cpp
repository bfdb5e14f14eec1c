#include "reports/blast/blast_defline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "formats/blast_database.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

std::vector<std::string_view> fields_of(std::string_view id) {
    std::vector<std::string_view> fields;
    for (;;) {
        const std::size_t bar = id.find('|');
        fields.push_back(id.substr(0, bar));
        if (bar == std::string_view::npos) return fields;
        id.remove_prefix(bar + 1);
    }
}

/// Kinds whose second field is the accession.
constexpr std::array<std::string_view, 11> kWithAccession = {"sp",  "tr",  "gb",  "emb", "dbj", "ref",
                                                             "pir", "prf", "tpg", "tpe", "tpd"};

/// Others that are known.
constexpr std::array<std::string_view, 5> kOtherKinds = {"gi", "gnl", "lcl", "pat", "pdb"};

std::string in_capitals(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

/// Puts the kind that stands at `begin` into small letters, as it is shown, where it is a known one; returns its end.
std::size_t read_kind(std::string& id, std::size_t begin) {
    const std::size_t end = id.find('|', begin);
    if (end == std::string::npos) return end;
    std::string kind = id.substr(begin, end - begin);
    for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::ranges::find(kWithAccession, kind) != kWithAccession.end() ||
        std::ranges::find(kOtherKinds, kind) != kOtherKinds.end())
        id.replace(begin, kind.size(), kind);
    return end;
}

bool is_digits(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

std::string_view BlastDefline::accession_without_version() const {
    const std::string_view text = accession;
    const std::size_t point = text.rfind('.');
    return point != std::string_view::npos && is_digits(text.substr(point + 1)) ? text.substr(0, point) : text;
}

bool BlastDefline::has_public_accession() const {
    const auto fields = fields_of(id);
    return fields.size() > 1 && !fields[1].empty() &&
           std::ranges::find(kWithAccession, fields[0]) != kWithAccession.end();
}

std::string BlastDefline::summary() const {
    return label + " " + (is_third_party() ? "TPA: " : "") + cleaned_title(shown_title());
}

BlastDefline parse_defline(std::string_view title) {
    BlastDefline line;
    const std::size_t blank = std::min(title.find_first_of(" \t"), title.size());
    std::string known(title.substr(0, blank));
    if (const std::size_t bar = read_kind(known, 0); bar != std::string::npos && known.starts_with("gi|")) {
        if (const std::size_t next = known.find('|', bar + 1); next != std::string::npos) read_kind(known, next + 1);
    }
    std::string_view id = known;
    const std::size_t text = title.find_first_not_of(" \t", blank);
    if (text != std::string_view::npos) line.title = title.substr(text);

    std::string before;
    auto fields = fields_of(id);
    if (fields.size() >= 2 && fields[0] == "gi" && is_digits(fields[1])) {
        line.gi = fields[1];
        if (fields.size() > 2 && !fields[2].empty()) {
            before = "gi|" + line.gi + "|";
            id.remove_prefix(before.size());
            fields = fields_of(id);
        }
    }
    const std::string_view kind = fields[0];
    line.full_id = before + std::string(id);
    line.id = id;
    if (fields.size() >= 2 && std::ranges::find(kWithAccession, kind) != kWithAccession.end()) {
        line.accession = fields[1].empty() && fields.size() > 2 ? std::string(fields[2]) : in_capitals(fields[1]);
        if (fields.size() == 2) {
            line.id += '|';
            line.full_id += '|';
        }
    } else if (kind == "pdb" && fields.size() >= 3) {
        line.accession = std::string(fields[1]) + "_" + std::string(fields[2]);
    } else if (kind == "pat" && fields.size() >= 4) {
        line.accession = std::string(fields[1]) + std::string(fields[2]) + "_" + std::string(fields[3]);
    } else if (kind == "gnl" && fields.size() >= 3) {
        line.accession = std::string(fields[1]) + ":" + std::string(fields[2]);
    } else if (kind == "lcl" && fields.size() == 2) {
        line.accession = line.full_id = fields[1];
    } else {
        line.accession = id;
        if (line.gi.empty() || !before.empty()) line.id = "lcl|" + std::string(id);
    }
    line.label = kind == "pir" || kind == "prf" ? line.id : line.accession;
    if (!line.gi.empty() && before.empty()) line.accession = line.gi;
    return line;
}

std::vector<BlastDefline> parse_deflines(std::string_view header, bool has_taxids) {
    std::vector<BlastDefline> lines;
    for (;;) {
        const std::size_t end = std::min(header.find('\x01'), header.size());
        std::string_view text = header.substr(0, end);
        std::uint64_t taxid = 0;
        if (has_taxids) text = without_taxid(text, taxid);
        lines.push_back(parse_defline(target_title(text)));
        lines.back().taxid = taxid;
        if (end == header.size()) return lines;
        header.remove_prefix(end + 1);
    }
}

}  // namespace warpseq
