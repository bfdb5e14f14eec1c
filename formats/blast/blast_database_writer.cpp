#include "formats/blast/blast_database_writer.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "formats/blast/blast_accession_files.h"
#include "formats/blast/blast_database.h"
#include "formats/blast/blast_defline_encoder.h"
#include "formats/blast/blast_deflines.h"
#include "formats/blast/blast_seqid_parser.h"
#include "formats/blast/blast_volume.h"
#include "formats/blast/given_defline.h"
#include "formats/blast/isam_index.h"
#include "formats/io/atomic_file.h"
#include "formats/io/temporary_file.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kNoGi = ~std::uint32_t{0};
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Returns the name of a volume, such as NAME.07.
std::string volume_name(const std::string& name, std::size_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    text.insert(0, digits - std::min(digits, text.size()), '0');
    return name + "." + text;
}

/// A file without its final name, which depends on the number of volumes.
struct PendingFile {
    AtomicFile file;
    std::string ending;
    std::string buffer = {};

    static Result<PendingFile> create(const fs::path& name, std::string_view ending) {
        auto file = AtomicFile::create(with_ending(name, ending), true);
        if (!file.ok()) return file.status();
        return PendingFile{*std::move(file), std::string(ending)};
    }
    Status write(std::string_view text) {
        buffer += text;
        return buffer.size() < kBufferBytes ? Status() : flush();
    }
    Status flush() {
        const std::uint64_t begin = file.size_bytes();
        WARPSEQ_TRY(file.append(bytes_of(buffer)));
        file.start_write_back(begin, buffer.size());
        buffer.clear();
        return {};
    }
};

/// Returns `header` as it is stored in titles. Each tab becomes three blanks, and so does each
/// backslash with a t behind it.
std::string without_tabs(std::string_view header) {
    constexpr std::string_view kBlanks = "   ";
    if (header.find('\t') == std::string_view::npos && header.find('\\') == std::string_view::npos)
        return std::string(header);
    std::string text;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool is_spelled = header[i] == '\\' && i + 1 < header.size() && header[i + 1] == 't';
        if (header[i] == '\t' || is_spelled) {
            text += kBlanks;
            i += is_spelled ? 1 : 0;
        } else {
            text += header[i];
        }
    }
    return text;
}

constexpr auto kStoredCodes = [] {
    std::array<char, kResidueTableSize> codes{};
    for (std::size_t code = 0; code < kResidueLetters.size(); ++code)
        codes[code] = static_cast<char>(kStoredLetters.find(kResidueLetters[code]));
    return codes;
}();

std::uint32_t hash_of(std::string_view residues) {
    std::uint32_t hash = 0;
    for (const char residue : residues) hash = hash * 1'103'515'245U + static_cast<unsigned char>(residue) + 12'345U;
    return hash;
}

/// A set of texts, which keeps only their digests of 128 bits.
class TextSet {
   public:
    /// Adds a text. Returns false if it is in the set already.
    bool insert(std::string_view text) {
        if (2 * (count_ + 1) > places_.size()) grow();
        if (!put(XXH3_128bits(text.data(), text.size()))) return false;
        ++count_;
        return true;
    }

   private:
    static bool is_empty(const XXH128_hash_t& hash) { return hash.low64 == 0 && hash.high64 == 0; }
    bool put(const XXH128_hash_t& hash) {
        const std::size_t mask = places_.size() - 1;
        std::size_t place = hash.low64 & mask;
        for (; !is_empty(places_[place]); place = (place + 1) & mask)
            if (XXH128_isEqual(places_[place], hash) != 0) return false;
        places_[place] = hash;
        return true;
    }
    void grow() {
        constexpr std::size_t kLeastPlaces = 1024;
        std::vector<XXH128_hash_t> old(std::max(kLeastPlaces, 2 * places_.size()));
        old.swap(places_);
        for (const XXH128_hash_t& hash : old)
            if (!is_empty(hash)) put(hash);
    }
    std::vector<XXH128_hash_t> places_;
    std::size_t count_ = 0;
};

}  // namespace

