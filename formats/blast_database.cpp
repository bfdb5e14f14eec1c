#include "formats/blast_database.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "formats/blast_deflines.h"
#include "formats/mapped_file.h"
#include "formats/xxh3_state.h"
#include "libcore/base/number_format.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::uint8_t>;

constexpr std::uint32_t kOldest = 4, kLatest = 5, kProteins = 1;
constexpr std::size_t kOffsetBytes = 4;

/// NCBI's codes for residues, 0 to 27.
constexpr std::string_view kStoredLetters = "-ABCDEFGHIKLMNPQRSTVWXYZU*OJ";

fs::path with_ending(const fs::path& name, std::string_view ending) {
    fs::path file = name;
    file += ending;
    return file;
}

bool is_file(const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error);
}

/// Of a regular file; zero where it is empty or cannot be read, nothing where it is none.
std::optional<char> first_byte(const fs::path& file) {
    if (!is_file(file)) return {};
    char byte = '\0';
    std::ifstream(file, std::ios::binary).read(&byte, 1);
    return byte;
}

Status damaged(const fs::path& file, const std::string& what) {
    return Status::invalid_input(file.string() + ": " + what +
                                 "; this file of a BLAST database is cut or damaged, or another program's");
}

struct FileState {
    fs::path file;
    std::uint64_t size_bytes = 0;
    timespec modified{};
};

Result<FileState> state_of(const fs::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0)
        return Status::io(file.string() + ": cannot open: " + std::strerror(errno) +
                          "; a BLAST database has it beside its other files");
    return FileState{file, static_cast<std::uint64_t>(info.st_size), info.st_mtim};
}

bool is_earlier(const timespec& a, const timespec& b) {
    return std::tie(a.tv_sec, a.tv_nsec) < std::tie(b.tv_sec, b.tv_nsec);
}

