#include "apps/warpseq/dropin_folder.h"

#include <system_error>

namespace warpseq {

namespace {

/// Creates the links to `program` that are missing in `folder`. Another process may create them at
/// the same time.
Status create_links(const std::filesystem::path& folder, const std::filesystem::path& program,
                    std::span<const std::string_view> names) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    for (const std::string_view name : names) {
        if (error) break;
        const std::filesystem::path link = folder / name;
        if (std::filesystem::symlink_status(link, error).type() != std::filesystem::file_type::not_found) continue;
        std::filesystem::create_symlink(program.lexically_relative(folder), link, error);
        if (error == std::errc::file_exists) error.clear();
    }
    if (!error) return {};
    return Status::io(folder.string() + ": the links to " + program.string() +
                      " cannot be created: " + error.message());
}

}  // namespace

Result<std::filesystem::path> dropin_folder(std::span<const std::string_view> names) {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        return Status::io("/proc/self/exe: cannot be read, so this program's place is unknown: " + error.message());
    const std::filesystem::path folder = program.parent_path();
    const std::filesystem::path installed = (folder / WARPSEQ_LIBEXEC_FROM_BIN / "warpseq/dropin").lexically_normal();
    const std::filesystem::path built = folder / "dropin";
    if (!std::filesystem::is_directory(installed, error) && std::filesystem::is_directory(built, error)) return built;
    if (Status status = create_links(installed, program, names); !status.ok()) return status;
    return installed;
}

Result<std::string> path_line(const std::filesystem::path& folder) {
    std::string quoted;
    for (const char c : folder.string()) {
        if (c == ':')
            return Status::invalid_input(folder.string() + ": a folder with ':' in its name cannot be in PATH");
        if (c == '\'') {
            quoted += "'\\''";
        } else {
            quoted += c;
        }
    }
    return "export PATH='" + quoted + "':\"$PATH\"\n";
}

}  // namespace warpseq
