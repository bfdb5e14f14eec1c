#include "formats/wsdb_set_update.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <functional>
#include <mutex>
#include <system_error>
#include <utility>

#include "formats/atomic_file.h"
#include "formats/byte_spans.h"
#include "formats/fasta.h"
#include "formats/file_identity.h"
#include "formats/name_candidates.h"
#include "formats/sequence_names.h"
#include "formats/shown_text.h"
#include "formats/unfinished_names.h"
#include "formats/wsdb_set.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

namespace {

constexpr std::uint64_t kNoNumber = 0;

/// While it lives, signals wait: those of the process, too, where there is no other thread.
class SignalsWait {
   public:
    SignalsWait() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

   private:
    sigset_t before_{};
};

/// Held by the one who updates a set: a locked file, which goes when the update ends.
class SetLock {
   public:
    static Result<SetLock> take(const std::filesystem::path& manifest, const std::string& shown) {
        const SignalsWait until_it_is_held;
        SetLock lock;
        const std::filesystem::path folder = manifest.parent_path().empty() ? "." : manifest.parent_path();
        const std::string file = manifest.string() + ".lock", name = manifest.filename().string() + ".lock";
        lock.folder_ = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        for (;;) {
            if (lock.folder_ >= 0)
                lock.descriptor_ = openat(lock.folder_, name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
            if (lock.descriptor_ < 0) return Status::io(file + ": cannot be opened: " + std::strerror(errno));
            if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
                if (errno != EWOULDBLOCK) return Status::io(file + ": cannot be locked: " + std::strerror(errno));
                return Status::io(shown + ": is being updated by another process; do it again when that has ended");
            }
            // Its last holder may have removed the file between the two calls.
            struct stat held {
            }, named{};
            if (fstat(lock.descriptor_, &held) == 0 && fstatat(lock.folder_, name.c_str(), &named, 0) == 0 &&
                held.st_ino == named.st_ino && held.st_dev == named.st_dev)
                break;
            close(std::exchange(lock.descriptor_, -1));
        }
        auto taken = UnfinishedName::of(lock.folder_, name);
        if (!taken.ok()) return taken.status();
        lock.name_ = *std::move(taken);
        return lock;
    }
    ~SetLock() {
        name_ = UnfinishedName();  // the file goes while it is locked
        if (descriptor_ >= 0) close(descriptor_);
        if (folder_ >= 0) close(folder_);
    }
    SetLock(SetLock&& other) noexcept
        : folder_(std::exchange(other.folder_, -1)),
          descriptor_(std::exchange(other.descriptor_, -1)),
          name_(std::move(other.name_)) {}
    SetLock& operator=(SetLock&&) = delete;

    /// Of the set; to name files in it, not to read it.
    int folder() const { return folder_; }

   private:
    SetLock() = default;
    int folder_ = -1;
    int descriptor_ = -1;
    UnfinishedName name_;
};

/// A set that this process may change.
class OpenUpdate {
   public:
    /// With `make` a set that is not there is made, without a volume.
    static Result<OpenUpdate> begin(const std::filesystem::path& set, bool make) {
        if (set.extension() != ".wsdbs") {
            return Status::usage(set.string() + ": is not the name of a set: that ends with .wsdbs");
        }
        const auto identity = identify_file(set);
        if (!identity.ok()) return Status::io(set.string() + ": " + identity.status().message());
        const bool is_there = identity->kind == FileIdentity::Kind::kRegular;
        if (!is_there && identity->kind != FileIdentity::Kind::kAbsent)
            return Status::io(set.string() + ": is not a regular file");
        if (!is_there && !make)
            return Status::io(set.string() + ": there is no such set; one is made by appending sequences to it");
        std::error_code error;
        const bool is_link = std::filesystem::is_symlink(set, error);
        const std::filesystem::path file = is_there || is_link ? identity->resolved : set;
        // Its files are called after it, and the manifest names them.
        if (const std::string name = file.filename().string(); !is_set_file_name(name))
            return Status::usage(shown_text(name) +
                                 ": cannot be the name of a set: UTF-8 without control characters was expected");
        auto lock = SetLock::take(file, set.string());
        if (!lock.ok()) return lock.status();
        OpenUpdate update(file, *std::move(lock), set.string());
        if (std::filesystem::exists(file, error)) {
            auto manifest = read_set_manifest(file);
            if (!manifest.ok()) return manifest.status();
            update.manifest_ = *std::move(manifest);
            update.remove_leftovers();
            if (make && update.manifest_.volumes.empty()) WARPSEQ_TRY(update.begin_manifest());
        } else {
            if (!make) return Status::io(set.string() + ": there is no such set");
            for (const std::string& name :
                 update.names_that([&](auto each) { return update.number_of(each) != kNoNumber; }))
                update.manifest_.next_number = std::max(update.manifest_.next_number, update.number_of(name) + 1);
            update.remove_leftovers();
            WARPSEQ_TRY(update.begin_manifest());
            WARPSEQ_TRY(update.write_manifest());
        }
        return update;
    }

