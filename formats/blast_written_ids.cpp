#include "formats/blast_written_ids.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace warpseq {
namespace {

using Kind = WrittenSeqId::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }
bool are_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

std::string in_capitals(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), upper);
    return out;
}
std::string in_small_letters(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

/// Nothing where it is not digits alone, or above `most`.
std::optional<std::int64_t> number_in(std::string_view text, std::int64_t most) {
    std::int64_t number = 0;
    if (!are_digits(text)) return {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number > most) return {};
    return number;
}
constexpr std::int64_t kMostNumber = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kReviewed = "reviewed", kUnreviewed = "unreviewed";

struct KnownKind {
    std::string_view name;
    Kind kind;
};
constexpr std::array<KnownKind, 23> kKinds = {{{"bbm", Kind::kBackboneMolecule},
                                               {"bbs", Kind::kBackboneSequence},
                                               {"dbj", Kind::kDdbj},
                                               {"emb", Kind::kEmbl},
                                               {"gb", Kind::kGenBank},
                                               {"gi", Kind::kGi},
                                               {"gim", Kind::kImport},
                                               {"gnl", Kind::kGeneral},
                                               {"gpp", Kind::kPipeline},
                                               {"lcl", Kind::kLocal},
                                               {"nat", Kind::kTrack},
                                               {"pat", Kind::kPatent},
                                               {"pdb", Kind::kPdb},
                                               {"pgp", Kind::kPatent},
                                               {"pir", Kind::kPir},
                                               {"prf", Kind::kPrf},
                                               {"ref", Kind::kRefSeq},
                                               {"sp", Kind::kSwissProt},
                                               {"tpd", Kind::kThirdPartyDdbj},
                                               {"tpe", Kind::kThirdPartyEmbl},
                                               {"tpg", Kind::kThirdPartyGenBank},
                                               {"tr", Kind::kSwissProt},
                                               {"gibbsq", Kind::kBackboneSequence}}};

std::string_view name_of(Kind kind) {
    constexpr std::array<std::string_view, 20> kNames = {"lcl", "bbs", "bbm", "gim", "gb",  "emb", "pir",
                                                         "sp",  "pat", "ref", "gnl", "gi",  "dbj", "prf",
                                                         "pdb", "tpg", "tpe", "tpd", "gpp", "nat"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_named(std::string_view name) {
    const std::string small = in_small_letters(name);
    const auto found = std::ranges::find(kKinds, std::string_view(small), &KnownKind::name);
    return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

/// Whether an accession that is no protein's stands there: such a name is local, in capitals.
struct Recognised {
    std::optional<Kind> kind;  // none: a local name
    bool in_capitals = false;
};

/// GenBank, EMBL, DDBJ or a third party's by the first letter of what accessions of three letters and digits begin with.
std::optional<Kind> kind_of_protein(char first) {
    constexpr std::string_view kGenBankLetters = "AEJKMNOPQRTU", kDdbjLetters = "BGL", kEmblLetters = "CSV",
                               kThirdParty = "DH", kThirdPartyDdbj = "FI";
    if (kGenBankLetters.find(first) != std::string_view::npos) return Kind::kGenBank;
    if (kDdbjLetters.find(first) != std::string_view::npos) return Kind::kDdbj;
    if (kEmblLetters.find(first) != std::string_view::npos) return Kind::kEmbl;
    if (kThirdParty.find(first) != std::string_view::npos) return Kind::kThirdPartyGenBank;
    if (kThirdPartyDdbj.find(first) != std::string_view::npos) return Kind::kThirdPartyDdbj;
    return {};
}

bool is_one_of(std::string_view word, std::string_view words) {
    for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1))
        if (at % (word.size() + 1) == 0) return true;
    return false;
}

/// Letters, then digits: "AAA12345"; `text` is in capitals.
Recognised recognise_letters_and_digits(std::string_view text, std::size_t letters) {
    const std::size_t digits = text.size() - letters;
    const std::string_view prefix = text.substr(0, letters);
    const auto in = [&](std::initializer_list<std::size_t> counts) {
        return std::ranges::find(counts, digits) != counts.end();
    };
    constexpr Recognised kNoProtein{{}, true}, kLocalName{};
    if (letters == 1) {
        if (digits != 5) return kLocalName;
        return prefix == "I" ? Recognised{Kind::kGenBank} : kNoProtein;
    }
    if (letters == 2 && in({6, 8, 10})) {
        // Some hold proteins and nucleotides.
        if (digits == 6 && is_one_of(prefix, "AH AR DZ EA GC GP GV GX GY GZ HJ HK HL KH MI MM MO MV MX MY"))
            return {Kind::kGenBank};
        const bool is_assigned = (prefix[0] >= 'A' && prefix[0] <= 'P' && prefix[0] != 'I' && prefix[0] != 'N') &&
                                 !is_one_of(prefix, "AO BO DO GI") && !(prefix[0] == 'P' && prefix[1] > 'E');
        return is_assigned ? kNoProtein : kLocalName;
    }
    if (letters == 3 && in({5, 7, 9, 11})) return {kind_of_protein(prefix[0])};
    if (letters == 4 && in({8, 9, 10})) return kNoProtein;
    if (letters == 5 && digits == 7 && prefix[0] == 'A') return kNoProtein;
    if (letters == 6 && in({9, 10, 11}) && std::string_view("ABCDJ").find(prefix[0]) != std::string_view::npos)
        return kNoProtein;
    return kLocalName;
}

/// "NP_000001", "GPP_000000001"
Recognised recognise_refseq(std::string_view text, std::size_t bar) {
    const std::string_view prefix = text.substr(0, bar), digits = text.substr(bar + 1);
    if (!are_digits(digits)) return {};
    if (prefix.size() == 2 && digits.size() >= 6 && digits.size() <= 9) {
        const bool is_nucleotide = (digits.size() == 6 && is_one_of(prefix, "AC NC NG NM NR NS NT NW XM XR")) ||
                                   (digits.size() == 9 && is_one_of(prefix, "NM NW WC WT XM XR"));
        if (is_nucleotide) return {{}, true};
        if (digits.size() == 9 && prefix == "AT") return {Kind::kTrack};
        return {Kind::kRefSeq};
    }
    if (prefix.size() == 3 && digits.size() == 9 && (prefix.starts_with("GP") || prefix.starts_with("ZP"))) {
        if (is_one_of(prefix, "GPP ZPP")) return {Kind::kPipeline};
        return {{}, prefix[2] != 'X'};
    }
    return {};
}

/// "AAAA01P000001": a protein of a genome's project.
std::optional<Kind> recognise_project_protein(std::string_view text, std::size_t letters) {
    const std::size_t digits = text.size() - letters - 1;  // without the P
    const auto of = [&](std::initializer_list<std::size_t> counts) {
        return std::ranges::find(counts, digits) != counts.end();
    };
    const char first = text[0];
    if (letters == 4 && of({8, 9, 10})) {
        switch (first) {
            case 'B': return Kind::kDdbj;
            case 'C': return Kind::kEmbl;
            case 'D': return Kind::kThirdPartyGenBank;
            case 'E': return Kind::kThirdPartyDdbj;
            default: return Kind::kGenBank;
        }
    }
    if (letters == 5 && digits == 7 && first == 'A') return Kind::kDdbj;
    if (letters == 6 && of({9, 10, 11})) {
        if (first == 'A' || first == 'D' || first == 'J') return Kind::kGenBank;
        if (first == 'B') return Kind::kDdbj;
        if (first == 'C') return Kind::kEmbl;
    }
    return {};
}

/// What a name without a kind is; `text` is in capitals and has no version.
Recognised recognise(std::string_view text, bool has_version) {
    const std::size_t size = text.size();
    const auto digit_at = [&](std::size_t i) { return is_digit(text[i]); };
    const auto letter_at = [&](std::size_t i) { return is_letter(text[i]); };
    const auto either_at = [&](std::size_t i) { return is_alphanumeric(text[i]); };
    const auto first_digit = static_cast<std::size_t>(std::ranges::find_if(text, is_digit) - text.begin());
    if (first_digit == size) return {};
    const auto first_other = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(first_digit), text.end(), is_digit) - text.begin());
    if (first_other < size) {
        if (!has_version && first_digit == 0 && size >= 4 && first_other < 5 && either_at(1) && either_at(2) &&
            either_at(3)) {
            const bool has_chain = size > 4 && size <= 17 && (text[4] == '|' || text[4] == '-' || text[4] == '_') &&
                                   (size <= 6 || either_at(5));
            if (size == 4 || has_chain) return {Kind::kPdb};
        }
        if (first_digit == 1 && size == 6 &&
            (text[0] == 'O' || text[0] == 'P' || text[0] == 'Q' || (letter_at(0) && letter_at(2))) && either_at(2) &&
            either_at(3) && either_at(4) && digit_at(5))
            return {Kind::kSwissProt};
        if (first_digit == 1 && size == 10 && letter_at(0) && text[0] != 'O' && text[0] != 'P' && text[0] != 'Q' &&
            letter_at(2) && either_at(3) && either_at(4) && digit_at(5) && letter_at(6) && either_at(7) &&
            either_at(8) && digit_at(9))
            return {Kind::kSwissProt};
        const bool is_of_project =
            first_digit >= 4 && first_other == first_digit + 2 && size - first_other >= 6 && text[3] != '_' &&
            (text[first_other] == 'S' || text[first_other] == 'P') && are_digits(text.substr(first_other + 1)) &&
            std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first_digit), is_letter);
        if (!is_of_project) return {};
        const auto kind = recognise_project_protein(text, first_digit);
        if (!kind) return {};
        return text[first_other] == 'P' ? Recognised{kind} : Recognised{{}, true};
    }
    if (first_digit == 0) return {};
    if (size == 6 && first_digit == 1 && (text[0] == 'O' || text[0] == 'P' || text[0] == 'Q'))
        return {Kind::kSwissProt};
    const std::string_view prefix = text.substr(0, first_digit);
    if (prefix.back() == '_' && std::ranges::all_of(prefix.substr(0, prefix.size() - 1), is_letter))
        return recognise_refseq(text, first_digit - 1);
    if (std::ranges::all_of(prefix, is_letter)) return recognise_letters_and_digits(text, first_digit);
    return {};
}

