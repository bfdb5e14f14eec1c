#include "options/pair/pair_options.h"

#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "formats/profiles/matrix_file.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/nucleotide_matrix.h"
#include "libcore/statistics/karlin_altschul.h"
#include "options/arguments.h"
#include "options/option_set.h"
#include "options/search/scoring_options.h"
#include "options/search/table_header.h"

namespace warpseq {

namespace {

constexpr int kDefaultMatch = 2, kDefaultMismatch = -3;
constexpr GapCosts kNucleotideGaps{5, 2};

Status read_mode(const OptionValues& parsed, PairOptions& options) {
    const bool global = parsed.count("global") != 0, list = parsed.count("all-local") != 0;
    const bool local = list || parsed.count("local") != 0, semi_global = parsed.count("semiglobal") != 0;
    if (list && (global || semi_global))
        return Status::usage("--all-local lists local alignments; leave --global and --semiglobal out");
    if (global + local + semi_global > 1) return Status::usage("--global, --local and --semiglobal exclude each other");
    options.mode = local ? PairMode::kLocal : semi_global ? PairMode::kSemiGlobal : PairMode::kGlobal;
    if (parsed.count("free-ends") == 0) {
        if (semi_global) options.free_ends = {true, true, true, true};
        return {};
    }
    const auto text = parsed.text("free-ends");
    if (!semi_global)
        return Status::usage("--free-ends " + text + ": only semi-global alignment has free ends; add --semiglobal");
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view end = rest.substr(0, comma);
        FreeEnds& free_ends = options.free_ends;
        bool* const flag = end == "query-begin"    ? &free_ends.query_begin
                           : end == "query-end"    ? &free_ends.query_end
                           : end == "target-begin" ? &free_ends.target_begin
                           : end == "target-end"   ? &free_ends.target_end
                                                   : nullptr;
        if (flag == nullptr) {
            return Status::usage("--free-ends " + text +
                                 ": expected query-begin, query-end, target-begin and target-end, " +
                                 "one or several separated by commas");
        }
        *flag = true;
        if (comma == std::string_view::npos) return {};
        rest.remove_prefix(comma + 1);
    }
}

Status read_list(const OptionValues& parsed, PairOptions& options) {
    if (parsed.count("all-local") == 0) {
        for (const char* name : {"max-alignments", "min-score"}) {
            if (parsed.count(name) != 0)
                return Status::usage("--" + std::string(name) +
                                     " applies to lists of local alignments; add --all-local");
        }
        return {};
    }
    LocalListSettings& list = options.list.emplace();
    const auto read = [&](const std::string& name, std::int64_t highest) {
        return parse_whole_number(parsed.text(name), "--" + name, 1, highest);
    };
    if (parsed.count("max-alignments") != 0) {
        const auto given = read("max-alignments", 1'000'000);
        if (!given.ok()) return given.status();
        list.max_alignments = static_cast<std::uint64_t>(*given);
    }
    if (parsed.count("min-score") != 0) {
        const auto given = read("min-score", std::numeric_limits<std::int32_t>::max());
        if (!given.ok()) return given.status();
        list.min_score_raw = *given;
    }
    return {};
}

Status read_score(const OptionValues& parsed, const std::string& name, std::optional<int>& score_raw) {
    if (parsed.count(name) == 0) return {};
    const auto given = parse_whole_number(parsed.text(name), "--" + name, SubstitutionMatrix::kLowestMatrixScore, 127);
    if (!given.ok()) return given.status();
    score_raw = static_cast<int>(*given);
    return {};
}

Status read_scoring(const OptionValues& parsed, PairOptions& options) {
    if (parsed.count("matrix") != 0) options.matrix = parsed.text("matrix");
    WARPSEQ_TRY(read_score(parsed, "match", options.match_raw));
    WARPSEQ_TRY(read_score(parsed, "mismatch", options.mismatch_raw));
    if (options.matrix && (options.match_raw || options.mismatch_raw)) {
        return Status::usage("--matrix and --match or --mismatch exclude each other");
    }
    const int match = options.match_raw.value_or(kDefaultMatch),
              mismatch = options.mismatch_raw.value_or(kDefaultMismatch);
    if ((options.match_raw || options.mismatch_raw) && match <= mismatch) {
        return Status::usage("--match " + std::to_string(match) + " --mismatch " + std::to_string(mismatch) +
                             ": a match has to score more than a mismatch");
    }
    const auto gaps = read_gap_costs(parsed, {0, 0});
    if (!gaps.ok()) return gaps.status();
    if (parsed.count("gap-open") != 0) options.gap_open = gaps->open;
    if (parsed.count("gap-extend") != 0) options.gap_extend = gaps->extend;
    return {};
}

}  // namespace