struct BlastDatabaseWriter::State {
    struct Volume {
        PendingFile headers, residues;
        std::vector<PendingFile> others = {};
        std::uint32_t sequences = 0;
        // The sizes of the volume's files. Stored offsets have four bytes, which limits them.
        std::uint64_t header_bytes = 0, residue_bytes = 1;
        std::uint64_t residue_count = 0;
        std::uint32_t longest = 0;
        std::string header_offsets = {}, residue_offsets = {};  // as they are stored in the index
        std::string gis = {};                                   // GI of each sequence
        std::vector<std::pair<std::uint32_t, std::uint32_t>> sequences_by_gi = {};
        IsamTexts keys = {}, hashes = {};
        TextSet labels = {};
    };

    BlastWriterOptions options;
    std::string base;              // the name without its folder
    std::uint64_t head_bytes = 0;  // the result of index_head_bytes()
    std::vector<Volume> volumes;
    BlastAccessions accessions;
    std::uint32_t sequences = 0;
    bool has_malformed_ids = false;
    std::uint64_t last_line = 0;
    std::uint64_t file_records = 0, file_sequences = 0, file_numbered = 0;  // of the current FASTA file
    BlastFacts facts;
    FastaCounts counts;
    FastaSource source;

    // Buffers for the current record. They are members so that their memory is reused.
    std::string stored_residues, stored_header, text, first_id;
    std::string_view title;    // of the current record, as NCBI's reader has it
    bool is_numbered = false;  // whether NCBI's reader names the current record by a number
    std::vector<BlastDeflineParts> lines;

    bool has_index() const { return options.parses_ids || options.has_hashes; }

    Status begin_volume() {
        auto headers = PendingFile::create(options.name, ".phr");
        if (!headers.ok()) return headers.status();
        auto residues = PendingFile::create(options.name, ".psq");
        if (!residues.ok()) return residues.status();
        volumes.push_back({*std::move(headers), *std::move(residues)});
        Volume& volume = volumes.back();
        append_big_endian(0, volume.header_offsets);
        append_big_endian(1, volume.residue_offsets);
        return volume.residues.write(std::string_view("", 1));
    }

    /// Returns the size of an index without its tables. The date is padded to a multiple of 8
    /// bytes.
    std::uint64_t index_head_bytes() const {
        constexpr std::uint64_t kNumbersBytes = 32, kMoreNumbersBytes = 40;
        const std::uint64_t bytes =
            options.version == 4 ? kNumbersBytes + options.title.size() + options.date.size()
                                 : kMoreNumbersBytes + options.title.size() + lmdb_name().size() + options.date.size();
        return (bytes + 7) / 8 * 8;
    }
    std::string lmdb_name() const { return base + ".pdb"; }

    /// Whether the current sequence fits into `volume`. As in makeblastdb, files of keys do not
    /// count.
    bool fits(const Volume& volume) const {
        constexpr std::uint64_t kIndexEntryBytes = 8, kReservedBytes = 12;
        if (volume.sequences == 0) return true;
        const std::uint64_t most = options.file_bytes;
        const std::uint64_t index_bytes = head_bytes + volume.sequences * kIndexEntryBytes;
        // The difference `most - kReservedBytes` wraps to a huge number where `most` is less than
        // what is reserved.
        return index_bytes < most - kReservedBytes && volume.header_bytes + stored_header.size() < most &&
               volume.residue_bytes + stored_residues.size() < most;
    }

    void encode_residues(const FastaRecord& record) {
        stored_residues.resize(record.residues.size() + record.hyphens.size());
        char* to = stored_residues.data();
        std::size_t next = 0;
        const auto encode_until = [&](std::size_t end) {
            for (; next < end; ++next) *to++ = kStoredCodes[record.residues[next] % kResidueTableSize];
        };
        for (const std::uint64_t hyphen : record.hyphens) {
            encode_until(hyphen);
            *to++ = 0;
        }
        encode_until(record.residues.size());
    }

    void warn(const std::string& warnings) const {
        if (!warnings.empty() && options.on_warning) options.on_warning(warnings);
    }

