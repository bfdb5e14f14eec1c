// RunFiles checks the files of a run of a program before the run writes anything. No output may
// replace, or be written into, a file that the run reads or another output of the run.
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
    /// Adds a file that the run reads. `option` is its name in messages. "-" is standard input.
    void add_input(const std::string& option, const std::filesystem::path& file);
    /// Adds an output. Without a file it is standard output.
    void add_output(const std::string& option, const std::optional<std::filesystem::path>& file);
    /// Adds an output without which the run can go on. It must not replace another file of the run,
    /// but check() does not test whether it can be opened.
    void add_optional_output(const std::string& option, const std::filesystem::path& file);
    /// Adds the existing files that numbered outputs of `option` may replace. Their names are
    /// `start`, a number of at most `most`, and `ending`, such as "out_12.json".
    void add_numbered_outputs(const std::string& option, const std::filesystem::path& start, const std::string& ending,
                              std::uint64_t most = UINT64_MAX);
    /// Lets several outputs go to one pipe or one standard stream, where they are written one after
    /// the other. Without this call they are refused.
    void let_outputs_share_streams() { share_streams_ = true; }
    /// Sets how outputs that exist are opened. The default is kReplace.
    void set_existing(ExistingFile existing) { existing_ = existing; }

    /// Returns a usage error if an output and another name stand for the same file, or if two
    /// inputs read the same stream. Links are followed. The error names both options. Character
    /// devices, such as terminals and /dev/null, may be named several times.
    Status check_names() const;
    /// Returns the error of check_names(), if there is one. Otherwise returns an error if an output
    /// is the file that a standard stream was redirected to, or the error that opening an output
    /// would give. So a folder that is missing or not writable is found before the work, not after
    /// it.
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
