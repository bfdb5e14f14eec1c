// Taxonomy: a tree of taxa and their names. It comes from NCBI's taxdump, or from a database's
// section TAXONOMY, which keeps a part of it (docs/format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// The largest taxonomy ID. IDs begin at 1, and 0 stands for an unknown one.
inline constexpr std::uint32_t kMostTaxid = 0x7fffffff;

/// Counts of the definition lines and taxa of a database.
struct WsdbTaxidCounts {
    std::uint64_t lines = 0;   // definition lines
    std::uint64_t known = 0;   // lines whose taxon is known
    std::uint64_t listed = 0;  // lines whose taxon comes from a list of taxonomy IDs
    std::uint64_t taxa = 0;    // different taxa
    std::uint64_t named = 0;   // taxa that are in the tree
};

/// A taxon of the tree. The texts point into the Taxonomy.
struct Taxon {
    std::uint32_t taxid = 0;
    std::uint32_t parent = 0;  // 0: none
    std::string_view rank;     // "species"
    std::string_view scientific_name;
    std::string_view common_name;  // the one that GenBank uses; may be empty
    std::string_view blast_name;   // the taxon's own, not an ancestor's; may be empty
};

class Taxonomy {
   public:
    /// Reads NCBI's taxdump: names.dmp and nodes.dmp of a folder, and merged.dmp if there is one.
    /// Merged taxa become children of the taxa that they were merged into, and get the same names.
    static Result<Taxonomy> read_dump(const std::filesystem::path& folder);
    /// Parses the text of a section: one line for each taxon, with six columns separated by tabs,
    /// ascending by taxonomy ID. Every parent has to be in the text, and no taxon may be its own
    /// ancestor. A fault is returned as invalid input that names the line.
    static Result<Taxonomy> parse(std::string text);
    /// Returns the text of a section with these taxa and all their ancestors. Taxa that are not in
    /// the tree are left out.
    std::string text_of(std::span<const std::uint32_t> taxids) const;

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    bool has(std::uint32_t taxid) const { return place_of(taxid) < entries_.size(); }
    /// Returns the taxon, or an empty one if it is not in the tree. Its texts are valid as long as
    /// this object.
    Taxon find(std::uint32_t taxid) const;

    // The functions below return names as in BLAST's taxdb, or an empty text if the taxon is not in
    // the tree.
    std::string_view scientific_name(std::uint32_t taxid) const { return find(taxid).scientific_name; }
    /// Returns the common name, or the scientific name if there is no common one.
    std::string_view common_name(std::uint32_t taxid) const;
    /// Returns the BLAST name of the taxon or of its nearest ancestor that has one.
    std::string_view blast_name(std::uint32_t taxid) const;
    /// Returns "Archaea", "Bacteria", "Eukaryota" or "Viruses", or nothing for other taxa.
    std::string_view kingdom(std::uint32_t taxid) const;

    /// Returns `taxids` and all taxa below them, in ascending order and each once. IDs that are not
    /// in the tree are returned, too.
    std::vector<std::uint32_t> with_descendants(std::span<const std::uint32_t> taxids) const;

    /// Adds the taxa of `other` that are not in this tree.
    void add(const Taxonomy& other);

   private:
    struct Entry {
        std::uint32_t taxid = 0, parent = 0;
        std::uint64_t begin = 0;  // of the taxon's line in text_
        std::uint32_t bytes = 0;  // of that line, without its end
    };
    std::size_t place_of(std::uint32_t taxid) const;
    Taxon taxon_of(const Entry& entry) const;
    std::string_view line_of(const Entry& entry) const {
        return std::string_view(text_).substr(entry.begin, entry.bytes);
    }

    std::vector<Entry> entries_;  // ascending
    std::string text_;            // lines as in a section
};

}  // namespace warpseq
