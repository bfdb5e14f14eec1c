// What main() of every program does first: signals, and standard streams that are there.
#pragma once

#include <filesystem>
#include <string_view>

namespace warpseq {

/// SIGINT, SIGTERM and SIGHUP from here on end the process at once, whatever it is doing:
/// unfinished files are removed, the progress line is cleared, standard error says "PROGRAM:
/// interrupted", and the exit status is 128 + the signal's number. Those that whoever started the
/// program has ignored, as nohup does, stay so. SIGPIPE does the same silently, ignored or not: who
/// reads the output wants no more. A file that grows beyond the limit is an error of writing (no
/// SIGXFSZ). Standard streams that are closed are replaced, so that no file of the run takes their
/// number: reading from them and writing standard output fail.
void prepare_process(std::string_view program);

/// While one lives, signals have the dispositions that they had before prepare_process(): those
/// that a program which replaces this process is to find. One at a time.
class OriginalSignals {
   public:
    OriginalSignals();
    ~OriginalSignals();
    OriginalSignals(const OriginalSignals&) = delete;
    OriginalSignals& operator=(const OriginalSignals&) = delete;
};

/// As many files can be open at once as the system allows the process: the soft limit becomes the
/// hard one.
void allow_most_open_files();

/// "search" becomes "search sw" where the command line says which. Without a name signals are
/// silent.
void set_program_name(std::string_view program);

/// While one lives, the message of a signal says that `file`, if it is there, keeps the rows of
/// blocks that are done, if any. One at a time.
class KeptFileNote {
   public:
    explicit KeptFileNote(const std::filesystem::path& file);
    ~KeptFileNote();
    KeptFileNote(const KeptFileNote&) = delete;
    KeptFileNote& operator=(const KeptFileNote&) = delete;
};

}  // namespace warpseq
