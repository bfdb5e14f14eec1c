// The databases of results that have left their session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/targets/database_facts.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The facts that results keep about their databases, as values that can be written to a packet.
struct KeptFacts {
    struct Database {
        std::string file = {};
        bool continues_set = false;
        std::uint64_t sequences = 0, residues = 0;
        std::optional<std::string> content_digest = {};
        bool has_taxids = false;
        std::string taxonomy = {};  // text for Taxonomy::parse(), with the taxa of the kept sequences
    };
    struct Sequence {
        std::uint32_t database = 0;
        std::uint64_t rank = 0;
        std::uint64_t number = 0;  // DatabaseFacts::number_of()
        std::uint64_t whole_residues = 0;
        std::vector<std::uint32_t> taxids = {};
    };
    std::vector<Database> databases = {};
    std::uint64_t searched_sequences = 0, searched_residues = 0;
    std::vector<Sequence> sequences = {};  // ascending by database and rank
};

// The functions below name the fields for a packet (formats/io/packet.h).

template <typename Packet>
void describe(Packet& packet, KeptFacts::Database& database) {
    packet(database.file, database.continues_set, database.sequences, database.residues, database.content_digest,
           database.has_taxids, database.taxonomy);
}
template <typename Packet>
void describe(Packet& packet, KeptFacts::Sequence& sequence) {
    packet(sequence.database, sequence.rank, sequence.number, sequence.whole_residues, sequence.taxids);
}
template <typename Packet>
void describe(Packet& packet, KeptFacts& facts) {
    packet(facts.databases, facts.searched_sequences, facts.searched_residues, facts.sequences);
}

/// A sequence whose facts are kept.
struct KeptPlace {
    std::uint32_t database = 0;
    std::uint64_t rank = 0;
    std::string_view header = {};                     // for DatabaseFacts::taxids()
    std::span<const std::uint64_t> more_taxids = {};  // whose names are kept, too
};

/// Returns the facts about databases and about some of their sequences.
Result<KeptFacts> kept_facts(const DatabaseFacts& databases, std::span<const KeptPlace> places);

/// Databases of which only kept facts are known. Functions about a sequence know the kept ones, and
/// return 0 and no taxonomy IDs for others.
class KeptDatabases final : public DatabaseFacts {
   public:
    /// Returns an error for facts that kept_facts() does not return.
    static Result<std::shared_ptr<const KeptDatabases>> of(KeptFacts facts, std::string_view origin);

    std::size_t size() const override { return facts_.databases.size(); }
    const std::filesystem::path& file(std::size_t database) const override { return files_[database]; }
    bool continues_set(std::size_t database) const override { return facts_.databases[database].continues_set; }
    std::uint64_t sequence_count() const override { return all_.sequences; }
    std::uint64_t residue_count() const override { return all_.residues; }
    std::uint64_t sequence_count(std::size_t database) const override { return facts_.databases[database].sequences; }
    std::uint64_t residue_count(std::size_t database) const override { return facts_.databases[database].residues; }
    const MemberTotals& searched_totals() const override { return searched_; }
    std::optional<std::string> content_digest(std::size_t database) const override {
        return facts_.databases[database].content_digest;
    }
    std::uint64_t number_of(std::size_t database, std::uint64_t rank) const override;
    std::uint64_t whole_residues(std::size_t database, std::uint64_t rank) const override;
    bool has_taxids(std::size_t database) const override { return facts_.databases[database].has_taxids; }
    std::vector<std::uint32_t> taxids(std::size_t database, std::uint64_t rank, std::string_view header) const override;
    Result<std::shared_ptr<const Taxonomy>> taxonomy(std::size_t database) const override { return trees_[database]; }

    /// Whether a sequence is kept.
    bool has(std::size_t database, std::uint64_t rank) const { return find(database, rank) != nullptr; }

   private:
    const KeptFacts::Sequence* find(std::size_t database, std::uint64_t rank) const;

    KeptFacts facts_;
    std::vector<std::filesystem::path> files_;
    std::vector<std::shared_ptr<const Taxonomy>> trees_;
    MemberTotals all_, searched_;
};

}  // namespace warpseq
