#include "formats/io/text_lines.h"

namespace warpseq {

Result<bool> TextLines::next(std::string_view& line) {
    kept_.clear();
    ++number_;
    for (;;) {
        const std::size_t end = block_.find('\n');
        const std::size_t bytes = end == block_.npos ? block_.size() : end;
        if (kept_.size() + bytes > kLongestLineBytes)
            return error("expected text, found a line longer than a megabyte");
        if (end != block_.npos && kept_.empty()) {
            line = block_.substr(0, end);
            block_.remove_prefix(end + 1);
            break;
        }
        kept_ += block_.substr(0, bytes);
        line = kept_;
        if (end != block_.npos) {
            block_.remove_prefix(end + 1);
            break;
        }
        if (at_end_) return false;
        const auto block = source_.next_block();
        if (!block.ok()) return block.status();
        block_ = {reinterpret_cast<const char*>(block->data()), block->size()};
        if (!block_.empty()) continue;
        at_end_ = true;
        if (kept_.empty()) return false;
        break;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

}  // namespace warpseq
