#include "formats/blast/blast_seqid_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "libcore/base/ascii.h"

namespace warpseq {
namespace {

using Kind = BlastSeqId::Kind;
using Pieces = std::span<const std::string_view>;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool are_digits(std::string_view text) { return std::ranges::all_of(text, is_ascii_digit); }

/// Returns the number in `text`, which may have a '+'. Returns nothing for a number above 2^31 - 1
/// or any other text.
std::optional<std::int64_t> small_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || !are_digits(text)) return {};
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value > std::numeric_limits<std::int32_t>::max()) return {};
    return value;
}

/// Whether the name of an object is stored as a number. It must not begin with a zero.
bool is_stored_as_number(std::string_view text) {
    return !text.empty() && text.front() >= '1' && text.front() <= '9' && small_number(text).has_value();
}

std::vector<std::string_view> pieces_of(std::string_view text) {
    std::vector<std::string_view> pieces;
    for (;;) {
        const std::size_t bar = text.find('|');
        pieces.push_back(text.substr(0, bar));
        if (bar == text.npos) return pieces;
        text.remove_prefix(bar + 1);
    }
}

/// Whether `text` begins with two or three characters, a bar and at least one more character.
bool begins_as_tagged(std::string_view text) {
    return (text.size() > 3 && text[2] == '|') || (text.size() > 4 && text[3] == '|');
}

/// The kind of a name without a kind, as recognised by its spelling.
struct Recognised {
    std::optional<Kind> kind;    // kind of a protein's accession
    bool is_nucleotide = false;  // whether it is an accession of a nucleotide sequence
};

/// Returns the database of an accession of three letters and digits by its first letter. This is
/// GenBank, EMBL, DDBJ or a third party's.
std::optional<Kind> kind_of_protein(char first) {
    constexpr std::string_view kGenBankLetters = "AEJKMNOPQRTU", kDdbjLetters = "BGL", kEmblLetters = "CSV",
                               kThirdParty = "DH", kThirdPartyDdbj = "FI";
    if (kGenBankLetters.find(first) != std::string_view::npos) return Kind::kGenBank;
    if (kDdbjLetters.find(first) != std::string_view::npos) return Kind::kDdbj;
    if (kEmblLetters.find(first) != std::string_view::npos) return Kind::kEmbl;
    if (kThirdParty.find(first) != std::string_view::npos) return Kind::kTpg;
    if (kThirdPartyDdbj.find(first) != std::string_view::npos) return Kind::kTpd;
    return {};
}

bool is_one_of(std::string_view word, std::string_view words) {
    for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1))
        if (at % (word.size() + 1) == 0) return true;
    return false;
}

/// Recognises letters followed by digits, such as "AAA12345". `text` is in capitals.
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
        // Some of these prefixes are for both proteins and nucleotides.
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

/// Recognises "NP_000001" and "GPP_000000001". `bar` is the place of the underscore.
Recognised recognise_refseq(std::string_view text, std::size_t bar) {
    const std::string_view prefix = text.substr(0, bar), digits = text.substr(bar + 1);
    if (!are_digits(digits)) return {};
    if (prefix.size() == 2 && digits.size() >= 6 && digits.size() <= 9) {
        const bool is_nucleotide = (digits.size() == 6 && is_one_of(prefix, "AC NC NG NM NR NS NT NW XM XR")) ||
                                   (digits.size() == 9 && is_one_of(prefix, "NM NW WC WT XM XR"));
        if (is_nucleotide) return {{}, true};
        if (digits.size() == 9 && prefix == "AT") return {Kind::kNamedTrack};
        return {Kind::kRefSeq};
    }
    if (prefix.size() == 3 && digits.size() == 9 && (prefix.starts_with("GP") || prefix.starts_with("ZP"))) {
        constexpr std::string_view kNucleotides = "CGMNRS";
        if (kNucleotides.find(prefix[2]) != std::string_view::npos) return {{}, true};
        return {Kind::kGpipe};
    }
    return {};
}

