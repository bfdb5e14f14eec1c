#include "formats/fasta/sequence_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "formats/fasta/fasta.h"

namespace warpseq {

namespace {

using Name = NameParts;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_small(char c) { return c >= 'a' && c <= 'z'; }

/// Whether a text has the form of an accession: at least five capitals, digits and underscores,
/// beginning with a capital and ending with a digit.
bool is_accession(std::string_view text) {
    return text.size() >= 5 && is_capital(text.front()) && is_digit(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_capital(c) || is_digit(c) || c == '_'; });
}

/// Whether a text has the form of an entry of the Protein Data Bank: a digit and three letters or
/// digits.
bool is_structure(std::string_view text) {
    return text.size() == 4 && is_digit(text.front()) &&
           std::ranges::all_of(text.substr(1), [](char c) { return is_digit(c) || is_capital(c) || is_small(c); });
}

Name name_of(std::string_view text) {
    constexpr std::size_t kMostVersionDigits = 3;
    if (const std::size_t dot = text.rfind('.'); dot != text.npos) {
        const std::string_view version = text.substr(dot + 1);
        if (!version.empty() && version.size() <= kMostVersionDigits && std::ranges::all_of(version, is_digit) &&
            is_accession(text.substr(0, dot))) {
            return {text.substr(0, dot), version, {}};
        }
    }
    if (text.size() > 5 && text[4] == '_' && is_structure(text.substr(0, 4)) && text.size() <= 9)
        return {text.substr(0, 4), {}, text.substr(5)};
    return {text, {}, {}};
}

/// The fields that follow NCBI's tags.
enum class Tag : std::uint8_t { kNone, kNumber, kAccessionAndName, kDatabaseAndName, kStructure, kName };

Tag tag_of(std::string_view text) {
    struct Known {
        std::string_view text;
        Tag tag;
    };
    static constexpr std::array<Known, 21> kTags = {{
        {"gi", Tag::kNumber},
        {"sp", Tag::kAccessionAndName},
        {"tr", Tag::kAccessionAndName},
        {"gb", Tag::kAccessionAndName},
        {"emb", Tag::kAccessionAndName},
        {"dbj", Tag::kAccessionAndName},
        {"ref", Tag::kAccessionAndName},
        {"pir", Tag::kAccessionAndName},
        {"prf", Tag::kAccessionAndName},
        {"tpg", Tag::kAccessionAndName},
        {"tpe", Tag::kAccessionAndName},
        {"tpd", Tag::kAccessionAndName},
        {"gpp", Tag::kAccessionAndName},
        {"nat", Tag::kAccessionAndName},
        {"gnl", Tag::kDatabaseAndName},
        {"pdb", Tag::kStructure},
        {"lcl", Tag::kName},
        {"bbs", Tag::kNumber},
        {"bbm", Tag::kNumber},
        {"gim", Tag::kNumber},
        {"unk", Tag::kAccessionAndName},
    }};
    const auto* const known = std::ranges::find(kTags, text, &Known::text);
    return known == kTags.end() ? Tag::kNone : known->tag;
}

/// Calls `use` with each name in the fields of an identifier, and with whether the name is a
/// number. Returns false if it finds an unknown tag.
template <typename Use>
bool for_each_field(std::string_view identifier, const Use& use) {
    std::string_view rest = identifier;
    const auto field = [&rest] {
        const std::size_t bar = rest.find('|');
        const std::string_view text = rest.substr(0, bar);
        rest = bar == rest.npos ? std::string_view() : rest.substr(bar + 1);
        return text;
    };
    const auto use_name = [&use](std::string_view text) {
        if (!text.empty()) use(name_of(text), false);
    };
    while (!rest.empty()) {
        switch (tag_of(field())) {
            case Tag::kNumber:
                if (const std::string_view number = field(); !number.empty()) use(Name{number, {}, {}}, true);
                break;
            case Tag::kAccessionAndName:
                use_name(field());
                use_name(field());
                break;
            case Tag::kDatabaseAndName:
                field();
                use_name(field());
                break;
            case Tag::kStructure: {
                const std::string_view entry = field(), chain = field();
                if (!entry.empty()) use(Name{entry, {}, chain}, false);
                break;
            }
            case Tag::kName: use_name(field()); break;
            case Tag::kNone: return false;
        }
    }
    return true;
}

/// Appends the names of an identifier, the most telling ones first: accessions before numbers.
/// `make` makes an item of a name.
template <typename Item, typename Make>
void append_names(std::string_view identifier, std::vector<Item>& names, const Make& make) {
    const std::size_t begin = names.size();
    if (identifier.find('|') == identifier.npos) {
        names.push_back(make(name_of(identifier)));
        return;
    }
    std::size_t accessions_end = begin;
    const bool is_known = for_each_field(identifier, [&](const Name& name, bool is_number) {
        if (is_number) {
            names.push_back(make(name));
        } else {
            names.insert(names.begin() + static_cast<std::ptrdiff_t>(accessions_end++), make(name));
        }
    });
    if (is_known && names.size() > begin) return;
    names.resize(begin);
    names.push_back(make(Name{identifier, {}, {}}));
}

std::vector<Name> names_of(std::string_view identifier) {
    std::vector<Name> names;
    append_names(identifier, names, [](const Name& name) { return name; });
    return names;
}

/// Calls `with` for each identifier of a header until it returns true.
template <typename With>
void for_each_identifier(std::string_view header, const With& with) {
    for (bool first = true;; first = false) {
        const std::size_t end = header.find(kNextDefline);
        std::string_view line = header.substr(0, end);
        if (!first) line = line.substr(std::min(line.size(), line.find_first_not_of(" >")));
        const std::string_view identifier = identifier_of(line);
        if ((first || !identifier.empty()) && with(identifier)) return;
        if (end == header.npos) return;
        header = header.substr(end + 1);
    }
}

}  // namespace

