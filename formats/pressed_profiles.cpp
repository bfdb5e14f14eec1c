#include "formats/pressed_profiles.h"

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

#include "formats/atomic_file.h"
#include "formats/checksum.h"
#include "formats/hmm_binary.h"
#include "formats/hmm_file.h"
#include "formats/pressed_forms.h"

namespace warpseq {
namespace {

constexpr std::string_view kMark = "WSPRESS\2", kFirstMark = "WSPRESF\2", kLaterMark = "WSPRESP\2";

struct Header {
    std::array<char, 8> mark{};
    std::uint64_t source_bytes = 0;
    std::int64_t source_seconds = 0, source_nanoseconds = 0;
    std::uint64_t models_bytes = 0, first_bytes = 0, later_bytes = 0, profiles = 0;
};
struct Record {
    std::uint64_t offset = 0, bytes = 0, checksum = 0, first_checksum = 0, later_checksum = 0;
    std::uint32_t nodes = 0, name_bytes = 0, accession_bytes = 0, has_forms = 0;
};
static_assert(sizeof(Header) == 64 && sizeof(Record) == 56);

/// What a file of forms begins with.
struct FormsHeader {
    std::array<char, 8> mark{};
    std::uint64_t profiles = 0, bytes = 0;
};
constexpr std::uint64_t kFormsBegin = 4096;

std::string page_of(const FormsHeader& header) {
    std::string page(reinterpret_cast<const char*>(&header), sizeof header);
    page.resize(kFormsBegin, '\0');
    return page;
}

FormsHeader forms_header(std::string_view mark, std::uint64_t profiles, std::uint64_t bytes) {
    FormsHeader header{.profiles = profiles, .bytes = bytes};
    std::memcpy(header.mark.data(), mark.data(), mark.size());
    return header;
}

std::optional<Header> state_of(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    Header header;
    header.source_bytes = static_cast<std::uint64_t>(info.st_size);
    header.source_seconds = info.st_mtim.tv_sec;
    header.source_nanoseconds = info.st_mtim.tv_nsec;
    return header;
}

bool is_there(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::exists(file, error);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The first of those that are there twice.
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
      profiles(file.string() + ".h3p") {}

std::filesystem::path profile_file_of(const std::filesystem::path& file) {
    const std::filesystem::path models = PressedFiles(file).models;
    return file != "-" && !is_there(file) && is_there(models) ? models : file;
}

Result<std::optional<PressedProfiles>> PressedProfiles::open(const std::filesystem::path& file) {
    const PressedFiles files(file);
    if (file == "-" || !is_there(files.index) || !is_there(files.models)) return std::optional<PressedProfiles>();
    PressedProfiles pressed;
    auto index = MappedFile::open(files.index);
    if (!index.ok()) return index.status();
    pressed.index_ = *std::move(index);
    const std::span<const std::uint8_t> bytes = pressed.index_.bytes();
    Header header;
    if (bytes.size() < sizeof header || std::memcmp(bytes.data(), kMark.data(), kMark.size()) != 0)
        return std::optional<PressedProfiles>();  // HMMER's
    std::memcpy(&header, bytes.data(), sizeof header);
    if (const auto source = state_of(file)) {
        if (source->source_bytes != header.source_bytes || source->source_seconds != header.source_seconds ||
            source->source_nanoseconds != header.source_nanoseconds)
            return std::optional<PressedProfiles>();
    }
    pressed.files_ = files;
    const int descriptor = ::open(files.models.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return Status::io(files.models.string() + ": cannot be read");
    pressed.models_ = std::shared_ptr<const int>(new int(descriptor), [](const int* each) {
        ::close(*each);
        delete each;
    });
    const auto models = state_of(files.models);
    if (!models) return Status::io(files.models.string() + ": is not a regular file");
    pressed.models_bytes_ = models->source_bytes;
    WARPSEQ_TRY(pressed.read_index(files.index));
    return std::optional(std::move(pressed));
}

Status PressedProfiles::read_index(const std::filesystem::path& file) {
    const auto damaged = [&](const std::string& what) {
        return Status::invalid_input(file.string() + ": " + what + "; press the profiles again (hmmpress -f)");
    };
    const std::span<const std::uint8_t> bytes = index_.bytes();
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::uint64_t checksum = 0;
    if (bytes.size() < sizeof header + sizeof checksum) return damaged("is cut off");
    const std::span<const std::uint8_t> content = bytes.first(bytes.size() - sizeof checksum);
    std::memcpy(&checksum, content.data() + content.size(), sizeof checksum);
    if (checksum != checksum_of(content.data(), content.size())) return damaged("is damaged");
    if (header.models_bytes != models_bytes_)
        return damaged("belongs to another " + files_.models.string() + ", of " + std::to_string(header.models_bytes) +
                       " bytes");
    const std::uint64_t room = content.size() - sizeof header;
    if (header.profiles > room / sizeof(Record)) return damaged("is damaged");
    std::uint64_t at = sizeof header + header.profiles * sizeof(Record), offset = 0;
    first_bytes_ = later_bytes_ = kFormsBegin;
    entries_.reserve(header.profiles);
    for (std::uint64_t p = 0; p < header.profiles; ++p) {
        Record record;
        std::memcpy(&record, content.data() + sizeof header + p * sizeof record, sizeof record);
        const std::uint64_t names = std::uint64_t{record.name_bytes} + record.accession_bytes;
        if (record.offset != offset || record.bytes > header.models_bytes - offset || names > content.size() - at ||
            record.nodes < 1 || record.nodes > static_cast<std::uint32_t>(kLongestProfileNodes) || record.has_forms > 1)
            return damaged("is damaged");
        entries_.push_back({.offset = record.offset,
                            .bytes = record.bytes,
                            .checksum = record.checksum,
                            .first_at = first_bytes_,
                            .first_checksum = record.first_checksum,
                            .later_at = later_bytes_,
                            .later_checksum = record.later_checksum,
                            .nodes = record.nodes,
                            .name_bytes = record.name_bytes,
                            .accession_bytes = record.accession_bytes,
                            .has_forms = record.has_forms == 1,
                            .name_at = at});
        if (record.has_forms == 1) {
            first_bytes_ += first_form_bytes(record.nodes);
            later_bytes_ += later_form_bytes(record.nodes);
        }
        offset += record.bytes;
        at += names;
    }
    if (offset != header.models_bytes || at != content.size() || first_bytes_ != header.first_bytes ||
        later_bytes_ != header.later_bytes)
        return damaged("is damaged");
    return {};
}

Status PressedProfiles::damaged(std::size_t profile, const std::filesystem::path& file) const {
    return Status::invalid_input(file.string() + ": profile " + std::to_string(profile + 1) + " (" +
                                 std::string(name(profile)) +
                                 ") is damaged, or was pressed another time; press the profiles again (hmmpress -f)");
}

Status PressedProfiles::read(std::size_t profile, ProfileHmm& hmm) const {
    const Entry& entry = entries_[profile];
    std::vector<std::uint8_t> bytes(entry.bytes);
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t more =
            ::pread(*models_, bytes.data() + got, bytes.size() - got, static_cast<off_t>(entry.offset + got));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        got += static_cast<std::size_t>(more);
    }
    const std::string shown = files_.models.string();
    if (got < bytes.size() || checksum_of(bytes.data(), bytes.size()) != entry.checksum)
        return damaged(profile, files_.models);
    BinaryHmmReader reader(bytes, shown);
    const auto read = reader.next(hmm);
    if (!read.ok()) return read.status();
    if (!*read || !reader.at_end() || hmm.length != nodes(profile) || hmm.name != name(profile))
        return damaged(profile, files_.models);
    return {};
}

Status PressedProfiles::open_forms() {
    for (const auto& [file, mark, bytes, map] :
         {std::tuple(&files_.filters, kFirstMark, first_bytes_, &first_forms_),
          std::tuple(&files_.profiles, kLaterMark, later_bytes_, &later_forms_)}) {
        auto opened = MappedFile::open(*file);
        if (!opened.ok()) return opened.status();
        const std::string page = page_of(forms_header(mark, entries_.size(), bytes));
        if (opened->bytes().size() != bytes || std::memcmp(opened->bytes().data(), page.data(), page.size()) != 0) {
            return Status::invalid_input(file->string() +
                                         ": does not begin, or end, as what was pressed together with " +
                                         files_.index.string() + " does; press the profiles again (hmmpress -f)");
        }
        *map = std::make_shared<const MappedFile>(*std::move(opened));
    }
    return {};
}

Result<FirstForm> PressedProfiles::first_form(std::size_t profile) const {
    const Entry& entry = entries_[profile];
    const auto bytes = first_forms_->bytes().subspan(entry.first_at, first_form_bytes(entry.nodes));
    if (checksum_of(bytes.data(), bytes.size()) != entry.first_checksum) return damaged(profile, files_.filters);
    auto form = read_first_form(bytes, entry.nodes, first_forms_);
    if (!form) return damaged(profile, files_.filters);
    form->head.name = name(profile);
    form->head.accession = accession(profile);
    return *std::move(form);
}

Result<Plan7Profile> PressedProfiles::later_form(std::size_t profile) const {
    const Entry& entry = entries_[profile];
    const auto bytes = later_forms_->bytes().subspan(entry.later_at, later_form_bytes(entry.nodes));
    if (checksum_of(bytes.data(), bytes.size()) != entry.later_checksum) return damaged(profile, files_.profiles);
    auto form = read_later_form(bytes, entry.nodes);
    if (!form) return damaged(profile, files_.profiles);
    return *std::move(form);
}

void PressedProfiles::release_forms(std::size_t first, std::size_t count) const {
    if (!later_forms_ || first >= entries_.size() || count == 0) return;
    const std::size_t end = std::min(entries_.size(), first + count);
    const auto release = [&](const MappedFile& map, std::uint64_t from, std::uint64_t to) {
        const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        from = from / page_bytes * page_bytes;
        madvise(const_cast<std::uint8_t*>(map.bytes().data()) + from, to - from, MADV_DONTNEED);
    };
    const bool to_end = end == entries_.size();
    release(*first_forms_, entries_[first].first_at, to_end ? first_bytes_ : entries_[end].first_at);
    release(*later_forms_, entries_[first].later_at, to_end ? later_bytes_ : entries_[end].later_at);
}

Status PressedProfiles::check_forms() const {
    for (const auto& [file, map] :
         {std::pair(&files_.filters, &first_forms_), std::pair(&files_.profiles, &later_forms_)}) {
        if (*map && (*map)->lost())
            return Status::io(file->string() + ": could not be read to its end; it was cut, or the disk failed");
    }
    return {};
}

struct ProfilePresser::State {
    PressedFiles files;
    Header header;
    AtomicFile models, first_forms, later_forms;
    std::string buffer = {}, first_buffer = {}, later_buffer = {};
    std::vector<Record> records = {};
    std::vector<std::string> names = {}, accessions = {};
};

ProfilePresser::ProfilePresser(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProfilePresser::~ProfilePresser() = default;
ProfilePresser::ProfilePresser(ProfilePresser&&) noexcept = default;

Result<ProfilePresser> ProfilePresser::create(const std::filesystem::path& file) {
    auto header = state_of(file);
    if (!header) return Status::io(file.string() + ": is not a regular file; only those are pressed");
    const PressedFiles files(file);
    std::vector<AtomicFile> outputs;
    for (const auto& each : {files.models, files.filters, files.profiles}) {
        auto output = AtomicFile::create(each, true);
        if (!output.ok()) return output.status();
        if (!output->can_seek()) return Status::io(each.string() + ": is there, and is no regular file");
        outputs.push_back(*std::move(output));
    }
    std::memcpy(header->mark.data(), kMark.data(), kMark.size());
    header->first_bytes = header->later_bytes = kFormsBegin;
    for (AtomicFile* forms : {&outputs[1], &outputs[2]})
        WARPSEQ_TRY(forms->append(bytes_of(std::string(kFormsBegin, '\0'))));  // the headers come last
    return ProfilePresser(std::unique_ptr<State>(
        new State{files, *header, std::move(outputs[0]), std::move(outputs[1]), std::move(outputs[2])}));
}

Status ProfilePresser::add(const ProfileHmm& hmm) {
    State& state = *state_;
    for (std::string* buffer : {&state.buffer, &state.first_buffer, &state.later_buffer}) buffer->clear();
    append_binary_profile(hmm, state.buffer);
    const bool has_forms = has_pressed_forms(hmm);
    if (has_forms) {
        const Plan7Profile configured = configure_plan7(hmm);
        append_first_form(hmm, configured, state.first_buffer);
        append_later_form(configured, state.later_buffer);
    }
    const auto checksum = [](const std::string& bytes) { return checksum_of(bytes.data(), bytes.size()); };
    state.records.push_back({.offset = state.header.models_bytes,
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
    state.header.models_bytes += state.buffer.size();
    state.header.first_bytes += state.first_buffer.size();
    state.header.later_bytes += state.later_buffer.size();
    WARPSEQ_TRY(state.models.append(bytes_of(state.buffer)));
    WARPSEQ_TRY(state.first_forms.append(bytes_of(state.first_buffer)));
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

Status ProfilePresser::finish() {
    State& state = *state_;
    state.header.profiles = state.records.size();
    std::string index;
    const auto append = [&](const auto& value) { index.append(reinterpret_cast<const char*>(&value), sizeof value); };
    append(state.header);
    for (const Record& record : state.records) append(record);
    for (std::size_t p = 0; p < state.names.size(); ++p) index += state.names[p] + state.accessions[p];
    append(checksum_of(index.data(), index.size()));
    for (const auto& [forms, mark, bytes] : {std::tuple(&state.first_forms, kFirstMark, state.header.first_bytes),
                                             std::tuple(&state.later_forms, kLaterMark, state.header.later_bytes)})
        WARPSEQ_TRY(forms->write_at(0, bytes_of(page_of(forms_header(mark, state.header.profiles, bytes)))));
    auto made = AtomicFile::create(state.files.index, true);
    if (!made.ok()) return made.status();
    WARPSEQ_TRY(made->append(bytes_of(index)));
    // The index comes last: until then the old one says that it belongs to other files.
    for (AtomicFile* file : {&state.models, &state.first_forms, &state.later_forms}) WARPSEQ_TRY(file->commit());
    return made->commit();
}

}  // namespace warpseq
