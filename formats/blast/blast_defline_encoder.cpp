#include "formats/blast/blast_defline_encoder.h"

#include <algorithm>

namespace warpseq {
namespace {

/// Tags of ASN.1. A constructed value begins with its tag and kOpen and ends with two zero bytes.
constexpr char kSequence = 0x30, kVisibleString = 0x1a, kInteger = 0x02, kOpen = static_cast<char>(0x80);
constexpr std::uint8_t kContext = 0xa0;

class Encoder {
   public:
    explicit Encoder(std::string& bytes) : bytes_(bytes) {}

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
    void text(std::string_view value) {
        bytes_ += kVisibleString;
        length(value.size());
        const std::size_t begin = bytes_.size();
        bytes_ += value;
        std::replace_if(
            bytes_.begin() + static_cast<std::ptrdiff_t>(begin), bytes_.end(),
            [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e; }, '#');
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
};

/// Appends an Object-id, which is a number or a text.
void encode_object(const BlastSeqId& id, Encoder& to) {
    if (id.is_number) {
        to.member(0, [&] { to.number(id.numeric_value()); });
    } else {
        to.member(1, [&] { to.text(id.second); });
    }
}

void encode_content(const BlastSeqId& id, Encoder& to) {
    using Kind = BlastSeqId::Kind;
    switch (id.kind) {
        case Kind::kLocal: encode_object(id, to); return;
        case Kind::kGibbSequence:
        case Kind::kGibbMolecule:
        case Kind::kGi: to.number(id.numeric_value()); return;
        case Kind::kGiImport: to.sequence([&] { to.member(0, [&] { to.number(id.numeric_value()); }); }); return;
        case Kind::kPatent:
            to.sequence([&] {
                to.member(0, [&] { to.number(id.number); });
                to.member(1, [&] {
                    to.sequence([&] {
                        to.member(0, [&] { to.text(id.first); });
                        to.member(1, [&] { to.member(0, [&] { to.text(id.second); }); });
                    });
                });
            });
            return;
        case Kind::kGeneral:
            to.sequence([&] {
                to.member(0, [&] { to.text(id.first); });
                to.member(1, [&] { encode_object(id, to); });
            });
            return;
        case Kind::kPdb:
            to.sequence([&] {
                to.member(0, [&] { to.text(id.first); });
                if (id.second.size() == 1)
                    to.member(1, [&] { to.number(static_cast<unsigned char>(id.second.front())); });
                if (!id.second.empty()) to.member(3, [&] { to.text(id.second); });
            });
            return;
        default: break;
    }
    to.sequence([&] {
        if (!id.second.empty()) to.member(0, [&] { to.text(id.second); });
        if (!id.first.empty()) to.member(1, [&] { to.text(id.first); });
        if (id.has_release) to.member(2, [&] { to.text(id.is_variant ? "unreviewed" : "reviewed"); });
        if (id.number > 0 && !id.first.empty()) to.member(3, [&] { to.number(id.number); });
    });
}

}  // namespace

void encode_blast_deflines(std::span<const BlastDeflineParts> lines, std::string& bytes) {
    Encoder to(bytes);
    to.sequence([&] {
        for (const BlastDeflineParts& line : lines) {
            to.sequence([&] {
                to.member(0, [&] { to.text(line.title); });
                to.member(1, [&] {
                    to.sequence([&] {
                        for (const BlastSeqId& id : line.ids)
                            to.member(static_cast<unsigned>(id.kind), [&] { encode_content(id, to); });
                    });
                });
                to.member(2, [&] { to.number(line.taxid); });
            });
        }
    });
}

}  // namespace warpseq
