#include "formats/taxonomy/blast_taxdb.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace warpseq {
namespace {

constexpr std::uint32_t kMagic = 0x8739;
constexpr std::size_t kNumberBytes = 4, kHeadBytes = 24, kEntryBytes = 8;

}  // namespace

std::uint32_t BlastTaxdb::number(std::size_t place) const {
    const std::uint8_t* const bytes = index_.bytes().data() + place;
    return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
           static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

Result<BlastTaxdb> BlastTaxdb::open(const std::filesystem::path& folder) {
    BlastTaxdb taxdb;
    auto index = MappedFile::open(folder / "taxdb.bti");
    auto names = MappedFile::open(folder / "taxdb.btd");
    if (!index.ok() || !names.ok() || index->bytes().size() < kHeadBytes + kEntryBytes) return taxdb;
    taxdb.index_ = *std::move(index);
    taxdb.names_ = *std::move(names);
    if (taxdb.number(0) != kMagic) return Status::invalid_input("Error: Tax database file has wrong magic number.");
    const std::size_t told = taxdb.number(kNumberBytes);
    const std::size_t found = (taxdb.index_.bytes().size() - kHeadBytes) / kEntryBytes;
    if (told != found) {
        return Status::invalid_input("SeqDB: Taxid metadata indicates (" + std::to_string(told) +
                                     ") entries but file has room for (" + std::to_string(found) + ").");
    }
    taxdb.taxa_ = found;
    return taxdb;
}

std::optional<TaxdbNames> BlastTaxdb::find(std::int64_t taxid) const {
    if (taxid < 0 || taxid > std::numeric_limits<std::uint32_t>::max()) return {};
    const auto taxid_at = [&](std::size_t entry) { return number(kHeadBytes + entry * kEntryBytes); };
    const auto names_at = [&](std::size_t entry) {
        return std::size_t{number(kHeadBytes + entry * kEntryBytes + kNumberBytes)};
    };
    std::size_t begin = 0;
    for (std::size_t end = taxa_; begin < end;) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (taxid_at(middle) < taxid) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    if (begin == taxa_ || taxid_at(begin) != taxid) return {};
    const auto bytes = names_.bytes();
    const std::size_t first = names_at(begin);
    const std::size_t last = begin + 1 < taxa_ ? names_at(begin + 1) : bytes.size();
    if (first > last || last > bytes.size()) return TaxdbNames();
    std::string_view text(reinterpret_cast<const char*>(bytes.data()) + first, last - first);
    TaxdbNames names;
    for (std::string* const name : {&names.scientific, &names.common, &names.blast, &names.kingdom}) {
        const std::size_t end = name == &names.kingdom ? text.size() : std::min(text.find('\t'), text.size());
        if (end == 0) return TaxdbNames();
        *name = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

}  // namespace warpseq
