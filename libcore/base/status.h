// Errors as values. Every error that an input, a file or a machine can cause comes back as a Status
// or a Result<T>. Assertions are only for bugs of the program itself. Only main() exits or prints.
//
// A message is one sentence or a few, for the user. It names the file, the line or byte offset,
// what was found, what was expected, and what to do. It carries no program name and no final
// newline; main() adds both.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace warpseq {

enum class StatusCode {
    kOk,
    kInvalidInput,  // a file's content or a combination of values is wrong: exit status 1
    kIo,            // the system refused to open, read or write: exit status 1
    kUnavailable,   // this machine or build does not have what was asked for: exit status 1
    kOutOfMemory,   // the host has no memory left: exit status 1
    kUsage,         // the command line is wrong: exit status 2
    kInterrupted,   // the user ended the program: exit status 130, as a shell reports Ctrl-C
};

/// A change that the user can make so that an error goes away. Libraries do not know the options of
/// the programs. So a library names the change, and the program adds to the message the option that
/// makes this change, if it has one.
enum class Advice : unsigned char {
    kNone,
    kAlignMore,    // align the pairs of sequences that were left out
    kAlphabet,     // say whether letters are residues or bases
    kNucleotides,  // say that the letters are bases: they were taken for residues
    kProteins,     // say that the letters are residues: they were taken for bases
    kAlignments,   // compute alignments, not scores alone
    kCpu,          // compute on the CPU instead of GPUs
    kFewerThreads,
    kMemory,          // change how much memory may be taken
    kOtherOutput,     // write to another place, since writing to this one failed
    kOutputFile,      // name an output file
    kProfileQueries,  // use a search that takes profiles as queries
    kQueryRange,      // change the range of query residues, since no query reaches it
    kReplace,         // replace the existing output
    kSkipInvalid,     // leave out records that are not valid
    kSmallerChunks,
    kTargetRange,  // change the range of target residues that is searched
    kTaxids,       // change the taxa, since no sequence belongs to them
};

/// Success, or an error code with a message for the user. Cheap to move. Not thread-safe.
class [[nodiscard]] Status {
   public:
    Status() = default;
    Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {
        assert(code != StatusCode::kOk);
    }

    static Status invalid_input(std::string message) { return {StatusCode::kInvalidInput, std::move(message)}; }
    static Status io(std::string message) { return {StatusCode::kIo, std::move(message)}; }
    static Status unavailable(std::string message) { return {StatusCode::kUnavailable, std::move(message)}; }
    static Status usage(std::string message) { return {StatusCode::kUsage, std::move(message)}; }
    /// Returns an error that says only "out of memory" if there is no memory for a longer message.
    static Status out_of_memory(const char* message = kOutOfMemoryMessage) noexcept;
    static Status interrupted() { return {StatusCode::kInterrupted, "interrupted"}; }

    /// Returns the same error with advice.
    Status with(Advice advice) && {
        advice_ = advice;
        return std::move(*this);
    }

    bool ok() const { return code_ == StatusCode::kOk; }
    StatusCode code() const { return code_; }
    const std::string& message() const { return message_; }
    Advice advice() const { return advice_; }

    /// Returns the exit status that main() returns for this Status: 0 for success, 2 for wrong
    /// usage, 130 for an interruption and 1 for everything else.
    int exit_status() const {
        return ok() ? 0 : code_ == StatusCode::kUsage ? 2 : code_ == StatusCode::kInterrupted ? 130 : 1;
    }

   private:
    /// The message for lack of memory. It is so short that a std::string stores it without
    /// allocating.
    static constexpr const char* kOutOfMemoryMessage = "out of memory";

    StatusCode code_ = StatusCode::kOk;
    Advice advice_ = Advice::kNone;
    std::string message_;
};

/// A value, or the Status that says why there is none. (std::expected is C++23, and nvcc 13 stops
/// at C++20.)
template <typename T>
class [[nodiscard]] Result {
   public:
    Result(T value) : value_(std::move(value)) {}
    Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

    bool ok() const { return value_.has_value(); }
    /// Returns the error, or an ok Status if there is a value.
    const Status& status() const { return status_; }

    /// Return the value. Only valid if ok() is true.
    T& operator*() & { return checked(); }
    const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
    T&& operator*() && { return std::move(checked()); }
    T* operator->() { return &checked(); }
    const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

   private:
    T& checked() {
        assert(value_.has_value());
        return *value_;
    }

    std::optional<T> value_;
    Status status_;
};

/// Returns a Status for the exception that is being handled: kOutOfMemory for a lack of memory,
/// kUnavailable with the exception's what() for any other. To be used only in catch blocks.
Status status_of_exception() noexcept;

/// Returns work()'s result, or a Status that describes the exception if one leaves it. work()
/// returns void, a Status or a Result.
template <typename Work>
auto guarded(const Work& work) noexcept {
    using Returned = std::invoke_result_t<const Work&>;
    using Value = std::conditional_t<std::is_void_v<Returned>, Status, Returned>;
    try {
        if constexpr (std::is_void_v<Returned>) {
            work();
            return Value();
        } else {
            return Value(work());
        }
    } catch (...) {
        return Value(status_of_exception());
    }
}

/// Returns the Status of `expression` from the enclosing function unless it is ok. The expression
/// may hold lambdas that do the same, since the variable of each use has a name of its own.
#define WARPSEQ_TRY(expression) WARPSEQ_TRY_NUMBERED(expression, __COUNTER__)
#define WARPSEQ_TRY_NUMBERED(expression, number) WARPSEQ_TRY_NAMED(expression, number)
#define WARPSEQ_TRY_NAMED(expression, number)                                                        \
    do {                                                                                             \
        if (::warpseq::Status warpseq_status_##number = (expression); !warpseq_status_##number.ok()) \
            return warpseq_status_##number;                                                          \
    } while (false)

}  // namespace warpseq