/// "P12345.2" without its version; nothing where what follows the first dot is none.
std::optional<std::pair<std::string_view, std::int64_t>> split_version(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) return std::pair(text, std::int64_t{0});
    const auto version = number_in(text.substr(dot + 1), 999'999'999);
    if (!version || *version == 0) return {};
    return std::pair(text.substr(0, dot), *version);
}

/// A local name or a tag, which may be a number.
void set_number(std::string_view text, WrittenSeqId& id) {
    const auto number = text.starts_with('0') ? std::nullopt : number_in(text, kMostNumber);
    if (!number) return;
    id.number = *number;
    id.is_number = true;
}

WrittenSeqId local_name(std::string_view text) {
    WrittenSeqId id{.kind = Kind::kLocal, .accession = std::string(text)};
    set_number(text, id);
    return id;
}

WrittenSeqId name_without_kind(std::string_view text) {
    const auto parts = split_version(text);
    if (!parts || parts->first.empty()) return local_name(text);
    const auto& [main, version] = *parts;
    const Recognised found = recognise(in_capitals(main), version != 0);
    if (!found.kind)
        return local_name(found.in_capitals ? in_capitals(main) + std::string(text.substr(main.size()))
                                            : std::string(text));
    WrittenSeqId id{.kind = *found.kind};
    if (id.kind == Kind::kPdb) {
        id.accession = text.substr(0, 4);
        if (text.size() > 5) id.name = text.substr(5);
        if (text.size() == 5 && text[4] != '|') id.name = text.substr(4);
        return id;
    }
    id.accession = main;
    id.number = version;
    return id;
}

