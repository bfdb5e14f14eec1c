#include "formats/alignments/alignment_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "formats/alignments/alignment_lines.h"
#include "formats/alignments/alignment_parsers.h"
#include "formats/io/shown_text.h"

namespace warpseq {

namespace {

using Kind = AlignmentFault::Kind;

/// Returns the format that a file's name suggests. In a name that ends with ".gz", the suffix
/// before it counts.
std::optional<AlignmentFormat> format_by_suffix(std::string_view name) {
    if (name.ends_with(".gz")) name.remove_suffix(3);
    const std::size_t dot = name.find_last_of("./");
    if (dot == std::string_view::npos || name[dot] == '/') return std::nullopt;
    const std::string_view suffix = name.substr(dot);
    constexpr std::array<std::pair<std::string_view, AlignmentFormat>, 14> kSuffixes = {{
        {".sto", AlignmentFormat::kStockholm},
        {".sth", AlignmentFormat::kStockholm},
        {".stk", AlignmentFormat::kStockholm},
        {".afa", AlignmentFormat::kAfa},
        {".afasta", AlignmentFormat::kAfa},
        {".pfam", AlignmentFormat::kPfam},
        {".a2m", AlignmentFormat::kA2m},
        {".slx", AlignmentFormat::kSelex},
        {".selex", AlignmentFormat::kSelex},
        {".pb", AlignmentFormat::kPsiblast},
        {".ph", AlignmentFormat::kPhylip},
        {".phy", AlignmentFormat::kPhylip},
        {".phyi", AlignmentFormat::kPhylip},
        {".phys", AlignmentFormat::kPhylips},
    }};
    for (const auto& [known, format] : kSuffixes)
        if (suffix == known) return format;
    return std::nullopt;
}

/// Whether each line of up to three blocks has a name and the same number of letters. This is
/// stricter than the parser, because blanks are not taken for gaps.
bool looks_like_selex(AlignmentLines& lines) {
    std::string first_name;
    std::size_t blocks = 0, rows = 0, rows_of_block = 0, letters = 0;
    bool in_block = false;
    while (lines.next()) {
        const std::string_view line = lines.line();
        for (const char* const mark : {"#=RF", "#=CS", "#=SS", "#=SA"})
            if (line.starts_with(mark)) return true;
        if (line.starts_with('#')) continue;
        if (is_blank_line(line)) {
            if (rows_of_block > 0 && rows_of_block != rows) return false;
            if (in_block) ++blocks;
            if (blocks >= 3) return true;
            in_block = false;
            letters = 0;
            rows_of_block = rows;
            rows = 0;
            continue;
        }
        in_block = true;
        AlignmentWords words(line);
        const std::string_view name = words.next(), text = words.next();
        if (rows == 0) {
            if (blocks == 0)
                first_name = name;
            else if (name != first_name)
                return false;
        }
        if (text.empty() || (letters > 0 && text.size() != letters) || !words.rest().empty()) return false;
        letters = text.size();
        ++rows;
    }
    return in_block || blocks > 0;
}

bool is_count(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns the kind of letters from the counts of A to Z. Letters that occur only in proteins
/// decide first. Then nearly all letters have to be those of one kind.
AlignmentLetterKind kind_of_letters(const std::array<std::int64_t, 26>& counts) {
    struct Class {
        std::int64_t letters = 0;
        int kinds = 0;
    };
    const auto count = [&](std::string_view letters) {
        Class total;
        for (const char c : letters) {
            const std::int64_t n = counts[static_cast<std::size_t>(c - 'A')];
            total.letters += n;
            total.kinds += n > 0 ? 1 : 0;
        }
        return total;
    };
    const std::int64_t all = count("ABCDEFGHIJKLMNOPQRSTUVWXYZ").letters;
    const Class protein_only = count("EFIJLOPQZ"), shared = count("ACG"), protein = count("DHKMRSVWY");
    const Class n = count("N"), t = count("T"), u = count("U"), x = count("X");
    const auto nearly_all = [&](std::int64_t some) {
        return static_cast<double>(all - some) <= 0.02 * static_cast<double>(all);
    };
    if (all <= 10) return AlignmentLetterKind::kUnknown;
    if (all > 2000 && n.letters == all) return AlignmentLetterKind::kDna;
    if (protein_only.letters > 0) return AlignmentLetterKind::kProtein;
    if (nearly_all(shared.letters + t.letters + n.letters) && shared.kinds + t.kinds == 4)
        return AlignmentLetterKind::kDna;
    if (nearly_all(shared.letters + u.letters + n.letters) && shared.kinds + u.kinds == 4)
        return AlignmentLetterKind::kRna;
    const std::int64_t all_protein =
        protein_only.letters + shared.letters + protein.letters + n.letters + t.letters + x.letters;
    if (nearly_all(all_protein) && protein.letters > shared.letters &&
        protein_only.kinds + shared.kinds + protein.kinds + n.kinds + t.kinds >= 15) {
        return AlignmentLetterKind::kProtein;
    }
    return AlignmentLetterKind::kUnknown;
}

}  // namespace

struct AlignmentReader::State {
    std::filesystem::path file;
    std::optional<AlignmentFormat> asserted;
    std::size_t block_bytes = kDefaultBlockBytes;
    std::optional<AlignmentLines> lines;
    bool told = false;  // whether the format is known
    AlignmentFormat format = AlignmentFormat::kStockholm;
    std::size_t name_width = kPhylipNameWidth;
    std::uint64_t read = 0;
    Status error;
    AlignmentFault fault;

