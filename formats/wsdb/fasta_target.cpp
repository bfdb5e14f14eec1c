#include "formats/wsdb/fasta_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/blast/blast_database.h"
#include "formats/fasta/fasta.h"
#include "formats/fasta/hmmer_fasta.h"
#include "formats/io/byte_source.h"
#include "formats/io/file_stamp.h"
#include "formats/sequences/sequence_file.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/target_records.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_set.h"

namespace warpseq {

namespace {

/// The memory of a conversion, whatever the size of its input. Data that needs more goes to
/// temporary files.
constexpr std::uint64_t kConversionMemory = std::uint64_t{1} << 30;

bool begins_with(std::span<const std::uint8_t> bytes, std::string_view text) {
    return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

bool begins_as_database(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= wsdb::kMagic.size() && std::ranges::equal(bytes.first(wsdb::kMagic.size()), wsdb::kMagic);
}

/// Whether WsdbReader::open() opens this regular file or reports what is wrong with it. That is so
/// if the file begins as a database, is empty, or cannot be read.
bool is_for_reader(const std::filesystem::path& file, const FileStamp& stamp) {
    return stamp.size_bytes == 0 || access(file.c_str(), R_OK) != 0 || begins_as_wsdb(file);
}

/// Returns an error if `name`, which is not a file, is a BLAST database of nucleotides. Otherwise
/// returns nothing.
std::optional<Status> other_database(const std::filesystem::path& name) {
    std::error_code error;
    const auto has = [&](const char* ending) { return std::filesystem::exists(name.string() + ending, error); };
    if (has(".nin") || has(".nal") || has(".00.nin"))
        return Status::invalid_input(name.string() +
                                     ": is a BLAST database of nucleotides; only proteins are supported");
    return {};
}

/// Returns the error for a file that exists but begins neither as a database nor as FASTA.
Status not_a_target(const std::filesystem::path& file, const std::string& shown, std::span<const std::uint8_t> start,
                    const std::string& why) {
    if (begins_as_database(start)) {
        return Status::invalid_input(shown +
                                     ": is a database that is compressed or comes through a stream; a database is read "
                                     "through a memory map, so unpack it, or write it to a file");
    }
    if (begins_with(start, "HMMER3/") || begins_with(start, "HMMER2."))
        return Status::invalid_input(shown + ": holds profile HMMs, not sequences; profiles are queries")
            .with(Advice::kProfileQueries);
    const std::string ending = file.extension().string();
    std::filesystem::path name = file;
    name.replace_extension();
    if ((ending == ".psq" || ending == ".phr") && blast_database_of(name))
        return Status::invalid_input(file.string() +
                                     ": is a file of a BLAST database; name the database: " + name.string());
    return Status::invalid_input(shown + ": is neither a database, which dbconv makes, nor FASTA: this file " + why);
}

/// Whether the settings read the same sequences and names from FASTA as dbconv does.
bool is_read_as_by_dbconv(const TargetSettings& settings) {
    const FastaOptions& reading = settings.reading;
    return !settings.range && !reading.leaves_out_others && !reading.takes_bare_residues && !reading.empty_header;
}

/// Whether a copy of FASTA holds the records that `dialect` reads. Dialects other than dbconv's
/// need a copy for which dbconv has neither left out nor made up anything.
bool holds_what_is_read(const WsdbReader& copy, FastaDialect dialect) {
    if (dialect == FastaDialect::kWarpseq) return true;
    const auto figures = copy.map().statistics();
    return figures.ok() && figures->gaps_removed == 0 && figures->unnamed_sequences == 0 &&
           figures->skipped_invalid == 0;
}

bool is_earlier(const timespec& a, const timespec& b) {
    return std::tie(a.tv_sec, a.tv_nsec) < std::tie(b.tv_sec, b.tv_nsec);
}

/// The FASTA or BLAST database that a copy is to be of.
struct Original {
    std::filesystem::path file;  // as it was named
    std::string name;            // as messages call it
    std::uint64_t size_bytes = 0;
    std::vector<CopiedFile> files;
    std::optional<BlastFacts> blast;  // set for a BLAST database; otherwise it is FASTA
    std::uint64_t blast_sequences = 0;
    timespec blast_changed{};  // last change of any of the files' inodes: content, name or owner
    /// The content of the original: the digest of its bytes, as provenance records it for sources,
    /// and the number of its records.
    struct Content {
        std::string xxh3_128;
        std::uint64_t records = 0;
    };
    std::function<Result<Content>()> read;
};

/// Reads all of a FASTA file. Records are counted as lines that begin with '>'.
Result<Original::Content> read_content(const std::filesystem::path& file, unsigned threads) {
    auto source = ByteSource::open(file, kDefaultBlockBytes, threads);
    if (!source.ok()) return source.status();
    Original::Content content;
    bool begins_line = true;
    for (bool is_first = true;; is_first = false) {
        const auto block = source->next_block();
        if (!block.ok()) return block.status();
        if (block->empty()) break;
        std::string_view text(reinterpret_cast<const char*>(block->data()), block->size());
        if (is_first && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
        for (std::size_t at = 0; (at = text.find('>', at)) != std::string_view::npos; ++at)
            content.records += (at == 0 ? begins_line : text[at - 1] == '\n' || text[at - 1] == '\r') ? 1U : 0U;
        if (!text.empty()) begins_line = text.back() == '\n' || text.back() == '\r';
    }
    content.xxh3_128 = source->stored_xxh3_128();
    return content;
}

/// Describes a regular file. Returns nothing if `file` is not one.
std::optional<Original> original_of(const std::filesystem::path& file, unsigned threads) {
    auto as_it_is = CopiedFile::of(file);
    if (!as_it_is) return std::nullopt;
    Original original;
    original.file = file;
    original.name = file.string();
    original.size_bytes = as_it_is->size_bytes;
    original.files = {*std::move(as_it_is)};
    original.read = [file, threads] { return read_content(file, threads); };
    return original;
}

/// Describes a BLAST database, which outlives the result. Returns nothing if one of its files is
/// gone.
std::optional<Original> original_of(const std::filesystem::path& file, const std::filesystem::path& name,
                                    const BlastDatabaseReader& source) {
    Original original;
    original.file = file;
    original.name = name.string();
    original.size_bytes = source.size_bytes();
    for (const std::filesystem::path& each : source.files()) {
        auto as_it_is = CopiedFile::of(each);
        if (!as_it_is) return std::nullopt;
        original.files.push_back(*std::move(as_it_is));
        struct stat info {};
        if (stat(each.c_str(), &info) != 0) return std::nullopt;
        if (is_earlier(original.blast_changed, info.st_ctim)) original.blast_changed = info.st_ctim;
    }
    original.blast = source.facts();
    original.blast_sequences = source.sequence_count();
    original.read = [&source]() -> Result<Original::Content> {
        auto digest = source.read_digest();
        if (!digest.ok()) return digest.status();
        return Original::Content{*std::move(digest), source.sequence_count()};
    };
    return original;
}

/// The file that has the name of a copy, if there is one.
struct FoundCopy {
    std::optional<WsdbReader> reader;  // of the copy, if it is read instead
    std::optional<BlastFacts> blast;
    bool may_be_replaced = false;  // also true if there is no such file
    std::string why_not;           // the reason why it is not read; empty if there is no such file
};

/// Whether both facts are of the same database. `a` is what a copy records; copies of earlier
/// versions do not record the time of the files.
bool is_same_database(const std::optional<BlastFacts>& a, const std::optional<BlastFacts>& b) {
    return a.has_value() == b.has_value() &&
           (!a || (a->title == b->title && a->date == b->date && a->version == b->version &&
                   (a->modified.empty() || a->modified == b->modified)));
}

FoundCopy find_copy(const Original& original) {
    FoundCopy found;
    const std::filesystem::path copy = copy_of_target(original.file);
    struct stat info {};
    if (lstat(copy.c_str(), &info) != 0 && errno == ENOENT) {
        found.may_be_replaced = true;
        return found;
    }
    const auto refuse = [&](const std::string& why) {
        found.why_not = why;
        return std::move(found);
    };
    if (stat(copy.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return refuse("it is not a regular file");
    auto reader = WsdbReader::open(copy);
    if (!reader.ok()) return refuse("it is damaged or not a database");
    const auto provenance = provenance_of(*reader);
    if (!provenance || provenance->sources.size() != 1 || provenance->sources[0].xxh3_128.empty() ||
        provenance->blast.has_value() != original.blast.has_value())
        return refuse("it is another database");
    const WsdbProvenance::Source& source = provenance->sources[0];
    const auto is_same = [](const CopiedFile& recorded, const CopiedFile& now) { return recorded.is_same(now); };
    bool is_current = false, is_part = false;
    if (is_same_database(provenance->blast, original.blast) && source.size_bytes == original.size_bytes) {
        // If no file of a BLAST database has changed since the copy was finished, the copy was made
        // of it.
        is_current =
            std::ranges::equal(provenance->copied_files, original.files, is_same) ||
            (original.blast && provenance->blast->modified == original.blast->modified &&
             reader->sequence_count() == original.blast_sequences && is_earlier(original.blast_changed, info.st_ctim));
        const auto content = is_current ? Result<Original::Content>(Original::Content()) : original.read();
        if (!is_current && content.ok() && content->xxh3_128 == source.xxh3_128) {
            is_part = content->records != reader->sequence_count();
            is_current = !is_part;
        }
    }
    if (is_current) {
        found.reader = *std::move(reader);
        found.blast = provenance->blast;
        return found;
    }
    found.may_be_replaced =
        !provenance->copied_files.empty() && source.name == std::filesystem::path(original.name).filename();
    return refuse(is_part ? "it does not have all sequences of " + original.name
                          : "it does not match the present content of " + original.name);
}

Target target_of_copy(FoundCopy copy) {
    const bool is_blast = copy.blast.has_value();
    return Target{*std::move(copy.reader), !is_blast, is_blast, std::move(copy.blast)};
}

/// Writes the copy. A system error may come from writing or from reading.
Status make_copy(const Original& original, const FoundCopy& found, ConvertOptions options, const ThreadPool& pool,
                 Observer& observer) {
    options.inputs = {original.file};
    options.output = copy_of_target(original.file);
    options.temporary_folder.clear();
    options.threads = pool.threads();
    options.replace = !found.why_not.empty();
    options.copied_files = original.files;
    return convert_fasta(options, observer).status();
}

/// Opens the copy that is read instead of the original. With `keep_copies` it is made anew where
/// that is allowed. Returns nothing if there is none, and an error if the original is at fault.
Result<std::optional<Target>> open_copy(const Original& original, const ConvertOptions& options, bool keep_copies,
                                        const ThreadPool& pool, Observer& observer) {
    FoundCopy found = find_copy(original);
    if (found.reader) return std::optional(target_of_copy(std::move(found)));
    const std::string copy = copy_of_target(original.file).string();
    if (!found.may_be_replaced || (!found.why_not.empty() && !keep_copies)) {
        const std::string left = copy + ": is not read in place of " + original.name;
        observer.note((keep_copies ? "no copy is kept: " + copy + " is left as it is:" : left + ":") + " " +
                      found.why_not);
    }
    if (!keep_copies || !found.may_be_replaced) return std::optional<Target>();
    const Status made = make_copy(original, found, options, pool, observer);
    // Another process may have made one meanwhile.
    if (made.ok() || made.code() == StatusCode::kIo) found = find_copy(original);
    if (found.reader) return std::optional(target_of_copy(std::move(found)));
    if (made.ok()) return std::optional<Target>();
    // After a system error the original is read again, which shows whether reading it was what
    // failed.
    if (made.code() != StatusCode::kIo) return made;
    observer.note("no copy is kept: " + made.message());
    return std::optional<Target>();
}

/// Cuts a sequence to the part of `range` that it has. A sequence that ends before the range is an
/// error.
Status keep_range(const std::string& name, const ResidueRange& range, FastaRecord& record) {
    const std::uint64_t residues = record.residues.size();
    if (residues < range.begin) {
        return Status::invalid_input(name + ": line " + std::to_string(record.line) + ": " +
                                     std::string(identifier_of(record.header)) + " has " + std::to_string(residues) +
                                     " residues; the range begins at residue " + std::to_string(range.begin + 1))
            .with(Advice::kTargetRange);
    }
    record.residues.resize(std::min(residues, std::max(range.begin, range.end)));
    record.residues.erase(record.residues.begin(), record.residues.begin() + static_cast<std::ptrdiff_t>(range.begin));
    return {};
}

/// Returns the options of a conversion, which reports notes to `observer`.
ConvertOptions convert_options(const std::string& name, const TargetSettings& settings, const ThreadPool& pool,
                               Observer& observer) {
    ConvertOptions options;
    options.memory_bytes = std::max(kConversionMemory, WsdbWriter::min_memory_bytes(pool.threads()));
    options.temporary_folder = settings.temporary_folder;
    options.reading = settings.reading;
    options.reading.dialect = settings.format.dialect;
    options.stop = pool.stop();
    options.on_nucleotides = [&observer, name](const std::string& found) -> Status {
        observer.note("warning: " + name + ": " + found + "; all are searched as proteins");
        return {};
    };
    return options;
}

/// Converts a file of sequences that is not plain FASTA.
Result<WsdbReader> convert_sequences(ByteSource source, const std::filesystem::path& file,
                                     const SequenceFileFormat& format, const ConvertOptions& options,
                                     const ThreadPool& pool, Observer& observer) {
    auto reader = SequenceFileReader::open(file, std::move(source), format);
    if (!reader.ok()) return reader.status();
    return convert_to_unnamed(*std::move(reader), file, options, pool, observer);
}

Result<Target> open_blast_database(const std::filesystem::path& file, const std::filesystem::path& name,
                                   const TargetSettings& settings, const ThreadPool& pool, Observer& observer) {
    auto source = BlastDatabaseReader::open(name);
    if (!source.ok()) {
        return Status(source.status().code(), source.status().message() + "; NCBI's `blastdbcmd -db " + name.string() +
                                                  " -entry all -out " + name.string() +
                                                  ".fasta` writes what BLAST can read of it as FASTA");
    }
    const ConvertOptions options = convert_options(name.string(), settings, pool, observer);
    if (const auto original = original_of(file, name, *source)) {
        auto copy = open_copy(*original, options, settings.keep_copies, pool, observer);
        if (!copy.ok()) return copy.status();
        if (*copy) return *std::move(*copy);
    }
    auto reader = convert_to_unnamed(*std::move(source), name, options, pool, observer);
    if (!reader.ok()) return reader.status();
    auto provenance = provenance_of(*reader);
    return Target{*std::move(reader), false, true, provenance ? std::move(provenance->blast) : std::nullopt};
}

}  // namespace

std::filesystem::path copy_of_target(const std::filesystem::path& file) {
    return blast_database_of(file).value_or(file).string() + ".wsdb";
}

Result<Target> open_target(const std::filesystem::path& file, const TargetSettings& settings, const ThreadPool& pool,
                           Observer& observer) {
    const bool is_stream = file == "-";
    struct stat info {};
    const auto no_range = [&] {
        return Status::invalid_input(file.string() +
                                     ": is a database; ranges of sequences can only be searched in FASTA files");
    };
    if (!is_stream) {
        if (const auto name = blast_database_of(file); name && settings.range) return no_range();
        if (const auto name = blast_database_of(file))
            return open_blast_database(file, *name, settings, pool, observer);
        if (stat(file.c_str(), &info) != 0) {
            if (auto other = other_database(file)) return *std::move(other);
        }
    }
    if (!is_stream && S_ISDIR(info.st_mode))
        return Status::io(file.string() + ": is a folder, not a regular file; name a database or FASTA in it");
    // The stamps are taken before anything is read, so that a change meanwhile shows.
    const auto stamp = is_stream ? std::nullopt : FileStamp::of(file);
    const auto original = is_stream ? std::nullopt : original_of(file, pool.threads());
    const bool is_empty_text = settings.may_be_empty && stamp && stamp->size_bytes == 0;
    if (!is_stream && !is_empty_text && (info.st_mode == 0 || (stamp && is_for_reader(file, *stamp)))) {
        auto reader = WsdbReader::open(file);
        if (!reader.ok()) return reader.status();
        if (settings.range) return no_range();
        auto provenance = provenance_of(*reader);
        Target target{.reader = *std::move(reader)};
        if (provenance) {
            target.blast = std::move(provenance->blast);
            target.title = std::move(provenance->labels.title);
        }
        return target;
    }

    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const auto start = source->peek_block();
    if (!start.ok()) return start.status();
    const SequenceFileFormat format = recognised_format(file, *start, settings.format);
    const bool is_fasta = format.kind == SequenceFileKind::kFasta;
    // Other files that are not FASTA are reported by HMMER's dialects themselves.
    if (const auto why = why_not_fasta(*start, settings.reading.takes_bare_residues);
        is_fasta && why && (!is_hmmer(format.dialect) || begins_as_database(*start) || begins_with(*start, "HMMER")))
        return not_a_target(file, source->name(), *start, *why);
    ConvertOptions options = convert_options(source->name(), settings, pool, observer);
    std::vector<std::uint64_t> whole_residues;
    if (settings.range) {
        options.on_record = [&, name = source->name()](FastaRecord& record) -> Status {
            whole_residues.push_back(record.residues.size());
            return keep_range(name, *settings.range, record);
        };
    }
    if (is_fasta && original && is_read_as_by_dbconv(settings)) {
        const bool keep_copies = settings.keep_copies && !is_hmmer(format.dialect);
        auto copy = open_copy(*original, options, keep_copies, pool, observer);
        if (!copy.ok()) return copy.status();
        if (*copy && holds_what_is_read((*copy)->reader, format.dialect) && FileStamp::of(file) == stamp)
            return *std::move(*copy);
    }
    auto reader = is_fasta ? convert_to_unnamed(*std::move(source), file, options, pool, observer)
                           : convert_sequences(*std::move(source), file, format, options, pool, observer);
    if (!reader.ok()) return reader.status();
    if (stamp && FileStamp::of(file) != stamp) return Status::io(file.string() + ": " + kChangedWhileRead);
    return Target{.reader = *std::move(reader), .is_fasta = true, .whole_residues = std::move(whole_residues)};
}

namespace {

Result<std::vector<Target>> open_all(const std::filesystem::path& file, const TargetSettings& settings,
                                     const ThreadPool& pool, Observer& observer) {
    std::vector<Target> targets;
    if (!is_wsdb_set(file)) {
        auto target = open_target(file, settings, pool, observer);
        if (!target.ok() && settings.may_be_empty && target.status().message() == kNoSequenceToWrite) return targets;
        if (!target.ok()) return target.status();
        targets.push_back(*std::move(target));
        return targets;
    }
    if (settings.range) {
        return Status::invalid_input(
            file.string() + ": is a set of databases; ranges of sequences can only be searched in FASTA files");
    }
    auto set = WsdbSet::open(file);
    if (!set.ok()) return set.status();
    for (WsdbSet::Volume& volume : set->volumes()) {
        auto provenance = provenance_of(volume.reader);
        Target& target = targets.emplace_back(Target{
            .reader = std::move(volume.reader), .blast = provenance ? std::move(provenance->blast) : std::nullopt});
        target.title = set->manifest().labels.title;
        if (volume.removed) volume.removed->for_each([&](std::uint64_t rank) { target.removed_ranks.push_back(rank); });
    }
    return targets;
}

}  // namespace

Result<std::vector<Target>> open_targets(const std::filesystem::path& file, const TargetSettings& settings,
                                         const ThreadPool& pool, Observer& observer) {
    auto targets = open_all(file, settings, pool, observer);
    if (targets.ok() && settings.records) WARPSEQ_TRY(keep_records(*settings.records, *targets));
    return targets;
}

}  // namespace warpseq