std::uint32_t big_endian(const std::uint8_t* bytes) {
    return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
           static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

/// Numbers and texts from the start of an index; ok() says whether all of them were there.
class IndexCursor {
   public:
    explicit IndexCursor(Bytes bytes) : bytes_(bytes) {}
    bool ok() const { return ok_; }
    std::size_t place() const { return at_; }
    std::uint32_t number() {
        const Bytes taken = take(4);
        return taken.empty() ? 0 : big_endian(taken.data());
    }
    std::uint64_t little_endian_number() {
        const Bytes taken = take(8);
        std::uint64_t value = 0;
        for (std::size_t i = taken.size(); i > 0; --i) value = value << 8 | taken[i - 1];
        return value;
    }
    /// Up to a zero, by which it is made long enough for what follows to be aligned.
    std::string text() {
        const Bytes taken = take(number());
        return {taken.begin(), std::ranges::find(taken, 0)};
    }

   private:
    Bytes take(std::size_t count) {
        if (count > bytes_.size() - at_) ok_ = false;
        if (!ok_) return {};
        at_ += count;
        return bytes_.subspan(at_ - count, count);
    }

    Bytes bytes_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

struct Index {
    std::uint32_t version = 0;
    std::string title, date;
    std::uint64_t sequences = 0, residues = 0;
    std::size_t header_offsets = 0, sequence_offsets = 0;  // where the tables begin
};

Result<Index> read_index(const fs::path& file, Bytes bytes) {
    IndexCursor at(bytes);
    Index index;
    index.version = at.number();
    const std::uint32_t kind = at.number();
    if (!at.ok()) return damaged(file, "the file ends inside its first eight bytes");
    if (index.version < kOldest || index.version > kLatest)
        return Status::invalid_input(file.string() + ": byte 0: found version " + std::to_string(index.version) +
                                     "; of BLAST databases 4 and 5 are read");
    if (kind != kProteins) {
        if (kind == 0) return Status::invalid_input(file.string() + ": holds nucleotides; proteins are searched here");
        return damaged(file, "byte 4: found " + std::to_string(kind) + ", expected 1 for proteins");
    }
    if (index.version == kLatest) at.number();
    index.title = at.text();
    if (index.version == kLatest) at.text();
    index.date = at.text();
    index.sequences = at.number();
    index.residues = at.little_endian_number();
    at.number();
    const std::size_t table_bytes = (index.sequences + 1) * kOffsetBytes;
    if (!at.ok() || bytes.size() - at.place() < 2 * table_bytes)
        return damaged(file, "the file ends inside its index, at byte " + std::to_string(bytes.size()));
    index.header_offsets = at.place();
    index.sequence_offsets = at.place() + table_bytes;
    return index;
}

/// A volume while it is mapped.
struct Volume {
    fs::path index_file, header_file, residue_file;
    MappedFile index_map, header_map, residue_map;
    Index index;
    std::uint64_t next = 0;           // the sequence to be read next
    std::uint64_t residues_read = 0;  // gaps among them

    static Result<Volume> open(const fs::path& name) {
        Volume volume;
        volume.index_file = with_ending(name, ".pin");
        volume.header_file = with_ending(name, ".phr");
        volume.residue_file = with_ending(name, ".psq");
        for (const auto& [file, map] :
             {std::pair(&volume.index_file, &volume.index_map), std::pair(&volume.header_file, &volume.header_map),
              std::pair(&volume.residue_file, &volume.residue_map)}) {
            auto mapped = MappedFile::open(*file);
            if (!mapped.ok()) return mapped.status();
            *map = *std::move(mapped);
        }
        auto index = read_index(volume.index_file, volume.index_map.bytes());
        if (!index.ok()) return index.status();
        volume.index = *std::move(index);
        return volume;
    }

    /// Bytes `number` of a file by its table; nothing where they are not in it.
    std::optional<Bytes> part(Bytes whole, std::size_t table, std::uint64_t number) const {
        const std::uint8_t* const entry = index_map.bytes().data() + table + number * kOffsetBytes;
        const std::size_t begin = big_endian(entry), end = big_endian(entry + kOffsetBytes);
        if (begin > end || end > whole.size()) return {};
        return whole.subspan(begin, end - begin);
    }

    Result<std::vector<StoredDefline>> deflines(std::uint64_t number) const {
        const auto bytes = part(header_map.bytes(), index.header_offsets, number);
        auto lines = bytes ? read_blast_deflines(*bytes) : std::nullopt;
        if (!lines)
            return damaged(header_file, "the definition lines of sequence " + format_count(number + 1) +
                                            (bytes ? " are not what they should be" : " are not in it"));
        return *std::move(lines);
    }

    Status read_residues(std::uint64_t number, std::vector<ResidueCode>& residues, FastaCounts& counts) const {
        constexpr auto kCodes = [] {
            std::array<std::uint8_t, 256> codes{};
            codes.fill(kSymbolBad);
            for (std::size_t i = 0; i < kStoredLetters.size(); ++i) {
                const std::size_t code = kResidueLetters.find(kStoredLetters[i]);
                codes[i] = code == std::string_view::npos ? static_cast<std::uint8_t>(kSymbolGap)
                                                          : static_cast<std::uint8_t>(code);
            }
            return codes;
        }();
        auto bytes = part(residue_map.bytes(), index.sequence_offsets, number);
        if (!bytes || bytes->empty() || bytes->back() != 0)
            return damaged(residue_file, "sequence " + format_count(number + 1) + " is not in it");
        *bytes = bytes->first(bytes->size() - 1);
        residues.clear();
        residues.reserve(bytes->size());
        for (const std::uint8_t byte : *bytes) {
            const std::uint8_t code = kCodes[byte];
            if (code == kSymbolBad) {
                return damaged(residue_file, "sequence " + format_count(number + 1) + ": found byte " +
                                                 std::to_string(byte) + ", expected a residue, 0 to 27");
            }
            if (code == kSymbolGap) {
                ++counts.gaps_removed;
            } else {
                residues.push_back(code);
            }
        }
        return {};
    }

    Status check_whole() const {
        for (const auto& [file, map] : {std::pair(&index_file, &index_map), std::pair(&header_file, &header_map),
                                        std::pair(&residue_file, &residue_map)}) {
            if (map->lost()) return Status::io(file->string() + ": was cut while it was read");
        }
        if (residues_read != index.residues)
            return damaged(index_file, "found " + format_count(residues_read) + " residues, expected " +
                                           format_count(index.residues));
        return {};
    }
};

/// "A "B C"": names, of which quotes keep the blanks.
std::vector<std::string> names_in(std::string_view text) {
    std::vector<std::string> names;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        if (text.empty()) return names;
        const bool is_quoted = text.front() == '"';
        if (is_quoted) text.remove_prefix(1);
        const std::size_t end = std::min(is_quoted ? text.find('"') : text.find_first_of(" \t"), text.size());
        names.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

struct Totals {
    std::uint64_t sequences = 0, residues = 0;
    bool operator==(const Totals&) const = default;
};

/// What a name stands for.
struct Node {
    std::string title;
    Totals totals;
};

/// Follows aliases down to the volumes.
class Resolver {
   public:
    Result<Node> resolve(const fs::path& name) {
        if (const fs::path alias = with_ending(name, ".pal"); is_file(alias) && !is_open(alias))
            return read_alias(alias);
        if (is_file(with_ending(name, ".pin"))) return read_volume(name);
        return Status::io(name.string() + ".pin: is not there, and neither is " + name.string() +
                          ".pal; a BLAST database has one of them");
    }

    /// Volumes NAME.00, NAME.01 and so on.
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

    std::set<std::string> volumes;  // their names, in BLAST's order
    Totals of_volumes;
    std::vector<FileState> files;
    std::string date;
    std::uint32_t version = 0;
    bool has_parsed_ids = false;

   private:
    static constexpr std::size_t kMostLevels = 32, kMostNodes = 10'000;

    bool is_open(const fs::path& alias) const { return std::ranges::find(open_, alias) != open_.end(); }

    Status count_node(const fs::path& file) {
        if (++nodes_ <= kMostNodes && open_.size() < kMostLevels) return {};
        return Status::invalid_input(file.string() + ": aliases name too many databases, or nest too deep");
    }

    Status add_file(const fs::path& file) {
        auto state = state_of(file);
        if (!state.ok()) return state.status();
        files.push_back(*std::move(state));
        return {};
    }

    Result<Node> read_volume(const fs::path& name) {
        WARPSEQ_TRY(count_node(name));
        auto volume = Volume::open(name);
        if (!volume.ok()) return volume.status();
        const Index& index = volume->index;
        const Node node{index.title, {index.sequences, index.residues}};
        if (!volumes.insert(name.string()).second) return node;
        for (const fs::path* file : {&volume->index_file, &volume->header_file, &volume->residue_file})
            WARPSEQ_TRY(add_file(*file));
        of_volumes.sequences += index.sequences;
        of_volumes.residues += index.residues;
        version = std::max(version, index.version);
        if (date.empty() || is_later(index.date, date)) date = index.date;
        if (index.sequences > 0) {
            const auto first = volume->deflines(0);
            if (!first.ok()) return first.status();
            has_parsed_ids = has_parsed_ids || !first->front().is_number;
        }
        return node;
    }

    /// Dates as "Nov 23, 2026  1:53 PM"; one that is another text is the earlier one.
    static bool is_later(const std::string& a, const std::string& b) {
        const auto time_of = [](const std::string& text) {
            std::tm parts{};
            if (strptime(text.c_str(), "%b %d, %Y %I:%M %p", &parts) == nullptr) return std::time_t{0};
            return timegm(&parts);
        };
        return time_of(a) > time_of(b);
    }

    Result<Node> read_alias(const fs::path& file) {
        constexpr std::uint64_t kLongestBytes = std::uint64_t{16} << 20;
        WARPSEQ_TRY(add_file(file));
        WARPSEQ_TRY(count_node(file));
        if (files.back().size_bytes > kLongestBytes)
            return Status::invalid_input(file.string() + ": is no alias of a BLAST database, which are smaller");
        std::ifstream in(file, std::ios::binary);
        Node node;
        std::vector<std::string> names;
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
        for (const std::string& name : names) {
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
        node.totals = {sequences.value_or(node.totals.sequences), residues.value_or(node.totals.residues)};
        return node;
    }

    std::vector<fs::path> open_;  // aliases that are being read
    std::size_t nodes_ = 0;       // aliases and volumes that have been read, each time that they were named
};

}  // namespace

struct BlastDatabaseReader::State {
    fs::path name;
    BlastFacts facts;
    Totals totals;
    std::vector<FileState> files;
    std::vector<std::string> volumes;
    std::uint64_t size_bytes = 0;

    std::size_t next_volume = 0;
    std::optional<Volume> volume;
    std::uint64_t bytes_before = 0;  // of the volumes that have been read
    FastaCounts counts;
    std::vector<FastaSource> sources;
    Xxh3State hash = make_xxh3_state();
    Status failure;

    Status open_volume() {
        auto opened = Volume::open(volumes[next_volume++]);
        if (!opened.ok()) return opened.status();
        volume = *std::move(opened);
        for (const MappedFile* map : {&volume->index_map, &volume->header_map, &volume->residue_map})
            XXH3_128bits_update(hash.get(), map->bytes().data(), map->bytes().size());
        return {};
    }

    Status close_volume() {
        WARPSEQ_TRY(volume->check_whole());
        bytes_before += bytes_of_volume();
        volume.reset();
        return {};
    }

    std::uint64_t bytes_of_volume() const {
        return volume->index_map.bytes().size() + volume->header_map.bytes().size() +
               volume->residue_map.bytes().size();
    }

    void finish() {
        XXH128_canonical_t canonical;
        XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash.get()));
        FastaSource source{name.filename().string(), size_bytes, {}};
        for (const unsigned char byte : canonical.digest) {
            constexpr std::string_view kDigits = "0123456789abcdef";
            source.xxh3_128 += kDigits[byte >> 4];
            source.xxh3_128 += kDigits[byte & 15];
        }
        sources = {std::move(source)};
    }

    void add_line(const StoredDefline& line, std::string& header) {
        std::uint64_t taxid = line.taxid > 0 ? static_cast<std::uint64_t>(line.taxid) : 0, ignored = 0;
        std::string text = line.is_number && !facts.has_parsed_ids ? "" : line.id;
        std::string_view title = line.title;
        if (text.empty()) title.remove_prefix(std::min(title.find_first_not_of(' '), title.size()));
        if (!text.empty() && !title.empty()) text += ' ';
        text += title;
        if (taxid != 0 || without_taxid(text, ignored).size() != text.size()) {
            facts.has_taxids = true;
            text += taxid_mark(taxid);
        }
        header += text;
    }

    Result<bool> next(FastaRecord& record) {
        while (!volume || volume->next == volume->index.sequences) {
            if (volume) WARPSEQ_TRY(close_volume());
            if (next_volume == volumes.size()) {
                if (sources.empty()) finish();
                return false;
            }
            WARPSEQ_TRY(open_volume());
        }
        const std::uint64_t number = volume->next++;
        const auto lines = volume->deflines(number);
        if (!lines.ok()) return lines.status();
        record.header.clear();
        for (const StoredDefline& line : *lines) {
            if (!record.header.empty()) record.header += '\x01';
            add_line(line, record.header);
            if (record.header.size() > kLongestHeaderBytes)
                return damaged(volume->header_file, "the definition lines of sequence " + format_count(number + 1) +
                                                        " are longer than " + format_count(kLongestHeaderBytes));
        }
        ++counts.records;
        if (identifier_of(record.header).empty()) {
            record.header.insert(0, "unnamed_" + std::to_string(counts.records));
            ++counts.unnamed;
        }
        const std::uint64_t gaps_before = counts.gaps_removed;
        WARPSEQ_TRY(volume->read_residues(number, record.residues, counts));
        record.lower_case.clear();
        record.line = 0;
        volume->residues_read += record.residues.size() + (counts.gaps_removed - gaps_before);
        counts.residues += record.residues.size();
        if (record.residues.empty()) ++counts.empty_sequences;
        return true;
    }
};

std::optional<fs::path> blast_database_of(const fs::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".pin" || ending == ".pal") {
        const auto first = first_byte(file);
        if (!first || (ending == ".pin" ? *first != '\0' : *first == '>')) return {};
        fs::path name = file;
        return name.replace_extension();
    }
    std::error_code error;
    if (file.empty() || file == "-" || fs::exists(file, error)) return {};
    if (is_file(with_ending(file, ".pal")) || is_blast_index(with_ending(file, ".pin")) ||
        is_blast_index(with_ending(file, ".00.pin")))
        return file;
    return {};
}