    Status fail(Kind kind, std::string what) {
        fault = {kind, what, lines->number()};
        std::string message = lines->file_name();
        if (kind == Kind::kMalformed) message += ", line " + std::to_string(fault.line);
        error = Status::invalid_input(message + ": " + shown_for_person(what));
        return error;
    }

    /// Returns text for a message. What it quotes of the file must not control a terminal.
    static std::string shown_for_person(const std::string& what) { return for_terminal(what); }

    /// Returns the error of reading the file, if there is one.
    Status source_error() {
        if (!lines->status().ok()) {
            error = lines->status();
            fault = {Kind::kDamaged, error.message(), 0};
        }
        return error;
    }

    Status open() {
        if (told || !error.ok()) return error;
        if (!lines) {
            Result<ByteSource> source = ByteSource::open(file, block_bytes);
            if (!source.ok()) {
                fault = {Kind::kNotOpened, "couldn't open " + file.string() + " for reading", 0};
                error = source.status();
                return error;
            }
            lines.emplace(std::move(*source));
        }
        told = true;
        if (asserted) {
            format = *asserted == AlignmentFormat::kA3m ? AlignmentFormat::kA2m : *asserted;
            return {};
        }
        Status sniffed = sniff();
        return lines->status().ok() ? std::move(sniffed) : source_error();
    }

    Status sniff() {
        const std::optional<AlignmentFormat> suffix = format_by_suffix(file.native());
        lines->mark();
        bool any = false;
        while (!any && lines->next()) any = !is_blank_line(lines->line());
        const std::string line(any ? lines->line() : std::string_view());
        lines->rewind();
        if (!any) return fail(Kind::kNoFormat, "can't guess alignment input format: empty file/no data");
        if (line.starts_with("# STOCKHOLM")) {
            format = suffix == AlignmentFormat::kPfam ? AlignmentFormat::kPfam : AlignmentFormat::kStockholm;
            return {};
        }
        if (line.starts_with('>')) {
            format = suffix == AlignmentFormat::kA2m ? AlignmentFormat::kA2m : AlignmentFormat::kAfa;
            return {};
        }
        if (line.starts_with("CLUSTAL")) {
            format = AlignmentFormat::kClustal;
            return {};
        }
        if (line.find("multiple sequence alignment") != std::string::npos) {
            format = AlignmentFormat::kClustallike;
            return {};
        }
        AlignmentWords words(line);
        if (is_count(words.next()) && is_count(words.next())) return sniff_kind_of_phylip(suffix);
        if (suffix == AlignmentFormat::kSelex) {
            format = AlignmentFormat::kSelex;
            return {};
        }
        lines->mark();
        const bool selex = looks_like_selex(*lines);
        lines->rewind();
        if (!selex) {
            return fail(Kind::kNoFormat, "couldn't guess alignment input format - doesn't even look like selex");
        }
        format = suffix == AlignmentFormat::kPsiblast ? AlignmentFormat::kPsiblast : AlignmentFormat::kSelex;
        return {};
    }

    Status sniff_kind_of_phylip(std::optional<AlignmentFormat> suffix) {
        if (suffix == AlignmentFormat::kPhylip || suffix == AlignmentFormat::kPhylips) {
            format = *suffix;
            return {};
        }
        bool ambiguous = false;
        const std::optional<PhylipKind> kind = sniff_phylip(*lines, ambiguous);
        if (ambiguous) return fail(Kind::kNoFormat, "can't guess format: it's consistent w/ both phylip, phylips.");
        if (!kind) return fail(Kind::kNoFormat, "format unrecognized, though it looks phylip-like");
        format = kind->format;
        name_width = kind->name_width;
        return {};
    }

