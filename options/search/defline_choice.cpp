#include "options/search/defline_choice.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <memory_resource>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "formats/blast/blast_database.h"
#include "formats/io/byte_source.h"
#include "libcore/base/ascii.h"
#include "libcore/base/stop_scope.h"
#include "options/arguments.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {

namespace {

bool are_capitals(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}
bool are_digits(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}
bool are_capitals_or_digits(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

/// Whether a text in capitals is an accession of RefSeq, of GenBank's proteins or of UniProt
/// (https://www.uniprot.org/help/accession_numbers).
bool is_public_accession(std::string_view text) {
    constexpr std::size_t kLeastRefSeq = 9, kShort = 6, kLong = 10, kShortGenBank = 8;
    if (text.size() >= kLeastRefSeq && text[2] == '_')
        return are_capitals(text.substr(0, 2)) && are_digits(text.substr(3));
    if ((text.size() == kShortGenBank || text.size() == kLong) && are_digits(text.substr(3)))
        return are_capitals(text.substr(0, 3));
    if (text.size() != kShort && text.size() != kLong) return false;
    const bool is_old = text.front() == 'O' || text.front() == 'P' || text.front() == 'Q';
    // UniProt has two forms. One is O, P or Q, a digit, three capitals or digits, and a digit. The
    // other is another capital, a digit, and one or two groups. A group is a capital, two capitals
    // or digits, and a digit.
    const auto is_group = [](std::string_view part) {
        return are_capitals(part.substr(0, 1)) && are_capitals_or_digits(part.substr(1, 2)) &&
               are_digits(part.substr(3));
    };
    if (!are_capitals(text.substr(0, 1)) || !are_digits(text.substr(1, 1))) return false;
    if (is_old) return text.size() == kShort && are_capitals_or_digits(text.substr(2, 3)) && are_digits(text.substr(5));
    return is_group(text.substr(2, 4)) && (text.size() == kShort || is_group(text.substr(6)));
}

}  // namespace

/// The identifiers as they stand in the file, and the accessions in capitals. Both sets are in one
/// arena and are never destroyed, so that a million names are gone in a moment when a search is
/// stopped: the arena has all their memory.
struct DeflineChoice::Names {
    /// Hashes texts of all kinds alike, so that a text is looked up without a copy.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    using Set = std::pmr::unordered_set<std::pmr::string, Hash, std::equal_to<>>;

    std::unique_ptr<std::pmr::monotonic_buffer_resource> arena =
        std::make_unique<std::pmr::monotonic_buffer_resource>();
    Set &ids = make_set(), &accessions = make_set();
    std::vector<std::string> listed;

    void add(std::string name) {
        // A bare name may be a local identifier, in which letter case counts, or an accession.
        const BlastDefline parsed = parse_defline(name);
        if (!name.starts_with("lcl|")) insert(accessions, ascii_upper(parsed.accession));
        insert(ids, parsed.accession);
        insert(ids, name);
        listed.push_back(std::move(name));
    }
    bool has(std::string_view title) const {
        const BlastDefline line = parse_defline(title);
        const auto is_accession = [&](const std::string& capitals) {
            return accessions.contains(std::string_view(capitals));
        };
        if (ids.contains(title.substr(0, title.find_first_of(" \t"))) || ids.contains(std::string_view(line.accession)))
            return true;
        if (line.id.find('|') == std::string::npos || line.id.starts_with("lcl|")) {
            // A bare name that looks like an accession of a public database is one.
            if (title.starts_with("lcl|")) return false;
            const std::string base = ascii_upper(line.accession_without_version());
            return is_public_accession(base) && (is_accession(ascii_upper(line.accession)) || is_accession(base));
        }
        // Letter case counts in the chains of PDB's identifiers.
        return !line.id.starts_with("pdb|") && (is_accession(ascii_upper(line.accession)) ||
                                                is_accession(ascii_upper(line.accession_without_version())));
    }

