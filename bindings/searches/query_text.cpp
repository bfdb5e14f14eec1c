#include "bindings/searches/query_text.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpseq {

Result<QueryText> QueryText::of_text(std::string_view text, std::string name) {
    auto memory = TemporaryFile::create_in_memory();
    if (!memory.ok()) return memory.status();
    WARPSEQ_TRY(memory->append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
    QueryText queries("/proc/self/fd/" + std::to_string(memory->descriptor()));
    queries.name_ = std::move(name);
    queries.memory_ = *std::move(memory);
    return queries;
}

std::string QueryText::named(std::string text) const {
    const std::string file = file_.string();
    if (file == name_) return text;
    for (std::size_t at = 0; (at = text.find(file, at)) != std::string::npos; at += name_.size())
        text.replace(at, file.size(), name_);
    return text;
}

Status QueryText::named(const Status& status) const {
    if (status.ok()) return status;
    return Status(status.code(), named(status.message())).with(status.advice());
}

}  // namespace warpseq
