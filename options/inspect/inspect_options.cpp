// The options of all commands in one place, so that they have one spelling and one meaning.
#include "options/inspect/inspect_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "formats/io/output_sink.h"
#include "options/arguments.h"

namespace warpseq {
namespace {

struct Syntax {
    std::string_view command, description;
    unsigned accepted;
};
constexpr auto kSyntax = std::to_array<Syntax>({
    {"info", "Says what a database is and where it comes from.", kOptionJson},
    {"stats",
     "Composition, lengths, padding and compression of a database. Three options add\n"
     "what takes reading all of it.",
     kOptionJson | kOptionContent | kOptionMemory | kOptionThreads},
    {"validate",
     "Checks every checksum, every byte of padding and every invariant of a database.\n"
     "Exit status 1 with the place of the first fault, or of all of them with --all.",
     kOptionJson | kOptionAll | kOptionThreads | kOptionQuiet},
    {"fetch",
     "Prints sequences by identifier, as FASTA, in the order in which they are asked\n"
     "for. An identifier that several sequences have gives all of them. Letters are\n"
     "upper case. ID:10-50 gives residues 10 to 50, ID:10- and ID:-50 what begins or\n"
     "ends there.",
     kOptionList | kOptionOutput},
    {"fasta",
     "Gives the input back as FASTA: every sequence, residue for residue, header for\n"
     "header, in input order. Letter case, line lengths, comments and removed gaps\n"
     "are not kept.",
     kOptionOutput | kOptionMemory},
    {"compare",
     "Says how many sequences of two databases are the same, have another header or\n"
     "other residues under the same identifier, are renamed, removed or added. The\n"
     "order of the sequences does not matter. Exit status 1 where anything differs.",
     kOptionJson | kOptionSecond | kOptionMemory | kOptionThreads | kOptionQuiet},
    {"salvage",
     "Writes every sequence of a damaged database that is whole as FASTA, longest\n"
     "first, and says what is lost. A sequence whose header is lost is called\n"
     "salvaged_rank_N. Exit status 1 where anything is lost.",
     kOptionJson | kOptionOutput | kOptionQuiet},
});

const Syntax& syntax_of(std::string_view command) { return *std::ranges::find(kSyntax, command, &Syntax::command); }

OptionSet make_options(const Syntax& syntax) {
    const unsigned accepted = syntax.accepted;
    const bool with_identifiers = (accepted & kOptionList) != 0;
    OptionSet options("inspect " + std::string(syntax.command), std::string(syntax.description) + "\n");
    options.custom_help("[options]")
        .positional_help(with_identifiers                  ? "DATABASE.wsdb [IDENTIFIER ...]"
                         : (accepted & kOptionSecond) != 0 ? "OLD.wsdb NEW.wsdb"
                                                           : "DATABASE.wsdb");
    auto add = options.add_options();
    if ((accepted & kOptionJson) != 0) add("json", "print JSON for programs");
    if ((accepted & kOptionAll) != 0) add("all", "go on behind the first fault and name up to a thousand");
    if ((accepted & kOptionList) != 0) {
        add("list", "a file with an identifier on each line; - is standard input", text_value(), "FILE");
        add("skip-missing", "warn of identifiers that are not there instead of refusing");
    }
    if ((accepted & kOptionContent) != 0) {
        add("letters", "how many residues and sequences have each letter");
        add("low-complexity", "how much SEG masks, as BLAST has it");
        add("duplicates", "sequences with the same residues, and the largest groups of them");
    }
    if ((accepted & kOptionSecond) != 0)
        add("list", "name what differs: change, old and new identifier, separated by tabs");
    if ((accepted & kOptionOutput) != 0) {
        add("o,out", "write to a file, which appears when it is whole", text_value(), "FILE");
        add("force", "replace an existing output");
        add("width", "residues on a line; 0: all of a sequence on one", text_value("60"), "N");
    }
    if ((accepted & kOptionMemory) != 0) {
        add("memory", "memory for sorting; what does not fit goes to temporary files in $TMPDIR or beside the output",
            text_value("1G"), "SIZE");
    }
    if ((accepted & kOptionThreads) != 0) {
        add("threads", "threads to use; all the process may use where not given", text_value(), "N");
    }
    if ((accepted & kOptionQuiet) != 0) add("quiet", "print nothing but errors");
    add("h,help", "print this help");
    options.add_options("hidden")("words", "", texts_value());
    options.parse_positional("words");
    return options;
}

/// Reads the database, and then a second database or the identifiers, as the command accepts them.
Status read_words(const std::string& command, unsigned accepted, const std::vector<std::string>& words,
                  InspectArguments& arguments) {
    if (words.empty()) return Status::usage(command + ": name a database (dbconv makes them)");
    arguments.database = words.front();
    if ((accepted & kOptionSecond) != 0) {
        if (words.size() < 2) return Status::usage(command + ": name two databases");
        if (words.size() > 2)
            return Status::usage(command + ": unexpected argument '" + words[2] + "'; name two databases");
        arguments.second = words[1];
        return {};
    }
    if (words.size() > 1 && (accepted & kOptionList) == 0)
        return Status::usage(command + ": unexpected argument '" + words[1] + "'; name one database");
    arguments.identifiers.assign(words.begin() + 1, words.end());
    return {};
}

}  // namespace

std::vector<CommandSyntax> inspect_syntax() {
    std::vector<CommandSyntax> all;
    for (const Syntax& each : kSyntax) all.push_back({std::string(each.command), make_options(each).listed()});
    return all;
}

OptionSet make_inspect_options(std::string_view command) { return make_options(syntax_of(command)); }

Result<InspectArguments> parse_inspect_arguments(int argc, char** argv) {
    const OptionSet options = make_inspect_options(argv[0]);
    const auto parsed = options.parse(argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") == 0) return read_inspect_arguments(argv[0], *parsed);
    InspectArguments arguments;
    arguments.help = options.help() + "\n";
    return arguments;
}

Result<InspectArguments> read_inspect_arguments(const std::string& command, const OptionValues& values) {
    const unsigned accepted = syntax_of(command).accepted;
    InspectArguments arguments;
    WARPSEQ_TRY(read_words(command, accepted, values.texts("words"), arguments));
    const auto given = [&](unsigned option, const char* name) {
        return (accepted & option) != 0 && values.count(name) != 0;
    };
    arguments.json = given(kOptionJson, "json");
    arguments.all = given(kOptionAll, "all");
    arguments.list_differences = given(kOptionSecond, "list");
    arguments.letters = given(kOptionContent, "letters");
    arguments.low_complexity = given(kOptionContent, "low-complexity");
    arguments.duplicates = given(kOptionContent, "duplicates");
    arguments.quiet = given(kOptionQuiet, "quiet");
    arguments.skip_missing = given(kOptionList, "skip-missing");
    if (given(kOptionList, "list")) arguments.list = values.text("list");
    if ((accepted & kOptionOutput) != 0) {
        if (values.count("out") != 0 && values.text("out") != "-") arguments.output = values.text("out");
        arguments.force = values.count("force") != 0;
        const auto width = parse_whole_number(values.text("width"), "--width", 0);
        if (!width.ok()) return width.status();
        arguments.width = static_cast<std::uint64_t>(*width);
    }
    if ((accepted & kOptionMemory) != 0) {
        const auto memory = parse_size_bytes(values.text("memory"), "--memory");
        if (!memory.ok()) return memory.status();
        arguments.memory_bytes = *memory;
    }
    if ((accepted & kOptionThreads) != 0) {
        const auto threads = read_threads(values);
        if (!threads.ok()) return threads.status();
        arguments.threads = *threads;
    }
    return arguments;
}

std::filesystem::path temporary_folder(const InspectArguments& arguments) {
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0') return folder;
    if (arguments.output) return arguments.output->parent_path();
    std::error_code ignored;
    return std::filesystem::temp_directory_path(ignored);
}

}  // namespace warpseq
