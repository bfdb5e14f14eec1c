// An output file that appears whole or not at all: written beside its place without a name where
// the file system allows it (under a temporary name else), synced, then given its name. Killed at
// any moment, nothing half-written is left under the final name, and an existing file stays until
// the new one replaces it, with its permissions: a link cannot replace, so for that moment the new
// one has a temporary name, which a kill may leave.
//
// ExistingFile::kWriteInto is for programs whose callers create a file first and read it through
// their own descriptor. A file that exists keeps its inode, mode, owner and links; the content is
// kept elsewhere until commit() copies it there. A failure before that leaves the file as it was. A
// kill or a full disk during the copy may leave a part of the new content.
//
// What is no regular file (a pipe, a FIFO, a terminal, /dev/null) is written as it comes and never
// replaced. The same goes for /dev/stdout, /dev/fd/N and the like, whatever they were redirected
// to: that descriptor is written to, so `-o
// /dev/stdout >> file` appends.
//
// formats/io: files as bytes, whatever they mean: reading, decompression, atomic output, checksums,
// packets, sorting on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

class TemporaryFile;

/// The treatment of a regular file that already has the name of an output.
enum class ExistingFile {
    kRefuse,     // it is an error
    kReplace,    // the finished output takes its name
    kWriteInto,  // it stays, and the finished output becomes its content
};

class AtomicFile {
   public:
    /// How an unfinished file is kept; tests choose.
    enum class Unfinished { kWithoutName, kWithTemporaryName };

    /// Opens for writing. Opening a FIFO waits for its reader.
    static Result<AtomicFile> create(const std::filesystem::path& file, ExistingFile existing,
                                     Unfinished unfinished = Unfinished::kWithoutName);
    /// The same. An existing regular file is replaced, or with `replace` false an error.
    static Result<AtomicFile> create(const std::filesystem::path& file, bool replace,
                                     Unfinished unfinished = Unfinished::kWithoutName) {
        return create(file, replace ? ExistingFile::kReplace : ExistingFile::kRefuse, unfinished);
    }
    /// Writes to an open descriptor, such as 1 for standard output, as it comes; `shown` is its
    /// name in messages.
    static Result<AtomicFile> of_descriptor(int descriptor, const std::string& shown);
    /// Writes to a temporary file of the caller's, which is empty, at any offset. It stays unnamed;
    /// commit() does nothing.
    static Result<AtomicFile> of_temporary(const TemporaryFile& file);
    /// Discards everything unless commit() has succeeded; what is written as it comes stays.
    ~AtomicFile();
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;

    /// Appends; errors (disk full among them) name the final file.
    Status append(std::span<const std::uint8_t> bytes);
    /// Writes at an offset, anywhere; size_bytes() grows where needed. Thread-safe for ranges that
    /// do not overlap. Not where can_seek() is false.
    Status write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes);
    /// Lets the disk begin with bytes that are written for good, so that commit() waits less.
    /// Thread-safe.
    void start_write_back(std::uint64_t offset_bytes, std::uint64_t bytes) const;
    /// Where append() goes next.
    std::uint64_t size_bytes() const;
    /// False for pipes, terminals, /dev/stdout: only append() works.
    bool can_seek() const;
    bool is_terminal() const;
    /// The file will appear under another name, in the same folder. Not of a stream, nor of an
    /// existing file that is written into.
    void set_name(const std::string& name);
    /// Syncs the content, so that commit() takes a moment only. Nothing but set_name() and commit()
    /// may follow. A stream: does nothing.
    Status sync() const;
    /// Syncs the content, gives it its name, syncs the folder; or writes it into the existing file
    /// and syncs that. Nothing may follow. An answer of the system that the name could not be given
    /// is not believed where the file has it: servers of network file systems give such answers
    /// when a request came twice.
    Status commit();
    /// Returns the descriptor of the content. It is open for reading and writing, a stream's for
    /// writing, as long as this lives.
    int descriptor() const;

   private:
    struct State;
    explicit AtomicFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
