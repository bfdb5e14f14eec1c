#include "apps/dropin/blastdbcmd_taxa.h"

#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"

namespace warpseq::blastdbcmd {
namespace {

constexpr std::string_view kUnknown = "N/A";

/// The format of -outfmt with -tax_info.
struct TaxaFormat {
    std::vector<std::string> between;  // the texts before each letter
    std::string letters;               // a letter for each field
    std::string end;                   // the text after the last field

    explicit TaxaFormat(const std::string& format) {
        if (format == "%f") {
            between = {"", "\t", "\t", "\t", "\t"};
            letters = "TSLKB";
            end = "\t";
            return;
        }
        for (std::size_t i = 0; i < format.size(); ++i) {
            const char next = i + 1 < format.size() ? format[i + 1] : '\0';
            if (format[i] != '%' || next == '%') {
                end += format[i];
                continue;
            }
            if (std::string_view("TSLKB").find(next) != std::string_view::npos) {
                letters += next;
                between.push_back(std::exchange(end, {}));
            } else {
                end += {'%', next};
            }
            ++i;
        }
    }

    std::string line_of(std::int64_t taxid, const std::optional<TaxdbNames>& names) const {
        std::string line;
        for (std::size_t i = 0; i < letters.size(); ++i) {
            line += between[i];
            if (letters[i] == 'T') {
                line += std::to_string(taxid);
            } else if (!names) {
                line += kUnknown;
            } else {
                line += letters[i] == 'S'   ? names->scientific
                        : letters[i] == 'L' ? names->common
                        : letters[i] == 'K' ? names->kingdom
                                            : names->blast;
            }
        }
        return line + end + "\n";
    }
    bool has_names() const { return letters.find_first_not_of('T') != std::string::npos; }
};

}  // namespace

void TaxonLookup::open() {
    if (std::exchange(is_open_, true)) return;
    for (const std::string& folder : database_folders()) {
        std::error_code error;
        if (!std::filesystem::exists(std::filesystem::path(folder) / "taxdb.bti", error)) continue;
        auto taxdb = BlastTaxdb::open(folder);
        if (taxdb.ok()) {
            taxdb_ = *std::move(taxdb);
        } else {
            blast_failure(0, "Error: [blastdbcmd] " + taxdb.status().message());
        }
        break;
    }
    for (const auto& source : *sources_)
        if (auto taxonomy = source->taxonomy(); taxonomy != nullptr) taxonomies_.push_back(std::move(taxonomy));
}

std::optional<TaxdbNames> TaxonLookup::find(std::int64_t taxid) {
    open();
    if (taxdb_)
        if (auto names = taxdb_->find(taxid)) return names;
    if (taxid <= 0 || taxid > std::int64_t{kMostTaxid}) return {};
    const auto number = static_cast<std::uint32_t>(taxid);
    const auto or_none = [](std::string_view name) { return std::string(name.empty() ? "-" : name); };
    for (const auto& taxonomy : taxonomies_) {
        if (!taxonomy->has(number)) continue;
        return TaxdbNames{std::string(taxonomy->scientific_name(number)), std::string(taxonomy->common_name(number)),
                          or_none(taxonomy->blast_name(number)), or_none(taxonomy->kingdom(number))};
    }
    return {};
}

bool are_of_version_4(const std::vector<std::unique_ptr<Source>>& sources) {
    constexpr int kOlderVersion = 4;
    return sources.front()->about().version == kOlderVersion;
}

int print_taxa(const std::vector<std::unique_ptr<Source>>& sources, const std::string& format, OutputSink& output) {
    const TaxaFormat fields(format);
    if (fields.letters.empty()) return blast_options_error("Invalid format options for tax_info.");
    if (are_of_version_4(sources))
        return blast_failure(kBlastDatabaseError, std::string("BLAST Database error: ") + kNoTaxa);
    std::set<std::int64_t> taxids;
    for (const auto& source : sources) {
        const Status read = source->for_each(false, [&](const Sequence& sequence) -> Status {
            for (const StoredDefline& line : sequence.lines) taxids.insert(line.taxid);
            return {};
        });
        if (!read.ok()) return report_blast_status(read);
    }
    TaxonLookup taxa(sources);
    std::string lines = "# of Tax IDs in Database: " + std::to_string(taxids.size()) + "\n";
    for (const std::int64_t taxid : taxids)
        lines += fields.line_of(taxid, fields.has_names() ? taxa.find(taxid) : std::optional<TaxdbNames>());
    const Status status = output.write(lines);
    return report_blast_status(status.ok() ? output.finish() : status);
}

}  // namespace warpseq::blastdbcmd
