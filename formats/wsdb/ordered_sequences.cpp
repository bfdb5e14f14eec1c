#include "formats/wsdb/ordered_sequences.h"

#include <algorithm>
#include <string>

namespace warpseq {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Status OrderedSequences::add(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place) {
    const auto header = reader.header(rank, headers_);
    if (!header.ok()) return header.status();
    const auto residues = reader.residues(rank, buffer_);
    if (!residues.ok()) return residues.status();
    // The length in the key tells where the header begins in the payload.
    return sort_.add({place, residues->size()}, {*residues, bytes_of(*header)});
}

Status OrderedSequences::add_range(const WsdbReader& reader, std::uint64_t rank, std::uint64_t place,
                                   const ResidueRange& range) {
    auto header = reader.header(rank, headers_);
    if (!header.ok()) return header.status();
    const auto residues = reader.residues(rank, buffer_);
    if (!residues.ok()) return residues.status();
    // A file that was changed meanwhile may have fewer residues.
    if (range.end > residues->size()) return reader.changed_status();
    header->insert(identifier_of(*header).size(),
                   ":" + std::to_string(range.begin + 1) + "-" + std::to_string(range.end));
    const auto cut = std::span<const ResidueCode>(*residues).subspan(range.begin, range.end - range.begin);
    return sort_.add({place, cut.size()}, {cut, bytes_of(*header)});
}

Status OrderedSequences::for_each(const Use& use) {
    WARPSEQ_TRY(sort_.finish());
    SortItem item;
    for (;;) {
        auto more = sort_.next(item);
        if (!more.ok()) return more.status();
        if (!*more) return {};
        const auto residues = item.payload.first(item.key[1]);
        const auto header = item.payload.subspan(item.key[1]);
        WARPSEQ_TRY(use(item.key[0], {reinterpret_cast<const char*>(header.data()), header.size()}, residues));
        sort_.release();
    }
}

void append_residue_lines(std::span<const ResidueCode> residues, std::uint64_t width, std::string& text) {
    const std::uint64_t line = width == 0 ? std::max<std::uint64_t>(residues.size(), 1) : width;
    for (std::uint64_t begin = 0; begin < residues.size(); begin += line) {
        const std::uint64_t end = std::min<std::uint64_t>(begin + line, residues.size());
        const std::size_t place = text.size();
        text.resize(place + (end - begin) + 1);
        for (std::uint64_t i = begin; i < end; ++i) text[place + (i - begin)] = residue_letter(residues[i]);
        text.back() = '\n';
    }
}

}  // namespace warpseq
