#include "apps/dropin/blastdbcmd_entries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "formats/blast/blast_seqid_parser.h"
#include "libcore/base/ascii.h"

namespace warpseq::blastdbcmd {
namespace {

using Kind = BlastSeqId::Kind;

constexpr std::string_view kNoIndex = "DB contains no accession info.";
constexpr const char* kOrdinalDatabase = "BL_ORD_ID";

/// Whether the database has the index of version 5.
bool is_latest(const Source& source) {
    constexpr int kLatest = 5;
    return source.about().version == kLatest;
}

/// A look-up in a volume of version 4.
struct OldQuestion {
    enum class Type : std::uint8_t { kName, kOrdinal, kGi, kNothing };
    Type type = Type::kName;
    std::string name = {};             // in small letters
    std::string without_version = {};  // asked for second; empty if there is no version
    std::string whole = {};            // asked for last; empty if the entry is no identifier
    std::int64_t number = 0;           // the ordinal or the GI
    std::string checked_name = {};     // the accession whose version is checked
    std::int64_t checked_version = 0;
};

/// Returns the end of the first identifier in `text` from `begin` on. Returns nothing if no kind's
/// name stands there.
std::optional<std::size_t> seqid_end(std::string_view text, std::size_t begin) {
    std::size_t bar = text.find('|', begin);
    if (bar == text.npos || !seqid_kind(text.substr(begin, bar - begin))) return {};
    for (;;) {
        const std::size_t next = text.find('|', bar + 1);
        if (next == text.npos) return text.size();
        if (seqid_kind(text.substr(bar + 1, next - bar - 1))) return bar;
        bar = next;
    }
}

/// Appends the identifiers of a text to `ids`, up to the first that does not begin with a kind's
/// name. Returns an error if one of them cannot be read.
Status tagged_seqids(std::string_view text, std::vector<BlastSeqId>& ids) {
    const SeqIdReading reading{.numbers_are_gis = true, .takes_local = false, .takes_parts = false};
    for (std::size_t at = 0; at < text.size();) {
        const auto end = seqid_end(text, at);
        if (!end) return {};
        auto id = parse_seqid(text.substr(at, *end - at), reading);
        if (!id.ok()) return id.status();
        ids.push_back(*std::move(id));
        at = *end + 1;
    }
    return {};
}

/// Returns the identifier of the lowest rank: a GI, else an accession, else one of another kind. Of
/// several accessions, one with a version is preferred.
const BlastSeqId& best_seqid(const std::vector<BlastSeqId>& ids) {
    const auto rank = [](const BlastSeqId& id) {
        switch (id.kind) {
            case Kind::kGeneral:
            case Kind::kLocal: return 800;
            case Kind::kGibbSequence:
            case Kind::kGibbMolecule:
            case Kind::kGiImport: return 700;
            case Kind::kNamedTrack: return 690;
            case Kind::kGpipe: return 680;
            case Kind::kPatent: return 670;
            case Kind::kRefSeq: return 650;
            case Kind::kGi: return 510;
            default: return 600;
        }
    };
    const auto exact = [&](const BlastSeqId& id) {
        return rank(id) + (id.is_textual()
                               ? (id.number == 0 ? 4 : 0) + (id.first.empty() ? 3 : 0) + (id.second.empty() ? 2 : 0)
                               : 0);
    };
    return *std::ranges::min_element(ids, {}, exact);
}

constexpr std::uint64_t kMostNumber = 0xffff'ffff;

/// Sets `question` to the key by which an identifier with its kind is looked up.
Status set_by_seqid(const BlastSeqId& id, const std::string& entry, OldQuestion& question) {
    switch (id.kind) {
        case Kind::kGi:
            question.type = OldQuestion::Type::kGi;
            question.number = plain_number(id.second).value_or(0);
            if (static_cast<std::uint64_t>(question.number) > kMostNumber)
                return Status::invalid_input("ID overflows range of specified type.");
            return {};
        case Kind::kGeneral:
            if (id.first == kOrdinalDatabase || id.first == "PIG") {
                if (!id.is_number)
                    return Status::invalid_input(
                        "CObject_id::GetId(): Invalid choice selection: NCBI-General::Object-id.str");
                question.type =
                    id.first == kOrdinalDatabase ? OldQuestion::Type::kOrdinal : OldQuestion::Type::kNothing;
                question.number = plain_number(id.second).value_or(0);
                return {};
            }
            question.name = ascii_lower(ascii_upper(id.first) == "GNOMON" ? id.fasta()
                                        : id.is_number                    ? entry
                                                                          : id.second);
            return {};
        case Kind::kLocal: question.name = ascii_lower(id.is_number ? "lcl|" + id.second : id.second); return {};
        case Kind::kGibbSequence: question.name = id.second; return {};
        case Kind::kNamedTrack:
        case Kind::kGibbMolecule:
        case Kind::kGiImport:
        case Kind::kPatent:
        case Kind::kPdb: question.name = ascii_lower(entry); return {};
        default: break;
    }
    question.name = ascii_lower(id.first.empty() ? id.second : id.first);
    if (!id.first.empty() && id.number > 0) question.name += "." + std::to_string(id.number);
    return {};
}

/// Returns the look-up for an entry, or an error if the index cannot be asked for it.
Result<OldQuestion> old_question(const std::string& entry) {
    OldQuestion question;
    std::vector<BlastSeqId> ids;
    WARPSEQ_TRY(tagged_seqids(entry, ids));
    std::string name;
    if (!ids.empty()) {
        WARPSEQ_TRY(set_by_seqid(best_seqid(ids), entry, question));
        if (question.type != OldQuestion::Type::kName) return question;
        name = question.name;
    } else {
        name = entry;
        const bool is_read = parse_seqids(entry, {.takes_parts = false}, ids).ok() && !ids.empty();
        if (is_read && ids.front().kind == Kind::kPdb && entry.find('_') != std::string::npos) {
            name = ascii_lower(ids.front().fasta());
        } else if (is_read && ids.front().kind == Kind::kLocal) {
            constexpr std::array<std::string_view, 4> kDatabases = {"CDD", "SRA", "TSA", "GNOMON"};
            const std::size_t colon = entry.find(':');
            if (colon != std::string::npos) {
                const std::string database = entry.substr(0, colon);
                if (std::ranges::find(kDatabases, ascii_upper(database)) != kDatabases.end())
                    name = "gnl|" + database + "|" + entry.substr(colon + 1);
            } else if (plain_number(entry)) {
                name = "lcl|" + entry;
            }
        }
    }
    question.name = ascii_lower(name);
    constexpr std::size_t kMostVersionDigits = 3;
    const std::size_t point = name.find('.');
    if (point != std::string::npos) {
        const std::string_view version = std::string_view(name).substr(point + 1);
        const bool is_version = !version.empty() && version.size() <= kMostVersionDigits &&
                                std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
        if (is_version) {
            question.without_version = ascii_lower(name.substr(0, point));
            const std::size_t first = entry.find('.');
            question.checked_name = entry.substr(0, first);
            question.checked_name.erase(0, question.checked_name.rfind('|') + 1);
            const char* const begin = entry.data() + std::min(first, entry.size() - 1) + 1;
            std::from_chars(begin, entry.data() + entry.size(), question.checked_version);
        }
    }
    if (const auto id = parse_seqid(name, {.takes_parts = false}); id.ok()) question.whole = ascii_lower(id->fasta());
    return question;
}

/// The names that are asked for, and the numbers of the sequences that have them.
struct Hits {
    std::unordered_map<std::string, std::vector<std::uint64_t>> names;
    std::unordered_map<std::string, std::uint64_t> gis;