    /// Reads the record's header as NCBI's FASTA reader does. Tells about it. Returns an error if
    /// the reader cannot read it.
    Status read_header(const FastaRecord& record) {
        if (options.parses_ids && record.header.find_first_not_of(" \t\v\f") == std::string::npos) {
            if (options.on_header) options.on_header(false);
            return Status::invalid_input("Defline lacks a proper ID around line " + std::to_string(record.line));
        }
        const DeflineFindings findings = check_given_defline(record.header, record.line, options.parses_ids);
        const GivenDefline parts = split_given_defline(record.header, options.parses_ids);
        warn(findings.id_warnings);
        if (options.on_header) options.on_header(findings.status.ok());
        if (options.parses_ids && !findings.ids.empty()) {
            // makeblastdb names a part of a sequence by a number.
            is_numbered = is_accession_with_range(parts.id);
            first_id = is_numbered ? "lcl|" + std::to_string(++file_numbered) : findings.ids.front().fasta();
        }
        WARPSEQ_TRY(findings.status);
        title = parts.title;
        warn(findings.title_warnings);
        return {};
    }

    /// Parses the record's header into `lines`. The titles are views of `text`.
    Status parse_header(const FastaRecord& record) {
        lines.clear();
        text = without_tabs(record.header);
        if (!options.parses_ids) {
            std::ranges::replace(text, '\x01', ' ');
            lines.push_back({{{.kind = BlastSeqId::Kind::kGeneral, .first = "BL_ORD_ID", .is_number = true}}, text});
            if (options.taxid_of) lines.back().taxid = options.taxid_of(lines.back().ids);
            return {};
        }
        for (std::string_view rest = text;;) {
            const std::size_t end = std::min(rest.find('\x01'), rest.size());
            const std::string_view line = rest.substr(0, end);
            const std::size_t blank = std::min(line.find(' '), line.size());
            auto ids = parse_stored_seqids(line.substr(0, blank));
            if (!ids.ok()) return ids.status();
            lines.push_back({*std::move(ids), line.substr(std::min(blank + 1, line.size()))});
            if (end == rest.size()) break;
            rest.remove_prefix(end + 1);
        }
        if (is_numbered) use_number();
        if (options.taxid_of)
            for (BlastDeflineParts& line : lines) line.taxid = options.taxid_of(line.ids);
        return {};
    }

    /// Names the record by a number, unless a definition line has an identifier that is no local
    /// name.
    void use_number() {
        const auto is_local = [](const BlastSeqId& id) { return id.kind == BlastSeqId::Kind::kLocal; };
        const auto has_local_names = [&](const BlastDeflineParts& line) {
            return std::ranges::all_of(line.ids, is_local);
        };
        if (!std::ranges::all_of(lines, has_local_names)) return;
        text = title;
        lines = {{{{.second = std::to_string(file_numbered), .is_number = true}}, text}};
    }

    void encode_header(std::uint32_t number) {
        if (!options.parses_ids) {
            lines.front().ids.front().second = std::to_string(number);
        }
        stored_header.clear();
        bad_bytes.clear();
        encode_blast_deflines(lines, stored_header, &bad_bytes);
    }

    /// The warnings and the error of a record that makeblastdb tells when it writes the record.
    /// That is when it has read the next record, or at the end.
    struct Pending {
        std::string warnings = {};
        Status status = {};
    };
    Pending pending;
    std::vector<BlastBadByte> bad_bytes;  // of the current record

    /// Tells the pending warnings of the last record. Returns its error.
    Status write_pending() {
        const Pending told = std::exchange(pending, {});
        warn(told.warnings);
        return told.status;
    }

    /// Warns about bad bytes of the current record, and then tells the pending warnings of the last
    /// one. makeblastdb encodes a record when it has read it, and again when it writes it.
    Status begin_pending(const Volume& volume) {
        if (bad_bytes.empty()) return write_pending();
        std::vector<BlastBadByte> without_taxids;
        std::string unused;
        encode_blast_deflines(lines, unused, &without_taxids, false);
        warn(bad_byte_messages(without_taxids));
        WARPSEQ_TRY(write_pending());
        pending.warnings = bad_byte_messages(bad_bytes);
        // The first sequence of a volume is written twice if identifiers are not parsed.
        if (!options.parses_ids && volume.sequences == 0) pending.warnings += pending.warnings;
        return {};
    }