    const std::string& shown() const { return shown_; }
    WsdbSetManifest& manifest() { return manifest_; }
    std::filesystem::path folder() const { return file_.parent_path(); }
    /// The name of a volume that is made next. Its file goes unless commit() succeeds.
    Result<std::string> begin_volume() { return begin_file(".volume-", ".wsdb"); }

    /// A list of removed sequences of volume `v`, under a name of its own.
    Status write_removed(std::size_t v, const WsdbReader& reader, const PositionSet& ranks) {
        WsdbSetVolume& volume = manifest_.volumes[v];
        std::vector<std::uint64_t> words = ranks.words();
        words.resize((volume.sequences + 63) / 64);
        auto name = begin_file(".removed-", "");
        if (!name.ok()) return name.status();
        WsdbSetRemoved removed;
        removed.file = *std::move(name);
        removed.xxh3_64 = checksum_of_removed(words);
        removed.sequences = ranks.size();
        ranks.for_each([&](std::uint64_t rank) { removed.residues += reader.lengths_residues()[rank]; });
        auto file = AtomicFile::create(folder() / removed.file, true);
        if (!file.ok()) return file.status();
        WARPSEQ_TRY(
            file->append({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * sizeof(std::uint64_t)}));
        WARPSEQ_TRY(file->commit());
        if (volume.removed) manifest_.obsolete.push_back(volume.removed->file);
        volume.removed = std::move(removed);
        return {};
    }
    /// Volume `v` is no longer part of the set.
    void drop_volume(std::size_t v) {
        const WsdbSetVolume& volume = manifest_.volumes[v];
        manifest_.obsolete.push_back(volume.file);
        if (volume.removed) manifest_.obsolete.push_back(volume.removed->file);
        manifest_.volumes.erase(manifest_.volumes.begin() + static_cast<std::ptrdiff_t>(v));
    }

    /// From here on the set is what the manifest says.
    Status commit() {
        const SignalsWait until_it_is_done;
        // Where another thread gets a signal nevertheless: what the manifest names must stay, and what it does not name is removed by the
        // next update.
        for (UnfinishedName& name : unfinished_) name.hide_from_handler();
        WARPSEQ_TRY(write_manifest());
        for (UnfinishedName& name : unfinished_) name.release();
        unfinished_.clear();
        remove_obsolete();
        return {};
    }

   private:
    OpenUpdate(std::filesystem::path file, SetLock lock, std::string shown)
        : file_(std::move(file)), lock_(std::move(lock)), shown_(std::move(shown)) {}

    /// A manifest without volumes goes unless commit() succeeds: a set that was not filled is none.
    Status begin_manifest() { return begin_name(file_.filename().string()); }
    Result<std::string> begin_file(const std::string& kind, const std::string& ending) {
        std::string name = file_.stem().string() + kind + std::to_string(manifest_.next_number++) + ending;
        WARPSEQ_TRY(begin_name(name));
        return name;
    }
    Status begin_name(const std::string& name) {
        auto unfinished = UnfinishedName::of(lock_.folder(), name);
        if (!unfinished.ok()) return unfinished.status();
        unfinished_.push_back(*std::move(unfinished));
        return {};
    }

    Status write_manifest() const {
        auto file = AtomicFile::create(file_, true);
        if (!file.ok()) return file.status();
        const std::string text = set_manifest_text(manifest_);
        WARPSEQ_TRY(file->append(text_bytes(text)));
        return file->commit();
    }