/// Returns the database of a protein of a genome project, such as "AAAA01P000001".
std::optional<Kind> recognise_project_protein(std::string_view text, std::size_t letters) {
    const std::size_t digits = text.size() - letters - 1;  // without the P
    const auto of = [&](std::initializer_list<std::size_t> counts) {
        return std::ranges::find(counts, digits) != counts.end();
    };
    const char first = text[0];
    if (letters == 4 && of({8, 9, 10})) {
        switch (first) {
            case 'B':
            case 'I':
            case 'T': return Kind::kDdbj;
            case 'C':
            case 'F':
            case 'H':
            case 'O':
            case 'U': return Kind::kEmbl;
            case 'D': return Kind::kTpg;
            case 'E':
            case 'Y':
            case 'Z': return Kind::kTpd;
            default: return Kind::kGenBank;
        }
    }
    if (letters == 5 && digits == 7 && first == 'A') return Kind::kDdbj;
    if (letters == 6 && of({9, 10, 11})) {
        if (first == 'A' || first == 'J') return Kind::kGenBank;
        if (first == 'D') return Kind::kTpg;
        if (first == 'B') return Kind::kDdbj;
        if (first == 'C') return Kind::kEmbl;
    }
    return {};
}

/// Recognises a name without a kind. `text` is in capitals and has no version.
Recognised recognise(std::string_view text, bool has_version) {
    const std::size_t size = text.size();
    const auto digit_at = [&](std::size_t i) { return is_ascii_digit(text[i]); };
    const auto letter_at = [&](std::size_t i) { return is_ascii_letter(text[i]); };
    const auto either_at = [&](std::size_t i) { return is_ascii_alphanumeric(text[i]); };
    const auto first_digit = static_cast<std::size_t>(std::ranges::find_if(text, is_ascii_digit) - text.begin());
    if (first_digit == size) return {};
    const auto first_other = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(first_digit), text.end(), is_ascii_digit) -
        text.begin());
    if (first_other < size) {
        if (!has_version && first_digit == 0 && size >= 4 && first_other < 5 && either_at(1) && either_at(2) &&
            either_at(3)) {
            const bool has_chain = size > 4 && size <= 17 && (text[4] == '|' || text[4] == '-' || text[4] == '_') &&
                                   (size <= 6 || either_at(5));
            if (size == 4 || has_chain) return {Kind::kPdb};
        }
        if (!has_version && first_digit == 0 && (first_other == 6 || first_other == 7) && text[first_other] == '|' &&
            (size == first_other + 1 || (size == first_other + 2 && letter_at(first_other + 1))))
            return {Kind::kPrf};
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
            std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first_digit), is_ascii_letter);
        if (!is_of_project) return {};
        const auto kind = recognise_project_protein(text, first_digit);
        if (!kind) return {};
        return text[first_other] == 'P' ? Recognised{kind} : Recognised{{}, true};
    }
    if (first_digit == 0) return {};
    if (size == 6 && first_digit == 1 && (text[0] == 'O' || text[0] == 'P' || text[0] == 'Q'))
        return {Kind::kSwissProt};
    const std::string_view prefix = text.substr(0, first_digit);
    if (prefix.back() == '_' && std::ranges::all_of(prefix.substr(0, prefix.size() - 1), is_ascii_letter))
        return recognise_refseq(text, first_digit - 1);
    if (std::ranges::all_of(prefix, is_ascii_letter)) return recognise_letters_and_digits(text, first_digit);
    return {};
}

/// An accession, such as P12345 of "P12345.2", and whether a version follows it.
struct Versioned {
    std::string_view accession;
    bool has_version = false;
};

/// Splits off the version behind the first point. Returns nothing if something else follows the
/// point.
std::optional<Versioned> split_version(std::string_view text) {
    const std::size_t point = text.find('.');
    if (point == text.npos) return Versioned{text};
    const std::string_view version = text.substr(point + 1);
    if (version.empty() || !are_digits(version)) return {};
    return Versioned{text.substr(0, point), true};
}

Status wrong(const std::string& message) { return Status::invalid_input(message); }

/// Returns a textual identifier. The accession may end with a version.
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