/// "x|..." and "xx|..." have no kind.
bool has_kind(std::string_view text) {
    return (text.size() > 3 && text[2] == '|') || (text.size() > 4 && text[3] == '|');
}

using Fields = std::span<const std::string_view>;

/// An identifier at the front of `fields`, which it takes. Nothing where they are not what its kind wants.
std::optional<WrittenSeqId> take_seq_id(Kind kind, std::string_view release, Fields& fields) {
    std::size_t least = 1, most = 2;
    if (kind == Kind::kLocal || kind == Kind::kBackboneSequence || kind == Kind::kBackboneMolecule ||
        kind == Kind::kImport || kind == Kind::kGi)
        most = 1;
    if (kind == Kind::kPatent) least = most = 3;
    if (kind == Kind::kGeneral) least = 2;
    std::array<std::string_view, 3> values;
    for (std::size_t i = 0; i < most; ++i) {
        if (fields.empty() && i < least) return {};
        if (fields.empty()) break;
        // The second field may be left out: the next identifier follows.
        const auto is_kind = [](std::string_view text) {
            return (text.size() == 2 || text.size() == 3) && kind_named(text).has_value();
        };
        if (i >= least && fields.size() > 1 && is_kind(fields[0])) {
            const bool is_name = is_kind(fields[1]) || (fields[1].empty() && fields.size() == 2);
            if (!is_name) break;
        }
        values[i] = fields.front();
        fields = fields.subspan(1);
    }
    while (!fields.empty() && fields.front().empty()) fields = fields.subspan(1);

    WrittenSeqId id{.kind = kind, .release = release};
    switch (kind) {
        case Kind::kLocal:
            if (values[0].empty()) return {};
            return local_name(values[0]);
        case Kind::kBackboneSequence:
        case Kind::kBackboneMolecule:
        case Kind::kImport:
        case Kind::kGi: {
            const auto number =
                number_in(values[0], kind == Kind::kGi ? std::numeric_limits<std::int64_t>::max() : kMostNumber);
            if (!number) return {};
            id.number = *number;
            return id;
        }
        case Kind::kPatent: {
            const auto number = number_in(values[2], kMostNumber);
            if (!number) return {};
            id.accession = values[0];
            id.name = values[1];
            id.number = *number;
            return id;
        }
        case Kind::kGeneral:
            id.accession = values[0];
            id.name = values[1];
            set_number(id.name, id);
            return id;
        case Kind::kPdb: {
            std::string_view molecule = values[0], chain = values[1];
            const auto is_separator = [](char c) { return c == '|' || c == '-' || c == '_'; };
            if (molecule.size() < 4 || (molecule.size() > 5 && (!chain.empty() || !is_separator(molecule[4]))))
                return {};
            if (molecule.size() > 4 && chain.empty()) {
                chain = molecule.substr(molecule.size() > 5 ? 5 : 4);
                molecule = molecule.substr(0, 4);
            }
            id.accession = molecule;
            id.name = chain;
            return id;
        }
        default: break;
    }
    if (values[0].empty() && values[1].empty()) return {};
    id.name = values[1];
    id.accession = values[0];
    if (kind == Kind::kPir || kind == Kind::kPrf) return id;
    if (const std::size_t dot = values[0].rfind('.'); dot != std::string_view::npos) {
        const auto version = number_in(values[0].substr(dot + 1), kMostNumber);
        if (!version || *version == 0) return {};
        id.accession = values[0].substr(0, dot);
        id.number = *version;
    }
    return id;
}

