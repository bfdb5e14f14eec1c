#include "formats/blast/blast_listing.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "formats/blast/blast_alias.h"
#include "formats/blast/blast_alias_file.h"
#include "formats/blast/blast_volume.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

/// The endings of a volume's files, without the letter of the molecule.
constexpr std::string_view kVolumeEndings[] = {"in", "hr", "sq", "db", "ot", "os", "tf", "to", "og",
                                               "sd", "si", "nd", "ni", "pd", "pi", "hd", "hi"};

/// A search that follows aliases down to the indexes.
class Lister {
   public:
    explicit Lister(BlastMolecule molecule) : letter_(molecule == BlastMolecule::kProtein ? 'p' : 'n') {}

    Result<BlastListing> list(const fs::path& name) {
        WARPSEQ_TRY(read(name));
        listing_.title = last_.title;
        listing_.sequences = last_.sequences;
        listing_.residues = last_.residues;
        return std::move(listing_);
    }

   private:
    static constexpr std::size_t kMostLevels = 32, kMostNodes = 10'000;
    static constexpr std::size_t kLongestTitleBytes = std::size_t{16} << 20;

    struct Node {
        std::string title;
        std::uint64_t sequences = 0, residues = 0;
    };

    fs::path file_of(const fs::path& name, std::string_view ending) const {
        return with_ending(name, std::string(".") + letter_ + std::string(ending));
    }
    bool is_alias(const fs::path& name) const {
        return is_file(file_of(name, "al")) && std::ranges::find(open_, name) == open_.end();
    }

    /// Reads what a name stands for, and sets `last_` to it.
    Status read(const fs::path& name) {
        if (++nodes_ > kMostNodes || open_.size() > kMostLevels)
            return Status::invalid_input(name.string() + ": aliases name too many databases, or nest too deep");
        return is_alias(name) ? read_alias(name) : read_volume(name);
    }

    Status read_volume(const fs::path& name) {
        const fs::path file = file_of(name, "in");
        if (!is_file(file)) return Status::io("Error: File (" + file.string() + ") not found.");
        const auto index = read_blast_index(file);
        if (!index.ok()) return index.status();
        last_ = {index->title, index->sequences, index->residues};
        if (!volumes_.insert(name).second) return {};
        if (listing_.date.empty() || is_later_blast_date(index->date, listing_.date)) listing_.date = index->date;
        listing_.version = std::max(listing_.version, index->version);
        std::error_code error;
        for (const std::string_view ending : kVolumeEndings)
            if (const fs::path each = file_of(name, ending); is_file(each))
                listing_.file_bytes += fs::file_size(each, error);
        return {};
    }

    Status read_alias(const fs::path& name) {
        const auto alias = read_blast_alias(file_of(name, "al"));
        if (!alias.ok()) return alias.status();
        if (alias->names.empty())
            return Status::invalid_input("No database names were found in alias file [" + name.string() + "].");
        open_.push_back(name);
        Node node;
        // The aliases of the list come first, each as often as it is named. Then come the volumes,
        // each once.
        std::vector<fs::path> aliases, volumes;
        for (const std::string& each : alias->names) {
            const fs::path place = (name.parent_path() / each).lexically_normal();
            const bool is_itself = std::ranges::find(open_, place) != open_.end();
            if (!is_itself && !is_alias(place) && !is_file(file_of(place, "in")))
                return Status::invalid_input("Could not find volume or alias file (" + each +
                                             ") referenced in alias file (" + name.string() + ").");
            if (is_alias(place)) {
                aliases.push_back(place);
            } else if (std::ranges::find(volumes, place) == volumes.end()) {
                volumes.push_back(place);
            }
        }
        aliases.insert(aliases.end(), volumes.begin(), volumes.end());
        for (const fs::path& place : aliases) {
            WARPSEQ_TRY(read(place));
            if (node.title.size() + last_.title.size() > kLongestTitleBytes)
                return Status::invalid_input(name.string() + ": the titles of what the alias names are too long");
            node.title += (node.title.empty() ? "" : "; ") + last_.title;
            node.sequences += last_.sequences;
            node.residues += last_.residues;
        }
        open_.pop_back();
        if (!alias->title.empty()) node.title = alias->title;
        last_ = {node.title, alias->sequences.value_or(node.sequences), alias->residues.value_or(node.residues)};
        return {};
    }

    char letter_;
    BlastListing listing_;
    Node last_;
    std::set<fs::path> volumes_;
    std::vector<fs::path> open_;  // aliases that are being read, without endings
    std::size_t nodes_ = 0;       // number of aliases and volumes read, with repetitions
};

}  // namespace

Result<BlastListing> list_blast_database(const fs::path& name, BlastMolecule molecule) {
    return Lister(molecule).list(name);
}

}  // namespace warpseq
