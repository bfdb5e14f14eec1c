#include "formats/blast/blast_database.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "formats/blast/blast_alias.h"
#include "formats/blast/blast_deflines.h"
#include "formats/blast/blast_volume.h"
#include "formats/io/file_stamp.h"
#include "formats/io/xxh3_state.h"
#include "formats/taxonomy/taxonomy.h"
#include "libcore/base/number_format.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

/// Returns the first byte of `file`, or nothing if it is not a regular file. Returns 0 if the file
/// is empty or cannot be read.
std::optional<char> first_byte(const fs::path& file) {
    if (!is_file(file)) return {};
    char byte = '\0';
    std::ifstream(file, std::ios::binary).read(&byte, 1);
    return byte;
}

bool is_earlier(const timespec& a, const timespec& b) {
    return std::tie(a.tv_sec, a.tv_nsec) < std::tie(b.tv_sec, b.tv_nsec);
}

void add_line(const StoredDefline& line, BlastFacts& facts, std::string& header) {
    const std::uint64_t taxid = line.taxid > 0 ? static_cast<std::uint64_t>(line.taxid) : 0;
    std::uint64_t ignored = 0;
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

}  // namespace

bool make_blast_header(std::span<const StoredDefline> lines, BlastFacts& facts, FastaCounts& counts,
                       std::string& header) {
    header.clear();
    for (const StoredDefline& line : lines) {
        if (!header.empty()) header += '\x01';
        add_line(line, facts, header);
        if (header.size() > kLongestHeaderBytes) return false;
    }
    ++counts.records;
    if (identifier_of(header).empty()) {
        header.insert(0, made_up_name(counts.records));
        ++counts.unnamed;
    }
    return true;
}

struct BlastDatabaseReader::State {
    fs::path name;
    BlastFacts facts;
    BlastVolumes volumes;
    std::uint64_t size_bytes = 0;

    std::size_t next_volume = 0;  // the volume that is opened next
    std::optional<BlastVolume> volume;
    std::uint64_t next_sequence = 0;  // in the open volume
    std::uint64_t residues_read = 0;  // from the open volume, gaps included
    std::uint64_t bytes_before = 0;   // bytes of the volumes that have been read
    FastaCounts counts;
    std::vector<FastaSource> sources;
    Xxh3State hash = make_xxh3_state();
    Status failure;

    Status open_volume() {
        auto opened = BlastVolume::open(volumes.each[next_volume++].name);
        if (!opened.ok()) return opened.status();
        volume = *std::move(opened);
        next_sequence = residues_read = 0;
        for (const auto bytes : volume->maps()) XXH3_128bits_update(hash.get(), bytes.data(), bytes.size());
        return {};
    }

    Status close_volume() {
        WARPSEQ_TRY(volume->check_whole(residues_read));
        bytes_before += bytes_of_volume();
        volume.reset();
        return {};
    }

    std::uint64_t bytes_of_volume() const {
        std::uint64_t sum = 0;
        for (const auto bytes : volume->maps()) sum += bytes.size();
        return sum;
    }

    void finish() { sources = {FastaSource{name.filename().string(), size_bytes, xxh3_128_text(hash)}}; }

