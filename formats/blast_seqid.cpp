#include "formats/blast_seqid.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

namespace warpseq {
namespace {

using Kind = BlastSeqId::Kind;
using Pieces = std::vector<std::string_view>;

constexpr std::array<std::string_view, 20> kNames = {"lcl", "bbs", "bbm", "gim", "gb",  "emb", "pir",
                                                     "sp",  "pat", "ref", "gnl", "gi",  "dbj", "prf",
                                                     "pdb", "tpg", "tpe", "tpd", "gpp", "nat"};

constexpr std::string_view name_of(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

// Of ASCII alone, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }
constexpr char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string in_capitals(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = capital(c);
    return out;
}

bool is_same_in_any_letters(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, capital, capital);
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool are_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

/// A number of 32 bits without a sign but '+'.
std::optional<std::int64_t> small_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || !are_digits(text)) return {};
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value > std::numeric_limits<std::int32_t>::max()) return {};
    return value;
}

/// Whether an object's name is stored as a number: no zeros before it.
bool is_stored_as_number(std::string_view text) {
    return !text.empty() && text.front() >= '1' && text.front() <= '9' && small_number(text).has_value();
}

Pieces pieces_of(std::string_view text) {
    Pieces pieces;
    for (;;) {
        const std::size_t bar = text.find('|');
        pieces.push_back(text.substr(0, bar));
        if (bar == text.npos) return pieces;
        text.remove_prefix(bar + 1);
    }
}

bool is_trembl(Kind kind, std::string_view name) {
    return kind == Kind::kSwissProt && is_same_in_any_letters(name, "tr");
}

/// Whether a word of two or three letters and a bar come first, and something behind them.
bool begins_as_tagged(std::string_view text) {
    return (text.size() > 3 && text[2] == '|') || (text.size() > 4 && text[3] == '|');
}

/// An accession that says by itself of which database it is; `text` has no version.
std::optional<Kind> accession_kind(std::string_view text, bool has_version) {
    const std::string capitals = in_capitals(text);
    const std::string_view name = capitals;
    const std::size_t letters = std::min(name.find_first_of("0123456789"), name.size());
    if (letters == name.size()) return {};
    const auto rest_are_digits = [&](std::size_t first) { return are_digits(name.substr(first)); };
    if (letters == 0) {
        // A digit and three digits or letters, not all of them digits unless a chain follows.
        if (has_version || name.size() < 4 || !std::all_of(name.begin() + 1, name.begin() + 4, is_alphanumeric))
            return {};
        const std::size_t other = name.find_first_not_of("0123456789");
        if (other == name.npos) return {};
        constexpr std::size_t kLongest = 17;
        if (other < 5 && name.size() > 4 && name.size() <= kLongest &&
            std::string_view("|-_").find(name[4]) != std::string_view::npos &&
            (name.size() <= 6 || is_alphanumeric(name[5])))
            return Kind::kPdb;
        if (other < 4 && name.size() == 4) return Kind::kPdb;
        return {};
    }
    const auto is_swiss_prot = [&] {
        const auto is_block = [&](std::size_t at) {
            return is_alphanumeric(name[at]) && is_alphanumeric(name[at + 1]) && is_alphanumeric(name[at + 2]) &&
                   is_digit(name[at + 3]);
        };
        if (letters != 1) return false;
        const bool is_older = name[0] == 'O' || name[0] == 'P' || name[0] == 'Q';
        if (name.size() == 6) return is_block(2) && is_digit(name[1]) && (is_older || is_letter(name[2]));
        return name.size() == 10 && !is_older && is_digit(name[1]) && is_letter(name[2]) && is_block(2) &&
               is_letter(name[6]) && is_block(6);
    };
    if (is_swiss_prot()) return Kind::kSwissProt;
    if (letters == 3 && name[2] == '_') {
        // RefSeq's, but those of nucleotides, which no protein has for its own.
        constexpr std::string_view kNucleotides = "AC NC NG NM NR NS NT NW WC WT XM XR ";
        if (!rest_are_digits(3)) return {};
        const std::size_t digits = name.size() - 3;
        if (digits < 6 || digits > 9 || kNucleotides.find(name.substr(0, 2)) != std::string_view::npos) return {};
        return name.starts_with("AT") && digits == 9 ? Kind::kNamedTrack : Kind::kRefSeq;
    }
    if (letters == 3 && rest_are_digits(3) && std::all_of(name.begin(), name.begin() + 3, is_letter)) {
        // Proteins of GenBank, EMBL, DDBJ and the third parties' sections of these go by their first letter.
        const std::size_t digits = name.size() - 3;
        if (digits != 5 && digits != 7 && digits != 9 && digits != 11) return {};
        switch (name[0]) {
            case 'B':
            case 'G':
            case 'L': return Kind::kDdbj;
            case 'C':
            case 'S':
            case 'V': return Kind::kEmbl;
            case 'D':
            case 'H': return Kind::kTpg;
            case 'F':
            case 'I': return Kind::kTpd;
            case 'W':
            case 'X':
            case 'Y':
            case 'Z': return {};
            default: return Kind::kGenBank;
        }
    }
    return {};
}

