#include "formats/blast/blast_alias.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/blast/blast_volume.h"
#include "libcore/base/number_format.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

struct AliasName {
    std::string text;
    bool is_quoted = false;
};

/// Returns the names in a list such as `A "B C"`. A name in quotes may have blanks.
std::vector<AliasName> names_in(std::string_view text) {
    std::vector<AliasName> names;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        if (text.empty()) return names;
        const bool is_quoted = text.front() == '"';
        if (is_quoted) text.remove_prefix(1);
        const std::size_t end = std::min(is_quoted ? text.find('"') : text.find_first_of(" \t"), text.size());
        names.push_back({std::string(text.substr(0, end)), is_quoted});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

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
        for (const auto& [volume, sequences] : volumes_)
            found_.each.push_back({volume, sequences, named_in_quotes_.contains(volume)});
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
        constexpr std::uint64_t kLongestBytes = std::uint64_t{16} << 20;
        WARPSEQ_TRY(add_file(file));
        WARPSEQ_TRY(count_node(file));
        if (found_.files.back().size_bytes > kLongestBytes)
            return Status::invalid_input(file.string() + ": is too large for an alias file of a BLAST database");
        std::ifstream in(file, std::ios::binary);
        Node node;
        std::vector<AliasName> names;
        std::optional<std::uint64_t> sequences, residues;
        for (std::string line; std::getline(in, line);) {
            line.erase(line.find_last_not_of(" \t\r") + 1);
            if (line.empty() || line.front() == '#') continue;
            const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
            const std::string word = line.substr(0, blank);
            const std::string value = line.substr(std::min(line.find_first_not_of(" \t", blank), line.size()));
            if (word == "TITLE") {
                node.title = value;
            } else if (word == "DBLIST") {
                names = names_in(value);
            } else if (word == "NSEQ" || word == "LENGTH") {
                std::uint64_t number = 0;
                const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
                if (error != std::errc() || end != value.data() + value.size())
                    return Status::invalid_input(file.string() + ": found '" + line + "', expected a number");
                (word == "NSEQ" ? sequences : residues) = number;
            } else {
                return Status::invalid_input(file.string() + ": " + word +
                                             " is not supported; an alias may have TITLE, DBLIST, NSEQ and LENGTH");
            }
        }
        if (in.bad()) return Status::io(file.string() + ": cannot read: " + std::strerror(errno));
        if (names.empty()) return Status::invalid_input(file.string() + ": names no database (DBLIST)");
        open_.push_back(file);
        std::set<std::string> titles_seen;
        std::string of_aliases, of_volumes_below;
        for (const AliasName& name : names) {
            const fs::path place = (file.parent_path() / name.text).lexically_normal();
            if (name.is_quoted) named_in_quotes_.insert(place);
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
        node.totals = {sequences.value_or(node.totals.sequences), residues.value_or(node.totals.residues)};
        return node;
    }

    BlastVolumes found_;
    std::map<fs::path, std::uint64_t, ByName> volumes_;  // the volumes and their numbers of sequences
    std::set<fs::path> named_in_quotes_;
    std::vector<fs::path> open_;  // aliases that are being read
    std::size_t nodes_ = 0;       // number of aliases and volumes read, with repetitions
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
