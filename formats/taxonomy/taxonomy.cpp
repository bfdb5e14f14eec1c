#include "formats/taxonomy/taxonomy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace warpseq {

namespace {

constexpr std::size_t kColumns = 6;

std::optional<std::uint32_t> taxid_of(std::string_view text) {
    std::uint32_t taxid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), taxid);
    if (error != std::errc() || end != text.data() + text.size() || taxid > kMostTaxid) return std::nullopt;
    // Each ID has only one valid form.
    if (text.front() == '0' && text.size() > 1) return std::nullopt;
    return taxid;
}

/// Splits a line into six columns. Returns nothing if there are more or fewer.
std::optional<std::array<std::string_view, kColumns>> columns_of(std::string_view line) {
    std::array<std::string_view, kColumns> columns;
    for (std::size_t c = 0; c < kColumns; ++c) {
        const std::size_t tab = line.find('\t');
        if ((tab == line.npos) != (c + 1 == kColumns)) return std::nullopt;
        columns[c] = line.substr(0, tab);
        line.remove_prefix(std::min(columns[c].size() + 1, line.size()));
    }
    return columns;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

Status wrong_line(std::uint64_t number, const std::string& what) {
    return Status::invalid_input("line " + std::to_string(number) + ": " + what);
}

}  // namespace

Result<Taxonomy> Taxonomy::parse(std::string text) {
    Taxonomy tree;
    tree.text_ = std::move(text);
    const std::string_view all = tree.text_;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::uint64_t number = tree.entries_.size() + 1;
        const std::size_t end = all.find('\n', begin);
        if (end == all.npos) return wrong_line(number, "expected a newline at its end, found none");
        const std::string_view line = all.substr(begin, end - begin);
        const auto columns = columns_of(line);
        if (!columns || std::ranges::any_of(line, is_control))
            return wrong_line(number, "expected six columns with tabs between them, found something else");
        const auto taxid = taxid_of((*columns)[0]), parent = taxid_of((*columns)[1]);
        if (!taxid || *taxid == 0 || !parent)
            return wrong_line(number, "expected two taxonomy IDs, found something else");
        if (!tree.entries_.empty() && tree.entries_.back().taxid >= *taxid) {
            return wrong_line(number, "expected a taxonomy ID above " + std::to_string(tree.entries_.back().taxid) +
                                          ", found " + std::to_string(*taxid));
        }
        tree.entries_.push_back({*taxid, *parent, begin, static_cast<std::uint32_t>(line.size())});
        begin = end + 1;
    }
    // Follows the parents of each taxon up to one that is known to end at a root.
    std::vector<std::uint8_t> state(tree.entries_.size());  // 1: on the way, 2: ends at a root
    std::vector<std::size_t> way;
    for (std::size_t first = 0; first < tree.entries_.size(); ++first) {
        way.clear();
        for (std::size_t at = first; state[at] != 2;) {
            if (state[at] == 1) return wrong_line(at + 1, "found a taxon that is its own ancestor");
            state[at] = 1;
            way.push_back(at);
            const std::uint32_t parent = tree.entries_[at].parent;
            if (parent == 0) break;
            const std::size_t above = tree.place_of(parent);
            if (above == tree.entries_.size())
                return wrong_line(at + 1,
                                  "found the parent " + std::to_string(parent) + ", which is not in the taxonomy");
            at = above;
        }
        for (const std::size_t at : way) state[at] = 2;
    }
    return tree;
}

std::size_t Taxonomy::place_of(std::uint32_t taxid) const {
    const auto entry = std::ranges::lower_bound(entries_, taxid, {}, &Entry::taxid);
    return entry != entries_.end() && entry->taxid == taxid ? static_cast<std::size_t>(entry - entries_.begin())
                                                            : entries_.size();
}

Taxon Taxonomy::taxon_of(const Entry& entry) const {
    const auto columns = columns_of(line_of(entry));
    if (!columns) return {};
    return {entry.taxid, entry.parent, (*columns)[2], (*columns)[3], (*columns)[4], (*columns)[5]};
}

Taxon Taxonomy::find(std::uint32_t taxid) const {
    const std::size_t place = place_of(taxid);
    return place < entries_.size() ? taxon_of(entries_[place]) : Taxon();
}

std::string_view Taxonomy::common_name(std::uint32_t taxid) const {
    const Taxon taxon = find(taxid);
    return taxon.common_name.empty() ? taxon.scientific_name : taxon.common_name;
}

std::string_view Taxonomy::blast_name(std::uint32_t taxid) const {
    for (Taxon taxon = find(taxid); taxon.taxid != 0; taxon = find(taxon.parent)) {
        if (!taxon.blast_name.empty()) return taxon.blast_name;
    }
    return {};
}

std::string_view Taxonomy::kingdom(std::uint32_t taxid) const {
    // NCBI has kept the IDs of these taxa through all of its changes of ranks.
    for (Taxon taxon = find(taxid); taxon.taxid != 0; taxon = find(taxon.parent)) {
        switch (taxon.taxid) {
            case 2: return "Bacteria";
            case 2157: return "Archaea";
            case 2759: return "Eukaryota";
            case 10239: return "Viruses";
            default: break;
        }
    }
    return {};
}

std::string Taxonomy::text_of(std::span<const std::uint32_t> taxids) const {
    std::vector<std::uint8_t> is_wanted(entries_.size());
    for (const std::uint32_t taxid : taxids) {
        for (std::size_t at = place_of(taxid); at < entries_.size() && is_wanted[at] == 0;
             at = place_of(entries_[at].parent))
            is_wanted[at] = 1;
    }
    std::string text;
    for (std::size_t at = 0; at < entries_.size(); ++at) {
        if (is_wanted[at] != 0) (text += line_of(entries_[at])) += '\n';
    }
    return text;
}

std::vector<std::uint32_t> Taxonomy::with_descendants(std::span<const std::uint32_t> taxids) const {
    constexpr std::uint8_t kWanted = 1, kNot = 2;
    std::vector<std::uint8_t> state(entries_.size());
    std::vector<std::uint32_t> found(taxids.begin(), taxids.end());
    for (const std::uint32_t taxid : taxids) {
        if (const std::size_t place = place_of(taxid); place < entries_.size()) state[place] = kWanted;
    }
    std::vector<std::size_t> way;
    for (std::size_t first = 0; first < entries_.size(); ++first) {
        way.clear();
        std::uint8_t verdict = kNot;
        for (std::size_t at = first; at < entries_.size(); at = place_of(entries_[at].parent)) {
            if (state[at] != 0) {
                verdict = state[at];
                break;
            }
            way.push_back(at);
        }
        for (const std::size_t at : way) state[at] = verdict;
        if (state[first] == kWanted) found.push_back(entries_[first].taxid);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void Taxonomy::add(const Taxonomy& other) {
    const std::size_t before = entries_.size();
    for (const Entry& entry : other.entries_) {
        const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(before);
        const auto own = std::ranges::lower_bound(entries_.begin(), end, entry.taxid, {}, &Entry::taxid);
        if (own != end && own->taxid == entry.taxid) continue;
        entries_.push_back({entry.taxid, entry.parent, text_.size(), entry.bytes});
        (text_ += other.line_of(entry)) += '\n';
    }
    std::ranges::inplace_merge(entries_, entries_.begin() + static_cast<std::ptrdiff_t>(before), {}, &Entry::taxid);
}

}  // namespace warpseq