bool is_blast_index(const fs::path& file) {
    const auto first = first_byte(file);
    return first && *first != '{';
}

Result<BlastDatabaseReader> BlastDatabaseReader::open(const fs::path& name) {
    Resolver resolver;
    const bool is_numbered = !is_file(with_ending(name, ".pal")) && !is_file(with_ending(name, ".pin")) &&
                             is_file(with_ending(name, ".00.pin"));
    auto node = is_numbered ? resolver.resolve_numbered(name) : resolver.resolve(name);
    if (!node.ok()) return node.status();
    if (node->totals != resolver.of_volumes) {
        return Status::invalid_input(
            name.string() + ".pal: found totals of " + format_count(node->totals.sequences) + " sequences and " +
            format_count(node->totals.residues) + " residues, expected those of the volumes, " +
            format_count(resolver.of_volumes.sequences) + " and " + format_count(resolver.of_volumes.residues));
    }
    if (node->totals.sequences == 0) return Status::invalid_input(name.string() + ": there is no sequence in it");
    auto state = std::make_unique<State>();
    state->name = name;
    state->facts.title = node->title;
    state->facts.date = resolver.date;
    state->facts.version = resolver.version;
    state->facts.has_parsed_ids = resolver.has_parsed_ids;
    state->totals = node->totals;
    state->files = std::move(resolver.files);
    for (const FileState& file : state->files) {
        if (file.file.extension() != ".pal") state->size_bytes += file.size_bytes;
    }
    state->volumes.assign(resolver.volumes.begin(), resolver.volumes.end());
    XXH3_128bits_reset(state->hash.get());
    return BlastDatabaseReader(std::move(state));
}