/// "A.1" as "A" and 1; 0 where there is no version, nothing where what follows the point is none.
std::optional<std::int64_t> split_version(std::string_view& text) {
    const std::size_t point = text.find('.');
    if (point == text.npos) return 0;
    const std::string_view version = text.substr(point + 1);
    if (version.empty() || !are_digits(version)) return {};
    const auto number = small_number(version);
    if (!number) return {};
    text = text.substr(0, point);
    return number;
}

Status wrong(const std::string& message) { return Status::invalid_input(message); }

/// A textual identifier. A version may stand in the accession.
Result<BlastSeqId> textual(Kind kind, std::string_view accession, std::string_view name) {
    BlastSeqId id{.kind = kind, .first = std::string(trimmed(accession)), .second = std::string(trimmed(name))};
    const bool may_have_version = kind != Kind::kPir && kind != Kind::kPrf;
    if (const std::size_t point = id.first.rfind('.'); may_have_version && point != std::string::npos) {
        const auto version = small_number(std::string_view(id.first).substr(point + 1));
        if (!version || *version == 0)
            return wrong("Version embedded in accession " + id.first + " is not a positive integer");
        id.number = *version;
        id.first.resize(point);
    }
    if (id.first.empty() && id.second.empty())
        return wrong("Accession and name missing for Textseq-id (but got version 0, release " +
                     std::string(kind == Kind::kSwissProt ? "reviewed" : "") + ")");
    return id;
}

/// What NCBI's calls a kind in messages.
std::string_view selection_name(Kind kind) {
    switch (kind) {
        case Kind::kGi: return "gi";
        case Kind::kGibbSequence: return "gibbsq";
        case Kind::kGibbMolecule: return "gibbmt";
        default: return "giim";
    }
}

Result<BlastSeqId> numeric(Kind kind, std::string_view text) {
    text = trimmed(text);
    std::int64_t value = 0;
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = !digits.empty() && are_digits(digits) && error == std::errc() &&
                           (kind == Kind::kGi || value <= std::numeric_limits<std::int32_t>::max());
    if (!is_number)
        return wrong("Negative, excessively large, or non-numeric " + std::string(selection_name(kind)) + " ID " +
                     std::string(text));
    return BlastSeqId{.kind = kind, .second = std::to_string(value)};
}

BlastSeqId local(std::string_view text) {
    text = trimmed(text);
    return {.kind = Kind::kLocal, .second = std::string(text), .is_number = is_stored_as_number(text)};
}