   private:
    Set& make_set() const { return *std::pmr::polymorphic_allocator<>(arena.get()).new_object<Set>(); }
    static void insert(Set& set, std::string_view text) {
        if (!set.contains(text)) set.emplace(text);
    }
};

namespace {

using Names = DeflineChoice::Names;

/// Reads a list that NCBI's blastdb_aliastool has written. Returns false for anything else. Numbers
/// are little-endian:
///   a zero byte; u64 size of the file; u64 number of identifiers;
///   title, behind its size as u32; date, behind its size as u8;
///   u64 residues of the database that the list was made for;
///   unless these are 0: date (size u8) and name (size u32) of that database;
///   identifiers, each behind its size: u8, or 255 and then u32.
bool read_converted_list(std::string_view bytes, Names& names) {
    std::string_view left = bytes.substr(1);
    const auto number = [&](std::size_t size) -> std::optional<std::uint64_t> {
        if (left.size() < size) return {};
        std::uint64_t value = 0;
        for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(left[i]);
        left.remove_prefix(size);
        return value;
    };
    const auto skip = [&](std::optional<std::uint64_t> size) {
        if (!size || *size > left.size()) return false;
        left.remove_prefix(*size);
        return true;
    };
    const auto file_bytes = number(8), count = number(8);
    if (!file_bytes || !count || *file_bytes != bytes.size() || *count > bytes.size()) return false;
    if (!skip(number(4)) || !skip(number(1))) return false;
    const auto residues = number(8);
    if (!residues) return false;
    if (*residues != 0 && (!skip(number(1)) || !skip(number(4)))) return false;
    constexpr std::uint64_t kLong = 255;
    for (std::uint64_t i = 0; i < *count; ++i) {
        auto size = number(1);
        if (size == kLong) size = number(4);
        if (!size || *size == 0 || *size > left.size()) return false;
        names.add(std::string(left.substr(0, *size)));
        left.remove_prefix(*size);
    }
    return left.empty() && !names.ids.empty();
}

Result<Names> read_names(const std::filesystem::path& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const auto whole = source->read_rest();
    if (!whole.ok()) return whole.status();
    const std::string& text = *whole;
    Names names;
    if (text.starts_with('\0')) {
        if (!read_converted_list(text, names))
            return Status::invalid_input(
                source->name() + ": is a binary list of blastdb_aliastool, but truncated or damaged; make it again");
        return names;
    }
    if (text.find('\0') != std::string::npos)
        return Status::invalid_input(source->name() + ": is not a text file with one identifier per line");
    std::istringstream words(text);
    words.exceptions(std::ios::badbit);  // a lack of memory throws instead of ending the text
    for (std::string name; words >> name;) {
        WARPSEQ_TRY(StopScope::check());
        if (name.front() == '#') {
            std::getline(words, name);
            continue;
        }
        if (name.front() == '>') name.erase(0, 1);
        if (name.empty()) continue;
        names.add(std::move(name));
    }
    if (names.ids.empty()) return Status::invalid_input(source->name() + ": names no sequence");
    return names;
}

}  // namespace

DeflineChoice::DeflineChoice(std::optional<SequenceList> sequences, std::optional<TaxonList> taxa)
    : sequences_(std::move(sequences)), taxa_(std::move(taxa)) {}
DeflineChoice::~DeflineChoice() = default;

const std::vector<std::string>& DeflineChoice::listed_names() const {
    static const std::vector<std::string> kNone;
    return names_ ? names_->listed : kNone;
}

Result<std::shared_ptr<const DeflineChoice>> DeflineChoice::read(const std::optional<SequenceList>& sequences,
                                                                 const std::optional<TaxonList>& taxa) {
    std::shared_ptr<DeflineChoice> choice(new DeflineChoice(sequences, taxa));
    if (sequences) {
        auto names = read_names(sequences->file);
        if (!names.ok()) return names.status();
        choice->names_ = std::make_unique<const Names>(*std::move(names));
    }
    return std::shared_ptr<const DeflineChoice>(std::move(choice));
}

bool DeflineChoice::has_line(std::string_view line, const TaxidsOfDatabase& database) const {
    std::uint64_t taxid = 0;
    if (database.are_in_lines) line = without_taxid(line, taxid);
    if (taxid == 0) taxid = database.taxid;
    if (names_ && names_->has(target_title(line)) == sequences_->are_left_out) return false;
    return !taxa_ || has_taxid(taxid);
}

bool DeflineChoice::has_taxid(std::uint64_t taxid) const {
    return std::ranges::binary_search(taxa_->taxids, taxid) != taxa_->are_left_out;
}

/// Records whether taxonomy IDs have decided about a sequence.
bool DeflineChoice::decided(bool any) const {
    if (taxa_ && any != taxa_->are_left_out && !has_decided()) has_decided_.store(true, std::memory_order_relaxed);
    return any;
}

bool DeflineChoice::has_any_taxid(std::span<const std::uint32_t> taxids, const TaxidsOfDatabase& database) const {
    return decided(std::ranges::any_of(
        taxids, [&](std::uint32_t taxid) { return has_taxid(taxid == 0 ? database.taxid : taxid); }));
}

bool DeflineChoice::has_any_line(std::string_view header, const TaxidsOfDatabase& database) const {
    bool any = false;
    for (std::size_t at = 0; at <= header.size();) {
        const std::size_t end = std::min(header.find('\x01', at), header.size());
        any = has_line(header.substr(at, end - at), database) || any;
        at = end + 1;
    }
    return decided(any);
}

std::string DeflineChoice::chosen_lines(std::string_view header, const TaxidsOfDatabase& database) const {
    std::string lines;
    for (std::size_t at = 0; at <= header.size();) {
        const std::size_t end = std::min(header.find('\x01', at), header.size());
        const std::string_view line = header.substr(at, end - at);
        if (has_line(line, database)) (lines += lines.empty() ? "" : "\x01") += line;
        at = end + 1;
    }
    return lines;
}

}  // namespace warpseq
