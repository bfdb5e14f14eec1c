// Spool: a buffer that is emptied into a temporary file when it is full.
#include "formats/io/spool.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/io/temporary_file.h"

namespace warpseq {

struct Spool::State {
    std::uint64_t memory_bytes;
    std::filesystem::path folder;
    std::vector<std::uint8_t> buffer;
    TemporaryFile file;
    std::uint64_t size_bytes = 0;
};

Spool::Spool(std::uint64_t memory_bytes, std::filesystem::path folder) : state_(std::make_unique<State>()) {
    set_memory(memory_bytes);
    state_->folder = std::move(folder);
}
void Spool::set_memory(std::uint64_t memory_bytes) {
    state_->memory_bytes = std::max<std::uint64_t>(memory_bytes, std::uint64_t{64} << 10);
}
Spool::~Spool() = default;
Spool::Spool(Spool&&) noexcept = default;
Spool& Spool::operator=(Spool&&) noexcept = default;

Status Spool::append(std::span<const std::uint8_t> bytes) {
    State& state = *state_;
    state.size_bytes += bytes.size();
    // A growing vector holds its old and its new memory for a moment, so it is limited to two
    // thirds of the memory.
    if (state.buffer.size() + bytes.size() > state.memory_bytes / 3 * 2) {
        if (!state.file.is_open()) {
            auto created = TemporaryFile::create(state.folder);
            if (!created.ok()) return created.status();
            state.file = *std::move(created);
        }
        WARPSEQ_TRY(state.file.append(state.buffer));
        state.buffer.clear();
        if (bytes.size() > state.memory_bytes / 3 * 2) return state.file.append(bytes);
    }
    state.buffer.insert(state.buffer.end(), bytes.begin(), bytes.end());
    return {};
}

std::uint64_t Spool::size_bytes() const { return state_->size_bytes; }

Status Spool::drain(const std::function<Status(std::span<const std::uint8_t>)>& sink) {
    State& state = *state_;
    const std::uint64_t on_disk = state.file.is_open() ? state.file.size_bytes() : 0;
    std::vector<std::uint8_t> part(static_cast<std::size_t>(std::min<std::uint64_t>(on_disk, std::uint64_t{1} << 20)));
    for (std::uint64_t offset = 0; offset < on_disk; offset += part.size()) {
        const std::span<std::uint8_t> piece(
            part.data(), static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), on_disk - offset)));
        WARPSEQ_TRY(state.file.read_at(offset, piece));
        WARPSEQ_TRY(sink(piece));
    }
    WARPSEQ_TRY(sink(state.buffer));
    state.buffer = {};
    state.file = {};
    return {};
}

}  // namespace warpseq
