#include "formats/blast/blast_deflines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace warpseq {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Tags of ASN.1. A context tag [N] is kContext + N, and its content is another element.
constexpr std::uint8_t kInteger = 0x02, kUtf8String = 0x0c, kVisibleString = 0x1a, kSequence = 0x30, kContext = 0xa0;
constexpr std::uint8_t kIndefiniteLength = 0x80;

/// An element of ASN.1.
struct Element {
    std::uint8_t tag = 0;
    Bytes content;
};

/// A reader of the elements of a content, one after another.
class Elements {
   public:
    explicit Elements(Bytes bytes) : bytes_(bytes) {}

    bool at_end() const { return at_ == bytes_.size(); }

    /// Returns the next element, or nothing if the bytes hold no whole element.
    std::optional<Element> next() {
        std::uint8_t tag = 0;
        std::optional<std::size_t> length;
        if (!begin(tag, length)) return {};
        const std::size_t first = at_;
        if (length) {
            at_ += *length;
            return Element{tag, bytes_.subspan(first, *length)};
        }
        // The element ends with two zero bytes. Other such elements may nest in it.
        for (std::size_t open = 1;;) {
            if (bytes_.size() - at_ >= 2 && bytes_[at_] == 0 && bytes_[at_ + 1] == 0) {
                at_ += 2;
                if (--open == 0) return Element{tag, bytes_.subspan(first, at_ - 2 - first)};
                continue;
            }
            std::uint8_t inner = 0;
            if (!begin(inner, length)) return {};
            if (length) {
                at_ += *length;
            } else if (++open > kMostLevels) {
                return {};
            }
        }
    }

    /// Returns the content of the next element, or nothing if it has another tag.
    std::optional<Bytes> next(std::uint8_t tag) {
        const auto element = next();
        if (!element || element->tag != tag) return {};
        return element->content;
    }

   private:
    static constexpr std::size_t kMostLevels = 32;

    /// Reads the tag and the length of the next element. The length is empty if the element ends
    /// with an end mark. Returns false if the bytes are no element.
    bool begin(std::uint8_t& tag, std::optional<std::size_t>& length) {
        constexpr std::uint8_t kLongTag = 0x1f;
        if (bytes_.size() - at_ < 2) return false;
        tag = bytes_[at_++];
        if ((tag & kLongTag) == kLongTag) return false;
        const std::uint8_t first = bytes_[at_++];
        if (first == kIndefiniteLength) {
            length.reset();
            return true;
        }
        std::size_t value = first;
        if (first > kIndefiniteLength) {
            const std::size_t count = first - kIndefiniteLength;
            constexpr std::size_t kMostLengthBytes = 4;
            if (count > kMostLengthBytes || count > bytes_.size() - at_) return false;
            value = 0;
            for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes_[at_++];
        }
        length = value;
        return value <= bytes_.size() - at_;
    }

    Bytes bytes_;
    std::size_t at_ = 0;
};

/// Returns the first element of a content that holds just one.
std::optional<Element> only(Bytes content) { return Elements(content).next(); }

std::optional<Bytes> only(Bytes content, std::uint8_t tag) { return Elements(content).next(tag); }

std::optional<std::string> text_of(Bytes content) {
    const auto element = only(content);
    if (!element || (element->tag != kVisibleString && element->tag != kUtf8String)) return {};
    return std::string(element->content.begin(), element->content.end());
}