    Result<bool> parse(MultipleAlignment& alignment) {
        switch (format) {
            case AlignmentFormat::kStockholm:
            case AlignmentFormat::kPfam: return parse_stockholm(*lines, alignment);
            case AlignmentFormat::kA2m:
            case AlignmentFormat::kA3m: return parse_a2m(*lines, alignment);
            case AlignmentFormat::kPsiblast: return parse_psiblast(*lines, alignment);
            case AlignmentFormat::kSelex: return parse_selex(*lines, alignment);
            case AlignmentFormat::kAfa: return parse_aligned_fasta(*lines, alignment);
            case AlignmentFormat::kClustal: return parse_clustal(*lines, true, alignment);
            case AlignmentFormat::kClustallike: return parse_clustal(*lines, false, alignment);
            case AlignmentFormat::kPhylip: return parse_phylip(*lines, false, name_width, alignment);
            case AlignmentFormat::kPhylips: return parse_phylip(*lines, true, name_width, alignment);
        }
        return false;
    }

    Result<bool> next(MultipleAlignment& alignment) {
        WARPSEQ_TRY(open());
        alignment = MultipleAlignment();
        const Result<bool> parsed = parse(alignment);
        WARPSEQ_TRY(source_error());
        if (!parsed.ok()) return fail(Kind::kMalformed, parsed.status().message());
        if (!*parsed && read == 0) return fail(Kind::kEmpty, "no alignment in it");
        read += *parsed ? 1U : 0U;
        return *parsed;
    }

    // ---- the kind of letters ----

    /// Whether the format has a header before the first line with letters.
    bool has_header() const {
        return format == AlignmentFormat::kClustal || format == AlignmentFormat::kClustallike ||
               format == AlignmentFormat::kPhylip || format == AlignmentFormat::kPhylips;
    }

    /// Returns the part of a line that holds letters, or nothing if there are none.
    std::string_view letters_of(std::string_view line) const {
        switch (format) {
            case AlignmentFormat::kAfa:
            case AlignmentFormat::kA2m:
            case AlignmentFormat::kA3m:
                line = without_blank_begin(line);
                return line.starts_with('>') ? std::string_view() : line;
            case AlignmentFormat::kPhylip:
            case AlignmentFormat::kPhylips:
                return is_blank_line(line) ? std::string_view() : line.substr(std::min(name_width, line.size()));
            default: break;
        }
        AlignmentWords words(line);
        const bool comments = format == AlignmentFormat::kStockholm || format == AlignmentFormat::kPfam ||
                              format == AlignmentFormat::kSelex;
        return words.next().starts_with('#') && comments ? std::string_view() : words.rest();
    }

    AlignmentLetterKind count_letters() {
        std::array<std::int64_t, 26> counts{};
        constexpr std::array<std::int64_t, 3> kLooks = {500, 5000, 50000};
        std::size_t looks = 0;
        std::int64_t total = 0;
        bool header = has_header();
        while (lines->next()) {
            if (header) {
                header = is_blank_line(lines->line());
                continue;
            }
            for (const char c : letters_of(lines->line())) {
                const int upper = std::toupper(static_cast<unsigned char>(c));
                if (upper < 'A' || upper > 'Z') continue;
                ++counts[static_cast<std::size_t>(upper - 'A')];
                ++total;
            }
            if (looks < kLooks.size() && total > kLooks[looks]) {
                const AlignmentLetterKind kind = kind_of_letters(counts);
                if (kind != AlignmentLetterKind::kUnknown) return kind;
                ++looks;
            }
        }
        return kind_of_letters(counts);
    }

    Result<AlignmentLetterKind> letter_kind() {
        WARPSEQ_TRY(open());
        lines->mark();
        const AlignmentLetterKind kind = count_letters();
        lines->rewind();
        WARPSEQ_TRY(source_error());
        return kind;
    }
};

AlignmentReader::AlignmentReader(std::filesystem::path file, std::optional<AlignmentFormat> format,
                                 std::size_t block_bytes)
    : state_(std::make_unique<State>()) {
    state_->file = std::move(file);
    state_->asserted = format;
    state_->block_bytes = block_bytes;
}
AlignmentReader::AlignmentReader(std::filesystem::path file, ByteSource source, std::optional<AlignmentFormat> format)
    : AlignmentReader(std::move(file), format) {
    state_->lines.emplace(std::move(source));
}
AlignmentReader::~AlignmentReader() = default;
AlignmentReader::AlignmentReader(AlignmentReader&&) noexcept = default;
AlignmentReader& AlignmentReader::operator=(AlignmentReader&&) noexcept = default;

Status AlignmentReader::open() { return state_->open(); }
Result<bool> AlignmentReader::next(MultipleAlignment& alignment) {
    if (!state_->error.ok()) return state_->error;
    return state_->next(alignment);
}
Result<AlignmentLetterKind> AlignmentReader::letter_kind() {
    if (!state_->error.ok()) return state_->error;
    return state_->letter_kind();
}
AlignmentFormat AlignmentReader::format() const { return state_->format; }
const AlignmentFault& AlignmentReader::fault() const { return state_->fault; }
std::uint64_t AlignmentReader::alignments_read() const { return state_->read; }
std::uint64_t AlignmentReader::bytes_read() const { return state_->lines ? state_->lines->stored_bytes() : 0; }

}  // namespace warpseq