    template <typename Use>
    void for_each_id(Use use) const {
        for (const BlastDeflineParts& line : lines)
            for (const BlastSeqId& id : line.ids) use(id);
    }

    /// Checks that the identifiers of a volume are unique. A local identifier may be repeated in a
    /// record that has a new identifier, too.
    Status check_labels(Volume& volume) const {
        Status status;
        bool has_new = false;
        std::string label;
        for_each_id([&](const BlastSeqId& id) {
            if (!status.ok()) return;
            label = unique_label(id);
            const bool is_new = volume.labels.insert(label);
            has_new = has_new || is_new;
            if (!is_new && id.kind != BlastSeqId::Kind::kLocal) status = repeated(label);
        });
        return status.ok() && !has_new ? repeated(label) : status;
    }
    static Status repeated(const std::string& label) {
        return Status::invalid_input("Error: Duplicate seq_ids are found: \n" + label + "\n");
    }

    void add_to_indexes(Volume& volume) {
        if (has_index()) {
            std::uint32_t gi = kNoGi;
            for_each_id([&](const BlastSeqId& id) {
                if (options.version == 4)
                    for (const std::string& key : isam_keys(id)) texts_of_sequence.insert(key);
                if (id.kind != BlastSeqId::Kind::kGi) return;
                const auto number = static_cast<std::uint32_t>(id.numeric_value());
                if (gi == kNoGi) gi = number;
                volume.sequences_by_gi.emplace_back(number, volume.sequences);
            });
            for (const std::string& key : texts_of_sequence) volume.keys.add(key, volume.sequences);
            texts_of_sequence.clear();
            append_big_endian(gi, volume.gis);
        }
        if (options.has_hashes) volume.hashes.add(std::to_string(hash_of(stored_residues)), volume.sequences);
        if (options.version == 4) return;
        std::vector<std::uint32_t> taxids;
        for (const BlastDeflineParts& line : lines) taxids.push_back(line.taxid);
        std::ranges::sort(taxids);
        taxids.erase(std::unique(taxids.begin(), taxids.end()), taxids.end());
        accessions.add_taxids(taxids);
        if (!options.parses_ids) return;
        for_each_id([&](const BlastSeqId& id) {
            const auto keys = accession_keys(id);
            for (const std::string& key : keys) accessions.add_key(key, sequences, &key == &keys.back());
        });
    }
    std::unordered_set<std::string> texts_of_sequence;

    void begin_record(const FastaRecord& record) {
        if (record.line <= last_line) end_file();
        last_line = record.line;
        ++file_records;
    }

    void end_file() {
        if (file_sequences > 0 && options.on_file_end) options.on_file_end(file_sequences);
        file_records = file_sequences = file_numbered = 0;
    }

    void leave_out(const std::string& message) {
        if (options.on_left_out) options.on_left_out(message);
    }

    Result<bool> add(FastaRecord& record) {
        begin_record(record);
        WARPSEQ_TRY(read_header(record));
        if (record.residues.empty() && record.hyphens.empty()) {
            const std::string id = options.parses_ids ? first_id : "lcl|" + std::to_string(file_records);
            leave_out("Ignoring sequence '" + id + "' as it has no sequence data");
            return false;
        }
        if (Status parsed = parse_header(record); !parsed.ok()) {
            has_malformed_ids = true;
            return parsed;
        }
        constexpr std::int64_t kMostGi = 0xffff'ffff;
        for (const BlastSeqId& id : lines.front().ids) {
            if (id.kind != BlastSeqId::Kind::kGi || id.numeric_value() <= kMostGi) continue;
            leave_out("Ignoring gi '" + id.second + "' as it has value larger then " + std::to_string(kMostGi));
            return false;
        }
        encode_residues(record);
        if (stored_residues.size() > std::numeric_limits<std::int32_t>::max())
            return Status::invalid_input("Sequences longer than 2,147,483,647 bases are not supported.");
        encode_header(volumes.back().sequences);
        if (!fits(volumes.back())) {
            WARPSEQ_TRY(end_volume(volumes.back()));
            WARPSEQ_TRY(begin_volume());
            encode_header(0);
        }
        Volume& volume = volumes.back();
        WARPSEQ_TRY(begin_pending(volume));
        if (has_index()) pending.status = check_labels(volume);
        WARPSEQ_TRY(volume.headers.write(stored_header));
        WARPSEQ_TRY(volume.residues.write(stored_residues));
        WARPSEQ_TRY(volume.residues.write(std::string_view("", 1)));
        add_to_indexes(volume);
        volume.header_bytes += stored_header.size();
        volume.residue_bytes += stored_residues.size() + 1;
        append_big_endian(static_cast<std::uint32_t>(volume.header_bytes), volume.header_offsets);
        append_big_endian(static_cast<std::uint32_t>(volume.residue_bytes), volume.residue_offsets);
        volume.residue_count += stored_residues.size();
        volume.longest = std::max(volume.longest, static_cast<std::uint32_t>(stored_residues.size()));
        ++volume.sequences;
        ++sequences;
        ++file_sequences;
        counts.residues += record.residues.size();
        counts.gaps_removed += record.hyphens.size();
        if (record.residues.empty()) ++counts.empty_sequences;
        const auto read = read_blast_deflines(bytes_of(stored_header));
        if (!read || !make_blast_header(*read, facts, counts, record.header))
            return Status::invalid_input("the header of sequence " + std::to_string(sequences) + " is too long");
        return true;
    }

