#include "apps/dropin/makeblastdb_taxids.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <utility>
#include <vector>

#include "formats/blast/blast_seqid_parser.h"
#include "formats/taxonomy/taxonomy.h"
#include "options/blast_options.h"

namespace warpseq {
namespace {

/// Returns the key of an identifier: the tag alone of a general identifier, and an accession
/// without its version.
std::string key_of(const BlastSeqId& id) { return id.kind == BlastSeqId::Kind::kGeneral ? id.second : id.label(false); }

/// Returns the key of an identifier as text. A number is a GI. The key is empty if the text has
/// several identifiers, or none that can be read.
std::string key_of(const std::string& text) {
    if (text.find_first_not_of("0123456789") == std::string::npos)
        return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
    const auto is_clear = [](const Result<std::vector<BlastSeqId>>& ids) {
        return ids.ok() && ids->size() == 1 &&
               (ids->front().kind != BlastSeqId::Kind::kLocal || ids->front().second.find('|') == std::string::npos);
    };
    const auto ids = parse_stored_seqids(text);
    if (is_nucleotide_accession(text)) return ids->front().second.substr(0, ids->front().second.find('.'));
    if (is_clear(ids)) return key_of(ids->front());
    const auto local = parse_stored_seqids("lcl|" + text);
    return is_clear(local) ? key_of(local->front()) : std::string();
}

/// Reads a taxonomy ID. An error has the message of NCBI's toolkit.
Result<std::uint32_t> read_taxid(const std::string& text) {
    const auto wrong = [&](const char* type, std::size_t place) {
        return Status::invalid_input(blast_cannot_convert(text, type, place));
    };
    const bool is_negative = text.starts_with('-');
    const std::size_t first = is_negative || text.starts_with('+') ? 1 : 0;
    const std::size_t other = text.find_first_not_of("0123456789", first);
    if (other != std::string::npos || text.size() == first) return wrong("Int8", std::min(other, text.size()));
    std::uint64_t number = 0;
    for (std::size_t at = first; at < text.size(); ++at) {
        constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
        const auto digit = static_cast<std::uint64_t>(text[at] - '0');
        if (number > (kMost - digit) / 10) return wrong("Int8, overflow", at);
        number = number * 10 + digit;
    }
    if (number > kMostTaxid) return wrong("int, overflow", 0);
    if (is_negative && number > 0) return Status::invalid_input("'" + text + "' is no taxonomy ID");
    return static_cast<std::uint32_t>(number);
}

}  // namespace

Result<TaxidMap> TaxidMap::read(const std::string& file) {
    TaxidMap map;
    std::ifstream in(file, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
        constexpr const char* kBlanks = " \t\r\v\f";
        line.erase(line.find_last_not_of(kBlanks) + 1);
        line.erase(0, line.find_first_not_of(kBlanks));
        const std::size_t blank = line.find_first_of(" \t");
        if (blank == std::string::npos || line.find_first_of(" \t", blank + 1) != std::string::npos) continue;
        const auto taxid = read_taxid(line.substr(blank + 1));
        if (!taxid.ok()) return taxid.status();
        map.taxids_[key_of(line.substr(0, blank))] = *taxid;
    }
    if (in.bad()) return Status::io(file + ": cannot read it");
    return map;
}

std::uint32_t TaxidMap::find(std::span<const BlastSeqId> ids) {
    for (const BlastSeqId& id : ids) {
        const std::string key = key_of(id);
        if (key.empty()) continue;
        auto found = taxids_.find(key);
        if (found == taxids_.end()) {
            // A local name may be an accession with its version.
            const std::size_t dot = key.find('.');
            if (dot == std::string::npos) continue;
            found = taxids_.find(key.substr(0, dot));
        }
        if (found == taxids_.end()) continue;
        has_found_ = true;
        return found->second;
    }
    return 0;
}

}  // namespace warpseq