    /// The number in the name of a file of this set; kNoNumber: it is none.
    std::uint64_t number_of(std::string_view name) const {
        const std::string stem = file_.stem().string();
        for (const std::string_view kind : {".volume-", ".removed-"}) {
            if (!name.starts_with(stem + std::string(kind))) continue;
            const char* const begin = name.data() + stem.size() + kind.size();
            std::uint64_t number = 0;
            const auto [end, error] = std::from_chars(begin, name.data() + name.size(), number);
            const std::string_view ending = kind == ".volume-" ? ".wsdb" : "";
            if (error == std::errc() &&
                std::string_view(end, static_cast<std::size_t>(name.data() + name.size() - end)) == ending)
                return number;
        }
        return kNoNumber;
    }
    /// Whether a killed update has left a file of that name: one of this set that its manifest does not know yet, or one that was about
    /// to become that, or the manifest (".NAME.part-" and 16 hexadecimal digits).
    bool is_left_over(std::string_view name) const {
        constexpr std::string_view kMark = ".part-";
        constexpr std::size_t kDigits = 16;
        if (name.starts_with('.') && name.size() > 1 + kMark.size() + kDigits) {
            const std::string_view named = name.substr(1, name.size() - 1 - kMark.size() - kDigits);
            const std::string_view added = name.substr(1 + named.size());
            if (added.starts_with(kMark) &&
                added.find_first_not_of("0123456789abcdef", kMark.size()) == std::string_view::npos)
                return named == file_.filename().string() || number_of(named) >= manifest_.next_number;
        }
        return number_of(name) >= manifest_.next_number;
    }
    /// The names in the folder of the set for which `is_wanted` holds.
    std::vector<std::string> names_that(const std::function<bool(std::string_view name)>& is_wanted) const {
        std::vector<std::string> names;
        std::error_code error;
        const std::filesystem::path in = folder().empty() ? "." : folder();
        for (std::filesystem::directory_iterator each(in, error), end; !error && each != end; each.increment(error)) {
            std::string name = each->path().filename().string();
            if (is_wanted(name)) names.push_back(std::move(name));
        }
        return names;
    }
    /// What killed updates have left: nobody else is at work.
    void remove_leftovers() {
        std::error_code error;
        for (const std::string& name : names_that([&](std::string_view each) { return is_left_over(each); }))
            std::filesystem::remove(folder() / name, error);
        remove_obsolete();
    }
    /// Whoever has them open goes on. The names stay in the manifest until the next update, which tries again. What is called after
    /// another set stays: the manifest is a copy of that one's.
    void remove_obsolete() {
        std::erase_if(manifest_.obsolete, [&](const std::string& name) {
            std::error_code error;
            if (number_of(name) != kNoNumber) std::filesystem::remove(folder() / name, error);
            return !error;
        });
    }