BlastDatabaseReader::BlastDatabaseReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlastDatabaseReader::~BlastDatabaseReader() = default;
BlastDatabaseReader::BlastDatabaseReader(BlastDatabaseReader&&) noexcept = default;
BlastDatabaseReader& BlastDatabaseReader::operator=(BlastDatabaseReader&&) noexcept = default;

const BlastFacts& BlastDatabaseReader::facts() const { return state_->facts; }
std::uint64_t BlastDatabaseReader::sequence_count() const { return state_->totals.sequences; }
std::uint64_t BlastDatabaseReader::residue_count() const { return state_->totals.residues; }
std::uint64_t BlastDatabaseReader::size_bytes() const { return state_->size_bytes; }
const FastaCounts& BlastDatabaseReader::counts() const { return state_->counts; }
const std::vector<FastaSource>& BlastDatabaseReader::sources() const { return state_->sources; }

std::vector<fs::path> BlastDatabaseReader::files() const {
    std::vector<fs::path> files;
    for (const FileState& file : state_->files) files.push_back(file.file);
    return files;
}

std::vector<fs::path> files_of_blast_database(const fs::path& file) {
    const auto name = blast_database_of(file);
    if (!name) return {};
    const auto database = BlastDatabaseReader::open(*name);
    if (!database.ok()) return {};
    std::vector<fs::path> files = database->files();
    std::error_code error;
    for (std::size_t i = 0, count = files.size(); i < count; ++i) {
        if (files[i].extension() != ".pin") continue;
        // By number, GI, identifier, taxon and hash.
        for (const char* ending : {".pdb", ".pot", ".pto", ".ptf", ".pog", ".pos", ".pjs", ".ppd", ".ppi", ".psd",
                                   ".psi", ".pnd", ".pni", ".phd", ".phi"}) {
            fs::path other = fs::path(files[i]).replace_extension(ending);
            if (fs::exists(other, error)) files.push_back(std::move(other));
        }
    }
    // Files that volumes share bear the name of the database.
    for (const char* ending : {".pdb", ".pot", ".pto", ".ptf", ".pjs"}) {
        fs::path shared = *name;
        shared += ending;
        if (fs::exists(shared, error)) files.push_back(std::move(shared));
    }
    return files;
}

