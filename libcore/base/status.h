// Errors as values. Everything an input, a file or a machine can cause comes back as a Status or a
// Result<T>; assertions are for our own bugs, and only main() exits or prints.
//
// A message is one sentence or a few, for a person: it names the file, the line or byte offset,
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
    kInvalidInput,  // a file's content, or values that make no sense together: exit status 1
    kIo,            // the system refused to open, read or write: exit status 1
    kUnavailable,   // asked for something this machine or build does not have: exit status 1
    kOutOfMemory,   // of the host: exit status 1
    kUsage,         // the command line is wrong: exit status 2
    kInterrupted,   // a person ended it: exit status 130, as a shell has it for Ctrl-C
};

/// What a person may change so that an error goes away, where a program has an option for it.
/// Libraries know no program's options: they name the change, and a program says how it is spelled.
enum class Advice : unsigned char {
    kNone,
    kAlignMore,    // pairs of sequences that were left out
    kAlphabet,     // whether letters are residues or bases
    kNucleotides,  // letters are not the residues that they look like
    kProteins,     // or not the bases
    kAlignments,   // compute them, not scores alone
    kCpu,          // computes instead of GPUs
    kFewerThreads,
    kMemory,          // how much may be taken
    kOtherOutput,     // write elsewhere: this one does not take all
    kOutputFile,      // name one
    kProfileQueries,  // where profiles go
    kQueryRange,      // of residues that are searched with: no query reaches it
    kReplace,         // an output that is there
    kSkipInvalid,     // leave records out that are not what they should be
    kSmallerChunks,
    kTargetRange,  // of which residues of targets are searched
    kTaxids,       // of which taxa: no sequence is of them
};

/// Success, or a code with a message for a person. Cheap to move; not thread-shared.
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
    /// Says only "out of memory" where there is no memory for a longer message.
    static Status out_of_memory(const char* message = kOutOfMemoryMessage) noexcept;
    static Status interrupted() { return {StatusCode::kInterrupted, "interrupted"}; }

    /// The same error with advice.
    Status with(Advice advice) && {
        advice_ = advice;
        return std::move(*this);
    }

    bool ok() const { return code_ == StatusCode::kOk; }
    StatusCode code() const { return code_; }
    const std::string& message() const { return message_; }
    Advice advice() const { return advice_; }

    /// The exit status that main() returns for it: 0 success, 2 wrong usage, 130 interrupted, 1
    /// everything else.
    int exit_status() const {
        return ok() ? 0 : code_ == StatusCode::kUsage ? 2 : code_ == StatusCode::kInterrupted ? 130 : 1;
    }

   private:
    /// Short enough that a std::string holds it in itself.
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
    const Status& status() const { return status_; }

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

/// What the exception that is being handled means to a person: kOutOfMemory, or kUnavailable with
/// its what(). Only for catch blocks.
Status status_of_exception() noexcept;

/// work(), which returns void, a Status or a Result; an exception that leaves it becomes the
/// Status.
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
/// may hold lambdas that do the same: each use has a name of its own.
#define WARPSEQ_TRY(expression) WARPSEQ_TRY_NUMBERED(expression, __COUNTER__)
#define WARPSEQ_TRY_NUMBERED(expression, number) WARPSEQ_TRY_NAMED(expression, number)
#define WARPSEQ_TRY_NAMED(expression, number)                                                        \
    do {                                                                                             \
        if (::warpseq::Status warpseq_status_##number = (expression); !warpseq_status_##number.ok()) \
            return warpseq_status_##number;                                                          \
    } while (false)

}  // namespace warpseq