    std::filesystem::path file_;
    SetLock lock_;
    std::string shown_;
    WsdbSetManifest manifest_;
    std::vector<UnfinishedName> unfinished_;  // what commit() makes part of the set
};

/// Removes sequences from volumes whose members were removed already, as far as `ranks` has more; returns how many are new.
Result<std::uint64_t> remove_ranks(OpenUpdate& update, const std::vector<WsdbSet::Volume>& volumes,
                                   const std::vector<PositionSet>& ranks) {
    std::uint64_t removed = 0;
    for (std::size_t v = volumes.size(); v-- > 0;) {
        const std::uint64_t before = volumes[v].removed ? volumes[v].removed->size() : 0, now = ranks[v].size();
        removed += now - before;
        if (now == volumes[v].reader.sequence_count()) {
            update.drop_volume(v);
        } else if (now > before) {
            WARPSEQ_TRY(update.write_removed(v, volumes[v].reader, ranks[v]));
        }
    }
    return removed;
}

std::vector<PositionSet> removed_before(const std::vector<WsdbSet::Volume>& volumes) {
    std::vector<PositionSet> ranks;
    for (const WsdbSet::Volume& volume : volumes) ranks.push_back(volume.removed ? *volume.removed : PositionSet());
    return ranks;
}

/// Adds to `ranks` what may have one of these names and has: `has_name` is called with its rank, its header and the name's place. By
/// several threads at once.
template <typename HasName>
Status find_named(std::span<const std::string_view> names, const WsdbReader& reader, const ThreadPool& pool,
                  const HasName& has_name, PositionSet& ranks) {
    constexpr std::size_t kPiece = 1024;
    const auto candidates = find_name_candidates(names, reader, pool);
    if (!candidates.ok()) return candidates.status();
    std::vector<HeaderBuffer> buffers(pool.threads());
    std::mutex mutex;
    return pool.parallel_for(
        (candidates->size() + kPiece - 1) / kPiece, [&](std::uint64_t piece, unsigned thread) -> Status {
            std::vector<std::uint64_t> found;
            const std::size_t end = std::min(candidates->size(), static_cast<std::size_t>(piece + 1) * kPiece);
            for (std::size_t c = piece * kPiece; c < end; ++c) {
                const NameCandidate& candidate = (*candidates)[c];
                const auto header = reader.header(candidate.rank, buffers[thread]);
                if (!header.ok()) return header.status();
                if (has_name(candidate.rank, *header, candidate.name)) found.push_back(candidate.rank);
            }
            const std::lock_guard lock(mutex);
            for (const std::uint64_t rank : found) ranks.insert(rank);
            return {};
        });
}

/// Adds to `ranks` what has one of the identifiers of `reader`, first of all in its header. A name that was made up for a record without one
/// says nothing of others.
Status find_replaced(const WsdbReader& reader, const std::vector<WsdbSet::Volume>& volumes, const ThreadPool& pool,
                     std::vector<PositionSet>& ranks) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // of identifiers at a time
    HeaderBuffer buffer;
    for (std::uint64_t rank = 0; rank < reader.sequence_count();) {
        std::vector<std::string> identifiers;
        for (std::uint64_t bytes = 0; rank < reader.sequence_count() && bytes < kMostBytes; ++rank) {
            const auto header = reader.header(rank, buffer);
            if (!header.ok()) return header.status();
            if (is_made_up_name(identifier_of(*header))) continue;
            identifiers.emplace_back(identifier_of(*header));
            bytes += identifiers.back().size() + sizeof(std::string);
        }
        const std::vector<std::string_view> names(identifiers.begin(), identifiers.end());
        for (std::size_t v = 0; v < volumes.size(); ++v)
            WARPSEQ_TRY(find_named(
                names, volumes[v].reader, pool,
                [&](std::uint64_t, std::string_view header, std::size_t name) {
                    return identifier_of(header) == names[name];
                },
                ranks[v]));
    }
    return {};
}

/// The file of the new volume, as the manifest has it.
Result<ConvertReport> make_volume(OpenUpdate& update, const ConvertOptions& options, Observer& observer,
                                  WsdbSetVolume& volume) {
    ConvertOptions chosen = options;
    auto name = update.begin_volume();
    if (!name.ok()) return name.status();
    volume.file = *std::move(name);
    chosen.output = update.folder() / volume.file;
    chosen.replace = true;               // nobody else's
    chosen.title = chosen.release = "";  // the set's are in the manifest
    auto report = convert_fasta(chosen, observer);
    if (!report.ok()) return report.status();
    volume.content_digest = report->summary.content_digest;
    volume.sequences = report->summary.sequences;
    volume.residues = report->summary.residues;
    return report;
}

/// What the set is to be called from now on; false: as before.
bool take_labels(const ConvertOptions& options, WsdbSetManifest& manifest) {
    const DatabaseLabels before = manifest.labels;
    if (options.title) manifest.labels.title = *options.title;
    if (options.release) manifest.labels.release = *options.release;
    return manifest.labels != before;
}

}  // namespace