timespec BlastDatabaseReader::modified() const {
    timespec latest{};
    for (const FileState& file : state_->files) {
        if (is_earlier(latest, file.modified)) latest = file.modified;
    }
    return latest;
}

Result<bool> BlastDatabaseReader::next(FastaRecord& record) {
    if (!state_->failure.ok()) return state_->failure;
    Result<bool> result = state_->next(record);
    if (!result.ok()) state_->failure = result.status();
    return result;
}

std::uint64_t BlastDatabaseReader::bytes_read() const {
    if (!state_->volume) return state_->bytes_before;
    const Volume& volume = *state_->volume;
    const double share = static_cast<double>(volume.next) / static_cast<double>(volume.index.sequences);
    return state_->bytes_before + static_cast<std::uint64_t>(share * static_cast<double>(state_->bytes_of_volume()));
}

Status BlastDatabaseReader::verify_unchanged() const {
    for (const FileState& before : state_->files) {
        const auto now = state_of(before.file);
        if (!now.ok() || now->size_bytes != before.size_bytes || is_earlier(now->modified, before.modified) ||
            is_earlier(before.modified, now->modified)) {
            return Status::io(before.file.string() +
                              ": was changed while the database was read; when it is whole, do it again");
        }
    }
    return {};
}

std::string_view without_taxid(std::string_view defline, std::uint64_t& taxid) {
    constexpr std::string_view kBegin = " [taxid=";
    const std::size_t begin = defline.rfind(kBegin);
    if (begin == std::string_view::npos || defline.back() != ']') return defline;
    const std::string_view digits = defline.substr(begin + kBegin.size(), defline.size() - 1 - begin - kBegin.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return defline;
    taxid = number;
    return defline.substr(0, begin);
}

std::string taxid_mark(std::uint64_t taxid) { return " [taxid=" + std::to_string(taxid) + "]"; }

}  // namespace warpseq