    void want(const std::string& name) {
        if (!name.empty()) names.try_emplace(name);
    }
    void add(const std::string& name, std::uint64_t number) {
        const auto found = names.find(name);
        if (found == names.end()) return;
        if (found->second.empty() || found->second.back() != number) found->second.push_back(number);
    }
    /// Adds the sequence to those of its names that are asked for. Returns whether it has any name
    /// but GIs.
    bool add_sequence(const Sequence& sequence, bool is_latest) {
        bool has_names = false;
        const auto use = [&](const std::string& name) {
            has_names = true;
            add(name, sequence.number);
        };
        for (const StoredDefline& line : sequence.lines) {
            if (line.is_number) continue;
            for (const BlastSeqId& id : line.ids) {
                if (id.kind == Kind::kGi) {
                    if (const auto gi = gis.find(id.second); gi != gis.end())
                        gi->second = std::min(gi->second, sequence.number);
                } else {
                    for (const std::string& name : is_latest ? accession_keys(id) : isam_keys(id)) use(name);
                }
            }
        }
        return has_names;
    }
    void sort() {
        for (auto& [name, numbers] : names) {
            std::ranges::sort(numbers);
            numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        }
    }
    const std::vector<std::uint64_t>& of(const std::string& name) const {
        static const std::vector<std::uint64_t> kNone;
        const auto found = names.find(name);
        return found == names.end() ? kNone : found->second;
    }
};

constexpr std::uint64_t kNotFound = ~std::uint64_t{0};

/// The look-up of identifiers in one source, with what was found there.
class Lookup {
   public:
    Lookup(Source& source, std::uint64_t first_number, std::uint64_t all_sequences)
        : source_(source),
          starts_(source.volume_starts()),
          first_number_(first_number),
          all_sequences_(all_sequences) {}

