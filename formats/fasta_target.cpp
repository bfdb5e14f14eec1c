#include "formats/fasta_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/blast_database.h"
#include "formats/byte_source.h"
#include "formats/convert_fasta.h"
#include "formats/fasta.h"
#include "formats/wsdb_layout.h"
#include "formats/wsdb_provenance.h"
#include "formats/wsdb_set.h"

namespace warpseq {

namespace {

/// What a conversion takes, whatever the size of its input; more goes to temporary files.
constexpr std::uint64_t kConversionMemory = std::uint64_t{1} << 30;

struct FileState {
    std::uint64_t size_bytes;
    timespec modified;
};

bool is_earlier(const timespec& a, const timespec& b) {
    return std::tie(a.tv_sec, a.tv_nsec) < std::tie(b.tv_sec, b.tv_nsec);
}

/// Of a regular file; nothing where it is none.
std::optional<FileState> state_of(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return FileState{static_cast<std::uint64_t>(info.st_size), info.st_mtim};
}

bool has_changed(const std::filesystem::path& file, const FileState& before) {
    const auto now = state_of(file);
    return !now || now->size_bytes != before.size_bytes || is_earlier(now->modified, before.modified) ||
           is_earlier(before.modified, now->modified);
}

bool begins_with(std::span<const std::uint8_t> bytes, std::string_view text) {
    return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

bool begins_as_database(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= wsdb::kMagic.size() && std::ranges::equal(bytes.first(wsdb::kMagic.size()), wsdb::kMagic);
}

/// Whether WsdbReader::open() is to open a regular file, or to say what is wrong with it: it begins as a database, or there
/// is nothing to tell by.
bool is_for_reader(const std::filesystem::path& file, const FileState& state) {
    return state.size_bytes == 0 || access(file.c_str(), R_OK) != 0 || begins_as_wsdb(file);
}

/// What other files of databases stand where no file has the name; nothing where there are none.
std::optional<Status> other_database(const std::filesystem::path& name) {
    std::error_code error;
    const auto has = [&](const char* ending) { return std::filesystem::exists(name.string() + ending, error); };
    if (has(".nin") || has(".nal") || has(".00.nin"))
        return Status::invalid_input(name.string() +
                                     ": is a BLAST database of nucleotides; proteins are searched here");
    if (has(".pin") && has(".wsdb"))
        return Status::invalid_input(name.string() + ": is a database in " + name.string() + ".wsdb; name that file");
    return {};
}

/// What is wrong with a file that exists and begins neither as a database nor as FASTA.
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
        return Status::invalid_input(file.string() + ": is a part of a BLAST database; name it as " + name.string());
    return Status::invalid_input(shown + ": is neither a database, which dbconv makes, nor FASTA: this file " + why);
}

/// Whether FASTA gives the same sequences and names as in the database that dbconv makes of it.
bool is_read_as_by_dbconv(const TargetSettings& settings) {
    const FastaOptions& reading = settings.reading;
    return !settings.range && !reading.leaves_out_others && !reading.takes_bare_residues && !reading.empty_header;
}

/// The copy of `file`, where there is one that may be read. `is_fasta`: `file` is FASTA, else a BLAST database.
std::optional<Target> open_copy(const std::filesystem::path& file, const FileState& original, bool is_fasta) {
    const std::filesystem::path copy = copy_of_target(file);
    const auto found = state_of(copy);
    if (!found || is_earlier(found->modified, original.modified)) return std::nullopt;
    auto reader = WsdbReader::open(copy);
    if (!reader.ok()) return std::nullopt;
    auto provenance = provenance_of(*reader);
    if (!provenance || provenance->sources.size() != 1 || provenance->sources[0].size_bytes != original.size_bytes ||
        provenance->blast.has_value() == is_fasta)
        return std::nullopt;
    return Target{*std::move(reader), is_fasta, !is_fasta, std::move(provenance->blast)};
}

/// Whether `copy` is there and was not converted from a BLAST database: its name is one that people give.
bool is_other_database(const std::filesystem::path& copy) {
    if (!state_of(copy)) return false;
    const auto reader = WsdbReader::open(copy);
    if (!reader.ok()) return true;
    const auto provenance = provenance_of(*reader);
    return !provenance || !provenance->blast;
}

/// Writes the copy of `file`. An error of the system may be one of writing or one of reading.
Status make_copy(const std::filesystem::path& file, const FileState& original, ConvertOptions options,
                 const ThreadPool& pool, Observer& observer) {
    options.inputs = {file};
    options.output = copy_of_target(file);
    struct stat info {};
    if (stat(options.output.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
        return Status::io(options.output.string() + ": is not a regular file");
    options.temporary_folder.clear();
    options.threads = pool.threads();
    options.replace = true;
    options.modification_time = original.modified;
    return convert_fasta(options, observer).status();
}

/// Cuts a sequence to what of `range` it reaches.
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

/// What a conversion is to do, and whom it tells.
ConvertOptions convert_options(const std::string& name, const TargetSettings& settings, const ThreadPool& pool,
                               Observer& observer) {
    ConvertOptions options;
    options.memory_bytes = std::max(kConversionMemory, WsdbWriter::min_memory_bytes(pool.threads()));
    options.temporary_folder = settings.temporary_folder;
    options.reading = settings.reading;
    options.on_nucleotides = [&observer, name](const std::string& found) -> Status {
        observer.note("warning: " + name + ": " + found + "; all are searched as proteins");
        return {};
    };
    return options;
}

Result<Target> open_blast_database(const std::filesystem::path& file, const std::filesystem::path& name,
                                   const TargetSettings& settings, const ThreadPool& pool, Observer& observer) {
    auto source = BlastDatabaseReader::open(name);
    if (!source.ok()) {
        return Status(source.status().code(), source.status().message() + "; NCBI's `blastdbcmd -db " + name.string() +
                                                  " -entry all -out " + name.string() +
                                                  ".fasta` writes as FASTA what BLAST can read of a database");
    }
    const FileState original{source->size_bytes(), source->modified()};
    if (auto copy = open_copy(file, original, false)) return *std::move(copy);
    const ConvertOptions options = convert_options(name.string(), settings, pool, observer);
    if (settings.keep_copies) {
        const Status made = is_other_database(copy_of_target(file))
                                ? Status::io(copy_of_target(file).string() + ": is another database")
                                : make_copy(file, original, options, pool, observer);
        if (made.ok()) {
            if (auto copy = open_copy(file, original, false)) return *std::move(copy);
        }
        if (!made.ok()) {
            // Reading it again says whether that was what failed.
            if (made.code() != StatusCode::kIo) return made;
            observer.note("no copy is kept: " + made.message());
        }
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
                                     ": is a database; a range of each sequence can only be searched of FASTA");
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
    const auto original = is_stream ? std::nullopt : state_of(file);
    if (!is_stream && (info.st_mode == 0 || (original && is_for_reader(file, *original)))) {
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
    if (const auto why = why_not_fasta(*start, settings.reading.takes_bare_residues))
        return not_a_target(file, source->name(), *start, *why);
    const bool may_be_copy = original && is_read_as_by_dbconv(settings);
    if (may_be_copy) {
        if (auto copy = open_copy(file, *original, true)) return *std::move(copy);
    }

    ConvertOptions options = convert_options(source->name(), settings, pool, observer);
    std::vector<std::uint64_t> whole_residues;
    if (settings.range) {
        options.on_record = [&, name = source->name()](FastaRecord& record) -> Status {
            whole_residues.push_back(record.residues.size());
            return keep_range(name, *settings.range, record);
        };
    }
    if (may_be_copy && settings.keep_copies) {
        const Status made = make_copy(file, *original, options, pool, observer);
        if (made.ok() && !has_changed(file, *original)) {
            if (auto copy = open_copy(file, *original, true)) return *std::move(copy);
        }
        if (!made.ok()) {
            // Reading it again says whether that was what failed.
            if (made.code() != StatusCode::kIo) return made;
            observer.note("no copy is kept: " + made.message());
        }
    }
    auto reader = convert_to_unnamed(*std::move(source), file, options, pool, observer);
    if (!reader.ok()) return reader.status();
    if (original && has_changed(file, *original)) {
        return Status::io(file.string() + ": was changed while it was read; when it is whole, do it again");
    }
    return Target{.reader = *std::move(reader), .is_fasta = true, .whole_residues = std::move(whole_residues)};
}

Result<std::vector<Target>> open_targets(const std::filesystem::path& file, const TargetSettings& settings,
                                         const ThreadPool& pool, Observer& observer) {
    std::vector<Target> targets;
    if (!is_wsdb_set(file)) {
        auto target = open_target(file, settings, pool, observer);
        if (!target.ok()) return target.status();
        targets.push_back(*std::move(target));
        return targets;
    }
    if (settings.range) {
        return Status::invalid_input(file.string() +
                                     ": is a set of databases; a range of each sequence can only be searched of FASTA");
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

}  // namespace warpseq