    Status add_other(Volume& volume, std::string_view ending, std::string_view content) {
        auto file = PendingFile::create(options.name, ending);
        if (!file.ok()) return file.status();
        volume.others.push_back(*std::move(file));
        WARPSEQ_TRY(volume.others.back().write(content));
        return volume.others.back().flush();
    }

    /// Writes all parts of the volume that are still in memory to files.
    Status end_volume(Volume& volume) {
        WARPSEQ_TRY(volume.headers.flush());
        WARPSEQ_TRY(volume.residues.flush());
        if (has_index()) {
            constexpr std::array<std::uint32_t, 3> kHead = {1, 0, 4};
            std::string bytes;
            for (const std::uint32_t number : kHead) append_big_endian(number, bytes);
            append_big_endian(volume.sequences, bytes);
            bytes.append(16, '\0');
            WARPSEQ_TRY(add_other(volume, ".pog", bytes + volume.gis));
        }
        const auto add_isam = [&](const IsamFiles& isam, std::string_view index, std::string_view data) -> Status {
            WARPSEQ_TRY(add_other(volume, index, isam.index));
            return add_other(volume, data, isam.data);
        };
        if (!volume.sequences_by_gi.empty())
            WARPSEQ_TRY(add_isam(isam_of_numbers(std::move(volume.sequences_by_gi)), ".pni", ".pnd"));
        if (!volume.keys.empty()) WARPSEQ_TRY(add_isam(volume.keys.files(), ".psi", ".psd"));
        if (!volume.hashes.empty()) WARPSEQ_TRY(add_isam(volume.hashes.files(), ".phi", ".phd"));
        volume.keys.clear();
        volume.hashes.clear();
        volume.labels = {};
        volume.gis = {};
        WARPSEQ_TRY(add_other(volume, ".pin", index_of(volume)));
        volume.header_offsets = volume.residue_offsets = {};
        return {};
    }

    std::string index_of(const Volume& volume) const {
        std::string bytes;
        const auto add_text = [&](std::string_view value) {
            append_big_endian(static_cast<std::uint32_t>(value.size()), bytes);
            bytes += value;
        };
        append_big_endian(options.version, bytes);
        append_big_endian(1, bytes);
        if (options.version != 4) append_big_endian(static_cast<std::uint32_t>(volumes.size() - 1), bytes);
        add_text(options.title);
        if (options.version != 4) add_text(lmdb_name());
        constexpr std::uint64_t kLengthBytes = 4, kBehindBytes = 16;
        std::string date = options.date;
        date.resize(head_bytes - kBehindBytes - kLengthBytes - bytes.size());
        add_text(date);
        append_big_endian(volume.sequences, bytes);
        bytes.append(reinterpret_cast<const char*>(&volume.residue_count), sizeof volume.residue_count);
        append_big_endian(volume.longest, bytes);
        return bytes + volume.header_offsets + volume.residue_offsets;
    }