Status not_an_id(std::string_view text) {
    return Status::invalid_input("Could not construct seq-id from '" + std::string(text) + "'");
}

/// Identifiers that are longer than makeblastdb takes them.
Status check_length(const WrittenSeqId& id, std::uint64_t line) {
    constexpr std::size_t kLongestName = 50, kLongestAccession = 30;
    std::size_t length = 0, longest = kLongestName;
    const char *subject = nullptr, *kind = nullptr;
    if (id.kind == Kind::kLocal) {
        length = id.accession.size();
        subject = kind = "local id";
    } else if (id.kind == Kind::kGeneral) {
        length = id.name.size();
        subject = kind = "general id string";
    } else if (id.is_textual()) {
        length = id.accession.size();
        longest = kLongestAccession;
        subject = kind = "accession";
    }
    if (length <= longest) return {};
    return Status::invalid_input("Near line " + std::to_string(line) + ", the " + subject +
                                 " is too long.  Its length is " + std::to_string(length) +
                                 " but the maximum allowed " + kind + " length is " + std::to_string(longest) +
                                 ".  Please find and correct all " + kind + "s that are too long.");
}

std::string with_number(std::string text, std::int64_t number, bool has_number) {
    if (has_number) text += "." + std::to_string(number);
    return text;
}

}  // namespace

bool WrittenSeqId::is_textual() const {
    switch (kind) {
        case Kind::kLocal:
        case Kind::kBackboneSequence:
        case Kind::kBackboneMolecule:
        case Kind::kImport:
        case Kind::kPatent:
        case Kind::kGeneral:
        case Kind::kGi:
        case Kind::kPdb: return false;
        default: return true;
    }
}

std::string WrittenSeqId::fasta() const {
    std::string text = std::string(release == kUnreviewed ? "tr" : name_of(kind)) + "|";
    switch (kind) {
        case Kind::kLocal: return text + accession;
        case Kind::kBackboneSequence:
        case Kind::kBackboneMolecule:
        case Kind::kImport:
        case Kind::kGi: return text + std::to_string(number);
        case Kind::kPatent: return text + accession + "|" + name + "|" + std::to_string(number);
        case Kind::kGeneral: return text + accession + "|" + name;
        case Kind::kPdb: return text + accession + "|" + (name.empty() ? " " : name);
        default: return with_number(text + accession, number, number > 0 && !accession.empty()) + "|" + name;
    }
}

std::string WrittenSeqId::label(bool with_version) const {
    switch (kind) {
        case Kind::kLocal: return accession;
        case Kind::kBackboneSequence:
        case Kind::kBackboneMolecule:
        case Kind::kImport:
        case Kind::kGi: return std::to_string(number);
        case Kind::kPatent: return accession + name + "_" + std::to_string(number);
        case Kind::kGeneral: return accession + ":" + name;
        case Kind::kPdb: return accession + (name.empty() ? "" : "_" + name);
        default: break;
    }
    return with_number(accession.empty() ? name : in_capitals(accession), number, with_version && number > 0);
}

