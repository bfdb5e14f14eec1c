#include "formats/wsdb/wsdb_set_update.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>

#include "formats/io/atomic_file.h"
#include "formats/io/byte_spans.h"
#include "formats/io/file_identity.h"
#include "formats/io/shown_text.h"
#include "formats/io/unfinished_names.h"
#include "formats/wsdb/name_candidates.h"
#include "formats/wsdb/wsdb_set.h"
#include "formats/wsdb/wsdb_set_folder.h"
#include "formats/wsdb/wsdb_set_lock.h"
#include "formats/wsdb/wsdb_set_mark.h"
#include "libcore/base/thread_pool.h"
#include "libcore/base/version.h"

namespace warpseq {

namespace {

/// The largest number of files that an update makes: a volume, and a list for each volume of the
/// set.
constexpr std::uint64_t kMostNewFiles = kMostSetVolumes + 1;

std::string time_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    std::array<char, 64> text{};
    if (gmtime_r(&now, &utc) == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        return "unknown";
    return text.data();
}

/// Returns the name of an input, or "?" if a manifest cannot have the name.
std::string input_name(const std::filesystem::path& input) {
    const std::string name = input.filename().string();
    return why_no_label(name, kLongestInputNameBytes) ? "?" : name;
}

/// A set that this process has locked to update it.
class OpenUpdate {
   public:
    /// Locks and reads a set. With `make`, a set that does not exist is made, without a volume.
    static Result<OpenUpdate> begin(const std::filesystem::path& set, bool make) {
        if (set.extension() != ".wsdbs") {
            return Status::usage(set.string() + ": is not the name of a set: names of sets end with .wsdbs");
        }
        const auto identity = identify_file(set);
        if (!identity.ok()) return Status::io(set.string() + ": " + identity.status().message());
        const bool is_there = identity->kind == FileIdentity::Kind::kRegular;
        if (!is_there && identity->kind != FileIdentity::Kind::kAbsent)
            return Status::io(set.string() + ": is not a regular file");
        if (!is_there && !make)
            return Status::io(set.string() + ": there is no such set; appending sequences to it makes it");
        std::error_code error;
        const bool is_link = std::filesystem::is_symlink(set, error);
        const std::filesystem::path file = is_there || is_link ? identity->resolved : set;
        // The files of a set are named after it, and the manifest names them.
        if (const std::string name = file.filename().string(); !is_set_file_name(name))
            return Status::usage(shown_text(name) +
                                 ": cannot be the name of a set: UTF-8 without control characters was expected");
        auto lock = SetLock::take(file, set.string());
        if (!lock.ok()) return lock.status();
        OpenUpdate update(file, *std::move(lock), set.string());
        const auto id = random_hex_text(kSetIdentityDigits), update_id = random_hex_text(kSetUpdateDigits);
        if (!id || !update_id) return Status::io(set.string() + ": cannot get random numbers for identifiers");
        update.id_ = *update_id;
        if (std::filesystem::exists(file, error)) {
            auto text = read_manifest_text(file);
            if (!text.ok()) return text.status();
            auto manifest = parse_set_manifest(*text, file.string());
            if (!manifest.ok()) return manifest.status();
            update.text_before_ = *std::move(text);
            update.manifest_ = *std::move(manifest);
        } else if (!make) {
            return Status::io(set.string() + ": there is no such set");
        }
        if (update.manifest_.identity.empty()) {
            // If an update of a manifest of version 1 was killed, it has chosen the identity.
            const auto& note = update.lock_.note_before();
            update.manifest_.identity = note && note->manifest == state_of_manifest(file) ? note->set : *id;
        }
        WARPSEQ_TRY(update.look_around());
        if (update.text_before_.empty()) WARPSEQ_TRY(update.make_set());
        return update;
    }

    const std::string& shown() const { return shown_; }
    WsdbSetManifest& manifest() { return manifest_; }
    std::filesystem::path folder() const { return file_.parent_path(); }
    /// Returns the files that were found beside the manifest.
    const SetFolderFiles& files() const { return files_; }

    /// Returns the mark for the next new file, and uses up its number.
    WsdbSetMark next_mark() { return {manifest_.identity, manifest_.next_number++, id_}; }
    std::string name_of(WsdbSetFileName::Kind kind, const WsdbSetMark& mark) const {
        return set_file_name(file_.stem().string(), kind, mark.number);
    }
    /// Adds a new file of the set, which is complete and synced. commit() gives it its name.
    void add_file(AtomicFile file, std::string name) { made_.push_back({std::move(file), std::move(name)}); }