    /// Writes a file that belongs to all volumes. Its content is bytes or a file that LMDB wrote.
    Status write_whole(std::string_view ending, std::string_view content) {
        auto file = PendingFile::create(options.name, ending);
        if (!file.ok()) return file.status();
        WARPSEQ_TRY(file->write(content));
        WARPSEQ_TRY(file->flush());
        whole.push_back(*std::move(file));
        return {};
    }
    Status write_whole(std::string_view ending, const TemporaryFile& content) {
        auto file = PendingFile::create(options.name, ending);
        if (!file.ok()) return file.status();
        struct stat info {};
        if (fstat(content.descriptor(), &info) != 0)
            return Status::io(content.folder().string() +
                              ": cannot read a temporary file back: " + std::strerror(errno));
        const auto size = static_cast<std::uint64_t>(info.st_size);
        std::vector<std::uint8_t> part;
        for (std::uint64_t at = 0; at < size; at += part.size()) {
            part.resize(std::min<std::uint64_t>(kBufferBytes, size - at));
            WARPSEQ_TRY(content.read_at(at, part));
            WARPSEQ_TRY(file->file.append(part));
        }
        whole.push_back(*std::move(file));
        return {};
    }
    std::vector<PendingFile> whole;

    Status write_accession_files(const std::vector<std::string>& names) {
        std::vector<BlastAccessions::Volume> of_volumes;
        for (std::size_t v = 0; v < volumes.size(); ++v) of_volumes.push_back({names[v], volumes[v].sequences});
        const fs::path folder = options.name.parent_path();
        auto keys = TemporaryFile::create(folder);
        if (!keys.ok()) return keys.status();
        auto offsets = TemporaryFile::create(folder);
        if (!offsets.ok()) return offsets.status();
        if (accessions.has_keys()) WARPSEQ_TRY(write_whole(".pos", accessions.shown_accessions()));
        WARPSEQ_TRY(accessions.write_keys(of_volumes, *keys));
        WARPSEQ_TRY(write_whole(".pdb", *keys));
        const auto taxids = accessions.write_taxids(*offsets);
        if (!taxids.ok()) return taxids.status();
        WARPSEQ_TRY(write_whole(".pot", taxids->pot));
        WARPSEQ_TRY(write_whole(".pto", taxids->pto));
        return write_whole(".ptf", *offsets);
    }

    Status finish() {
        end_file();
        if (sequences == 0) return Status::invalid_input("No sequences added");
        WARPSEQ_TRY(write_pending());
        WARPSEQ_TRY(end_volume(volumes.back()));
        constexpr std::size_t kMostOfTwoDigits = 100;
        const bool is_single = volumes.size() == 1;
        const std::size_t digits =
            volumes.size() > kMostOfTwoDigits ? std::to_string(volumes.size()).size() : std::size_t{2};
        std::vector<std::string> names;
        for (std::size_t v = 0; v < volumes.size(); ++v)
            names.push_back(is_single ? base : volume_name(base, v, digits));
        std::vector<PendingFile> last;
        if (!is_single) {
            std::string list;
            for (const std::string& name : names) list += " " + name;
            auto alias = PendingFile::create(options.name, ".pal");
            if (!alias.ok()) return alias.status();
            WARPSEQ_TRY(alias->write("#\n# Alias file created: " + options.date + "\n#\nTITLE " + options.title +
                                     "\nDBLIST" + list + "\n"));
            WARPSEQ_TRY(alias->flush());
            last.push_back(*std::move(alias));
        }
        return name_files(names, std::move(last));
    }

