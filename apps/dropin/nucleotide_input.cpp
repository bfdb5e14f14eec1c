#include "apps/dropin/nucleotide_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "apps/dropin/blast_databases.h"
#include "formats/io/byte_source.h"
#include "formats/io/temporary_file.h"
#include "formats/profiles/profile_alphabet.h"

namespace warpseq {
namespace {

/// The largest number of bytes of a stream that are looked at. A pipe of the usual capacity is
/// never full with fewer bytes in it.
constexpr std::size_t kMostPeekedBytes = std::size_t{16} << 10;

/// Returns the descriptor that an argument names, or -1 if it names none.
int named_descriptor(std::string_view file) {
    if (file == "-" || file == "/dev/stdin") return STDIN_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!file.starts_with(folder)) continue;
        file.remove_prefix(folder.size());
        int descriptor = -1;
        const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), descriptor);
        return error == std::errc() && end == file.data() + file.size() ? descriptor : -1;
    }
    return -1;
}

/// A pipe into which another one is copied without taking its bytes.
class Copies {
   public:
    Copies() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
    }
    ~Copies() {
        for (const int end : ends_)
            if (end >= 0) close(end);
    }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    std::vector<std::uint8_t> of_pipe(int descriptor, std::size_t bytes) const {
        std::vector<std::uint8_t> copy(bytes);
        const ssize_t copied = ends_[1] < 0 ? -1 : tee(descriptor, ends_[1], bytes, SPLICE_F_NONBLOCK);
        const ssize_t got = copied <= 0 ? 0 : read(ends_[0], copy.data(), static_cast<std::size_t>(copied));
        copy.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        return copy;
    }

   private:
    std::array<int, 2> ends_{};
};

std::vector<std::uint8_t> peek_socket(int descriptor, std::size_t bytes) {
    std::vector<std::uint8_t> copy(bytes);
    const ssize_t got = recv(descriptor, copy.data(), copy.size(), MSG_PEEK | MSG_DONTWAIT);
    copy.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return copy;
}

/// Returns the alphabet of the profiles in a pipe or a socket.
ProfileAlphabet peek_at_stream(int descriptor, bool is_pipe) {
    constexpr std::chrono::milliseconds kPause{2};
    const int capacity = is_pipe ? fcntl(descriptor, F_GETPIPE_SZ) : 0;
    const std::size_t most =
        capacity > 0 ? std::min(kMostPeekedBytes, static_cast<std::size_t>(capacity) / 4) : kMostPeekedBytes;
    for (std::size_t seen = 0;;) {
        pollfd wanted{descriptor, POLLIN, 0};
        if (poll(&wanted, 1, -1) < 0 && errno != EINTR) return {};
        const bool has_ended = (wanted.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0;
        int waiting = 0;
        if (ioctl(descriptor, FIONREAD, &waiting) != 0) return {};
        const auto bytes = std::min(static_cast<std::size_t>(std::max(waiting, 0)), most);
        if (bytes > seen) {
            const auto start = is_pipe ? Copies().of_pipe(descriptor, bytes) : peek_socket(descriptor, bytes);
            const ProfileAlphabet found = profile_alphabet(start);
            if (found.is_decided || start.size() < bytes) return found;
            seen = bytes;
        } else if (has_ended || (wanted.revents != 0 && waiting == 0)) {
            return {};
        }
        if (seen == most) return {};
        // The pause is needed because poll() returns at once while there are bytes in the stream.
        if (seen > 0) std::this_thread::sleep_for(kPause);
    }
}

ProfileAlphabet alphabet_of_standard_file(int descriptor) {
    std::vector<std::uint8_t> start(kDefaultBlockBytes);
    const off_t offset = lseek(descriptor, 0, SEEK_CUR);
    const ssize_t got = offset < 0 ? -1 : pread(descriptor, start.data(), start.size(), offset);
    start.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return profile_alphabet(start);
}

ProfileAlphabet alphabet_of_file(const std::string& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return {};
    const auto start = source->peek_block();
    return start.ok() ? profile_alphabet(*start) : ProfileAlphabet{};
}

ProfileAlphabet alphabet_of(const std::string& file) {
    const int descriptor = named_descriptor(file);
    struct stat info {};
    if ((descriptor >= 0 ? fstat(descriptor, &info) : stat(file.c_str(), &info)) != 0) return {};
    if (S_ISREG(info.st_mode)) return descriptor >= 0 ? alphabet_of_standard_file(descriptor) : alphabet_of_file(file);
    // A named pipe is not looked at, because a second opening would wait for another writer.
    if (descriptor < 0 || (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode))) return {};
    return peek_at_stream(descriptor, S_ISFIFO(info.st_mode));
}

}  // namespace

std::optional<std::string> nucleotides_of_profiles(const std::string& file) {
    const ProfileAlphabet alphabet = alphabet_of(file);
    if (!alphabet.is_nucleotide()) return std::nullopt;
    return alphabet.name == "dna" ? "DNA" : alphabet.name == "rna" ? "RNA" : "nucleotides";
}

bool asks_for_nucleotides(char* const* argv) {
    for (char* const* word = argv; *word != nullptr; ++word) {
        const std::string_view option = *word;
        if (option == "-dbtype=nucl" ||
            (option == "-dbtype" && word[1] != nullptr && std::string_view(word[1]) == "nucl"))
            return true;
    }
    return false;
}

bool is_nucleotide_database(const std::string& name) {
    const std::string folders = std::filesystem::path(name).is_absolute() ? "/" : database_search_path();
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ':');) {
        if (folder.empty()) continue;
        const std::string base = (std::filesystem::path(folder) / name).string();
        for (const char* ending : {".nin", ".nal"})
            if (access((base + ending).c_str(), F_OK) == 0) return true;
    }
    return false;
}

Result<KeptInput> KeptInput::keep(const std::string& file) {
    KeptInput kept;
    kept.descriptor_ = named_descriptor(file);
    struct stat info {};
    if (kept.descriptor_ < 0 || fstat(kept.descriptor_, &info) != 0) return KeptInput();
    if (S_ISREG(info.st_mode)) {
        // A file that is named by its path is opened anew, so nothing has to be kept.
        if (file != "-") return KeptInput();
        kept.offset_ = lseek(kept.descriptor_, 0, SEEK_CUR);
        return kept;
    }
    const char* const folder = std::getenv("TMPDIR");
    auto copy = TemporaryFile::create(folder == nullptr ? "/tmp" : folder);
    if (!copy.ok()) return copy.status();
    std::vector<std::uint8_t> buffer(kDefaultBlockBytes);
    for (;;) {
        const ssize_t got = read(kept.descriptor_, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Status::io(file + ": cannot be read: " + std::strerror(errno));
        if (got == 0) break;
        WARPSEQ_TRY(copy->append(std::span(buffer).first(static_cast<std::size_t>(got))));
    }
    if (dup2(copy->descriptor(), kept.descriptor_) < 0)
        return Status::io(file + ": cannot be kept: " + std::strerror(errno));
    WARPSEQ_TRY(kept.rewind());
    return kept;
}

Status KeptInput::rewind() const {
    if (descriptor_ < 0 || lseek(descriptor_, offset_, SEEK_SET) >= 0) return {};
    return Status::io(std::string("a stream cannot be read once more: ") + std::strerror(errno));
}

}  // namespace warpseq
