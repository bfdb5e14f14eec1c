#include "formats/pressed_profiles.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "formats/atomic_file.h"
#include "formats/checksum.h"
#include "formats/hmm_binary.h"
#include "formats/hmm_file.h"

namespace warpseq {
namespace {

constexpr std::string_view kMark = "WSPRESS\1";
constexpr std::string_view kUnused =
    "warpseq pressed profiles 1\nThe profiles are in the file .h3m, in HMMER's binary form, and are configured as they "
    "are read.\n";

struct Header {
    std::array<char, 8> mark{};
    std::uint64_t source_bytes = 0;
    std::int64_t source_seconds = 0, source_nanoseconds = 0;
    std::uint64_t models_bytes = 0, profiles = 0;
};
struct Record {
    std::uint64_t offset = 0, bytes = 0, checksum = 0;
    std::uint32_t nodes = 0, name_bytes = 0, accession_bytes = 0, unused = 0;
};
static_assert(sizeof(Header) == 48 && sizeof(Record) == 40);

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
    pressed.models_file_ = files.models;
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
        return damaged("belongs to another " + models_file_.string() + ", of " + std::to_string(header.models_bytes) +
                       " bytes");
    const std::uint64_t room = content.size() - sizeof header;
    if (header.profiles > room / sizeof(Record)) return damaged("is damaged");
    std::uint64_t at = sizeof header + header.profiles * sizeof(Record), offset = 0;
    entries_.reserve(header.profiles);
    for (std::uint64_t p = 0; p < header.profiles; ++p) {
        Record record;
        std::memcpy(&record, content.data() + sizeof header + p * sizeof record, sizeof record);
        const std::uint64_t names = std::uint64_t{record.name_bytes} + record.accession_bytes;
        if (record.offset != offset || record.bytes > header.models_bytes - offset || names > content.size() - at ||
            record.nodes < 1 || record.nodes > static_cast<std::uint32_t>(kLongestProfileNodes))
            return damaged("is damaged");
        entries_.push_back({record.offset, record.bytes, record.checksum, record.nodes, record.name_bytes,
                            record.accession_bytes, at});
        offset += record.bytes;
        at += names;
    }
    if (offset != header.models_bytes || at != content.size()) return damaged("is damaged");
    return {};
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
    const std::string shown = models_file_.string();
    const auto damaged = [&] {
        return Status::invalid_input(shown + ": profile " + std::to_string(profile + 1) + " (" +
                                     std::string(name(profile)) +
                                     ") is damaged; press the profiles again (hmmpress -f)");
    };
    if (got < bytes.size() || checksum_of(bytes.data(), bytes.size()) != entry.checksum) return damaged();
    BinaryHmmReader reader(bytes, shown);
    const auto read = reader.next(hmm);
    if (!read.ok()) return read.status();
    if (!*read || !reader.at_end() || hmm.length != nodes(profile) || hmm.name != name(profile)) return damaged();
    return {};
}

struct ProfilePresser::State {
    PressedFiles files;
    Header header;
    AtomicFile models;
    std::string buffer;  // of models
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
    auto models = AtomicFile::create(files.models, true);
    if (!models.ok()) return models.status();
    std::memcpy(header->mark.data(), kMark.data(), kMark.size());
    return ProfilePresser(std::unique_ptr<State>(new State{files, *header, *std::move(models), {}}));
}

Status ProfilePresser::add(const ProfileHmm& hmm) {
    State& state = *state_;
    state.buffer.clear();
    append_binary_profile(hmm, state.buffer);
    state.records.push_back({.offset = state.header.models_bytes,
                             .bytes = state.buffer.size(),
                             .checksum = checksum_of(state.buffer.data(), state.buffer.size()),
                             .nodes = static_cast<std::uint32_t>(hmm.length),
                             .name_bytes = static_cast<std::uint32_t>(hmm.name.size()),
                             .accession_bytes = static_cast<std::uint32_t>(hmm.accession.size())});
    state.names.push_back(hmm.name);
    state.accessions.push_back(hmm.accession);
    state.header.models_bytes += state.buffer.size();
    return state.models.append(bytes_of(state.buffer));
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
    std::vector<AtomicFile> others;
    for (const auto& [file, text] : {std::pair(state.files.filters, kUnused), std::pair(state.files.profiles, kUnused),
                                     std::pair(state.files.index, std::string_view(index))}) {
        auto made = AtomicFile::create(file, true);
        if (!made.ok()) return made.status();
        WARPSEQ_TRY(made->append(bytes_of(text)));
        others.push_back(*std::move(made));
    }
    // The index comes last: until then the old one says that it belongs to another .h3m.
    WARPSEQ_TRY(state.models.commit());
    for (AtomicFile& other : others) WARPSEQ_TRY(other.commit());
    return {};
}

}  // namespace warpseq