    Status find(std::span<const std::string> names, std::span<const std::string> entries, std::vector<Found>& found) {
        return is_latest(source_) ? find_latest(names, entries, found) : find_old(names, entries, found);
    }

   private:
    void add(std::uint64_t number, std::vector<std::uint64_t>& numbers) const {
        if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
    }

    Status scan(std::span<const std::string> names) {
        for (const std::string& name : names)
            if (const auto number = plain_number(name); number && *number > 0)
                hits_.gis.try_emplace(std::to_string(*number), kNotFound);
        has_names_.assign(starts_.size() - 1, false);
        WARPSEQ_TRY(source_.for_each(false, [&](const Sequence& sequence) -> Status {
            if (hits_.add_sequence(sequence, is_latest(source_))) has_names_[volume_of(sequence.number)] = true;
            return {};
        }));
        hits_.sort();
        return {};
    }

    std::size_t volume_of(std::uint64_t number) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(starts_, number) - starts_.begin()) - 1;
    }

    void add_gi(const std::string& name, Found& found) const {
        const auto number = plain_number(name);
        if (!number || found.by_gi) return;
        const auto gi = hits_.gis.find(std::to_string(*number));
        if (gi != hits_.gis.end() && gi->second != kNotFound) found.by_gi = first_number_ + gi->second;
    }

    /// Adds the sequences of this name in a database without parsed identifiers. NCBI's programs
    /// find such sequences only by their numbers.
    Status add_unparsed(const std::string& entry, Found& found) {
        std::vector<std::uint64_t> numbers;
        WARPSEQ_TRY(source_.find_by_name(entry, numbers));
        std::ranges::sort(numbers);
        for (const std::uint64_t number : numbers) add(first_number_ + number, found.by_name);
        return {};
    }

    Status find_latest(std::span<const std::string> names, std::span<const std::string> entries,
                       std::vector<Found>& found) {
        if (!source_.about().has_parsed_ids) {
            for (std::size_t e = 0; e < names.size(); ++e) {
                const std::string prefix = std::string(kOrdinalDatabase) + ":";
                const auto ordinal =
                    names[e].starts_with(prefix) ? plain_number(names[e].substr(prefix.size())) : std::nullopt;
                if (ordinal && *ordinal >= 0 && static_cast<std::uint64_t>(*ordinal) < source_.sequence_count()) {
                    add(first_number_ + static_cast<std::uint64_t>(*ordinal), found[e].by_name);
                } else {
                    WARPSEQ_TRY(add_unparsed(entries[e], found[e]));
                }
                if (found[e].by_name.empty()) set_no_index(found[e]);
            }
            return {};
        }
        for (const std::string& name : names) hits_.want(name);
        WARPSEQ_TRY(scan(names));
        // A database without an index ends the look-up. The sequences found before it count only if
        // the identifiers come from a file.
        const auto without = static_cast<std::size_t>(std::ranges::find(has_names_, false) - has_names_.begin());
        constexpr std::size_t kLongestName = 511;
        for (std::size_t e = 0; e < names.size(); ++e) {
            add_gi(names[e], found[e]);
            for (const std::uint64_t number : hits_.of(names[e]))
                if (number < starts_[without]) add(first_number_ + number, found[e].by_name);
            if (without < has_names_.size()) {
                set_no_index(found[e]);
            } else if (names[e].empty() || names[e].size() > kLongestName) {
                found[e].error = Status::invalid_input("Accessions to Oids lookup error in " + index_file());
            }
        }
        return {};
    }

    /// Returns the name of the index of the first database, which all of its volumes share.
    std::string index_file() const {
        const std::filesystem::path name = source_.volumes().front().filename();
        const std::string number = name.extension().string();
        const bool is_numbered = number.size() > 2 && number.find_first_not_of("0123456789", 1) == std::string::npos;
        return (is_numbered ? name.stem() : name).string() + ".pdb";
    }

    void set_no_index(Found& found) const {
        found.error = Status::invalid_input(std::string(kNoIndex));
        found.has_no_index = true;
    }

