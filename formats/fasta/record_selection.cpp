#include "formats/fasta/record_selection.h"

#include <algorithm>

#include "formats/fasta/fasta.h"
#include "formats/io/byte_source.h"

namespace warpseq {

namespace {

constexpr std::size_t kLongestLineBytes = std::size_t{1} << 20;

/// Returns the name in a line of a list, such as "P1" in " >P1 what it is".
std::string_view name_in_line(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r\v\f";
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.starts_with('>')) line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    return identifier_of(line);
}

}  // namespace

Status RecordSelection::read_list(const std::filesystem::path& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    names_.clear();
    places_.clear();
    std::string line;
    const auto take = [&] {
        if (const auto name = name_in_line(line); !name.empty()) {
            const auto [place, is_first] = places_.emplace(name, names_.size());
            if (is_first) names_.push_back(place->first);
        }
        line.clear();
    };
    for (std::uint64_t number = 1;;) {
        const auto block = source->next_block();
        if (!block.ok()) return block.status();
        if (block->empty()) break;
        for (const std::uint8_t byte : *block) {
            if (byte == '\n') {
                take();
                ++number;
                continue;
            }
            if (byte == 0 || line.size() == kLongestLineBytes) {
                return Status::invalid_input(
                    source->name() + ": line " + std::to_string(number) +
                    " is not an identifier: " + (byte == 0 ? "it holds a NUL byte" : "it is longer than a megabyte") +
                    "; a list has one identifier per line");
            }
            line += static_cast<char>(byte);
        }
    }
    take();
    if (names_.empty())
        return Status::invalid_input(source->name() + ": lists no identifiers; a list has one per line");
    matcher_ = NameMatcher(names_);
    found_ = std::make_unique<std::atomic<bool>[]>(matcher_.groups());
    return {};
}

std::vector<std::string_view> RecordSelection::not_found() const {
    std::vector<std::string_view> missing;
    for (std::size_t n = 0; n < names_.size(); ++n) {
        if (!found_[matcher_.group_of(n)].load(std::memory_order_relaxed)) missing.push_back(names_[n]);
    }
    return missing;
}

bool RecordSelection::lists(std::string_view header) const {
    return matcher_.match(header, [this](std::size_t group) { found_[group].store(true, std::memory_order_relaxed); });
}

bool RecordSelection::wants(std::string_view header, std::uint64_t residues) const {
    return (!has_list() || lists(header)) && wants_length(residues);
}

}  // namespace warpseq