    Result<bool> next(FastaRecord& record) {
        while (!volume || next_sequence == volume->index().sequences) {
            if (volume) WARPSEQ_TRY(close_volume());
            if (next_volume == volumes.each.size()) {
                if (sources.empty()) finish();
                return false;
            }
            WARPSEQ_TRY(open_volume());
        }
        const std::uint64_t number = next_sequence++;
        const auto lines = volume->deflines(number);
        if (!lines.ok()) return lines.status();
        if (!make_blast_header(*lines, facts, counts, record.header))
            return damaged_blast_file(volume->header_file(), "the definition lines of sequence " +
                                                                 format_count(number + 1) + " are longer than " +
                                                                 format_count(kLongestHeaderBytes));
        const std::uint64_t gaps_before = counts.gaps_removed;
        WARPSEQ_TRY(volume->read_residues(number, record.residues, counts));
        record.lower_case.clear();
        record.line = 0;
        residues_read += record.residues.size() + (counts.gaps_removed - gaps_before);
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
    for (const char* index : {".pal", ".pin", ".00.pin"})
        if (is_file(with_ending(file, index))) return file;
    return {};
}

Result<BlastDatabaseReader> BlastDatabaseReader::open(const fs::path& name) {
    auto volumes = find_blast_volumes(name);
    if (!volumes.ok()) return volumes.status();
    auto state = std::make_unique<State>();
    state->name = name;
    state->facts.title = volumes->title;
    state->facts.date = volumes->date;
    state->facts.version = volumes->version;
    state->facts.has_parsed_ids = volumes->has_parsed_ids;
    timespec latest{};
    for (const BlastFileState& file : volumes->files) {
        if (is_earlier(latest, file.modified)) latest = file.modified;
    }
    state->facts.modified = time_text(latest);
    for (const BlastFileState& file : volumes->files) {
        if (file.file.extension() != ".pal") state->size_bytes += file.size_bytes;
    }
    state->volumes = *std::move(volumes);
    XXH3_128bits_reset(state->hash.get());
    return BlastDatabaseReader(std::move(state));
}

BlastDatabaseReader::BlastDatabaseReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlastDatabaseReader::~BlastDatabaseReader() = default;
BlastDatabaseReader::BlastDatabaseReader(BlastDatabaseReader&&) noexcept = default;
BlastDatabaseReader& BlastDatabaseReader::operator=(BlastDatabaseReader&&) noexcept = default;

const BlastFacts& BlastDatabaseReader::facts() const { return state_->facts; }
std::uint64_t BlastDatabaseReader::sequence_count() const { return state_->volumes.sequences; }
std::uint64_t BlastDatabaseReader::residue_count() const { return state_->volumes.residues; }
std::uint64_t BlastDatabaseReader::size_bytes() const { return state_->size_bytes; }
const FastaCounts& BlastDatabaseReader::counts() const { return state_->counts; }
const std::vector<FastaSource>& BlastDatabaseReader::sources() const { return state_->sources; }

const std::vector<CountedVolume>& BlastDatabaseReader::volumes() const { return state_->volumes.each; }

std::vector<fs::path> BlastDatabaseReader::files() const {
    std::vector<fs::path> files;
    for (const BlastFileState& file : state_->volumes.files) files.push_back(file.file);
    return files;
}

std::vector<fs::path> files_of_blast_database(const fs::path& file) {
    const auto name = blast_database_of(file);
    if (!name) return {};
    const auto database = BlastDatabaseReader::open(*name);
    if (!database.ok()) return {};
    std::vector<fs::path> files = database->files();
    // Files that belong to all volumes have the name of the database.
    std::vector<fs::path> names = {*name};
    for (const fs::path& each : files)
        if (each.extension() == ".pin") names.push_back(fs::path(each).replace_extension());
    for (const fs::path& each : names) {
        // These files find sequences by number, GI, identifier, taxon and hash.
        for (const char* ending : {".pdb", ".pot", ".pto", ".ptf", ".pog", ".pos", ".pjs", ".ppd", ".ppi", ".psd",
                                   ".psi", ".pnd", ".pni", ".phd", ".phi"}) {
            if (const fs::path other = with_ending(each, ending); is_file(other)) files.push_back(other);
        }
    }
    return files;
}

Result<std::string> BlastDatabaseReader::read_digest() const {
    const Xxh3State hash = make_xxh3_state();
    XXH3_128bits_reset(hash.get());
    for (const CountedVolume& each : state_->volumes.each) {
        const auto volume = BlastVolume::open(each.name);
        if (!volume.ok()) return volume.status();
        for (const auto bytes : volume->maps()) XXH3_128bits_update(hash.get(), bytes.data(), bytes.size());
        WARPSEQ_TRY(volume->check_readable());
    }
    return xxh3_128_text(hash);
}

Result<bool> BlastDatabaseReader::next(FastaRecord& record) {
    if (!state_->failure.ok()) return state_->failure;
    Result<bool> result = state_->next(record);
    if (!result.ok()) state_->failure = result.status();
    return result;
}

std::uint64_t BlastDatabaseReader::bytes_read() const {
    if (!state_->volume) return state_->bytes_before;
    const double share =
        static_cast<double>(state_->next_sequence) / static_cast<double>(state_->volume->index().sequences);
    return state_->bytes_before + static_cast<std::uint64_t>(share * static_cast<double>(state_->bytes_of_volume()));
}

Status BlastDatabaseReader::verify_unchanged() const {
    for (const BlastFileState& before : state_->volumes.files) {
        const auto now = BlastFileState::of(before.file);
        if (!now.ok() || now->size_bytes != before.size_bytes || is_earlier(now->modified, before.modified) ||
            is_earlier(before.modified, now->modified)) {
            return Status::io(
                before.file.string() +
                ": was changed while the database was read; run the command again when the file is complete");
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

std::vector<std::uint32_t> marked_taxids(std::string_view header) {
    std::vector<std::uint32_t> taxids;
    for (std::size_t at = 0; at <= header.size();) {
        const std::size_t end = std::min(header.find('\x01', at), header.size());
        std::uint64_t taxid = 0;
        without_taxid(header.substr(at, end - at), taxid);
        taxids.push_back(taxid <= kMostTaxid ? static_cast<std::uint32_t>(taxid) : 0);
        at = end + 1;
    }
    return taxids;
}

std::string taxid_mark(std::uint64_t taxid) { return " [taxid=" + std::to_string(taxid) + "]"; }

}  // namespace warpseq
