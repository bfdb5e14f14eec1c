#include "formats/profiles/pressed_profiles.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "formats/io/atomic_file.h"
#include "formats/io/checksum.h"
#include "formats/io/temporary_file.h"
#include "formats/io/xxh3_state.h"
#include "formats/profiles/hmm_binary.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/pressed_forms.h"
#include "formats/profiles/ssi_index.h"
#include "formats/profiles/striped_profiles.h"
#include "libcore/base/stop_scope.h"

namespace warpseq {
namespace {

constexpr std::string_view kMark = "WSPRESS\3";
constexpr std::string_view kMarkOfAnyVersion = kMark.substr(0, 7);

/// The state of a file from which pressed files were made.
struct SourceState {
    std::uint64_t bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  // time of the last change
    std::uint64_t checksum = 0;
    // The inode's time of last change, its device and its number. Every change of the file changes
    // one of them.
    std::int64_t inode_seconds = 0, inode_nanoseconds = 0;
    std::uint64_t device = 0, inode = 0;
};
struct Header {
    std::array<char, 8> mark{};
    SourceState source, models;
    std::uint64_t later_begin = 0, index_begin = 0, profiles = 0;
};
struct Record {
    std::uint64_t offset = 0, bytes = 0, checksum = 0, first_checksum = 0, later_checksum = 0;
    std::uint32_t nodes = 0, name_bytes = 0, accession_bytes = 0, has_forms = 0;
};
static_assert(sizeof(Header) == 160 && sizeof(Record) == 56);

constexpr std::uint64_t kFormsBegin = 4096;

std::string page_of(const Header& header) {
    std::string page(reinterpret_cast<const char*>(&header), sizeof header);
    page.resize(kFormsBegin, '\0');
    return page;
}

/// Returns the state of `file` without the checksum. Returns nothing if it is not a regular file.
std::optional<SourceState> state_of(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    SourceState state;
    state.bytes = static_cast<std::uint64_t>(info.st_size);
    state.seconds = info.st_mtim.tv_sec;
    state.nanoseconds = info.st_mtim.tv_nsec;
    state.inode_seconds = info.st_ctim.tv_sec;
    state.inode_nanoseconds = info.st_ctim.tv_nsec;
    state.device = info.st_dev;
    state.inode = info.st_ino;
    return state;
}

bool has_size_and_time_of(const SourceState& a, const SourceState& b) {
    return std::tie(a.bytes, a.seconds, a.nanoseconds) == std::tie(b.bytes, b.seconds, b.nanoseconds);
}

bool has_inode_of(const SourceState& a, const SourceState& b) {
    return std::tie(a.inode_seconds, a.inode_nanoseconds, a.device, a.inode) ==
           std::tie(b.inode_seconds, b.inode_nanoseconds, b.device, b.inode);
}

/// Opens a file, or has a negative number. A FIFO, which cannot be read at an offset, is opened
/// without waiting for its writer. A regular file is not opened in this way, because that fails
/// while another process has a lease on it.
std::shared_ptr<const int> open_for_reading(const std::filesystem::path& file) {
    struct stat info {};
    const bool is_regular = stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    return {new int(::open(file.c_str(), O_RDONLY | O_CLOEXEC | (is_regular ? 0 : O_NONBLOCK))), [](const int* each) {
                if (*each >= 0) ::close(*each);
                delete each;
            }};
}

/// Reads until `bytes` is full, the file ends or a read fails. Returns the number of bytes read.
std::size_t read_at(int descriptor, std::uint64_t offset, std::span<std::uint8_t> bytes) {
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t more =
            ::pread(descriptor, bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        got += static_cast<std::size_t>(more);
    }
    return got;
}

/// Computes the checksum of a file of `bytes` bytes. It reads the file and does not map it, because
/// the pages of a map would count as memory of the process.
Result<std::uint64_t> checksum_of_file(const std::filesystem::path& file, std::uint64_t bytes) {
    const std::shared_ptr<const int> descriptor = open_for_reading(file);
    const Xxh3State hash = make_xxh3_state();
    XXH3_64bits_reset(hash.get());
    std::vector<std::uint8_t> piece(std::size_t{1} << 20);
    for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
        WARPSEQ_TRY(StopScope::check());
        piece.resize(std::min<std::uint64_t>(piece.size(), bytes - at));
        if (read_at(*descriptor, at, piece) < piece.size()) return Status::io(file.string() + ": cannot be read");
        XXH3_64bits_update(hash.get(), piece.data(), piece.size());
    }
    return XXH3_64bits_digest(hash.get());
}

/// Whether `file` exists and still has the state that was noted.
Result<bool> is_still(const SourceState& noted, const std::filesystem::path& file) {
    const auto now = state_of(file);
    if (!now || !has_size_and_time_of(*now, noted)) return false;
    if (has_inode_of(*now, noted)) return true;
    const auto checksum = checksum_of_file(file, noted.bytes);
    if (!checksum.ok()) return checksum.status();
    return *checksum == noted.checksum;
}

bool is_there(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::exists(file, error);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Returns the checksum of the two parts of P.wspressed that hold no forms.
std::uint64_t checksum_of_index(std::span<const std::uint8_t> first_page, std::span<const std::uint8_t> index) {
    const Xxh3State hash = make_xxh3_state();
    XXH3_64bits_reset(hash.get());
    for (const auto& part : {first_page, index}) XXH3_64bits_update(hash.get(), part.data(), part.size());
    return XXH3_64bits_digest(hash.get());
}

/// Returns the first text, in the order of bytes, that is there twice. Empty if there is none.
std::string first_twice(std::vector<std::string> texts) {
    std::ranges::sort(texts);
    const auto twice = std::ranges::adjacent_find(texts);
    return twice == texts.end() ? std::string() : *twice;
}

}  // namespace

PressedFiles::PressedFiles(const std::filesystem::path& file)
    : models(file.string() + ".h3m"),
      index(file.string() + ".h3i"),
      filters(file.string() + ".h3f"),
      profiles(file.string() + ".h3p"),
      own(file.string() + ".wspressed") {}

std::vector<std::filesystem::path> files_beside_profiles(const std::filesystem::path& file) {
    const PressedFiles files(file);
    std::vector<std::filesystem::path> beside = {files.models,   files.index, files.filters,
                                                 files.profiles, files.own,   file.string() + ".ssi"};
    std::erase_if(beside, [](const std::filesystem::path& each) { return !is_there(each); });
    return beside;
}

std::filesystem::path profile_file_of(const std::filesystem::path& file) {
    const std::filesystem::path models = PressedFiles(file).models;
    return file != "-" && !is_there(file) && is_there(models) ? models : file;
}

Result<std::optional<PressedProfiles>> PressedProfiles::open(const std::filesystem::path& file) {
    const PressedFiles files(file);
    const auto nothing = [] { return std::optional<PressedProfiles>(); };
    if (file == "-" || !is_there(files.own)) return nothing();
    const auto models_now = state_of(files.models);
    if (!models_now) return nothing();
    auto map = MappedFile::open(files.own);
    if (!map.ok()) return map.status();
    const std::span<const std::uint8_t> bytes = map->bytes();
    Header header;
    if (bytes.size() < kFormsBegin || std::memcmp(bytes.data(), kMark.data(), kMark.size()) != 0) return nothing();
    std::memcpy(&header, bytes.data(), sizeof header);
    if (models_now->bytes != header.models.bytes) return nothing();
    const auto may_be_used = is_there(file) ? is_still(header.source, file) : is_still(header.models, files.models);
    if (!may_be_used.ok()) return may_be_used.status();
    if (!*may_be_used) return nothing();
    PressedProfiles pressed;
    pressed.map_ = std::make_shared<const MappedFile>(*std::move(map));
    pressed.files_ = files;
    pressed.models_ = open_for_reading(files.models);
    if (*pressed.models_ < 0) return Status::io(files.models.string() + ": cannot be read");
    pressed.models_bytes_ = header.models.bytes;
    WARPSEQ_TRY(pressed.read_index());
    return std::optional(std::move(pressed));
}

Status PressedProfiles::read_index() {
    const auto damaged = [&] {
        return Status::invalid_input(files_.own.string() + ": is damaged; press the profiles again (hmmpress -f)");
    };
    const std::span<const std::uint8_t> bytes = map_->bytes();
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::uint64_t checksum = 0;
    if (header.later_begin < kFormsBegin || header.index_begin < header.later_begin ||
        header.index_begin > bytes.size() || bytes.size() - header.index_begin < sizeof checksum)
        return damaged();
    const std::span<const std::uint8_t> content = bytes.first(bytes.size() - sizeof checksum);
    const std::span<const std::uint8_t> index = content.subspan(header.index_begin);
    std::memcpy(&checksum, content.data() + content.size(), sizeof checksum);
    if (checksum != checksum_of_index(bytes.first(kFormsBegin), index)) return damaged();
    if (header.profiles > index.size() / sizeof(Record)) return damaged();
    std::uint64_t at = header.index_begin + header.profiles * sizeof(Record), offset = 0;
    std::uint64_t first_at = kFormsBegin, later_at = header.later_begin;
    entries_.reserve(header.profiles);
    for (std::uint64_t p = 0; p < header.profiles; ++p) {
        Record record;
        std::memcpy(&record, index.data() + p * sizeof record, sizeof record);
        const std::uint64_t names = std::uint64_t{record.name_bytes} + record.accession_bytes;
        if (record.offset != offset || record.bytes > models_bytes_ - offset || names > content.size() - at ||
            record.nodes < 1 || record.nodes > static_cast<std::uint32_t>(kLongestProfileNodes) || record.has_forms > 1)
            return damaged();
        entries_.push_back({.offset = record.offset,
                            .bytes = record.bytes,
                            .checksum = record.checksum,
                            .first_at = first_at,
                            .first_checksum = record.first_checksum,
                            .later_at = later_at,
                            .later_checksum = record.later_checksum,
                            .nodes = record.nodes,
                            .name_bytes = record.name_bytes,
                            .accession_bytes = record.accession_bytes,
                            .has_forms = record.has_forms == 1,
                            .name_at = at});
        if (record.has_forms == 1) {
            first_at += first_form_bytes(record.nodes);
            later_at += later_form_bytes(record.nodes);
        }
        offset += record.bytes;
        at += names;
    }
    if (offset != models_bytes_ || at != content.size() || first_at != header.later_begin ||
        later_at != header.index_begin)
        return damaged();
    later_begin_ = header.later_begin;
    later_end_ = header.index_begin;
    return {};
}

Status PressedProfiles::damaged(std::size_t profile, const std::filesystem::path& file) const {
    return Status::invalid_input(
        file.string() + ": profile " + std::to_string(profile + 1) + " (" + std::string(name(profile)) +
        ") is damaged, or does not belong to the other pressed files; press the profiles again "
        "(hmmpress -f)");
}

Status PressedProfiles::read(std::size_t profile, ProfileHmm& hmm) const {
    const Entry& entry = entries_[profile];
    std::vector<std::uint8_t> bytes(entry.bytes);
    const std::string shown = files_.models.string();
    if (read_at(*models_, entry.offset, bytes) < bytes.size() ||
        checksum_of(bytes.data(), bytes.size()) != entry.checksum)
        return damaged(profile, files_.models);
    BinaryHmmReader reader(bytes, shown);
    const auto read = reader.next(hmm);
    if (!read.ok()) return read.status();
    if (!*read || !reader.at_end() || hmm.length != nodes(profile) || hmm.name != name(profile))
        return damaged(profile, files_.models);
    return {};
}

Result<FirstForm> PressedProfiles::first_form(std::size_t profile) const {
    const Entry& entry = entries_[profile];
    const auto bytes = map_->bytes().subspan(entry.first_at, first_form_bytes(entry.nodes));
    if (checksum_of(bytes.data(), bytes.size()) != entry.first_checksum) return damaged(profile, files_.own);
    auto form = read_first_form(bytes, entry.nodes, map_);
    if (!form) return damaged(profile, files_.own);
    form->head.name = name(profile);
    form->head.accession = accession(profile);
    return *std::move(form);
}

Result<Plan7Profile> PressedProfiles::later_form(std::size_t profile) const {
    const Entry& entry = entries_[profile];
    const auto bytes = map_->bytes().subspan(entry.later_at, later_form_bytes(entry.nodes));
    if (checksum_of(bytes.data(), bytes.size()) != entry.later_checksum) return damaged(profile, files_.own);
    auto form = read_later_form(bytes, entry.nodes);
    if (!form) return damaged(profile, files_.own);
    return *std::move(form);
}

void PressedProfiles::release_forms(std::size_t first, std::size_t count) const {
    if (first >= entries_.size() || count == 0) return;
    const std::size_t end = std::min(entries_.size(), first + count);
    const auto release = [&](std::uint64_t from, std::uint64_t to) {
        const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        from = from / page_bytes * page_bytes;
        madvise(const_cast<std::uint8_t*>(map_->bytes().data()) + from, to - from, MADV_DONTNEED);
    };
    const bool to_end = end == entries_.size();
    release(entries_[first].first_at, to_end ? later_begin_ : entries_[end].first_at);
    release(entries_[first].later_at, to_end ? later_end_ : entries_[end].later_at);
}

Status PressedProfiles::check_forms() const {
    if (!map_->lost()) return {};
    return Status::io(files_.own.string() + ": could not be read to its end; it was truncated, or the disk failed");
}

struct ProfilePresser::State {
    std::filesystem::path file;
    PressedFiles files;
    SourceState source;
    AtomicFile models, index, filters, profiles;
    std::optional<AtomicFile> own;  // nothing if P.wspressed is not made
    TemporaryFile later_forms;
    std::uint64_t first_bytes = kFormsBegin;
    std::string buffer = {}, filter_buffer = {}, profile_buffer = {}, first_buffer = {}, later_buffer = {};
    std::vector<Record> records = {};
    std::vector<std::string> names = {}, accessions = {};