/// Reads an identifier of the kind from the pieces behind its name, takes these away, and says in `next` which kind follows.
Result<BlastSeqId> take(Kind kind, bool is_variant, Pieces& pieces, std::optional<Kind>& next) {
    std::size_t least = 1, most = 2;
    switch (kind) {
        case Kind::kLocal:
        case Kind::kGibbSequence:
        case Kind::kGibbMolecule:
        case Kind::kGiImport:
        case Kind::kGi: most = 1; break;
        case Kind::kPatent: least = most = 3; break;
        case Kind::kGeneral: least = 2; break;
        default: break;
    }
    next.reset();
    std::string_view fields[3];
    const auto is_kind_name = [](std::string_view piece) {
        return (piece.size() == 2 || piece.size() == 3) && seqid_kind(piece).has_value();
    };
    for (std::size_t i = 0; i < most; ++i) {
        if (pieces.empty()) {
            if (i >= least) break;
            return wrong("Not enough fields for ID of type " + std::string(name_of(kind)));
        }
        // An optional field that is left out, unless the next piece names a kind, too.
        if (i >= least && pieces.size() > 1 && is_kind_name(pieces[0])) {
            next = seqid_kind(pieces[0]);
            if (!is_kind_name(pieces[1])) break;
            next = seqid_kind(pieces[1]);
        }
        fields[i] = pieces.front();
        pieces.erase(pieces.begin());
    }
    while (!pieces.empty() && pieces.front().empty()) pieces.erase(pieces.begin());

    switch (kind) {
        case Kind::kLocal: return local(fields[0]);
        case Kind::kGibbSequence:
        case Kind::kGibbMolecule:
        case Kind::kGiImport:
        case Kind::kGi: return numeric(kind, fields[0]);
        case Kind::kPatent: {
            const auto sequence = small_number(fields[2]);
            if (!sequence)
                return wrong("Bad sequence number " + std::string(fields[2]) + " for " + std::string(fields[0]) +
                             " patent " + std::string(fields[1]));
            return BlastSeqId{.kind = kind,
                              .first = std::string(trimmed(fields[0])),
                              .second = std::string(trimmed(fields[1])),
                              .number = *sequence};
        }
        case Kind::kGeneral: {
            const std::string_view tag = trimmed(fields[1]);
            return BlastSeqId{.kind = kind,
                              .first = std::string(trimmed(fields[0])),
                              .second = std::string(tag),
                              .is_number = is_stored_as_number(tag)};
        }
        case Kind::kPdb: {
            std::string_view entry = fields[0], chain = fields[1];
            const bool is_wrong =
                entry.size() < 4 || (entry.size() > 5 && (!chain.empty() || std::string_view("|-_").find(entry[4]) ==
                                                                                std::string_view::npos));
            if (is_wrong) return wrong("Malformatted PDB ID " + std::string(entry));
            if (entry.size() > 4 && chain.empty()) {
                chain = entry.size() > 5 ? entry.substr(5) : entry.substr(4);
                entry = entry.substr(0, 4);
            }
            return BlastSeqId{
                .kind = kind, .first = std::string(trimmed(entry)), .second = std::string(trimmed(chain))};
        }
        default: {
            auto id = textual(kind, fields[0], fields[1]);
            if (id.ok()) id->is_variant = is_variant;
            return id;
        }
    }
}

/// Without a kind before it.
Result<BlastSeqId> bare(std::string_view text, const SeqIdReading& reading) {
    if (text.empty()) return wrong("Empty bare accession supplied");
    std::string_view accession = text;
    const auto version = split_version(accession);
    if (version && reading.numbers_are_gis && accession.size() == text.size() && text.front() != '0' &&
        are_digits(text))
        return numeric(Kind::kGi, text);
    if (version && reading.finds_accessions) {
        if (const auto kind = accession_kind(accession, accession.size() < text.size())) {
            if (*kind != Kind::kPdb) return textual(*kind, text, {});
            // A chain follows a sign; a sign that nothing follows is one itself.
            std::string_view chain = text.substr(4);
            if (chain.size() > 1) chain.remove_prefix(1);
            if (chain == "|") chain = {};
            return BlastSeqId{
                .kind = *kind, .first = std::string(text.substr(0, 4)), .second = std::string(trimmed(chain))};
        }
    }
    constexpr std::size_t kLongestName = 50;
    const bool is_name = reading.takes_any_local ||
                         (text.size() <= kLongestName && text.find_first_of(" >[]|\"") == std::string_view::npos);
    if (reading.takes_local && is_name) return local(text);
    return wrong("Malformatted ID " + std::string(text));
}

}  // namespace