/// Returns the kind's name in the messages of NCBI's programs.
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

/// A kind as its name in a text tells it.
struct TaggedKind {
    Kind kind = Kind::kLocal;
    bool is_trembl = false;
};

std::optional<TaggedKind> tagged_kind(std::string_view name) {
    const auto kind = seqid_kind(name);
    if (!kind) return {};
    return TaggedKind{*kind, equal_ignoring_case(name, "tr")};
}

/// Parses an identifier of the given kind from `pieces`, which stand behind the kind's name, and
/// removes the pieces that it used. Sets `next` to the kind that follows if that kind ended this
/// identifier.
Result<BlastSeqId> take(TaggedKind tag, Pieces& pieces, std::optional<TaggedKind>& next) {
    const Kind kind = tag.kind;
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
            return wrong("Not enough fields for ID of type " + std::string(seqid_kind_name(kind)));
        }
        // An optional field is missing if the piece names a kind, unless the piece after it names a
        // kind, too.
        if (i >= least && pieces.size() > 1 && is_kind_name(pieces[0])) {
            next = tagged_kind(pieces[0]);
            if (!is_kind_name(pieces[1])) break;
            next = tagged_kind(pieces[1]);
        }
        fields[i] = pieces.front();
        pieces = pieces.subspan(1);
    }
    while (!pieces.empty() && pieces.front().empty()) pieces = pieces.subspan(1);

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
            const std::string_view name = trimmed(fields[1]);
            return BlastSeqId{.kind = kind,
                              .first = std::string(trimmed(fields[0])),
                              .second = std::string(name),
                              .is_number = is_stored_as_number(name)};
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
            if (id.ok() && kind == Kind::kSwissProt) {
                id->is_variant = tag.is_trembl;
                id->has_release = true;
            }
            return id;
        }
    }
}

/// Returns the identifier that a name without a kind is by its spelling. Returns nothing if it is
/// not one of a protein. Sets `is_nucleotide` to whether it is an accession of nucleotides.
Result<std::optional<BlastSeqId>> accession(std::string_view text, bool& is_nucleotide) {
    is_nucleotide = false;
    const auto parts = split_version(text);
    if (!parts || parts->accession.empty()) return std::optional<BlastSeqId>();
    const Recognised found = recognise(ascii_upper(parts->accession), parts->has_version);
    if (!found.kind && !found.is_nucleotide) return std::optional<BlastSeqId>();
    if (found.kind == Kind::kPdb) {
        // The chain follows a separator. A separator with nothing behind it is itself the chain,
        // unless it is '|'.
        std::string_view chain = text.substr(4);
        if (chain.size() > 1) chain.remove_prefix(1);
        if (chain == "|") chain = {};
        return std::optional(BlastSeqId{
            .kind = Kind::kPdb, .first = std::string(text.substr(0, 4)), .second = std::string(trimmed(chain))});
    }
    if (found.kind == Kind::kPrf) return std::optional(BlastSeqId{.kind = Kind::kPrf, .second = std::string(text)});
    // textual() also checks the version of a nucleotide's accession.
    auto id = textual(found.kind.value_or(Kind::kGenBank), text, {});
    if (!id.ok()) return id.status();
    is_nucleotide = found.is_nucleotide;
    if (is_nucleotide) return std::optional<BlastSeqId>();
    return std::optional(*std::move(id));
}

constexpr std::size_t kLongestName = 50;
/// The letters that no valid local name has, besides control characters and bytes beyond ASCII.
constexpr std::string_view kNotInNames = ">[]\"";

bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

bool is_valid_local_name(std::string_view text) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    return text.size() <= kLongestName && text.find_first_of(kNotInNames) == std::string_view::npos &&
           std::ranges::none_of(text, is_control) && std::ranges::none_of(text, is_beyond_ascii);
}