OptionSet make_pair_options() {
    OptionSet options("search pair",
                      "The best alignment of two sequences of any length, nucleotides or proteins,\nwith affine gaps. "
                      "Files are FASTA, plain, gzip or zstd; - is standard input.\n");
    options.custom_help("[options]").positional_help("QUERY.fasta TARGET.fasta");
    options.help_groups({"Input and output", "Alignment", "Scoring", "Machine", "Other"});
    options.hint_for_unknown({"q", "query", "d", "db"},
                             "the two files are named without options, as in: search pair A.fasta B.fasta");
    options.add_options("Input and output")                                                   //
        ("all-pairs", "align every sequence of the first file with every one of the second")  //
        ("pairs", "align the pairs that a file lists, a line each: an identifier of the first file, one of the second",
         text_value(), "FILE")  //
        ("outfmt",
         "0 aligned blocks as EMBOSS prints them, 6 tab-separated, 7 the same with comments, 10 comma-separated, paf, "
         "sam, json; 6, 7 "
         "and 10 take field names: \"6 qseqid sseqid score cigar\"",
         text_value("0"), "FORMAT")                //
        ("header", std::string(kTableHeaderHelp))  //
        ("checkpoint",
         "keep what is done of a long alignment in a file; a later run with the same file goes on from there",
         text_value(), "FILE")  //
        ("dotplot", "draw where the alignments run, as SVG", text_value(), "FILE");
    add_output_options(options);
    options.add_options("Alignment")                                         //
        ("global", "both sequences from end to end (the default)")           //
        ("local", "the best piece of one with the best piece of the other")  //
        ("all-local",
         "the best local alignment, the best one that shares no pair of residues with it, and so on: for "
         "sequences that are rearranged")                                                                          //
        ("max-alignments", "with --all-local: list at most N per pair", text_value("10"), "N")                     //
        ("min-score", "with --all-local: list only alignments with this score or more", text_value("1"), "SCORE")  //
        ("semiglobal", "residues left over at the ends cost nothing")                                              //
        ("free-ends",
         "which ends are free, separated by commas: query-begin, query-end, target-begin, target-end; default: all",
         text_value(), "ENDS")                                                      //
        ("dna", "nucleotides, IUPAC's letters; default: guessed from the letters")  //
        ("protein", "amino acids")                                                  //
        ("strand",
         "plus, minus (the query's reverse complement) or both: the better one, or with --all-local a list of both",
         text_value("plus"),
         "STRAND")  //
        ("score-only", "scores without alignments, in about half the time");
    options.add_options("Scoring")  //
        ("matrix",
         "BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250, IDENTITY, or a file in NCBI's format, of amino acids or of bases; "
         "default: "
         "BLOSUM62 "
         "for proteins",
         text_value(), "NAME")                                                //
        ("match", "score of equal bases; default: 2", text_value(), "SCORE")  //
        ("mismatch", "score of different bases; default: -3", text_value(), "SCORE");
    add_gap_options(options, "BLAST's for a protein matrix, 5/2 for bases");
    add_machine_options(options, "auto, cpu, or cuda[:N,...]; +cpu behind it changes nothing here");
    add_part_options(
        options,
        "align part K of N of many pairs, counted from 0, and leave what is found in a folder, without a report");
    options.add_options("Machine")  //
        ("memory", "memory of the host for row and column checkpoints, as 4G", text_value("1G"), "SIZE");
    options.add_options("hidden")("input", "", texts_value());
    options.parse_positional("input");
    return options;
}