    Status finish_own();
};

ProfilePresser::ProfilePresser(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProfilePresser::~ProfilePresser() = default;
ProfilePresser::ProfilePresser(ProfilePresser&&) noexcept = default;

namespace {

/// Creates P.wspressed. Returns nothing if a file that is not warpseq's has its name, or if it
/// cannot be created. Searches work without it.
std::optional<AtomicFile> create_own(const std::filesystem::path& own) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(own, error);
    if (std::filesystem::exists(status)) {
        if (!std::filesystem::is_regular_file(status)) return std::nullopt;
        const auto map = MappedFile::open(own);
        const bool is_own = map.ok() && map->bytes().size() >= kMarkOfAnyVersion.size() &&
                            std::memcmp(map->bytes().data(), kMarkOfAnyVersion.data(), kMarkOfAnyVersion.size()) == 0;
        if (!is_own) return std::nullopt;
    }
    auto made = AtomicFile::create(own, ExistingFile::kReplace);
    if (!made.ok()) return std::nullopt;
    return *std::move(made);
}

}  // namespace

Result<ProfilePresser> ProfilePresser::create(const std::filesystem::path& file, ExistingFile existing) {
    auto source = state_of(file);
    if (!source) return Status::io(file.string() + ": is not a regular file; only regular files can be pressed");
    const PressedFiles files(file);
    std::vector<AtomicFile> outputs;
    for (const auto& each : {files.models, files.index, files.filters, files.profiles}) {
        auto output = AtomicFile::create(each, existing);
        if (!output.ok()) return output.status();
        if (!output->can_seek()) return Status::io(each.string() + ": exists and is not a regular file");
        outputs.push_back(*std::move(output));
    }
    std::optional<AtomicFile> own = create_own(files.own);
    TemporaryFile later_forms;
    if (own) {
        WARPSEQ_TRY(own->append(bytes_of(std::string(kFormsBegin, '\0'))));  // the header is written last
        auto beside = TemporaryFile::create(file.parent_path());
        if (!beside.ok()) return beside.status();
        later_forms = *std::move(beside);
    }
    return ProfilePresser(std::unique_ptr<State>(
        new State{file, files, *source, std::move(outputs[0]), std::move(outputs[1]), std::move(outputs[2]),
                  std::move(outputs[3]), std::move(own), std::move(later_forms)}));
}

Status ProfilePresser::add(const ProfileHmm& hmm) {
    State& state = *state_;
    for (std::string* buffer :
         {&state.buffer, &state.filter_buffer, &state.profile_buffer, &state.first_buffer, &state.later_buffer})
        buffer->clear();
    const StripedOffsets offsets{state.models.size_bytes(), state.filters.size_bytes(), state.profiles.size_bytes()};
    append_binary_profile(hmm, state.buffer);
    const Plan7Profile configured = configure_plan7(hmm);
    append_striped_filter(hmm, configured, offsets, state.filter_buffer);
    append_striped_profile(hmm, configured, state.profile_buffer);
    const bool has_forms = has_pressed_forms(hmm);
    if (has_forms) {
        append_first_form(hmm, configured, state.first_buffer);
        append_later_form(configured, state.later_buffer);
    }
    const auto checksum = [](const std::string& bytes) { return checksum_of(bytes.data(), bytes.size()); };
    state.records.push_back({.offset = offsets.model,
                             .bytes = state.buffer.size(),
                             .checksum = checksum(state.buffer),
                             .first_checksum = checksum(state.first_buffer),
                             .later_checksum = checksum(state.later_buffer),
                             .nodes = static_cast<std::uint32_t>(hmm.length),
                             .name_bytes = static_cast<std::uint32_t>(hmm.name.size()),
                             .accession_bytes = static_cast<std::uint32_t>(hmm.accession.size()),
                             .has_forms = has_forms ? 1U : 0U});
    state.names.push_back(hmm.name);
    state.accessions.push_back(hmm.accession);
    WARPSEQ_TRY(state.models.append(bytes_of(state.buffer)));
    WARPSEQ_TRY(state.filters.append(bytes_of(state.filter_buffer)));
    WARPSEQ_TRY(state.profiles.append(bytes_of(state.profile_buffer)));
    if (!state.own) return {};
    WARPSEQ_TRY(state.own->append(bytes_of(state.first_buffer)));
    return state.later_forms.append(bytes_of(state.later_buffer));
}

std::string ProfilePresser::name_twice() const { return first_twice(state_->names); }

std::string ProfilePresser::accession_twice() const {
    std::vector<std::string> accessions = state_->accessions;
    std::erase(accessions, std::string());
    return first_twice(std::move(accessions));
}

std::uint64_t ProfilePresser::profiles() const { return state_->records.size(); }

std::uint64_t ProfilePresser::accessions() const {
    return state_->accessions.size() -
           static_cast<std::uint64_t>(std::ranges::count(state_->accessions, std::string()));
}

/// Completes P.wspressed. Called when P.h3m has its name.
Status ProfilePresser::State::finish_own() {
    Header header;
    header.source = source;
    std::memcpy(header.mark.data(), kMark.data(), kMark.size());
    const auto models_now = state_of(files.models);
    if (!models_now)
        return Status::io(files.models.string() + ": was removed or replaced while the profiles were pressed");
    header.models = *models_now;
    for (const auto& [state, from] : {std::pair(&header.source, &file), std::pair(&header.models, &files.models)}) {
        const auto checksum = checksum_of_file(*from, state->bytes);
        if (!checksum.ok()) return checksum.status();
        state->checksum = *checksum;
    }
    header.later_begin = own->size_bytes();
    constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
    std::vector<std::uint8_t> piece;
    for (std::uint64_t at = 0; at < later_forms.size_bytes(); at += piece.size()) {
        piece.resize(std::min(kPieceBytes, later_forms.size_bytes() - at));
        WARPSEQ_TRY(later_forms.read_at(at, piece));
        WARPSEQ_TRY(own->append(piece));
    }
    header.index_begin = own->size_bytes();
    header.profiles = records.size();
    std::string places(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record));
    for (std::size_t p = 0; p < names.size(); ++p) places += names[p] + accessions[p];
    const std::string page = page_of(header);
    const std::uint64_t checksum = checksum_of_index(bytes_of(page), bytes_of(places));
    places.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    WARPSEQ_TRY(own->append(bytes_of(places)));
    WARPSEQ_TRY(own->write_at(0, bytes_of(page)));
    return own->commit();
}

Status ProfilePresser::finish() {
    State& state = *state_;
    std::vector<SsiEntry> entries;
    for (std::size_t p = 0; p < state.records.size(); ++p)
        entries.push_back({state.names[p], state.accessions[p], state.records[p].offset});
    WARPSEQ_TRY(state.index.append(bytes_of(ssi_index(state.file.string(), std::move(entries)))));
    const auto now = state_of(state.file);
    if (!now || !has_size_and_time_of(*now, state.source))
        return Status::io(state.file.string() + ": was written to while it was pressed; press it again");
    for (AtomicFile* each : {&state.models, &state.index, &state.filters, &state.profiles}) WARPSEQ_TRY(each->commit());
    return state.own ? state.finish_own() : Status();
}

}  // namespace warpseq
