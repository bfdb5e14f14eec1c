#include "options/dbconv/dbconv_options.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "formats/io/file_identity.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/database_labels.h"
#include "options/arguments.h"

namespace warpseq {
namespace {

constexpr std::int64_t kMostParts = 999;

/// Returns the update of a set that the command line asks for, or nothing.
Result<std::optional<SetUpdate>> update_of(const OptionValues& values) {
    std::optional<SetUpdate> update;
    std::string given;
    constexpr std::pair<const char*, SetUpdate::Kind> kKinds[] = {{"append", SetUpdate::Kind::kAppend},
                                                                  {"replace", SetUpdate::Kind::kReplace},
                                                                  {"remove", SetUpdate::Kind::kRemove},
                                                                  {"compact", SetUpdate::Kind::kCompact}};
    for (const auto& [option, kind] : kKinds) {
        if (values.count(option) == 0) continue;
        if (update)
            return Status::usage("--" + given + " and --" + option + " are two updates; run them one after the other");
        given = option;
        update = SetUpdate{kind, {}};
        // --remove and --compact change the set that is the only input. --append and --replace name
        // the set.
        const bool from_input = kind == SetUpdate::Kind::kRemove || kind == SetUpdate::Kind::kCompact;
        if (from_input && values.texts("input").size() != 1)
            return Status::usage("--" + given + " expects one argument, the set");
        update->set = from_input ? values.texts("input").front() : values.text(option);
    }
    if (!update) return update;
    for (const std::string option : {"out", "parts", "force"}) {
        if (values.count(option) != 0)
            return Status::usage("--" + given + " changes a set; --" + option + " cannot be combined with it");
    }
    for (const std::string option : {"taxid-map", "taxonomy"}) {
        if (update->kind == SetUpdate::Kind::kRemove && values.count(option) != 0)
            return Status::usage("--remove writes no sequences; --" + option + " cannot be combined with it");
    }
    const bool has_records = update->kind == SetUpdate::Kind::kAppend || update->kind == SetUpdate::Kind::kReplace;
    for (const std::string option : {"list", "taxids", "min-length", "max-length", "unique", "skip-invalid"}) {
        if (!has_records && values.count(option) != 0)
            return Status::usage("--" + given + " reads no sequences; --" + option + " cannot be combined with it");
    }
    return update;
}

/// Reads the options that choose sequences by length and taxon.
Status read_selection(const OptionValues& values, RecordSelection& selection) {
    for (const auto& [option, residues] :
         {std::pair("min-length", &selection.min_residues), std::pair("max-length", &selection.max_residues)}) {
        if (values.count(option) == 0) continue;
        const auto number = parse_whole_number(values.text(option), std::string("--") + option, 0);
        if (!number.ok()) return number.status();
        *residues = static_cast<std::uint64_t>(*number);
    }
    if (values.count("taxids") != 0) {
        const auto taxids = parse_taxids(values.text("taxids"), ',');
        if (!taxids || taxids->empty())
            return Status::usage("--taxids " + values.text("taxids") +
                                 ": expected taxonomy IDs, numbers separated by commas, as 9606,10090");
        for (const std::uint64_t taxid : *taxids) selection.taxids.push_back(static_cast<std::uint32_t>(taxid));
    }
    if (selection.min_residues > selection.max_residues)
        return Status::usage("--min-length " + values.text("min-length") + " is more than --max-length " +
                             values.text("max-length"));
    return {};
}

}  // namespace

OptionSet make_dbconv_options() {
    OptionSet options("dbconv",
                      "Makes a database (.wsdb) of protein sequences from FASTA: plain, gzip or zstd; from databases,\n"
                      "whose sequences follow each other; or from a protein database of NCBI BLAST, by its name.\n");
    options.custom_help("[options] -o OUT.wsdb")
        .positional_help("IN [MORE ...]   (FASTA or .wsdb; - is standard input)")
        .help_groups({"Input and output", "Selection", "Taxonomy", "Sets", "Machine", "Other"});
    options.add_options("Input and output")                                                    //
        ("o,out", "the database to write; it appears when it is whole", text_value(), "FILE")  //
        ("codec", "packed (5 bits a residue, read in place) or zstd (smaller, for archives and slow disks)",
         text_value("packed"), "NAME")                                                                             //
        ("title", "what the database is called in blastp's report and by inspect info", text_value(), "TEXT")      //
        ("release", "which release it is, for inspect info", text_value(), "TEXT")                                 //
        ("force", "replace an existing database, once the new one is whole")                                       //
        ("skip-invalid", "leave records with invalid characters out and name each, instead of refusing the file")  //
        ("expect-protein", "refuse sequences that look like nucleotides")                                          //
        ("quiet", "print errors and left-out records only");
    options.add_options("Selection")  //
        ("list", "only the sequences whose identifiers the file has, one a line, in input order", text_value(),
         "FILE")  //
        ("taxids", "only the sequences of these taxonomy IDs, as 9606,2759, and of what is below them", text_value(),
         "LIST")                                                                                      //
        ("min-length", "only sequences of that many residues or more", text_value(), "N")             //
        ("max-length", "only sequences of that many residues or fewer", text_value(), "N")            //
        ("unique", "of identical sequences the first one, with the headers of all joined by Ctrl-A")  //
        ("parts", "databases OUT.part1ofN.wsdb and so on, of about as many residues each, to be searched together",
         text_value(), "N");
    options.add_options("Taxonomy")  //
        ("taxid-map",
         "taxonomy IDs of sequences: lines of an accession and a number, or NCBI's accession2taxid; may be repeated",
         texts_value(), "FILE")  //
        ("taxonomy", "names and tree of taxa: a folder with NCBI's names.dmp and nodes.dmp", text_value(), "FOLDER");
    options.add_options("Sets")                                                                                      //
        ("append", "append the input to this set (.wsdbs), which is made where there is none", text_value(), "SET")  //
        ("replace", "append the input to this set, and remove what has the same identifiers there", text_value(),
         "SET")  //
        ("remove", "remove the sequences whose identifiers the file has from the set that is the input", text_value(),
         "FILE")  //
        ("compact", "make one volume of the set that is the input, without what was removed");
    options.add_options("Machine")                                                          //
        ("threads", "threads to use; default: all the process may use", text_value(), "N")  //
        ("memory", "memory to stay within; what does not fit goes to temporary files beside the output, or in $TMPDIR",
         text_value("4G"), "SIZE");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    options.add_options("hidden")("input", "", texts_value());
    options.parse_positional("input");
    return options;
}

Result<DbconvSettings> read_dbconv_options(const OptionValues& values) {
    DbconvSettings settings;
    ConvertOptions& conversion = settings.conversion;
    if (values.count("input") == 0)
        return Status::usage("no input: name FASTA files or databases, or - for standard input");
    for (const auto& name : values.texts("input")) conversion.inputs.emplace_back(name);
    auto update = update_of(values);
    if (!update.ok()) return update.status();
    settings.update = *std::move(update);
    if (!settings.update) {
        if (values.count("out") == 0) return Status::usage("no output: name the database to write with -o");
        conversion.output = output_path(values.text("out"));
        const auto place = identify_file(conversion.output);
        if (conversion.output.extension() == ".wsdbs" || (place.ok() && place->resolved.extension() == ".wsdbs"))
            return Status::usage("-o " + values.text("out") +
                                 ": names a set, and -o writes a database (.wsdb); --append makes a set or adds to it");
    }
    const std::string& codec = values.text("codec");
    if (codec != "packed" && codec != "zstd")
        return Status::usage("--codec " + codec + ": unknown codec; choose packed or zstd");
    conversion.codec = codec == "packed" ? ResidueCodec::kPacked : ResidueCodec::kZstd;
    const auto threads = read_threads(values);
    if (!threads.ok()) return threads.status();
    conversion.threads = *threads;
    const auto memory = parse_size_bytes(values.text("memory"), "--memory");
    if (!memory.ok()) return memory.status();
    conversion.memory_bytes = *memory;
    for (const auto& [option, longest_bytes, label] :
         {std::tuple("title", kLongestTitleBytes, &conversion.title),
          std::tuple("release", kLongestReleaseBytes, &conversion.release)}) {
        if (values.count(option) == 0) continue;
        *label = values.text(option);
        if (const auto why = why_no_label(**label, longest_bytes))
            return Status::usage(std::string("--") + option + " " + shown_text(**label) + " " + *why +
                                 "; a line of text in UTF-8 was expected");
    }
    conversion.replace = values.count("force") != 0;
    conversion.skip_invalid = values.count("skip-invalid") != 0;
    conversion.unique = values.count("unique") != 0;
    settings.expect_protein = values.count("expect-protein") != 0;
    settings.quiet = values.count("quiet") != 0;
    WARPSEQ_TRY(read_selection(values, settings.selection));
    if (values.count("parts") != 0) {
        const auto number = parse_whole_number(values.text("parts"), "--parts", 1, kMostParts);
        if (!number.ok()) return number.status();
        settings.parts = static_cast<unsigned>(*number);
    }
    for (const std::string option : {"remove", "list"}) {
        if (values.count(option) != 0) settings.list = values.text(option);
    }
    if (values.count("taxid-map") != 0) {
        for (const auto& list : values.texts("taxid-map")) conversion.taxid_lists.emplace_back(list);
    }
    if (values.count("taxonomy") != 0) conversion.taxonomy_folder = values.text("taxonomy");
    return settings;
}

}  // namespace warpseq
