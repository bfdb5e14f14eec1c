// Setup of a process by main() of every program: handlers of signals, and open standard streams.
#pragma once

#include <filesystem>
#include <string_view>

namespace warpseq {

/// Handles signals and opens closed standard streams. Called once, at the start of main().
///
/// From here on SIGINT, SIGTERM and SIGHUP end the process at once, without waiting for its work.
/// Unfinished files are removed, the progress line is cleared, standard error says "PROGRAM:
/// interrupted", and the exit status is 128 + the signal's number. A signal that is ignored at the
/// start, as under nohup, stays ignored. SIGPIPE ends the process in the same way but without a
/// message, ignored or not, because the reader of the output has gone.
///
/// A file that grows beyond the limit is an error of writing, since SIGXFSZ is ignored. Standard
/// streams that are closed are replaced, so that no file of the run takes their numbers. Reading
/// from a replaced stream fails, and so does writing to a replaced standard output.
void prepare_process(std::string_view program);

/// A scope in which signals have the dispositions that they had before prepare_process(), for a
/// program that replaces this process. Only one such object may exist at a time.
class OriginalSignals {
   public:
    OriginalSignals();
    ~OriginalSignals();
    OriginalSignals(const OriginalSignals&) = delete;
    OriginalSignals& operator=(const OriginalSignals&) = delete;
};

/// Raises the soft limit on open files to the hard one, so that the process can have as many files
/// open as the system allows.
void allow_most_open_files();

/// Replaces the program's name in messages of signals, such as "search" by "search sw" once the
/// command is known. With an empty name signals end the process without a message.
void set_program_name(std::string_view program);

/// A scope in which the message of a signal says that `file` keeps the work done so far, and that
/// the same command goes on from there. The message says so only if the file exists. `file` is the
/// checkpoint file of `search pair`. Only one such object may exist at a time.
class KeptFileNote {
   public:
    explicit KeptFileNote(const std::filesystem::path& file);
    ~KeptFileNote();
    KeptFileNote(const KeptFileNote&) = delete;
    KeptFileNote& operator=(const KeptFileNote&) = delete;
};

}  // namespace warpseq