Result<SetUpdateReport> append_to_set(const std::filesystem::path& set, const ConvertOptions& options, bool replace,
                                      Observer& observer) {
    auto update = OpenUpdate::begin(set, true);
    if (!update.ok()) return update.status();
    if (update->manifest().volumes.size() == kMostSetVolumes)
        return Status::invalid_input(set.string() + ": has " + std::to_string(kMostSetVolumes) +
                                     " volumes, and there can be no more; compact it");
    SetUpdateReport report;
    WsdbSetVolume volume;
    auto made = make_volume(*update, options, observer, volume);
    if (!made.ok()) return made.status();
    report.appended = *std::move(made);
    if (replace && !update->manifest().volumes.empty()) {
        const auto volumes = open_set_volumes(update->manifest(), update->folder(), update->shown());
        if (!volumes.ok()) return volumes.status();
        const auto reader = WsdbReader::open(update->folder() / volume.file);
        if (!reader.ok()) return reader.status();
        const ThreadPool pool(options.threads);
        std::vector<PositionSet> ranks = removed_before(*volumes);
        WARPSEQ_TRY(find_replaced(*reader, *volumes, pool, ranks));
        const auto removed = remove_ranks(*update, *volumes, ranks);
        if (!removed.ok()) return removed.status();
        report.removed_sequences = *removed;
    }
    if (update->manifest().volumes.empty()) update->manifest().labels = labels_of(options.inputs);
    take_labels(options, update->manifest());
    update->manifest().volumes.push_back(std::move(volume));
    WARPSEQ_TRY(update->commit());
    report.manifest = update->manifest();
    return report;
}

Result<SetUpdateReport> remove_from_set(const std::filesystem::path& set, const RecordSelection& names,
                                        const ConvertOptions& options) {
    auto update = OpenUpdate::begin(set, false);
    if (!update.ok()) return update.status();
    const auto volumes = open_set_volumes(update->manifest(), update->folder(), update->shown());
    if (!volumes.ok()) return volumes.status();
    std::vector<PositionSet> ranks = removed_before(*volumes);
    std::optional<ThreadPool> pool(options.threads);
    for (std::size_t v = 0; v < volumes->size(); ++v) {
        const WsdbSet::Volume& volume = (*volumes)[v];
        const auto has_name = [&](std::uint64_t rank, std::string_view header, std::size_t name) {
            if (volume.removed && volume.removed->has(rank)) return false;
            if (match_name(header, names.names()[name]) == NameMatch::kNone) return false;
            names.note_found(name);
            return true;
        };
        WARPSEQ_TRY(find_named(names.names(), volume.reader, *pool, has_name, ranks[v]));
    }
    pool.reset();  // commit() is to be alone
    std::uint64_t left = 0;
    for (std::size_t v = 0; v < volumes->size(); ++v) left += (*volumes)[v].reader.sequence_count() - ranks[v].size();
    if (left == 0)
        return Status::invalid_input(set.string() + ": no sequence would be left; remove the files of the set instead");
    SetUpdateReport report;
    const auto removed = remove_ranks(*update, *volumes, ranks);
    if (!removed.ok()) return removed.status();
    report.removed_sequences = *removed;
    if (take_labels(options, update->manifest()) || *removed > 0) WARPSEQ_TRY(update->commit());
    report.manifest = update->manifest();
    return report;
}

Result<SetUpdateReport> compact_set(const std::filesystem::path& set, const ConvertOptions& options, bool change_codec,
                                    Observer& observer) {
    auto update = OpenUpdate::begin(set, false);
    if (!update.ok()) return update.status();
    SetUpdateReport report;
    const WsdbSetManifest& manifest = update->manifest();
    const bool is_renamed = take_labels(options, update->manifest());
    bool is_compact = manifest.volumes.size() == 1 && !manifest.volumes.front().removed &&
                      options.taxid_lists.empty() && options.taxonomy_folder.empty();
    if (is_compact && change_codec) {
        const auto reader = WsdbReader::open(update->folder() / manifest.volumes.front().file);
        if (!reader.ok()) return reader.status();
        is_compact = reader->codec() == options.codec;
    }
    if (is_compact) {
        if (is_renamed) WARPSEQ_TRY(update->commit());
        report.manifest = manifest;
        return report;
    }
    ConvertOptions chosen = options;
    chosen.inputs = {set};
    WsdbSetVolume volume;
    auto made = make_volume(*update, chosen, observer, volume);
    if (!made.ok()) return made.status();
    report.appended = *std::move(made);
    while (!manifest.volumes.empty()) update->drop_volume(manifest.volumes.size() - 1);
    update->manifest().volumes.push_back(std::move(volume));
    WARPSEQ_TRY(update->commit());
    report.manifest = update->manifest();
    return report;
}

}  // namespace warpseq