    Status find_old(std::span<const std::string> names, std::span<const std::string> entries,
                    std::vector<Found>& found) {
        std::vector<OldQuestion> questions;
        for (std::size_t e = 0; e < names.size(); ++e) {
            auto question = old_question(names[e]);
            if (!question.ok()) {
                found[e].error = question.status();
                questions.push_back({.type = OldQuestion::Type::kNothing});
                continue;
            }
            hits_.want(question->name);
            hits_.want(question->without_version);
            hits_.want(question->whole);
            if (question->type == OldQuestion::Type::kGi)
                hits_.gis.try_emplace(std::to_string(question->number), kNotFound);
            questions.push_back(*std::move(question));
        }
        if (source_.about().has_parsed_ids) WARPSEQ_TRY(scan(names));
        for (std::size_t e = 0; e < names.size(); ++e) {
            for (std::size_t v = 0; v + 1 < starts_.size(); ++v)
                WARPSEQ_TRY(ask(questions[e], starts_[v], starts_[v + 1], found[e].by_name));
            if (source_.about().has_parsed_ids) {
                add_gi(names[e], found[e]);
            } else if (questions[e].type != OldQuestion::Type::kOrdinal && found[e].error.ok()) {
                WARPSEQ_TRY(add_unparsed(entries[e], found[e]));
            }
        }
        return {};
    }

    /// Looks `question` up in one volume, sequences begin .. end - 1 of the source. Adds what it
    /// finds to `numbers`.
    Status ask(const OldQuestion& question, std::uint64_t begin, std::uint64_t end,
               std::vector<std::uint64_t>& numbers) {
        switch (question.type) {
            case OldQuestion::Type::kNothing: return {};
            case OldQuestion::Type::kOrdinal: {
                const std::uint64_t number = first_number_ + begin + static_cast<std::uint64_t>(question.number);
                if (number < all_sequences_) add(number, numbers);
                return {};
            }
            case OldQuestion::Type::kGi: {
                const auto gi = hits_.gis.find(std::to_string(question.number));
                if (gi != hits_.gis.end() && gi->second >= begin && gi->second < end)
                    add(first_number_ + gi->second, numbers);
                return {};
            }
            case OldQuestion::Type::kName: break;
        }
        const auto hits = [&](const std::string& name) {
            std::vector<std::uint64_t> in_volume;
            if (!name.empty())
                for (const std::uint64_t number : hits_.of(name))
                    if (number >= begin && number < end) in_volume.push_back(number - begin);
            // NCBI's index has the numbers sorted as text.
            std::ranges::sort(in_volume, {}, [](std::uint64_t number) { return std::to_string(number); });
            return in_volume;
        };
        std::vector<std::uint64_t> in_volume = hits(question.name);
        bool has_version_checked = false;
        if (in_volume.empty()) {
            in_volume = hits(question.without_version);
            has_version_checked = !in_volume.empty();
        }
        if (in_volume.empty()) in_volume = hits(question.whole);
        Sequence sequence;
        for (const std::uint64_t number : in_volume) {
            if (has_version_checked) {
                WARPSEQ_TRY(source_.read(begin + number, false, sequence));
                const bool has_version = std::ranges::any_of(sequence.lines, [&](const StoredDefline& line) {
                    return std::ranges::any_of(line.ids, [&](const BlastSeqId& id) {
                        return id.is_textual() && id.first == question.checked_name &&
                               id.number == question.checked_version && id.number > 0;
                    });
                });
                if (!has_version) continue;
            }
            add(first_number_ + begin + number, numbers);
        }
        return {};
    }

    Source& source_;
    std::vector<std::uint64_t> starts_;  // the volumes' first numbers, and the end
    std::uint64_t first_number_, all_sequences_;
    Hits hits_;
    std::vector<bool> has_names_;  // by volume: whether it has names but GIs
};

}  // namespace

std::optional<std::int64_t> plain_number(std::string_view text) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

std::string asked_name(const Sources& sources, const std::string& entry) {
    if (sources.empty() || !is_latest(*sources.front())) return entry;
    if (entry.find_first_of("|_") == std::string::npos) return ascii_upper(entry);
    const auto id = parse_seqid(entry, {});
    if (!id.ok()) return ascii_upper(entry);
    return id->kind == Kind::kPir || id->kind == Kind::kPrf ? id->fasta() : id->label(true);
}

Result<std::vector<Found>> find_sequences(const Sources& sources, std::span<const std::string> names,
                                          std::span<const std::string> entries) {
    std::vector<Found> found(names.size());
    std::uint64_t all = 0, first = 0;
    for (const auto& source : sources) all += source->sequence_count();
    for (const auto& source : sources) {
        Lookup lookup(*source, first, all);
        WARPSEQ_TRY(lookup.find(names, entries, found));
        first += source->sequence_count();
    }
    return found;
}

}  // namespace warpseq::blastdbcmd
