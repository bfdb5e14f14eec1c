// No output of a run may replace, or be written into, a file that the run reads or another output.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/atomic_file.h"
#include "formats/io/file_identity.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The files that a command line names. A command adds all of them, calls check(), and only then
/// opens an output.
class RunFiles {
   public:
    /// `option` is how messages call it. "-" is standard input.
    void add_input(const std::string& option, const std::filesystem::path& file);
    /// No file: standard output.
    void add_output(const std::string& option, const std::optional<std::filesystem::path>& file);
    /// A file that the run can do without: it may replace nothing else, but is not tried.
    void add_optional_output(const std::string& option, const std::filesystem::path& file);
    /// Files START1ENDING, START2ENDING and so on, up to `most`, that exist already and that the
    /// output of `option` may replace.
    void add_numbered_outputs(const std::string& option, const std::filesystem::path& start, const std::string& ending,
                              std::uint64_t most = UINT64_MAX);
    /// Lets several outputs go to one pipe or to one standard stream, where they are written one
    /// after the other. Without this call that is refused.
    void let_outputs_share_streams() { share_streams_ = true; }
    /// Sets how outputs that exist are opened. The default is kReplace.
    void set_existing(ExistingFile existing) { existing_ = existing; }

    /// A usage error that names both options where two names stand for one file, whatever links
    /// there are. Character devices, such as
    /// /dev/null and terminals, may be named often.
    Status check_names() const;
    /// Calls check_names(). Then returns an error if an output is the file that a standard stream
    /// was redirected to. Then returns the error that opening an output would give: a folder that
    /// is missing or closed to us is found before the work, not after it.
    Status check() const;

   private:
    struct File {
        std::string option;
        std::string shown;
        FileIdentity identity;
        bool is_output = false;
    };
    void add(const std::string& option, const std::filesystem::path& shown, bool is_output,
             const Result<FileIdentity>& identity);
    static Status refuse(const File& file, const std::string& other);
    Status check_outputs() const;
    bool conflict(const File& output, const File& other) const;

    std::vector<File> files_;
    std::vector<std::filesystem::path> outputs_;
    bool share_streams_ = false;
    ExistingFile existing_ = ExistingFile::kReplace;
};

}  // namespace warpseq