std::optional<std::int64_t> integer_in(const Element& element) {
    const Bytes number = element.content;
    if (element.tag != kInteger || number.empty() || number.size() > sizeof(std::int64_t)) return {};
    auto value = static_cast<std::uint64_t>((number.front() & 0x80) != 0 ? -1 : 0);
    for (const std::uint8_t byte : number) value = value << 8 | byte;
    return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> integer_of(Bytes content) {
    const auto element = only(content);
    return element ? integer_in(*element) : std::nullopt;
}

/// The parts of a SEQUENCE by the numbers of their context tags. Of parts with the same number, the
/// first one counts.
constexpr std::size_t kMostParts = 8;
using Parts = std::array<std::optional<Bytes>, kMostParts>;
std::optional<Parts> parts_of(Bytes sequence) {
    Parts parts;
    for (Elements elements(sequence); !elements.at_end();) {
        const auto element = elements.next();
        if (!element) return {};
        const std::size_t number = element->tag - kContext;
        if (element->tag >= kContext && number < kMostParts && !parts[number]) parts[number] = element->content;
    }
    return parts;
}

std::string text_or_nothing(const std::optional<Bytes>& part) {
    return part ? text_of(*part).value_or(std::string()) : std::string();
}

/// Decodes an Object-id, which is a number or a text.
std::optional<std::string> object_of(Bytes content, bool& is_number) {
    const auto choice = only(content);
    if (!choice) return {};
    is_number = choice->tag == kContext;
    if (is_number) {
        const auto number = integer_of(choice->content);
        return number ? std::optional(std::to_string(*number)) : std::nullopt;
    }
    return choice->tag == kContext + 1 ? text_of(choice->content) : std::nullopt;
}

using Kind = BlastSeqId::Kind;

/// Decodes a Textseq-id, such as "gb|ACCESSION.VERSION|NAME".
std::optional<BlastSeqId> textual_id(Kind kind, Bytes content) {
    const auto sequence = only(content, kSequence);
    const auto parts = sequence ? parts_of(*sequence) : std::nullopt;
    if (!parts) return {};
    const auto& [name, accession, release, version, a, b, c, d] = *parts;
    constexpr std::string_view kNotReviewed = "unreviewed";
    BlastSeqId id{.kind = kind, .first = text_or_nothing(accession), .second = text_or_nothing(name)};
    id.is_variant = kind == Kind::kSwissProt && text_or_nothing(release) == kNotReviewed;
    if (accession && version) {
        if (const auto number = integer_of(*version); number && *number > 0) id.number = *number;
    }
    return id;
}

/// Decodes a PDB-seq-id, such as "pdb|1ABC|A".
std::optional<BlastSeqId> pdb_id(Bytes content) {
    const auto sequence = only(content, kSequence);
    const auto parts = sequence ? parts_of(*sequence) : std::nullopt;
    if (!parts) return {};
    const auto& [molecule, chain, release, chain_name, a, b, c, d] = *parts;
    BlastSeqId id{.kind = Kind::kPdb, .first = text_or_nothing(molecule), .second = text_or_nothing(chain_name)};
    // Older databases store the chain only as the number of a character.
    if (const auto number = chain ? integer_of(*chain) : std::nullopt; id.second.empty() && number) {
        constexpr std::int64_t kFirstPrinted = 0x21, kLastPrinted = 0x7e;
        if (*number >= kFirstPrinted && *number <= kLastPrinted) id.second = static_cast<char>(*number);
    }
    return id;
}

/// Decodes a Patent-seq-id, such as "pat|US|1234567|3". An application has "pgp".
std::optional<BlastSeqId> patent_id(Bytes content) {
    const auto sequence = only(content, kSequence);
    const auto parts = sequence ? parts_of(*sequence) : std::nullopt;
    if (!parts || !(*parts)[0] || !(*parts)[1]) return {};
    const auto place = integer_of(*(*parts)[0]);
    const auto patent = only(*(*parts)[1], kSequence);
    const auto about = patent ? parts_of(*patent) : std::nullopt;
    if (!place || !about || !(*about)[1]) return {};
    const auto number = only(*(*about)[1]);
    if (!number || number->tag < kContext) return {};
    return BlastSeqId{.kind = Kind::kPatent,
                      .first = text_or_nothing((*about)[0]),
                      .second = text_of(number->content).value_or(std::string()),
                      .number = *place,
                      .is_variant = number->tag != kContext};
}

bool is_known_kind(std::uint8_t tag) { return tag - kContext <= static_cast<int>(Kind::kNamedTrack); }

/// Decodes a Seq-id of a known kind. Returns nothing if it is damaged.
std::optional<BlastSeqId> identifier_in(const Element& choice) {
    const auto kind = static_cast<Kind>(choice.tag - kContext);
    const auto numbered = [kind](std::optional<std::int64_t> number) -> std::optional<BlastSeqId> {
        if (!number) return {};
        return BlastSeqId{.kind = kind, .second = std::to_string(*number)};
    };
    switch (kind) {
        case Kind::kLocal: {
            bool is_number = false;
            auto name = object_of(choice.content, is_number);
            if (!name) return {};
            return BlastSeqId{.kind = kind, .second = *std::move(name), .is_number = is_number};
        }
        case Kind::kGi:
        case Kind::kGibbSequence:
        case Kind::kGibbMolecule: return numbered(integer_of(choice.content));
        case Kind::kGiImport: {
            const auto sequence = only(choice.content, kSequence);
            const auto parts = sequence ? parts_of(*sequence) : std::nullopt;
            return parts && (*parts)[0] ? numbered(integer_of(*(*parts)[0])) : std::nullopt;
        }
        case Kind::kPatent: return patent_id(choice.content);
        case Kind::kPdb: return pdb_id(choice.content);
        case Kind::kGeneral: {
            const auto sequence = only(choice.content, kSequence);
            const auto parts = sequence ? parts_of(*sequence) : std::nullopt;
            bool is_number = false;
            auto tag = parts && (*parts)[1] ? object_of(*(*parts)[1], is_number) : std::nullopt;
            if (!tag) return {};
            return BlastSeqId{
                .kind = kind, .first = text_or_nothing((*parts)[0]), .second = *std::move(tag), .is_number = is_number};
        }
        default: return textual_id(kind, choice.content);
    }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Returns the identifier as in FASTA. A local identifier is its name alone.
std::string fasta_of(const BlastSeqId& id) {
    if (id.kind == Kind::kLocal) return id.second;
    if (id.kind == Kind::kPdb && id.second.empty()) return "pdb|" + id.first + "|";
    return id.fasta();
}

/// Returns the first GI, and behind it the other identifier that is shown.
std::string text_of_identifiers(const std::vector<BlastSeqId>& ids) {
    if (ids.size() == 1) return ids.front().kind == Kind::kGi ? ids.front().fasta() : fasta_of(ids.front());
    std::vector<BlastSeqId> others;
    std::ranges::copy_if(ids, std::back_inserter(others), [](const BlastSeqId& id) { return id.kind != Kind::kGi; });
    const auto gi = std::ranges::find(ids, Kind::kGi, &BlastSeqId::kind);
    std::string text = gi == ids.end() ? "" : gi->fasta();
    if (const BlastSeqId* const other = shown_seqid(others); other != nullptr) {
        // A local name behind a GI needs its kind, without which it would not be read again.
        text +=
            text.empty() ? fasta_of(*other) : "|" + (other->kind == Kind::kLocal ? other->fasta() : fasta_of(*other));
    }
    return text;
}

/// Decodes a SEQUENCE OF Seq-id into `line`.
bool read_identifiers(Bytes content, StoredDefline& line) {
    const auto sequence = only(content, kSequence);
    if (!sequence) return false;
    for (Elements elements(*sequence); !elements.at_end();) {
        const auto element = elements.next();
        if (!element || element->tag < kContext) return false;
        if (!is_known_kind(element->tag)) continue;
        auto found = identifier_in(*element);
        if (!found) return false;
        for (std::string* part : {&found->first, &found->second})
            for (char& c : *part)
                if (is_control(c) || c == ' ') c = '_';
        if (found->kind == Kind::kGeneral && found->first == "BL_ORD_ID") line.is_number = true;
        line.ids.push_back(*std::move(found));
    }
    line.id = text_of_identifiers(line.ids);
    return true;
}

/// Decodes a SEQUENCE OF INTEGER. Returns nothing if `content` is not one.
std::optional<std::vector<std::int64_t>> integers_of(Bytes content) {
    const auto sequence = only(content, kSequence);
    if (!sequence) return {};
    std::vector<std::int64_t> numbers;
    for (Elements elements(*sequence); !elements.at_end();) {
        const auto element = elements.next();
        const auto number = element ? integer_in(*element) : std::nullopt;
        if (!number) return {};
        numbers.push_back(*number);
    }
    return numbers;
}

std::optional<StoredDefline> defline_in(Bytes content) {
    const auto parts = parts_of(content);
    if (!parts) return {};
    StoredDefline line;
    if (const auto& title = (*parts)[0]) {
        auto text = text_of(*title);
        if (!text) return {};
        line.has_title = true;
        line.title = *std::move(text);
        for (char& c : line.title)
            if (is_control(c)) c = c == '\x01' ? ' ' : '#';
    }
    if (!(*parts)[1] || !read_identifiers(*(*parts)[1], line)) return {};
    if (const auto& taxid = (*parts)[2]) {
        const auto number = integer_of(*taxid);
        if (!number) return {};
        line.taxid = *number;
    }
    if (const auto& memberships = (*parts)[3]) {
        const auto numbers = integers_of(*memberships);
        if (!numbers) return {};
        for (const std::int64_t number : *numbers)
            line.memberships = static_cast<std::int64_t>(static_cast<std::uint64_t>(line.memberships) +
                                                         static_cast<std::uint64_t>(number));
    }
    if (const auto& others = (*parts)[5]) {
        const auto numbers = integers_of(*others);
        if (!numbers) return {};
        for (const std::int64_t number : *numbers) {
            if (number == -1) continue;
            line.ipg = number;
            break;
        }
    }
    return line;
}

}  // namespace

std::optional<std::vector<StoredDefline>> read_blast_deflines(Bytes bytes) {
    const auto set = only(bytes, kSequence);
    if (!set) return {};
    std::vector<StoredDefline> lines;
    for (Elements elements(*set); !elements.at_end();) {
        const auto content = elements.next(kSequence);
        auto line = content ? defline_in(*content) : std::nullopt;
        if (!line) return {};
        lines.push_back(*std::move(line));
    }
    if (lines.empty()) return {};
    return lines;
}

}  // namespace warpseq