    /// Writes the list of removed sequences of volume `v` to a new file.
    Status write_removed(std::size_t v, const WsdbReader& reader, const PositionSet& ranks) {
        WsdbSetVolume& volume = manifest_.volumes[v];
        std::vector<std::uint64_t> words = ranks.words();
        words.resize((volume.sequences + 63) / 64);
        const WsdbSetMark mark = next_mark();
        WsdbSetRemoved removed;
        removed.file = name_of(WsdbSetFileName::Kind::kRemoved, mark);
        removed.update = mark.update;
        removed.xxh3_64 = checksum_of_removed(words);
        removed.sequences = ranks.size();
        ranks.for_each([&](std::uint64_t rank) { removed.residues += reader.lengths_residues()[rank]; });
        auto file = AtomicFile::create(folder() / removed.file, false);
        if (!file.ok()) return without_advice(file.status());
        const std::string mark_bytes = set_mark_bytes(mark);
        WARPSEQ_TRY(file->append(text_bytes(mark_bytes)));
        WARPSEQ_TRY(
            file->append({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * sizeof(std::uint64_t)}));
        WARPSEQ_TRY(file->sync());
        add_file(*std::move(file), removed.file);
        if (volume.removed) manifest_.obsolete.push_back(obsolete_list(*volume.removed));
        volume.removed = std::move(removed);
        return {};
    }
    /// Takes volume `v` out of the set.
    void drop_volume(std::size_t v) {
        const WsdbSetVolume& volume = manifest_.volumes[v];
        manifest_.obsolete.push_back({volume.file, volume.update, volume.content_digest, ""});
        if (volume.removed) manifest_.obsolete.push_back(obsolete_list(*volume.removed));
        manifest_.volumes.erase(manifest_.volumes.begin() + static_cast<std::ptrdiff_t>(v));
    }

    /// Makes the set what the manifest says. `entry` says what was done; commit() fills in the
    /// members that it knows itself.
    Status commit(WsdbSetHistoryEntry entry) {
        entry.time = time_now();
        entry.update = id_;
        entry.program = program_version();
        entry.sequences = manifest_.sequence_count();
        entry.residues = manifest_.residue_count();
        manifest_.history.push_back(std::move(entry));
        std::string text = set_manifest_text(manifest_);
        while (manifest_.history.size() > kMostSetHistory ||
               (text.size() > kLongestManifestBytes && !manifest_.history.empty())) {
            const std::size_t forgotten = manifest_.history.size() / 8 + 1;
            manifest_.history.erase(manifest_.history.begin(),
                                    manifest_.history.begin() + static_cast<std::ptrdiff_t>(forgotten));
            manifest_.forgotten_updates += forgotten;
            text = set_manifest_text(manifest_);
        }
        auto file = AtomicFile::create(file_, true);
        if (!file.ok()) return file.status();
        WARPSEQ_TRY(file->append(text_bytes(text)));
        WARPSEQ_TRY(file->sync());
        const SignalsWait until_it_is_done;
        WARPSEQ_TRY(check_unchanged());
        const Status named = name_files();
        Status status = named;
        if (status.ok()) status = check_unchanged();
        if (status.ok()) status = file->commit();
        if (!status.ok()) {
            // New files must stay if a manifest may name them.
            const auto now = read_manifest_text(file_);
            if (!named.ok() || (now.ok() && *now == text_before_)) {
                remove_named_files();
            }
            lock_.clear_note();
            return status;
        }
        lock_.clear_note();
        empty_manifest_.release();
        made_.clear();
        text_before_ = std::move(text);
        if (!files_.has_unknown_of_set) remove_obsolete_files(file_, manifest_);
        return {};
    }

   private:
    struct MadeFile {
        AtomicFile file;
        std::string name;
        bool is_named = false;
    };

    OpenUpdate(std::filesystem::path file, SetLock lock, std::string shown)
        : file_(std::move(file)), lock_(std::move(lock)), shown_(std::move(shown)) {}

    static WsdbSetObsolete obsolete_list(const WsdbSetRemoved& removed) {
        return {removed.file, removed.update, "", removed.xxh3_64};
    }
    /// Takes the advice off the error for a file that exists already, because --force says nothing
    /// of a set.
    static Status without_advice(Status status) { return std::move(status).with(Advice::kNone); }

