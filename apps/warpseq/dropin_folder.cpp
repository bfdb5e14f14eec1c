#include "apps/warpseq/dropin_folder.h"

#include <system_error>

namespace warpseq {

Result<std::filesystem::path> dropin_folder() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        return Status::io("/proc/self/exe: cannot be read, so this program's place is unknown: " + error.message());
    const std::filesystem::path folder = program.parent_path();
    const std::filesystem::path installed = (folder / WARPSEQ_LIBEXEC_FROM_BIN / "warpseq/dropin").lexically_normal();
    for (const std::filesystem::path& each : {installed, folder / "dropin"}) {
        if (std::filesystem::is_directory(each, error)) return each;
    }
    return Status::io(installed.string() + ": there is no such folder; an installation makes it, with links to " +
                      program.string());
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