/// Parses an identifier that has no kind before it.
Result<BlastSeqId> bare(std::string_view text, const SeqIdReading& reading) {
    if (text.empty()) return wrong("Empty bare accession supplied");
    if (reading.numbers_are_gis && text.front() != '0' && are_digits(text)) return numeric(Kind::kGi, text);
    if (reading.finds_accessions) {
        bool is_nucleotide = false;
        auto found = accession(text, is_nucleotide);
        if (!found.ok()) return found.status();
        if (*found) return **std::move(found);
    }
    const bool is_name =
        reading.takes_any_local || (is_valid_local_name(text) && text.find_first_of(" |") == std::string_view::npos);
    if (reading.takes_local && is_name) return local(text);
    return wrong("Malformatted ID " + std::string(text));
}

/// Parses all identifiers of a text that begins with a kind. Calls `on_error` for each identifier
/// that cannot be read. If `on_error` returns OK, parsing goes on; otherwise its status is
/// returned.
template <typename OnError>
Status take_all(std::string_view text, std::vector<BlastSeqId>& ids, OnError on_error) {
    const std::vector<std::string_view> all = pieces_of(text);
    Pieces pieces = all;
    auto kind = tagged_kind(pieces.front());
    if (kind) {
        pieces = pieces.subspan(1);
    } else if (pieces.size() == 2) {
        kind = TaggedKind{Kind::kGeneral};  // "database|tag"
    }
    const auto take_one = [&]() -> Status {
        BlastSeqId id;
        std::optional<TaggedKind> next;
        if (kind) {
            auto taken = take(*kind, pieces, next);
            if (!taken.ok()) return taken.status();
            id = *std::move(taken);
            kind = next;
        }
        if (!kind && !pieces.empty()) {
            kind = tagged_kind(pieces.front());
            if (!kind) {
                const std::string name(pieces.front());
                pieces = pieces.subspan(1);
                return wrong("Unsupported ID type " + name);
            }
        }
        if (kind) {
            if (pieces.empty())
                return wrong("Not enough fields for ID of type " + std::string(seqid_kind_name(kind->kind)));
            pieces = pieces.subspan(1);
        }
        ids.push_back(std::move(id));
        return {};
    };
    while (!pieces.empty()) {
        const Status taken = take_one();
        if (!taken.ok()) WARPSEQ_TRY(on_error(taken, pieces));
    }
    return {};
}

/// Returns an error with makeblastdb's message if an identifier is too long for makeblastdb.
Status check_length(const BlastSeqId& id, std::uint64_t line) {
    constexpr std::size_t kLongestAccession = 30;
    std::size_t length = 0, longest = kLongestName;
    const char *subject = nullptr, *kind = nullptr;
    if (id.kind == Kind::kLocal) {
        length = id.second.size();
        subject = kind = "local id";
    } else if (id.kind == Kind::kGeneral) {
        length = id.second.size();
        subject = kind = "general id string";
    } else if (id.is_textual()) {
        length = id.first.size();
        longest = kLongestAccession;
        subject = kind = "accession";
    }
    if (length <= longest) return {};
    return Status::invalid_input("Near line " + std::to_string(line) + ", the " + subject +
                                 " is too long.  Its length is " + std::to_string(length) +
                                 " but the maximum allowed " + kind + " length is " + std::to_string(longest) +
                                 ".  Please find and correct all " + kind + "s that are too long.");
}

/// Returns the lowest 32 bits of the number in `text`. Returns nothing if `text` is not digits.
std::optional<std::uint32_t> wrapped_number(std::string_view text) {
    if (text.empty() || !are_digits(text)) return {};
    std::uint32_t number = 0;
    for (const char c : text) number = number * 10 + static_cast<std::uint32_t>(c - '0');
    return number;
}

/// Returns `text` without a range of residues at its end, such as ":2-30", or ":c30-2" for the
/// other strand. Returns all of `text` if it has none.
std::string_view without_range(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return text;
    std::string_view range = text.substr(colon + 1);
    const bool is_reversed = range.starts_with('c');
    if (is_reversed) range.remove_prefix(1);
    const std::size_t hyphen = range.find('-');
    if (hyphen == std::string_view::npos) return text;
    const auto from = wrapped_number(range.substr(0, hyphen)), to = wrapped_number(range.substr(hyphen + 1));
    const bool is_range = from && to && (is_reversed ? *from >= *to : *from <= *to);
    return is_range ? text.substr(0, colon) : text;
}

}  // namespace

