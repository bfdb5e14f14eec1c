#include "formats/blast/blast_alias.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "formats/blast/blast_alias_file.h"
#include "formats/blast/blast_volume.h"
#include "libcore/base/number_format.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

/// A search that follows aliases down to the volumes.
class Resolver {
   public:
    Result<BlastVolumes> find(const fs::path& name) {
        const bool is_numbered = !is_file(with_ending(name, ".pal")) && !is_file(with_ending(name, ".pin")) &&
                                 is_file(with_ending(name, ".00.pin"));
        const auto node = is_numbered ? resolve_numbered(name) : resolve(name);
        if (!node.ok()) return node.status();
        if (node->totals != Totals{found_.sequences, found_.residues}) {
            return Status::invalid_input(
                name.string() + ".pal: found totals of " + format_count(node->totals.sequences) + " sequences and " +
                format_count(node->totals.residues) + " residues, expected those of the volumes, " +
                format_count(found_.sequences) + " and " + format_count(found_.residues));
        }
        if (found_.sequences == 0) return Status::invalid_input(name.string() + ": there is no sequence in it");
        found_.title = node->title;
        for (const auto& [volume, sequences] : volumes_) found_.each.push_back({volume, sequences});
        return std::move(found_);
    }

   private:
    struct Totals {
        std::uint64_t sequences = 0, residues = 0;
        bool operator==(const Totals&) const = default;
    };
    /// The title and the totals of what a name stands for.
    struct Node {
        std::string title;
        Totals totals;
    };
    struct ByName {
        bool operator()(const fs::path& a, const fs::path& b) const {
            return std::pair(a.filename(), a) < std::pair(b.filename(), b);
        }
    };
    static constexpr std::size_t kMostLevels = 32, kMostNodes = 10'000;

    Result<Node> resolve(const fs::path& name) {
        if (const fs::path alias = with_ending(name, ".pal"); is_file(alias) && !is_open(alias))
            return read_alias(alias);
        if (is_file(with_ending(name, ".pin"))) return read_volume(name);
        return Status::io(name.string() + ".pin: there is no such file, and no " + name.string() +
                          ".pal either; a BLAST database has one of the two");
    }

    /// Reads the volumes NAME.00, NAME.01 and so on.
    Result<Node> resolve_numbered(const fs::path& name) {
        Node node;
        for (std::uint64_t number = 0;; ++number) {
            const fs::path volume = with_ending(name, (number < 10 ? ".0" : ".") + std::to_string(number));
            if (!is_file(with_ending(volume, ".pin"))) return node;
            auto one = read_volume(volume);
            if (!one.ok()) return one.status();
            if (number == 0) node.title = one->title;
            node.totals.sequences += one->totals.sequences;
            node.totals.residues += one->totals.residues;
        }
    }

    bool is_open(const fs::path& alias) const { return std::ranges::find(open_, alias) != open_.end(); }

    Status count_node(const fs::path& file) {
        if (++nodes_ <= kMostNodes && open_.size() < kMostLevels) return {};
        return Status::invalid_input(file.string() + ": aliases name too many databases, or nest too deep");
    }

    Status add_file(const fs::path& file) {
        auto state = BlastFileState::of(file);
        if (!state.ok()) return state.status();
        found_.files.push_back(*std::move(state));
        return {};
    }

    Result<Node> read_volume(const fs::path& name) {
        WARPSEQ_TRY(count_node(name));
        auto volume = BlastVolume::open(name);
        if (!volume.ok()) return volume.status();
        const BlastIndex& index = volume->index();
        const Node node{index.title, {index.sequences, index.residues}};
        if (!volumes_.emplace(name, index.sequences).second) return node;
        for (const fs::path& file : volume->files()) WARPSEQ_TRY(add_file(file));
        found_.sequences += index.sequences;
        found_.residues += index.residues;
        found_.version = std::max(found_.version, index.version);
        if (found_.date.empty() || is_later_blast_date(index.date, found_.date)) found_.date = index.date;
        if (index.sequences > 0) {
            const auto first = volume->deflines(0);
            if (!first.ok()) return first.status();
            found_.has_parsed_ids = found_.has_parsed_ids || !first->front().is_number;
        }
        return node;
    }

    Result<Node> read_alias(const fs::path& file) {
        WARPSEQ_TRY(add_file(file));
        WARPSEQ_TRY(count_node(file));
        const auto alias = read_blast_alias(file);
        if (!alias.ok()) return alias.status();
        if (!alias->other_word.empty())
            return Status::invalid_input(file.string() + ": " + alias->other_word +
                                         " is not supported; an alias may have TITLE, DBLIST, NSEQ and LENGTH");
        if (alias->names.empty()) return Status::invalid_input(file.string() + ": names no database (DBLIST)");
        Node node;
        node.title = alias->title;
        open_.push_back(file);
        std::set<std::string> titles_seen;
        std::string of_aliases, of_volumes_below;
        for (const std::string& name : alias->names) {
            const fs::path place = (file.parent_path() / name).lexically_normal();
            const bool is_alias = is_file(with_ending(place, ".pal")) && !is_open(with_ending(place, ".pal"));
            auto one = resolve(place);
            if (!one.ok()) return one.status();
            if (!titles_seen.insert(place.string()).second) continue;
            node.totals.sequences += one->totals.sequences;
            node.totals.residues += one->totals.residues;
            std::string& titles = is_alias ? of_aliases : of_volumes_below;
            titles += (titles.empty() || one->title.empty() ? "" : "; ") + one->title;
        }
        open_.pop_back();
        if (node.title.empty())
            node.title = of_aliases + (of_aliases.empty() || of_volumes_below.empty() ? "" : "; ") + of_volumes_below;
        node.totals = {alias->sequences.value_or(node.totals.sequences),
                       alias->residues.value_or(node.totals.residues)};
        return node;
    }

    BlastVolumes found_;
    std::map<fs::path, std::uint64_t, ByName> volumes_;  // the volumes and their numbers of sequences
    std::vector<fs::path> open_;                         // aliases that are being read
    std::size_t nodes_ = 0;                              // number of aliases and volumes read, with repetitions
};

}  // namespace

Result<BlastFileState> BlastFileState::of(const fs::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0)
        return Status::io(file.string() + ": cannot open: " + std::strerror(errno) +
                          "; all files of a BLAST database have to be in one folder");
    return BlastFileState{file, static_cast<std::uint64_t>(info.st_size), info.st_mtim};
}

bool is_later_blast_date(const std::string& a, const std::string& b) {
    const auto time_of = [](const std::string& text) {
        std::tm parts{};
        if (strptime(text.c_str(), "%b %d, %Y %I:%M %p", &parts) == nullptr) return std::time_t{0};
        return timegm(&parts);
    };
    return time_of(a) > time_of(b);
}

Result<BlastVolumes> find_blast_volumes(const fs::path& name) { return Resolver().find(name); }

}  // namespace warpseq