Result<PairOptions> read_pair_options(const OptionValues& parsed) {
    PairOptions options;
    const auto run = read_run_options(parsed);
    if (!run.ok()) return run.status();
    static_cast<RunOptions&>(options.run) = *run;
    const std::vector<std::string> files = parsed.texts("input");
    if (files.size() < 2) return Status::usage("two FASTA files are needed, as in: search pair A.fasta B.fasta");
    if (files.size() > 2) return Status::usage("unexpected argument '" + files[2] + "'; two FASTA files are aligned");
    if (files[0] == "-" && files[1] == "-") return Status::usage("only one of the two files can be standard input");
    options.input.query_file = files[0];
    options.input.target_file = files[1];

    WARPSEQ_TRY(read_mode(parsed, options));
    if (parsed.count("dna") != 0 && parsed.count("protein") != 0)
        return Status::usage("--dna and --protein exclude each other");
    if (parsed.count("dna") != 0) options.input.alphabet = Alphabet::kNucleotide;
    if (parsed.count("protein") != 0) options.input.alphabet = Alphabet::kProtein;
    const auto strand = parsed.text("strand");
    if (strand != "plus" && strand != "minus" && strand != "both") {
        return Status::usage("--strand " + strand + ": expected plus, minus or both");
    }
    options.strand = strand == "plus" ? PairStrand::kPlus : strand == "minus" ? PairStrand::kMinus : PairStrand::kBoth;
    options.score_only = parsed.count("score-only") != 0;
    WARPSEQ_TRY(read_list(parsed, options));
    if (options.list && options.score_only)
        return Status::usage("--all-local needs the alignments themselves; leave --score-only out");

    options.input.all_pairs = parsed.count("all-pairs") != 0;
    if (parsed.count("pairs") != 0) options.input.pairs_file = parsed.text("pairs");
    if (options.input.all_pairs && options.input.pairs_file)
        return Status::usage("--all-pairs and --pairs exclude each other");
    options.run.decisive_files = {options.input.query_file, options.input.target_file};
    if (options.input.pairs_file) options.run.decisive_files.push_back(*options.input.pairs_file);
    WARPSEQ_TRY(read_divided_options("pair", parsed, options.run.decisive_files, options.run));
    WARPSEQ_TRY(read_scoring(parsed, options));
    options.outfmt = parsed.text("outfmt");
    options.has_header = parsed.count("header") != 0;
    if (parsed.count("checkpoint") != 0) {
        options.checkpoint_file = parsed.text("checkpoint");
        if (options.list) return Status::usage("--checkpoint keeps one alignment; leave --all-local out");
        if (options.input.all_pairs || options.input.pairs_file)
            return Status::usage("--checkpoint keeps one alignment; leave --all-pairs and --pairs out");
        if (options.strand == PairStrand::kBoth) {
            return Status::usage(
                "--checkpoint keeps one alignment; align the strands one after the other, with a file for each");
        }
    }
    if (parsed.count("dotplot") != 0) options.dotplot_file = output_path(parsed.text("dotplot"));
    if (options.dotplot_file && options.score_only)
        return Status::usage("--dotplot draws alignments; leave --score-only out");
    const auto memory = parse_size_bytes(parsed.text("memory"), "--memory");
    if (!memory.ok()) return memory.status();
    if (*memory == 0) return Status::usage("--memory 0: expected a size above 0");
    options.memory_bytes = *memory;
    return options;
}

Status check_dotplot_name(const std::filesystem::path& file) {
    std::string suffix = file.extension().string();
    for (char& letter : suffix)
        letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
    if (suffix.empty() || suffix == ".svg") return {};
    return Status::usage("--dotplot " + file.string() + ": a dot plot is SVG; name it " +
                         std::filesystem::path(file).replace_extension(".svg").string() +
                         ", and make other images of that with a browser or rsvg-convert");
}

Result<ScoringScheme> pair_scoring_scheme(const PairOptions& options, Alphabet alphabet) {
    const auto scheme = [&](SubstitutionMatrix matrix, GapCosts defaults) {
        return ScoringScheme{std::move(matrix),
                             {options.gap_open.value_or(defaults.open), options.gap_extend.value_or(defaults.extend)}};
    };
    if (alphabet == Alphabet::kProtein) {
        if (options.match_raw || options.mismatch_raw) {
            return Status::usage("--match and --mismatch score bases; these are proteins, which take --matrix");
        }
        if (options.strand != PairStrand::kPlus)
            return Status::usage("--strand: only nucleotides have two strands; these are proteins");
        auto matrix = find_protein_matrix(options.matrix.value_or("BLOSUM62"));
        if (!matrix.ok()) return matrix.status();
        const auto defaults = AlignmentStatistics::default_gap_costs(matrix->name()).value_or(GapCosts());
        return scheme(*std::move(matrix), defaults);
    }
    if (options.matrix) {
        if (std::error_code error; !std::filesystem::exists(*options.matrix, error)) {
            return Status::usage("--matrix " + *options.matrix +
                                 (builtin_matrix(*options.matrix)
                                      ? ": scores amino acids, and these are nucleotides; take --match and "
                                        "--mismatch, or a matrix file of bases"
                                      : ": there is no such file"));
        }
        auto matrix = read_matrix_file(*options.matrix, Alphabet::kNucleotide);
        if (!matrix.ok()) return matrix.status();
        return scheme(*std::move(matrix), kNucleotideGaps);
    }
    return scheme(match_mismatch_matrix(options.match_raw.value_or(kDefaultMatch),
                                        options.mismatch_raw.value_or(kDefaultMismatch)),
                  kNucleotideGaps);
}

PairSearchSettings pair_search_settings(const PairOptions& options) {
    PairSearchSettings settings;
    settings.local = options.mode == PairMode::kLocal;
    settings.free_ends = options.free_ends;
    settings.strand = options.strand;
    settings.score_only = options.score_only;
    settings.list = options.list;
    settings.memory_bytes = options.memory_bytes;
    settings.checkpoint_file = options.checkpoint_file;
    return settings;
}

}  // namespace warpseq
