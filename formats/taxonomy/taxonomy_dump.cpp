// A reader of NCBI's taxdump. Columns are separated by TAB | TAB, and lines end with TAB |. Its
// files and their columns are:
//
//   nodes.dmp     taxon, parent, rank, ...
//   names.dmp     taxon, name, unique name, class
//   merged.dmp    taxon, the taxon that it was merged into
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "formats/io/text_lines.h"
#include "formats/taxonomy/taxonomy.h"

namespace warpseq {

namespace {

constexpr std::string_view kBetween = "\t|\t", kEnd = "\t|";

/// Returns the first kColumns columns, or nothing if there are fewer.
template <std::size_t kColumns>
std::optional<std::array<std::string_view, kColumns>> columns_of(std::string_view line) {
    if (line.ends_with(kEnd)) line.remove_suffix(kEnd.size());
    std::array<std::string_view, kColumns> columns;
    for (std::size_t c = 0; c < kColumns; ++c) {
        const std::size_t end = line.find(kBetween);
        columns[c] = line.substr(0, end);
        if (end == line.npos) return c + 1 == kColumns ? std::optional(columns) : std::nullopt;
        line.remove_prefix(end + kBetween.size());
    }
    return columns;
}

std::optional<std::uint32_t> taxid_of(std::string_view text) {
    std::uint32_t taxid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), taxid);
    if (error != std::errc() || end != text.data() + text.size() || taxid == 0 || taxid > kMostTaxid)
        return std::nullopt;
    return taxid;
}

/// Returns a name as it is stored: control characters, which could end a column or a line, become
/// blanks.
std::string cleaned(std::string_view text) {
    std::string clean(text);
    for (char& c : clean) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return clean;
}

/// A part of the pool of names.
struct Piece {
    std::uint64_t begin = 0;
    std::uint32_t bytes = 0;
};

struct Node {
    std::uint32_t taxid = 0, parent = 0;
    Piece rank, scientific, common, blast;
};

class Dump {
   public:
    Status read_nodes(const std::filesystem::path& file) {
        WARPSEQ_TRY(for_each_line<3>(file, "a taxonomy ID, its parent's and a rank", [&](const auto& columns) {
            const auto taxid = taxid_of(columns[0]), parent = taxid_of(columns[1]);
            if (!taxid || !parent) return false;
            const auto [rank, is_new] = ranks_.try_emplace(cleaned(columns[2]));
            if (is_new) rank->second = keep(rank->first);
            nodes_.push_back({*taxid, *parent == *taxid ? 0 : *parent, rank->second, {}, {}, {}});
            return true;
        }));
        if (nodes_.empty()) return Status::invalid_input(file.string() + ": has no taxa");
        std::ranges::sort(nodes_, {}, &Node::taxid);
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            if (n > 0 && nodes_[n].taxid == nodes_[n - 1].taxid)
                return Status::invalid_input(file.string() + ": taxon " + std::to_string(nodes_[n].taxid) +
                                             " is there twice");
            if (nodes_[n].parent != 0 && node_of(nodes_[n].parent) == nullptr)
                return Status::invalid_input(file.string() + ": taxon " + std::to_string(nodes_[n].parent) +
                                             ", the parent of " + std::to_string(nodes_[n].taxid) +
                                             ", is missing; is the file complete?");
        }
        return {};
    }

    Status read_names(const std::filesystem::path& file) {
        return for_each_line<4>(
            file, "a taxonomy ID, a name, a unique name and the name's class", [&](const auto& columns) {
                const auto taxid = taxid_of(columns[0]);
                if (!taxid) return false;
                const bool is_scientific = columns[3] == "scientific name";
                if (!is_scientific && columns[3] != "genbank common name" && columns[3] != "blast name") return true;
                if (Node* const node = node_of(*taxid)) {
                    Piece& name = is_scientific                ? node->scientific
                                  : columns[3] == "blast name" ? node->blast
                                                               : node->common;
                    name = keep(cleaned(columns[1]));
                }
                return true;
            });
    }

    /// Reads the merged taxa. They become children of the taxa that they were merged into.
    Status read_merged(const std::filesystem::path& file) {
        std::vector<Node> merged;
        WARPSEQ_TRY(for_each_line<2>(file, "two taxonomy IDs", [&](const auto& columns) {
            const auto before = taxid_of(columns[0]), now = taxid_of(columns[1]);
            if (!before || !now) return false;
            const Node* const node = node_of(*now);
            if (node == nullptr || node_of(*before) != nullptr) return true;
            merged.push_back(*node);
            merged.back().taxid = *before;
            merged.back().parent = *now;
            return true;
        }));
        std::ranges::stable_sort(merged, {}, &Node::taxid);
        const auto is_same = [](const Node& a, const Node& b) { return a.taxid == b.taxid; };
        merged.erase(std::unique(merged.begin(), merged.end(), is_same), merged.end());
        nodes_.insert(nodes_.end(), merged.begin(), merged.end());
        std::ranges::sort(nodes_, {}, &Node::taxid);
        return {};
    }

    std::string text() const {
        std::string text;
        for (const Node& node : nodes_) {
            text += std::to_string(node.taxid) + '\t' + std::to_string(node.parent);
            for (const Piece& piece : {node.rank, node.scientific, node.common, node.blast})
                (text += '\t') += std::string_view(pool_).substr(piece.begin, piece.bytes);
            text += '\n';
        }
        return text;
    }

   private:
    Piece keep(std::string_view name) {
        const Piece piece{pool_.size(), static_cast<std::uint32_t>(name.size())};
        pool_ += name;
        return piece;
    }
    Node* node_of(std::uint32_t taxid) {
        const auto node = std::ranges::lower_bound(nodes_, taxid, {}, &Node::taxid);
        return node != nodes_.end() && node->taxid == taxid ? &*node : nullptr;
    }
    template <std::size_t kColumns, typename Take>
    static Status for_each_line(const std::filesystem::path& file, const std::string& expected, const Take& take) {
        auto lines = TextLines::open(file);
        if (!lines.ok()) return lines.status();
        for (std::string_view line;;) {
            const auto more = lines->next(line);
            if (!more.ok()) return more.status();
            if (!*more) return {};
            if (line.empty()) continue;
            const auto columns = columns_of<kColumns>(line);
            if (!columns || !take(*columns))
                return lines->error("expected " + expected +
                                    ", each followed by TAB | TAB, as NCBI's taxdump has them");
        }
    }

    std::vector<Node> nodes_;  // ascending once they are read
    std::string pool_;
    std::unordered_map<std::string, Piece> ranks_;
};

}  // namespace

Result<Taxonomy> Taxonomy::read_dump(const std::filesystem::path& folder) {
    Dump dump;
    WARPSEQ_TRY(dump.read_nodes(folder / "nodes.dmp"));
    WARPSEQ_TRY(dump.read_names(folder / "names.dmp"));
    std::error_code error;
    if (std::filesystem::exists(folder / "merged.dmp", error)) WARPSEQ_TRY(dump.read_merged(folder / "merged.dmp"));
    auto tree = parse(dump.text());
    if (!tree.ok() && tree.status().code() == StatusCode::kInvalidInput)
        return Status::invalid_input((folder / "nodes.dmp").string() + ": in the list of its taxa by taxonomy ID, " +
                                     std::string(tree.status().message()));
    return tree;
}

}  // namespace warpseq