    Status name_files(const std::vector<std::string>& names, std::vector<PendingFile> last) {
        std::vector<fs::path> made;
        const auto commit = [&](PendingFile& file, const std::string& name) -> Status {
            file.file.set_name(name + file.ending);
            made.push_back(options.name.parent_path() / (name + file.ending));
            return file.file.commit();
        };
        // No file gets its name before all files are written. One thread waits for the disk while
        // the other one sorts keys.
        const ThreadPool pool(2);
        WARPSEQ_TRY(pool.parallel_for(2, [&](std::uint64_t job, unsigned) -> Status {
            if (job == 0) return options.version == 4 ? Status() : write_accession_files(names);
            for (Volume& volume : volumes) {
                WARPSEQ_TRY(volume.headers.file.sync());
                WARPSEQ_TRY(volume.residues.file.sync());
            }
            return {};
        }));
        for (PendingFile& file : whole) WARPSEQ_TRY(commit(file, base));
        for (std::size_t v = 0; v < volumes.size(); ++v) {
            WARPSEQ_TRY(commit(volumes[v].headers, names[v]));
            WARPSEQ_TRY(commit(volumes[v].residues, names[v]));
            for (PendingFile& file : volumes[v].others)
                if (file.ending != ".pin") WARPSEQ_TRY(commit(file, names[v]));
        }
        for (std::size_t v = 0; v < volumes.size(); ++v)
            made.push_back(options.name.parent_path() / (names[v] + ".pin"));
        for (const PendingFile& file : last) made.push_back(options.name.parent_path() / (base + file.ending));
        for (const fs::path& file : options.replaced) {
            std::error_code error;
            if (std::ranges::find(made, file) == made.end()) fs::remove(file, error);
        }
        for (std::size_t v = 0; v < volumes.size(); ++v) {
            for (PendingFile& file : volumes[v].others)
                if (file.ending == ".pin") WARPSEQ_TRY(commit(file, names[v]));
        }
        for (PendingFile& file : last) WARPSEQ_TRY(commit(file, base));
        return describe();
    }

    /// Sets the facts and the source to those that a reader finds in the finished database. Does
    /// not change `has_taxids`.
    Status describe() {
        const auto reader = BlastDatabaseReader::open(options.name);
        if (!reader.ok()) return reader.status();
        const bool has_taxids = facts.has_taxids;
        facts = reader->facts();
        facts.has_taxids = has_taxids;
        const auto digest = reader->read_digest();
        if (!digest.ok()) return digest.status();
        source = {base, reader->size_bytes(), *digest};
        return {};
    }
};

std::span<const std::string_view> blast_file_endings() {
    static constexpr std::array<std::string_view, 19> kEndings = {
        ".pdb", ".phd", ".phi", ".phr", ".pin", ".pjs", ".pnd", ".pni", ".pog", ".pos",
        ".pot", ".ppd", ".ppi", ".psd", ".psi", ".psq", ".ptf", ".pto", ".pal"};
    return kEndings;
}

BlastDatabaseWriter::BlastDatabaseWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlastDatabaseWriter::~BlastDatabaseWriter() = default;
BlastDatabaseWriter::BlastDatabaseWriter(BlastDatabaseWriter&&) noexcept = default;
BlastDatabaseWriter& BlastDatabaseWriter::operator=(BlastDatabaseWriter&&) noexcept = default;

Result<BlastDatabaseWriter> BlastDatabaseWriter::create(BlastWriterOptions options) {
    auto state = std::make_unique<State>();
    state->base = options.name.filename().string();
    state->facts.has_parsed_ids = options.parses_ids;
    state->options = std::move(options);
    state->head_bytes = state->index_head_bytes();
    // Creating files now shows, before the input is read, whether the folder can be written to.
    WARPSEQ_TRY(state->begin_volume());
    return BlastDatabaseWriter(std::move(state));
}

void BlastDatabaseWriter::set_reading(FastaOptions& reading) {
    reading.as_makeblastdb = reading.leaves_out_others = true;
    reading.empty_header = "";
}

Result<bool> BlastDatabaseWriter::add(FastaRecord& record) { return state_->add(record); }
Status BlastDatabaseWriter::finish() { return state_->finish(); }
void BlastDatabaseWriter::tell_last_warnings() { state_->warn(std::exchange(state_->pending, {}).warnings); }
bool BlastDatabaseWriter::has_sequences() const { return state_->sequences > 0; }
bool BlastDatabaseWriter::has_malformed_ids() const { return state_->has_malformed_ids; }
const BlastFacts& BlastDatabaseWriter::facts() const { return state_->facts; }
const FastaCounts& BlastDatabaseWriter::counts() const { return state_->counts; }
const FastaSource& BlastDatabaseWriter::source() const { return state_->source; }

}  // namespace warpseq