std::optional<Kind> seqid_kind(std::string_view name) {
    if (is_same_in_any_letters(name, "tr")) return Kind::kSwissProt;
    if (is_same_in_any_letters(name, "pgp")) return Kind::kPatent;
    const auto* const found =
        std::ranges::find_if(kNames, [&](std::string_view each) { return is_same_in_any_letters(name, each); });
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

std::string BlastSeqId::fasta() const {
    std::string text(name_of(kind));
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
        std::string text = first.empty() ? second : in_capitals(first);
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
        if (!first.empty() && !other.first.empty())
            return is_same_in_any_letters(first, other.first) && is_same_version();
        if (!second.empty() && !other.second.empty())
            return is_same_in_any_letters(second, other.second) && is_same_version();
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
        case Kind::kLocal: return of(is_same_in_any_letters(second, other.second));
        case Kind::kGeneral:
            if (!is_same_in_any_letters(first, other.first)) return Comparison::kOtherKind;
            return of(is_same_in_any_letters(second, other.second));
        case Kind::kPatent:
            return of(is_same_in_any_letters(first, other.first) && is_same_in_any_letters(second, other.second) &&
                      number == other.number);
        case Kind::kPdb:
            return of(first == other.first && (second.empty() || other.second.empty() || second == other.second));
        default: return of(second == other.second);
    }
}

Result<BlastSeqId> parse_seqid(std::string_view text, const SeqIdReading& reading) {
    text = trimmed(text);
    const std::string_view name = text.substr(0, text.find('|'));
    const auto kind = begins_as_tagged(text) ? seqid_kind(name) : std::nullopt;
    if (!kind) return bare(text, reading);
    Pieces pieces = pieces_of(text);
    pieces.erase(pieces.begin());
    std::optional<Kind> next;
    auto id = take(*kind, is_trembl(*kind, name), pieces, next);
    if (!id.ok() || reading.takes_parts) return id;
    for (const std::string_view piece : pieces)
        if (!piece.empty()) return wrong("FASTA-style ID " + std::string(text) + " has too many parts.");
    return id;
}

Status parse_seqids(std::string_view text, const SeqIdReading& reading, std::vector<BlastSeqId>& ids) {
    text = trimmed(text);
    if (text.empty()) return {};
    if (!begins_as_tagged(text)) {
        auto id = bare(text, reading);
        if (!id.ok()) return id.status();
        ids.push_back(*std::move(id));
        return {};
    }
    Pieces pieces = pieces_of(text);
    std::optional<Kind> kind = seqid_kind(pieces.front());
    bool is_variant = false;
    if (!kind) {
        if (pieces.size() == 2) kind = Kind::kGeneral;  // "database|tag"
    } else {
        is_variant = is_trembl(*kind, pieces.front());
        pieces.erase(pieces.begin());
    }
    const auto take_one = [&]() -> Status {
        BlastSeqId id;
        std::optional<Kind> next;
        if (kind) {
            auto taken = take(*kind, is_variant, pieces, next);
            if (!taken.ok()) return taken.status();
            id = *std::move(taken);
            kind = next;
        }
        if (!kind && !pieces.empty()) {
            kind = seqid_kind(pieces.front());
            if (!kind) {
                const std::string name(pieces.front());
                pieces.erase(pieces.begin());
                return wrong("Unsupported ID type " + name);
            }
        }
        if (kind) {
            if (pieces.empty()) return wrong("Not enough fields for ID of type " + std::string(name_of(*kind)));
            is_variant = is_trembl(*kind, pieces.front());
            pieces.erase(pieces.begin());
        }
        ids.push_back(std::move(id));
        return {};
    };
    while (!pieces.empty()) {
        const Status taken = take_one();
        if (taken.ok()) continue;
        if (pieces.empty() || !reading.takes_parts) return taken;
        while (!pieces.empty() && pieces.front().size() != 2 && pieces.front().size() != 3)
            pieces.erase(pieces.begin());
    }
    return {};
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

}  // namespace warpseq
