// TextPieces passes text on in pieces, so that a text of any length needs little memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "libcore/base/status.h"

namespace warpseq {

class TextPieces {
   public:
    static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    using Take = std::function<Status(std::string_view)>;

    /// Passes the text to `take`, which must outlive this object.
    explicit TextPieces(const Take& take) : take_(take) {}

    /// Returns the buffer to which the caller appends text. next() and finish() pass it on.
    std::string& text() { return text_; }
    /// Passes the text on if it has at least kPieceBytes bytes. Call it after every line. Returns
    /// false after an error of the receiver; further text is then dropped.
    bool next() {
        if (text_.size() >= kPieceBytes) hand_on();
        return status_.ok();
    }
    /// Passes the rest of the text on. Returns the first error of the receiver.
    Status finish() {
        hand_on();
        return std::move(status_);
    }

   private:
    void hand_on() {
        if (status_.ok() && !text_.empty()) status_ = take_(text_);
        text_.clear();
    }

    const Take& take_;
    std::string text_;
    Status status_;
};

}  // namespace warpseq
