#include "formats/blast/blast_seqid.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "libcore/base/ascii.h"

namespace warpseq {
namespace {

using Kind = BlastSeqId::Kind;

constexpr std::array<std::string_view, 20> kNames = {"lcl", "bbs", "bbm", "gim", "gb",  "emb", "pir",
                                                     "sp",  "pat", "ref", "gnl", "gi",  "dbj", "prf",
                                                     "pdb", "tpg", "tpe", "tpd", "gpp", "nat"};

/// Adds `key` to `keys` unless `keys` has it already.
void add_once(std::string key, std::vector<std::string>& keys) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
}

}  // namespace

std::string_view seqid_kind_name(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<Kind> seqid_kind(std::string_view name) {
    if (equal_ignoring_case(name, "tr")) return Kind::kSwissProt;
    if (equal_ignoring_case(name, "pgp")) return Kind::kPatent;
    const auto* const found =
        std::ranges::find_if(kNames, [&](std::string_view each) { return equal_ignoring_case(name, each); });
    if (found == kNames.end()) return {};
    return static_cast<Kind>(found - kNames.begin());
}

bool BlastSeqId::is_textual() const {
    switch (kind) {
        case Kind::kLocal:
        case Kind::kGibbSequence:
        case Kind::kGibbMolecule:
        case Kind::kGiImport:
        case Kind::kPatent:
        case Kind::kGeneral:
        case Kind::kGi:
        case Kind::kPdb: return false;
        default: return true;
    }
}

std::int64_t BlastSeqId::numeric_value() const {
    std::int64_t value = 0;
    std::from_chars(second.data(), second.data() + second.size(), value);
    return value;
}

std::string BlastSeqId::fasta() const {
    std::string text(seqid_kind_name(kind));
    if (kind == Kind::kSwissProt && is_variant) text = "tr";
    if (kind == Kind::kPatent && is_variant) text = "pgp";
    text += '|';
    if (is_textual()) {
        text += first;
        if (number > 0 && !first.empty()) text += "." + std::to_string(number);
        return text + "|" + second;
    }
    switch (kind) {
        case Kind::kPatent: return text + first + "|" + second + "|" + std::to_string(number);
        case Kind::kGeneral: return text + first + "|" + second;
        case Kind::kPdb: return text + first + "|" + (second.empty() ? " " : second);
        default: return text + second;
    }
}

std::string BlastSeqId::label(bool with_version) const {
    if (is_textual()) {
        std::string text = first.empty() ? second : ascii_upper(first);
        if (with_version && number > 0 && !text.empty()) text += "." + std::to_string(number);
        return text;
    }
    switch (kind) {
        case Kind::kPatent: return first + second + "_" + std::to_string(number);
        case Kind::kGeneral: return first + ":" + second;
        case Kind::kPdb: return second.empty() ? first : first + "_" + second;
        default: return second;
    }
}

std::string BlastSeqId::shown() const {
    return kind == Kind::kGi || kind == Kind::kPrf || kind == Kind::kPir ? fasta() : label(true);
}

BlastSeqId::Comparison BlastSeqId::compare(const BlastSeqId& other) const {
    const auto of = [](bool is_same) { return is_same ? Comparison::kSame : Comparison::kOther; };
    const auto are_same_texts = [&] {
        const auto is_same_version = [&] { return number == 0 || other.number == 0 || number == other.number; };
        if (!first.empty() && !other.first.empty()) return equal_ignoring_case(first, other.first) && is_same_version();
        if (!second.empty() && !other.second.empty())
            return equal_ignoring_case(second, other.second) && is_same_version();
        return false;
    };
    if (kind != other.kind) {
        const auto is_comparable = [](Kind each) {
            switch (each) {
                case Kind::kGenBank:
                case Kind::kEmbl:
                case Kind::kDdbj:
                case Kind::kTpg:
                case Kind::kTpe:
                case Kind::kTpd:
                case Kind::kGpipe:
                case Kind::kNamedTrack: return true;
                default: return false;
            }
        };
        if (!is_comparable(kind) || !is_comparable(other.kind)) return Comparison::kOtherKind;
        return of(are_same_texts());
    }
    if (is_textual()) return of(are_same_texts());
    switch (kind) {
        case Kind::kLocal: return of(equal_ignoring_case(second, other.second));
        case Kind::kGeneral:
            if (!equal_ignoring_case(first, other.first)) return Comparison::kOtherKind;
            return of(equal_ignoring_case(second, other.second));
        case Kind::kPatent:
            return of(equal_ignoring_case(first, other.first) && equal_ignoring_case(second, other.second) &&
                      number == other.number);
        case Kind::kPdb:
            return of(first == other.first && (second.empty() || other.second.empty() || second == other.second));
        default: return of(second == other.second);
    }
}

const BlastSeqId* shown_seqid(const std::vector<BlastSeqId>& ids) {
    const auto rank = [](const BlastSeqId& id) {
        const int base = [&] {
            switch (id.kind) {
                case Kind::kGi:
                case Kind::kGiImport: return 20;
                case Kind::kGeneral:
                case Kind::kGibbSequence:
                case Kind::kGibbMolecule: return 15;
                case Kind::kLocal:
                case Kind::kPatent: return 10;
                case Kind::kGpipe:
                case Kind::kNamedTrack: return 9;
                case Kind::kRefSeq: return 8;
                default: return 5;
            }
        }();
        if (!id.is_textual()) return base * 10;
        return base * 10 + (id.number == 0 ? 4 : 0) + (id.first.empty() ? 3 : 0) + (id.second.empty() ? 2 : 0);
    };
    const auto best = std::ranges::min_element(ids, {}, rank);
    return best == ids.end() ? nullptr : &*best;
}

std::string unique_label(const BlastSeqId& id) {
    const std::string text = ascii_upper(seqid_kind_name(id.kind)) + "|";
    switch (id.kind) {
        case Kind::kPatent: return text + ascii_upper(id.first + "|" + id.second) + "|" + std::to_string(id.number);
        case Kind::kGeneral: return text + ascii_upper(id.first + "|" + id.second);
        // Two chains may differ only by the case of a letter.
        case Kind::kPdb: return text + ascii_upper(id.first) + (id.second.empty() ? "" : "|" + id.second);
        case Kind::kPir:
        case Kind::kPrf: return text + ascii_upper(id.second.empty() ? id.first : id.second);
        default: return text + ascii_upper(id.label(true));
    }
}

std::vector<std::string> accession_keys(const BlastSeqId& id) {
    if (id.kind == Kind::kGi) return {};
    if (id.kind == Kind::kPir || id.kind == Kind::kPrf) return {id.fasta()};
    std::vector<std::string> keys;
    const std::string shown = id.label(true);
    if (id.kind == Kind::kPdb) {
        add_once(id.first, keys);
        add_once(ascii_upper(id.first), keys);
    } else {
        add_once(id.is_textual() ? id.label(false) : ascii_upper(shown), keys);
    }
    std::erase(keys, shown);
    keys.push_back(shown);
    return keys;
}

std::vector<std::string> isam_keys(const BlastSeqId& id) {
    std::vector<std::string> keys;
    const auto add = [&](std::string_view key) { add_once(ascii_lower(key), keys); };
    if (id.is_textual()) {
        if (!id.first.empty()) add(id.first);
        if (!id.second.empty()) add(id.second);
        if (!id.first.empty() && id.number > 0) add(id.first + "." + std::to_string(id.number));
        return keys;
    }
    const std::string fasta = id.fasta();
    switch (id.kind) {
        case Kind::kGi: break;
        case Kind::kPdb: {
            constexpr std::size_t kEntryBytes = 4;
            add(id.first);
            add(fasta);
            std::string shorter = fasta.substr(seqid_kind_name(id.kind).size() + 1);
            add(shorter);
            if (shorter.size() > kEntryBytes && shorter[kEntryBytes] == '|') shorter[kEntryBytes] = ' ';
            add(shorter);
            break;
        }
        case Kind::kLocal:
        case Kind::kGeneral:
            add(fasta);
            if (!id.is_number) add(id.second);
            break;
        default: add(fasta); break;
    }
    return keys;
}

}  // namespace warpseq
