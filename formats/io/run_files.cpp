#include "formats/io/run_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace warpseq {

namespace {

using Kind = FileIdentity::Kind;

bool appends(int descriptor) {
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_APPEND) != 0;
}

/// Returns the number in a name, such as 12 in "out_12.json" for "out_" and ".json".
std::optional<std::uint64_t> number_in(std::string_view name, std::string_view start, std::string_view ending) {
    if (name.size() <= start.size() + ending.size() || !name.starts_with(start) || !name.ends_with(ending)) return {};
    std::uint64_t number = 0;
    const char* const stop = name.data() + name.size() - ending.size();
    const auto [end, error] = std::from_chars(name.data() + start.size(), stop, number);
    const bool is_plain = std::ssize(std::to_string(number)) == stop - (name.data() + start.size());
    return error == std::errc() && end == stop && is_plain ? std::optional(number) : std::nullopt;
}

}  // namespace

void RunFiles::add(const std::string& option, const std::filesystem::path& shown, bool is_output,
                   const Result<FileIdentity>& identity) {
    // A file that cannot even be looked at causes an error later, when it is opened.
    if (identity.ok()) files_.push_back({option, shown.string(), *identity, is_output});
}

void RunFiles::add_input(const std::string& option, const std::filesystem::path& file) {
    if (file == "-") {
        add(option, "standard input", false, identify_descriptor(STDIN_FILENO));
    } else {
        add(option, file, false, identify_file(file));
    }
}

void RunFiles::add_output(const std::string& option, const std::optional<std::filesystem::path>& file) {
    if (file) {
        outputs_.push_back(*file);
        add_optional_output(option, *file);
    } else {
        add(option, "standard output", true, identify_descriptor(STDOUT_FILENO));
    }
}

void RunFiles::add_optional_output(const std::string& option, const std::filesystem::path& file) {
    add(option, file, true, identify_file(file));
}

void RunFiles::add_numbered_outputs(const std::string& option, const std::filesystem::path& start,
                                    const std::string& ending, std::uint64_t most) {
    const std::filesystem::path folder = start.parent_path().empty() ? "." : start.parent_path();
    const std::string name_start = start.filename().string();
    // std::filesystem's iterator is not used, because it ends the process if memory runs out.
    const std::unique_ptr<DIR, void (*)(DIR*)> names(opendir(folder.c_str()), [](DIR* open) { closedir(open); });
    if (!names && errno == ENOMEM) throw std::bad_alloc();
    if (!names) return;
    while (const dirent* const entry = readdir(names.get())) {
        const auto number = number_in(entry->d_name, name_start, ending);
        if (number && *number <= most) add_output(option, folder / entry->d_name);
    }
}

bool RunFiles::conflict(const File& output, const File& other) const {
    const FileIdentity &a = output.identity, &b = other.identity;
    if (!a.is_same(b) || a.kind == Kind::kDevice) return false;
    if (!other.is_output) return a.kind != Kind::kSocket;  // a socket has a separate stream for each direction
    // Two outputs may share one pipe. Through open descriptors they may also share a file to which
    // both append.
    const bool both_open = a.descriptor >= 0 && b.descriptor >= 0;
    const bool one_after_the_other =
        a.kind == Kind::kPipe || a.kind == Kind::kSocket ||
        (both_open && (a.descriptor == b.descriptor || (appends(a.descriptor) && appends(b.descriptor))));
    return !(share_streams_ && one_after_the_other);
}

Status RunFiles::check_outputs() const {
    for (const std::filesystem::path& file : outputs_) {
        const auto place = identify_file(file);
        const bool is_stream = place.ok() && (place->descriptor >= 0 || place->kind == Kind::kDevice ||
                                              place->kind == Kind::kPipe || place->kind == Kind::kSocket);
        if (is_stream) continue;  // opening a FIFO would look like the output to its reader
        const auto opened = AtomicFile::create(file, existing_);
        if (!opened.ok()) return opened.status();
    }
    return {};
}

Status RunFiles::refuse(const File& file, const std::string& other) {
    return Status::usage(file.option + " and " + other + " name the same file, " + file.shown + "; give each its own");
}

Status RunFiles::check_names() const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const File &first = files_[j], &second = files_[i];
            if (first.is_output && conflict(first, second)) return refuse(first, second.option);
            if (second.is_output && conflict(second, first)) return refuse(second, first.option);
            // Two inputs cannot share a stream: bytes that the first one reads are missing for the
            // second.
            const bool one_stream = first.identity.is_same(second.identity) &&
                                    (first.identity.kind == Kind::kPipe ||
                                     (first.shown == second.shown && first.shown == "standard input"));
            if (!first.is_output && !second.is_output && one_stream) {
                return Status::usage(first.option + " and " + second.option + " read the same stream, " + first.shown +
                                     "; give each its own");
            }
        }
    }
    return {};
}

Status RunFiles::check() const {
    WARPSEQ_TRY(check_names());
    // The shell has opened these files for the process.
    constexpr std::pair<int, const char*> kStreams[] = {
        {STDIN_FILENO, "standard input"}, {STDOUT_FILENO, "standard output"}, {STDERR_FILENO, "standard error"}};
    for (const auto& [descriptor, name] : kStreams) {
        const auto stream = identify_descriptor(descriptor);
        if (!stream.ok() || stream->kind != Kind::kRegular) continue;
        for (const File& file : files_) {
            if (file.identity.descriptor >= 0 || !file.identity.is_same(*stream)) continue;
            // Standard error may be redirected to an input: the message of a refusal would go into
            // that file as well.
            if (file.is_output || descriptor == STDOUT_FILENO) return refuse(file, name);
        }
    }
    return check_outputs();
}

}  // namespace warpseq