    /// Removes what killed updates have left, and finds numbers that no file has.
    Status look_around() {
        files_ = clean_set_folder(file_, manifest_, lock_.note_before());
        if (!files_.has_unknown_of_set) remove_obsolete_files(file_, manifest_);
        manifest_.next_number = std::max(manifest_.next_number, files_.highest_number + 1);
        if (manifest_.next_number > kMostSetNumber - kMostNewFiles)
            return Status::invalid_input(shown_ + ": the numbers of its files have reached " +
                                         std::to_string(manifest_.next_number - 1) + ", and the limit is " +
                                         std::to_string(kMostSetNumber) +
                                         "; convert the set to one database, and start another set with it");
        return {};
    }

    /// Makes a manifest without volumes. It is removed again unless commit() succeeds, because a
    /// set that was not filled is none.
    Status make_set() {
        auto file = AtomicFile::create(file_, false);
        if (!file.ok()) return without_advice(file.status());
        text_before_ = set_manifest_text(manifest_);
        WARPSEQ_TRY(file->append(text_bytes(text_before_)));
        const SignalsWait until_it_can_be_removed;
        if (const Status status = file->commit(); !status.ok()) return without_advice(status);
        auto made = UnfinishedName::of(lock_.folder(), file_.filename().string(), file->descriptor());
        if (!made.ok()) return made.status();
        empty_manifest_ = *std::move(made);
        return {};
    }

    Status check_unchanged() const {
        const auto now = read_manifest_text(file_);
        if (!now.ok()) return now.status();
        if (*now == text_before_) return {};
        return Status::io(shown_ + ": its manifest was replaced while it was updated; nothing was done");
    }

    /// Gives the new files their names, which no other file has. Meanwhile the lock has a note of
    /// it.
    Status name_files() {
        if (made_.empty()) return {};
        WARPSEQ_TRY(lock_.write_note({manifest_.identity, id_, state_of_manifest(file_)}));
        for (MadeFile& made : made_) {
            if (const Status status = made.file.commit(); !status.ok()) return without_advice(status);
            made.is_named = true;
        }
        return {};
    }
    void remove_named_files() {
        for (const MadeFile& made : made_) {
            if (!made.is_named) continue;
            auto name = UnfinishedName::of(lock_.folder(), made.name, made.file.descriptor());
            // The destructor of `name` removes the file, but not another one that has got its name.
        }
    }