std::string WrittenSeqId::unique_label() const {
    std::string text = in_capitals(name_of(kind)) + "|";
    switch (kind) {
        case Kind::kPatent: return text + in_capitals(accession + "|" + name) + "|" + std::to_string(number);
        case Kind::kGeneral: return text + in_capitals(accession + "|" + name);
        // Chains differ by the case of their letters.
        case Kind::kPdb: return text + in_capitals(accession) + (name.empty() ? "" : "|" + name);
        case Kind::kPir:
        case Kind::kPrf: return text + in_capitals(name.empty() ? accession : name);
        default: return text + in_capitals(label(true));
    }
}

Result<std::vector<WrittenSeqId>> parse_written_ids(std::string_view text, std::uint64_t line) {
    if (text.empty() || text == ":") return Status::invalid_input("Unable to locate sequence id in definition line");
    std::vector<WrittenSeqId> ids;
    if (!has_kind(text)) {
        ids.push_back(name_without_kind(text));
        if (ids.back().kind == Kind::kLocal && text.find('|') == std::string_view::npos) {
            if (text.find_first_of(">[]\"") != std::string_view::npos)
                return Status::invalid_input("Malformatted ID " + std::string(text));
            const auto is_foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x7f; };
            if (is_foreign(text.front()))
                return Status::invalid_input("'" + std::string(text) + "' is not a valid local ID");
        }
        WARPSEQ_TRY(check_length(ids.back(), line));
        return ids;
    }
    std::vector<std::string_view> all;
    for (std::string_view rest = text;;) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        all.push_back(rest.substr(0, bar));
        if (bar == rest.size()) break;
        rest.remove_prefix(bar + 1);
    }
    Fields fields = all;
    while (!fields.empty()) {
        auto kind = kind_named(fields.front());
        if (!kind) {
            // A database that nobody knows.
            if (!ids.empty() || fields.size() != 2) return not_an_id(text);
            kind = Kind::kGeneral;
        }
        const std::string_view release = kind != Kind::kSwissProt                   ? ""
                                         : in_small_letters(fields.front()) == "tr" ? kUnreviewed
                                                                                    : kReviewed;
        if (kind_named(fields.front())) fields = fields.subspan(1);
        if (fields.empty()) break;  // a kind without anything behind it, at the end, says nothing
        auto id = take_seq_id(*kind, release, fields);
        if (!id) return not_an_id(text);
        WARPSEQ_TRY(check_length(*id, line));
        ids.push_back(*std::move(id));
    }
    return ids;
}

std::vector<std::string> accession_keys(const WrittenSeqId& id) {
    if (id.kind == Kind::kGi) return {};
    if (id.kind == Kind::kPir || id.kind == Kind::kPrf) return {id.fasta()};
    std::vector<std::string> keys;
    const auto add = [&](std::string key) {
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
    };
    const std::string shown = id.label(true);
    if (id.kind == Kind::kPdb) {
        add(id.accession);
        add(in_capitals(id.accession));
    } else if (id.is_textual()) {
        add(id.label(false));
    } else {
        add(in_capitals(shown));
    }
    std::erase(keys, shown);
    keys.push_back(shown);
    return keys;
}

std::vector<std::string> isam_keys(const WrittenSeqId& id) {
    std::vector<std::string> keys;
    const auto add = [&](std::string_view key) {
        std::string small = in_small_letters(key);
        if (std::ranges::find(keys, small) == keys.end()) keys.push_back(std::move(small));
    };
    switch (id.kind) {
        case Kind::kGi: return keys;
        case Kind::kPdb: {
            add(id.accession);
            const std::string fasta = id.fasta();
            add(fasta);
            std::string shorter = fasta.substr(4);
            add(shorter);
            if (shorter.size() > 4 && shorter[4] == '|') shorter[4] = ' ';
            add(shorter);
            return keys;
        }
        case Kind::kLocal:
            add(id.fasta());
            if (!id.is_number) add(id.accession);
            return keys;
        case Kind::kGeneral:
            add(id.fasta());
            if (!id.is_number) add(id.name);
            return keys;
        default: break;
    }
    if (!id.is_textual()) {
        add(id.fasta());
        return keys;
    }
    if (!id.accession.empty()) add(id.accession);
    if (!id.name.empty() && in_small_letters(id.accession) != in_small_letters(id.name)) add(id.name);
    if (id.number > 0 && !id.accession.empty()) add(with_number(id.accession, id.number, true));
    return keys;
}

}  // namespace warpseq
