#include "formats/blast/blast_defline_encoder.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace warpseq {
namespace {

/// Tags of ASN.1. A constructed value begins with its tag and kOpen and ends with two zero bytes.
constexpr char kSequence = 0x30, kVisibleString = 0x1a, kInteger = 0x02, kOpen = static_cast<char>(0x80);
constexpr std::uint8_t kContext = 0xa0;

/// The names of the kinds of identifiers in the ASN.1 specification of a Seq-id.
constexpr std::array<std::string_view, 20> kMembers = {
    "local",   "gibbsq", "gibbmt", "giim", "genbank", "embl", "pir", "swissprot", "patent", "other",
    "general", "gi",     "ddbj",   "prf",  "pdb",     "tpg",  "tpe", "tpd",       "gpipe",  "named-annot-track"};

bool is_bad(char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e; }

class Encoder {
   public:
    Encoder(std::string& bytes, std::vector<BlastBadByte>* bad_bytes)
        : bytes_(bytes), begin_(bytes.size()), bad_bytes_(bad_bytes) {}

    /// Sets the place of the next texts in a line: "title", or "seqid.E." and the kind of the
    /// identifier. Each text's own name follows.
    void set_place(std::string_view place, std::string_view kind = {}) {
        place_ = place;
        kind_ = kind;
    }

    template <typename Content>
    void sequence(Content content) {
        bytes_ += kSequence;
        open(content);
    }
    /// Appends the member [number] of a sequence or choice.
    template <typename Content>
    void member(unsigned number, Content content) {
        bytes_ += static_cast<char>(kContext + number);
        open(content);
    }
    /// Appends a text, of which bad bytes become '#'.
    void text(std::string_view value, std::string_view name = {}) {
        bytes_ += kVisibleString;
        length(value.size());
        const std::size_t begin = bytes_.size();
        bytes_ += value;
        std::size_t repeated_bytes = 0;
        const auto first = std::find_if(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), bytes_.end(), is_bad);
        for (auto at = first; at != bytes_.end(); at = std::find_if(at, bytes_.end(), is_bad)) {
            // A long text is not repeated for each of its bytes.
            constexpr std::size_t kMostRepeatedBytes = std::size_t{1} << 20;
            repeated_bytes += value.size();
            if (bad_bytes_ != nullptr && (at == first || repeated_bytes <= kMostRepeatedBytes)) {
                std::string member = "E.";
                for (const std::string_view part : {place_, kind_, name}) member += part;
                bad_bytes_->push_back({std::move(member), value, static_cast<std::uint8_t>(*at),
                                       static_cast<std::size_t>(at - bytes_.begin()) - begin_});
            }
            *at = '#';
        }
    }
    /// Appends an INTEGER with the fewest bytes that hold `value` and its sign.
    void number(std::int64_t value) {
        std::size_t count = 1;
        while (count < sizeof value && (value >> (8 * count - 1)) != 0 && (value >> (8 * count - 1)) != -1) ++count;
        bytes_ += kInteger;
        length(count);
        for (std::size_t i = count; i-- > 0;) bytes_ += static_cast<char>(value >> (8 * i));
    }

   private:
    template <typename Content>
    void open(Content& content) {
        bytes_ += kOpen;
        content();
        bytes_.append(2, '\0');
    }
    void length(std::size_t value) {
        constexpr std::size_t kLongForm = 0x80;
        if (value < kLongForm) {
            bytes_ += static_cast<char>(value);
            return;
        }
        std::size_t count = 1;
        while (count < sizeof value && value >> (8 * count) != 0) ++count;
        bytes_ += static_cast<char>(kLongForm + count);
        for (std::size_t i = count; i-- > 0;) bytes_ += static_cast<char>(value >> (8 * i));
    }
    std::string& bytes_;
    std::size_t begin_;
    std::vector<BlastBadByte>* bad_bytes_;
    std::string_view place_, kind_;
};

/// Appends an Object-id, which is a number or a text.
void encode_object(const BlastSeqId& id, std::string_view name, Encoder& to) {
    if (id.is_number) {
        to.member(0, [&] { to.number(id.numeric_value()); });
    } else {
        to.member(1, [&] { to.text(id.second, name); });
    }
}

void encode_content(const BlastSeqId& id, Encoder& to) {
    using Kind = BlastSeqId::Kind;
    switch (id.kind) {
        case Kind::kLocal: encode_object(id, ".str", to); return;
        case Kind::kGibbSequence:
        case Kind::kGibbMolecule:
        case Kind::kGi: to.number(id.numeric_value()); return;
        case Kind::kGiImport: to.sequence([&] { to.member(0, [&] { to.number(id.numeric_value()); }); }); return;
        case Kind::kPatent:
            to.sequence([&] {
                to.member(0, [&] { to.number(id.number); });
                to.member(1, [&] {
                    to.sequence([&] {
                        to.member(0, [&] { to.text(id.first, ".cit.country"); });
                        to.member(1, [&] { to.member(0, [&] { to.text(id.second, ".cit.id.number"); }); });
                    });
                });
            });
            return;
        case Kind::kGeneral:
            to.sequence([&] {
                to.member(0, [&] { to.text(id.first, ".db"); });
                to.member(1, [&] { encode_object(id, ".tag.str", to); });
            });
            return;
        case Kind::kPdb:
            to.sequence([&] {
                to.member(0, [&] { to.text(id.first, ".mol"); });
                if (id.second.size() == 1)
                    to.member(1, [&] { to.number(static_cast<unsigned char>(id.second.front())); });
                if (!id.second.empty()) to.member(3, [&] { to.text(id.second, ".chain-id"); });
            });
            return;
        default: break;
    }
    to.sequence([&] {
        if (!id.second.empty()) to.member(0, [&] { to.text(id.second, ".name"); });
        if (!id.first.empty()) to.member(1, [&] { to.text(id.first, ".accession"); });
        if (id.has_release) to.member(2, [&] { to.text(id.is_variant ? "unreviewed" : "reviewed"); });
        if (id.number > 0 && !id.first.empty()) to.member(3, [&] { to.number(id.number); });
    });
}

}  // namespace

void encode_blast_deflines(std::span<const BlastDeflineParts> lines, std::string& bytes,
                           std::vector<BlastBadByte>* bad_bytes, bool with_taxids) {
    Encoder to(bytes, bad_bytes);
    to.sequence([&] {
        for (const BlastDeflineParts& line : lines) {
            to.sequence([&] {
                to.set_place("title");
                to.member(0, [&] { to.text(line.title); });
                to.member(1, [&] {
                    to.sequence([&] {
                        for (const BlastSeqId& id : line.ids) {
                            to.set_place("seqid.E.", kMembers[static_cast<std::size_t>(id.kind)]);
                            to.member(static_cast<unsigned>(id.kind), [&] { encode_content(id, to); });
                        }
                    });
                });
                if (with_taxids) to.member(2, [&] { to.number(line.taxid); });
            });
        }
    });
}

std::string bad_byte_messages(std::span<const BlastBadByte> bad_bytes) {
    std::string messages;
    for (const BlastBadByte& bad : bad_bytes) {
        char number[8];
        std::snprintf(number, sizeof number, "0x%X", bad.byte);
        messages += "Error: (803.7) [makeblastdb] Blast-def-line-set." + bad.member + "\nBad char [" + number +
                    "] in string at byte " + std::to_string(bad.offset) + "\n";
        (messages += bad.text) += '\n';
    }
    return messages;
}

}  // namespace warpseq
