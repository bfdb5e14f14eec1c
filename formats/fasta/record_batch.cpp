#include "formats/fasta/record_batch.h"

#include <algorithm>
#include <cstring>

#include "formats/fasta/sequence_names.h"
#include "formats/io/checksum.h"

namespace warpseq {

namespace {

/// The byte between the header and the taxonomy IDs.
constexpr char kHeaderEnd = '\n';

}  // namespace

RecordView view_of_record(std::span<const std::uint8_t> record, std::uint64_t residues) {
    RecordView view;
    view.words = record.first(words_for(residues) * sizeof(std::uint32_t));
    std::memcpy(&view.residues_hash, record.data() + view.words.size(), sizeof view.residues_hash);
    const auto header = record.subspan(view.words.size() + sizeof view.residues_hash);
    view.header = {reinterpret_cast<const char*>(header.data()), header.size()};
    if (const std::size_t end = view.header.find(kHeaderEnd); end != std::string_view::npos) {
        view.header = view.header.substr(0, end);
        view.taxids = header.subspan(end + 1);
    }
    return view;
}

std::uint32_t RecordView::taxid(std::size_t line) const {
    std::uint32_t taxid = 0;
    if (taxids.size() >= (line + 1) * sizeof taxid)
        std::memcpy(&taxid, taxids.data() + line * sizeof taxid, sizeof taxid);
    return taxid;
}

std::size_t count_deflines(std::string_view header) {
    return 1 + static_cast<std::size_t>(std::ranges::count(header, '\x01'));
}

void RecordBatch::add(std::string_view header, std::span<const ResidueCode> residues, std::uint64_t position,
                      std::span<const std::uint32_t> taxids) {
    if (std::ranges::all_of(taxids, [](std::uint32_t taxid) { return taxid == 0; })) taxids = {};
    const std::size_t taxids_bytes = taxids.empty() ? 0 : sizeof kHeaderEnd + taxids.size_bytes();
    const std::uint64_t rows = words_for(residues.size());
    const std::size_t words_bytes = rows * sizeof(std::uint32_t);
    if (words_.size() < rows) words_.resize(std::max<std::size_t>(rows, words_.size() * 2));
    if (rows > 0) pack_lane(residues, words_.data(), rows, 0, 1);
    const std::uint64_t hash = checksum_of(residues.data(), residues.size());
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + words_bytes + sizeof hash + header.size() + taxids_bytes);
    std::uint8_t* place = bytes_.data() + begin;
    if (rows > 0) std::memcpy(place, words_.data(), words_bytes);
    std::memcpy(place + words_bytes, &hash, sizeof hash);
    if (!header.empty()) std::memcpy(place + words_bytes + sizeof hash, header.data(), header.size());
    if (taxids_bytes != 0) {
        place += words_bytes + sizeof hash + header.size();
        std::memcpy(place, &kHeaderEnd, sizeof kHeaderEnd);
        std::memcpy(place + sizeof kHeaderEnd, taxids.data(), taxids.size_bytes());
        has_taxids_ = true;
    }
    records_.push_back({residues.size(), position, begin, bytes_.size()});
    residues_ += residues.size();
    header_bytes_ += header.size();
    most_names_ += 1;
    for (const char byte : header) most_names_ += byte == '|' || byte == kNextDefline ? 1 : 0;
    count(residues);
}

void RecordBatch::clear() {
    records_.clear();
    bytes_.clear();
    residues_ = header_bytes_ = most_names_ = 0;
    has_taxids_ = false;
    composition_ = {};
}

void RecordBatch::count(std::span<const ResidueCode> residues) {
    std::size_t i = 0;
    for (; i + 4 <= residues.size(); i += 4) {
        ++composition_[0][residues[i] & kResidueMask];
        ++composition_[1][residues[i + 1] & kResidueMask];
        ++composition_[2][residues[i + 2] & kResidueMask];
        ++composition_[3][residues[i + 3] & kResidueMask];
    }
    for (; i < residues.size(); ++i) ++composition_[0][residues[i] & kResidueMask];
}

std::array<std::uint64_t, kResidueTableSize> RecordBatch::composition() const {
    std::array<std::uint64_t, kResidueTableSize> sums{};
    for (const auto& table : composition_) {
        for (std::size_t code = 0; code < table.size(); ++code) sums[code] += table[code];
    }
    return sums;
}

}  // namespace warpseq