    std::filesystem::path file_;
    SetLock lock_;
    std::string shown_;
    std::string id_;           // identity of the update, kSetUpdateDigits hexadecimal digits
    std::string text_before_;  // text of the manifest that is in its place
    WsdbSetManifest manifest_;
    SetFolderFiles files_;
    UnfinishedName empty_manifest_;
    std::vector<MadeFile> made_;
};

/// Removes the sequences in `ranks` from the volumes. `ranks` includes those that were removed
/// before. Returns how many are new.
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

/// Makes the file of the new volume. Sets `volume` to its entry in the manifest, and `reader` to a
/// reader of it.
Result<ConvertReport> make_volume(OpenUpdate& update, const ConvertOptions& options, Observer& observer,
                                  WsdbSetVolume& volume, std::optional<WsdbReader>& reader) {
    ConvertOptions chosen = options;
    const WsdbSetMark mark = update.next_mark();
    volume.file = update.name_of(WsdbSetFileName::Kind::kVolume, mark);
    volume.update = mark.update;
    std::optional<AtomicFile> file;
    chosen.output = update.folder() / volume.file;
    chosen.replace = false;
    chosen.set_mark = mark;
    chosen.uncommitted = &file;
    chosen.title = chosen.release = "";  // the set's labels are in the manifest
    auto report = convert_fasta(chosen, observer);
    if (!report.ok()) {
        Status status = report.status();
        return status.advice() == Advice::kReplace ? std::move(status).with(Advice::kNone) : status;
    }
    volume.content_digest = report->summary.content_digest;
    volume.sequences = report->summary.sequences;
    volume.residues = report->summary.residues;
    auto opened = WsdbReader::open_private(file->descriptor(), chosen.output);
    if (!opened.ok()) return opened.status();
    reader.emplace(*std::move(opened));
    update.add_file(*std::move(file), volume.file);
    return report;
}

/// Takes over the labels in `options`. Returns whether they differ from those before.
bool take_labels(const ConvertOptions& options, WsdbSetManifest& manifest) {
    const DatabaseLabels before = manifest.labels;
    if (options.title) manifest.labels.title = *options.title;
    if (options.release) manifest.labels.release = *options.release;
    return manifest.labels != before;
}

SetUpdateReport finish(OpenUpdate update, SetUpdateReport report) {
    report.manifest = update.manifest();
    report.unknown_files = update.files().unknown;
    report.manifest_may_be_old = update.files().has_unknown_of_set;
    return report;
}

}  // namespace

Result<SetUpdateReport> append_to_set(const std::filesystem::path& set, const ConvertOptions& options, bool replace,
                                      Observer& observer) {
    auto update = OpenUpdate::begin(set, true);
    if (!update.ok()) return update.status();
    if (update->manifest().volumes.size() == kMostSetVolumes)
        return Status::invalid_input(set.string() + ": has " + std::to_string(kMostSetVolumes) +
                                     " volumes, the most that a set can have; compact it");
    SetUpdateReport report;
    WsdbSetVolume volume;
    std::optional<WsdbReader> reader;
    auto made = make_volume(*update, options, observer, volume, reader);
    if (!made.ok()) return made.status();
    report.appended = *std::move(made);
    if (!update->manifest().volumes.empty()) {
        const auto volumes = open_set_volumes(update->manifest(), update->folder(), update->shown());
        if (!volumes.ok()) return volumes.status();
        report.knew_taxa =
            std::ranges::any_of(*volumes, [](const WsdbSet::Volume& each) { return each.reader.has_taxids(); });
        const ThreadPool pool = ThreadPool(options.threads).with_stop(options.stop);
        std::vector<PositionSet> ranks = removed_before(*volumes);
        auto shared =
            find_shared_identifiers(*reader, *volumes, pool, options.memory_bytes, replace ? &ranks : nullptr);
        if (!shared.ok()) return shared.status();
        if (replace) {
            const auto removed = remove_ranks(*update, *volumes, ranks);
            if (!removed.ok()) return removed.status();
            report.removed_sequences = *removed;
        } else {
            report.repeated = *std::move(shared);
        }
    }
    if (update->manifest().volumes.empty()) update->manifest().labels = labels_of(options.inputs);
    take_labels(options, update->manifest());
    update->manifest().volumes.push_back(std::move(volume));
    WsdbSetHistoryEntry entry{.what = replace ? "replace" : "append"};
    entry.appended = report.appended->summary.sequences;
    entry.removed = report.removed_sequences;
    entry.inputs = options.inputs.size();
    entry.first_input = input_name(options.inputs.front());
    WARPSEQ_TRY(update->commit(std::move(entry)));
    return finish(*std::move(update), std::move(report));
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
        const auto candidates = find_candidates(names.index_hashes(), volume.reader, *pool);
        if (!candidates.ok()) return candidates.status();
        std::vector<std::vector<std::uint64_t>> found(pool->threads());
        WARPSEQ_TRY(for_each_header(*candidates, volume.reader, *pool,
                                    [&](std::uint64_t rank, std::string_view header, unsigned thread) -> Status {
                                        if (volume.removed && volume.removed->has(rank)) return {};
                                        if (names.lists(header)) found[thread].push_back(rank);
                                        return {};
                                    }));
        for (const auto& some : found) {
            for (const std::uint64_t rank : some) ranks[v].insert(rank);
        }
    }
    pool.reset();  // commit() runs without other threads
    std::uint64_t left = 0;
    for (std::size_t v = 0; v < volumes->size(); ++v) left += (*volumes)[v].reader.sequence_count() - ranks[v].size();
    if (left == 0)
        return Status::invalid_input(set.string() + ": no sequence would be left; remove the files of the set instead");
    SetUpdateReport report;
    const auto removed = remove_ranks(*update, *volumes, ranks);
    if (!removed.ok()) return removed.status();
    report.removed_sequences = *removed;
    const bool is_renamed = take_labels(options, update->manifest());
    WsdbSetHistoryEntry entry{.what = *removed > 0 ? "remove" : "label"};
    entry.removed = *removed;
    if (is_renamed || *removed > 0) WARPSEQ_TRY(update->commit(std::move(entry)));
    return finish(*std::move(update), std::move(report));
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
        if (is_renamed) WARPSEQ_TRY(update->commit({.what = "label"}));
        return finish(*std::move(update), std::move(report));
    }
    ConvertOptions chosen = options;
    chosen.inputs = {set};
    WsdbSetVolume volume;
    std::optional<WsdbReader> reader;
    auto made = make_volume(*update, chosen, observer, volume, reader);
    if (!made.ok()) return made.status();
    report.appended = *std::move(made);
    while (!manifest.volumes.empty()) update->drop_volume(manifest.volumes.size() - 1);
    update->manifest().volumes.push_back(std::move(volume));
    WARPSEQ_TRY(update->commit({.what = "compact"}));
    return finish(*std::move(update), std::move(report));
}

}  // namespace warpseq
