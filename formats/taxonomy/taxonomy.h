// A tree of taxa and their names: what NCBI's taxdump says of them, and what a database keeps of it
// in its section TAXONOMY (docs/format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// Taxonomy IDs are 1 to this; 0 stands for one that is not known.
inline constexpr std::uint32_t kMostTaxid = 0x7fffffff;

/// What a database came to know of the taxa of its sequences.
struct WsdbTaxidCounts {
    std::uint64_t lines = 0;   // definition lines
    std::uint64_t known = 0;   // of which the taxon is known
    std::uint64_t listed = 0;  // of which a list of taxonomy IDs says the taxon
    std::uint64_t taxa = 0;    // different ones
    std::uint64_t named = 0;   // of them in the tree
};

struct Taxon {
    std::uint32_t taxid = 0;
    std::uint32_t parent = 0;  // 0: none
    std::string_view rank;     // "species"
    std::string_view scientific_name;
    std::string_view common_name;  // GenBank's; empty: none
    std::string_view blast_name;   // its own; empty: none
};

class Taxonomy {
   public:
    /// NCBI's taxdump: names.dmp and nodes.dmp of a folder, and merged.dmp where there is one,
    /// whose taxa become children of those that they went into, with the same names.
    static Result<Taxonomy> read_dump(const std::filesystem::path& folder);
    /// The text of a section: a line for each taxon, of six columns with tabs between them,
    /// ascending by taxonomy ID; every parent is there, and none is its own ancestor. What is wrong
    /// comes back as invalid input that says which line it is.
    static Result<Taxonomy> parse(std::string text);
    /// The text of those and all their ancestors; those that are not here are left out.
    std::string text_of(std::span<const std::uint32_t> taxids) const;

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    bool has(std::uint32_t taxid) const { return place_of(taxid) < entries_.size(); }
    /// All empty where it is not here. Its texts live as long as this.
    Taxon find(std::uint32_t taxid) const;

    // Names as BLAST's taxdb has them. Empty: it is not here.
    std::string_view scientific_name(std::uint32_t taxid) const { return find(taxid).scientific_name; }
    /// The scientific name where it has no common one.
    std::string_view common_name(std::uint32_t taxid) const;
    /// Of the nearest ancestor that has one, itself first.
    std::string_view blast_name(std::uint32_t taxid) const;
    /// "Archaea", "Bacteria", "Eukaryota", "Viruses".
    std::string_view kingdom(std::uint32_t taxid) const;

    /// `taxids` and all that is below them, ascending; those that are not here stay alone.
    std::vector<std::uint32_t> with_descendants(std::span<const std::uint32_t> taxids) const;

    /// Takes over what is not here.
    void add(const Taxonomy& other);

   private:
    struct Entry {
        std::uint32_t taxid = 0, parent = 0;
        std::uint64_t begin = 0;  // of its line in text_
        std::uint32_t bytes = 0;  // of its line, without its end
    };
    std::size_t place_of(std::uint32_t taxid) const;
    Taxon taxon_of(const Entry& entry) const;
    std::string_view line_of(const Entry& entry) const {
        return std::string_view(text_).substr(entry.begin, entry.bytes);
    }

    std::vector<Entry> entries_;  // ascending
    std::string text_;            // lines, as a section has them
};

}  // namespace warpseq