std::span<const std::string_view> IndexNames::of(std::string_view header) {
    names_.clear();
    for_each_identifier(header, [this](std::string_view identifier) {
        append_names(identifier, names_, [](const Name& name) { return name.base; });
        return false;
    });
    if (names_.size() == 1) return names_;
    // The first name stays first.
    std::sort(names_.begin() + 1, names_.end());
    names_.erase(std::unique(names_.begin() + 1, names_.end()), names_.end());
    const std::string_view first = names_.front();
    names_.erase(std::remove(names_.begin() + 1, names_.end(), first), names_.end());
    return names_;
}

std::vector<std::string_view> index_names_of(std::string_view header) {
    IndexNames names;
    const auto all = names.of(header);
    return {all.begin(), all.end()};
}

std::vector<ListedName> listed_names_of(std::string_view identifier) {
    const std::vector<Name> names = names_of(identifier);
    const bool has_tag = identifier.find('|') != identifier.npos;
    const Tag tag = has_tag ? tag_of(identifier.substr(0, identifier.find('|'))) : Tag::kNone;
    std::vector<ListedName> listed;
    for (std::size_t n = 0; n < names.size(); ++n) {
        const Name& name = names[n];
        // Behind an accession there are names of entries, and then numbers.
        const bool is_number = std::ranges::all_of(name.base, is_digit);
        if (n > 0 && !is_number) continue;
        const bool is_public = !is_number && (is_accession(name.base) || tag == Tag::kAccessionAndName ||
                                              (tag == Tag::kNumber && name.base.size() != identifier.size()));
        listed.push_back({name.base, name.version, name.chain, is_public});
    }
    return listed;
}

ListedName first_listed_name_of(std::string_view identifier) {
    if (identifier.find('|') != identifier.npos) return listed_names_of(identifier).front();
    const Name name = name_of(identifier);
    return {name.base, name.version, name.chain, is_accession(name.base)};
}

std::vector<std::string_view> identifiers_of(std::string_view header) {
    std::vector<std::string_view> identifiers;
    for (bool first = true;; first = false) {
        const std::size_t end = header.find(kNextDefline);
        std::string_view line = header.substr(0, end);
        if (!first) line = line.substr(std::min(line.size(), line.find_first_not_of(" >")));
        identifiers.push_back(identifier_of(line));
        if (end == header.npos) return identifiers;
        header = header.substr(end + 1);
    }
}

std::string_view index_name_of(std::string_view asked) { return names_of(asked).front().base; }

NameParts asked_parts_of(std::string_view asked) { return names_of(asked).front(); }

void for_each_identifier_of(
    std::string_view header,
    const std::function<void(std::string_view identifier, std::span<const NameParts> names)>& use) {
    std::vector<Name> names;
    for_each_identifier(header, [&](std::string_view identifier) {
        names.clear();
        append_names(identifier, names, [](const Name& name) { return name; });
        use(identifier, names);
        return false;
    });
}

NameMatch match_name(std::string_view header, std::string_view asked) {
    const Name wanted = names_of(asked).front();
    NameMatch best = NameMatch::kNone;
    for_each_identifier(header, [&](std::string_view identifier) {
        if (identifier == asked) {
            best = NameMatch::kWhole;
            return true;
        }
        for (const Name& name : names_of(identifier)) {
            if (name.base == wanted.base && (wanted.version.empty() || wanted.version == name.version) &&
                (wanted.chain.empty() || wanted.chain == name.chain))
                best = NameMatch::kPart;
        }
        return false;
    });
    return best;
}

}  // namespace warpseq
