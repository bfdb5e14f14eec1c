#include "formats/blast/blast_volume.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "libcore/base/number_format.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::uint8_t>;

constexpr std::uint32_t kOldest = 4, kLatest = 5, kNucleotides = 0, kProteins = 1;
constexpr std::size_t kOffsetBytes = 4;

std::uint32_t big_endian(const std::uint8_t* bytes) {
    return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
           static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

/// A reader of numbers and texts from the start of an index. ok() tells whether the index held all
/// of them.
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
    /// Returns a text up to its first zero byte. Zeros pad a text so that the next fields are
    /// aligned.
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

Result<BlastIndex> read_index(const fs::path& file, Bytes bytes, std::uint32_t expected) {
    IndexCursor at(bytes);
    BlastIndex index;
    index.version = at.number();
    const std::uint32_t kind = at.number();
    if (!at.ok()) return damaged_blast_file(file, "the file ends inside its first eight bytes");
    if (index.version < kOldest || index.version > kLatest)
        return Status::invalid_input(file.string() + ": byte 0: found BLAST database version " +
                                     std::to_string(index.version) + ", expected 4 or 5");
    if (kind != expected) {
        if (kind == kNucleotides && expected == kProteins)
            return Status::invalid_input(file.string() + ": holds nucleotides; only proteins are supported");
        return damaged_blast_file(file, "byte 4: found " + std::to_string(kind) + ", expected " +
                                            (expected == kProteins ? "1 for proteins" : "0 for nucleotides"));
    }
    if (index.version == kLatest) at.number();
    index.title = at.text();
    if (index.version == kLatest) at.text();
    index.date = at.text();
    index.sequences = at.number();
    index.residues = at.little_endian_number();
    index.longest_residues = at.number();
    const std::size_t table_bytes = (index.sequences + 1) * kOffsetBytes;
    if (!at.ok() || bytes.size() - at.place() < 2 * table_bytes)
        return damaged_blast_file(file, "the file ends inside its index, at byte " + std::to_string(bytes.size()));
    index.header_offsets = at.place();
    index.sequence_offsets = at.place() + table_bytes;
    return index;
}

Status no_residue(const fs::path& file, std::uint64_t number, std::uint8_t byte) {
    return damaged_blast_file(file, "sequence " + format_count(number + 1) + ": found byte " + std::to_string(byte) +
                                        ", expected a residue, 0 to 27");
}

}  // namespace

fs::path with_ending(const fs::path& name, std::string_view ending) {
    fs::path file = name;
    file += ending;
    return file;
}

bool is_file(const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error);
}

Status damaged_blast_file(const fs::path& file, const std::string& what) {
    return Status::invalid_input(file.string() + ": " + what +
                                 "; this file of a BLAST database is truncated, damaged, or from another program");
}

Result<BlastIndex> read_blast_index(const fs::path& file) {
    const auto mapped = MappedFile::open(file);
    if (!mapped.ok()) return mapped.status();
    auto index = read_index(file, mapped->bytes(), file.extension() == ".nin" ? kNucleotides : kProteins);
    if (index.ok() && mapped->lost()) return Status::io(file.string() + ": was cut while it was read");
    return index;
}

Result<BlastVolume> BlastVolume::open(const fs::path& name) {
    BlastVolume volume;
    volume.index_file_ = with_ending(name, ".pin");
    volume.header_file_ = with_ending(name, ".phr");
    volume.residue_file_ = with_ending(name, ".psq");
    for (const auto& [file, map] :
         {std::pair(&volume.index_file_, &volume.index_map_), std::pair(&volume.header_file_, &volume.header_map_),
          std::pair(&volume.residue_file_, &volume.residue_map_)}) {
        auto mapped = MappedFile::open(*file);
        if (!mapped.ok()) return mapped.status();
        *map = *std::move(mapped);
    }
    auto index = read_index(volume.index_file_, volume.index_map_.bytes(), kProteins);
    if (!index.ok()) return index.status();
    volume.index_ = *std::move(index);
    return volume;
}

// Returns the bytes of `whole` that belong to sequence `number` by the offsets in a table of the
// index. Returns nothing if `whole` does not have them.
std::optional<Bytes> BlastVolume::part(Bytes whole, std::size_t table, std::uint64_t number) const {
    const std::uint8_t* const entry = index_map_.bytes().data() + table + number * kOffsetBytes;
    const std::size_t begin = big_endian(entry), end = big_endian(entry + kOffsetBytes);
    if (begin > end || end > whole.size()) return {};
    return whole.subspan(begin, end - begin);
}

Result<std::vector<StoredDefline>> BlastVolume::deflines(std::uint64_t number) const {
    const auto bytes = part(header_map_.bytes(), index_.header_offsets, number);
    auto lines = bytes ? read_blast_deflines(*bytes) : std::nullopt;
    if (!lines)
        return damaged_blast_file(header_file_, "the definition lines of sequence " + format_count(number + 1) +
                                                    (bytes ? " are malformed" : " are missing"));
    return *std::move(lines);
}

Result<Bytes> BlastVolume::codes_of(std::uint64_t number) const {
    const auto bytes = part(residue_map_.bytes(), index_.sequence_offsets, number);
    if (!bytes || bytes->empty() || bytes->back() != 0)
        return damaged_blast_file(residue_file_, "sequence " + format_count(number + 1) + " is missing");
    return bytes->first(bytes->size() - 1);
}

Status BlastVolume::read_letters(std::uint64_t number, std::string& letters) const {
    const auto bytes = codes_of(number);
    if (!bytes.ok()) return bytes.status();
    letters.clear();
    letters.reserve(bytes->size());
    for (const std::uint8_t byte : *bytes) {
        if (byte >= kStoredLetters.size()) return no_residue(residue_file_, number, byte);
        letters += kStoredLetters[byte];
    }
    return {};
}

Status BlastVolume::read_residues(std::uint64_t number, std::vector<ResidueCode>& residues, FastaCounts& counts) const {
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
    const auto bytes = codes_of(number);
    if (!bytes.ok()) return bytes.status();
    residues.clear();
    residues.reserve(bytes->size());
    for (const std::uint8_t byte : *bytes) {
        const std::uint8_t code = kCodes[byte];
        if (code == kSymbolBad) return no_residue(residue_file_, number, byte);
        if (code == kSymbolGap) {
            ++counts.gaps_removed;
        } else {
            residues.push_back(code);
        }
    }
    return {};
}

Status BlastVolume::check_readable() const {
    for (const auto& [file, map] : {std::pair(&index_file_, &index_map_), std::pair(&header_file_, &header_map_),
                                    std::pair(&residue_file_, &residue_map_)}) {
        if (map->lost()) return Status::io(file->string() + ": was cut while it was read");
    }
    return {};
}

Status BlastVolume::check_whole(std::uint64_t residues_read) const {
    WARPSEQ_TRY(check_readable());
    if (residues_read != index_.residues)
        return damaged_blast_file(index_file_, "found " + format_count(residues_read) + " residues, expected " +
                                                   format_count(index_.residues));
    return {};
}

}  // namespace warpseq