Result<BlastSeqId> parse_seqid(std::string_view text, const SeqIdReading& reading) {
    text = trimmed(text);
    const std::vector<std::string_view> all = pieces_of(text);
    const auto kind = begins_as_tagged(text) ? tagged_kind(all.front()) : std::nullopt;
    if (!kind) return bare(text, reading);
    Pieces pieces = Pieces(all).subspan(1);
    std::optional<TaggedKind> next;
    auto id = take(*kind, pieces, next);
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
    return take_all(text, ids, [&](const Status& error, Pieces& pieces) -> Status {
        if (pieces.empty() || !reading.takes_parts) return error;
        while (!pieces.empty() && pieces.front().size() != 2 && pieces.front().size() != 3) pieces = pieces.subspan(1);
        return {};
    });
}

Result<std::vector<BlastSeqId>> parse_fasta_seqids(std::string_view word) {
    const std::string_view text = without_range(word);
    if (text.empty() || text == ":") return wrong("Unable to locate sequence id in definition line");
    const auto not_an_id = [&] { return wrong("Could not construct seq-id from '" + std::string(text) + "'"); };
    std::vector<BlastSeqId> ids;
    if (begins_as_tagged(text)) {
        if (!take_all(text, ids, [](const Status& error, Pieces&) { return error; }).ok()) return not_an_id();
    } else {
        bool is_nucleotide = false;
        auto found = accession(text, is_nucleotide);
        if (!found.ok()) return not_an_id();
        if (*found) {
            ids.push_back(**std::move(found));
        } else {
            std::string name = is_nucleotide ? ascii_upper(text) : std::string(text);
            if (has_replaced_comma(text)) std::ranges::replace(name, ',', '_');
            ids.push_back(local(name));
        }
    }
    const auto begins_wrongly = [](const BlastSeqId& id) {
        if (id.kind != Kind::kLocal || id.second.empty()) return false;
        const char first = id.second.front();
        return first == '|' || kNotInNames.find(first) != std::string_view::npos || is_beyond_ascii(first);
    };
    for (const BlastSeqId& id : ids)
        if (begins_wrongly(id)) return wrong("'" + id.second + "' is not a valid local ID");
    return ids;
}

bool has_replaced_comma(std::string_view word) {
    return word.find(',') != std::string_view::npos && word.find('|') == std::string_view::npos;
}

Status check_seqid_lengths(std::span<const BlastSeqId> ids, std::uint64_t line) {
    for (const BlastSeqId& id : ids) WARPSEQ_TRY(check_length(id, line));
    return {};
}

Result<std::vector<BlastSeqId>> parse_stored_seqids(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return wrong("Empty bare accession supplied");
    std::vector<BlastSeqId> ids;
    if (begins_as_tagged(text)) {
        WARPSEQ_TRY(take_all(text, ids, [](const Status& error, Pieces&) { return error; }));
        return ids;
    }
    bool is_nucleotide = false;
    auto found = accession(text, is_nucleotide);
    if (!found.ok()) return found.status();
    if (*found) {
        ids.push_back(**std::move(found));
        return ids;
    }
    if (text.find('|') == std::string_view::npos && !is_valid_local_name(text))
        return wrong("Malformatted ID " + std::string(text));
    ids.push_back(local(is_nucleotide ? ascii_upper(text) : std::string(text)));
    return ids;
}

bool is_nucleotide_accession(std::string_view text) {
    bool is_nucleotide = false;
    return accession(text, is_nucleotide).ok() && is_nucleotide;
}

bool is_accession_with_range(std::string_view text) {
    const std::string_view name = without_range(text);
    const auto is_accession = [](std::string_view each) {
        bool is_nucleotide = false;
        const auto found = accession(each, is_nucleotide);
        return found.ok() && (*found || is_nucleotide);
    };
    return name.size() < text.size() && !begins_as_tagged(text) && !is_accession(text) && is_accession(name);
}

}  // namespace warpseq
