#include "options/search/target_options.h"

#include <algorithm>
#include <string_view>

#include "formats/io/byte_source.h"
#include "options/arguments.h"

namespace warpseq {

Result<std::vector<std::uint64_t>> read_taxids(const std::filesystem::path& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const auto whole = source->read_rest();
    if (!whole.ok()) return whole.status();
    const std::string& text = *whole;
    auto taxids = parse_taxids(text, '\n');
    if (!taxids) return Status::invalid_input(source->name() + ": expected a taxonomy ID, a number, in each line");
    return *std::move(taxids);
}

void add_target_options(OptionSet& options) {
    options.add_options("Targets")                                                                            //
        ("seqidlist", "search these sequences only: a file with an identifier a line", text_value(), "FILE")  //
        ("negative-seqidlist", "leave the sequences of this file out", text_value(), "FILE");
    add_taxid_options(options, "Targets");
}

void add_taxid_options(OptionSet& options, const std::string& group) {
    options.add_options(group)                                                                                    //
        ("taxids", "search sequences of these taxonomy IDs only, as 9606,10090", text_value(), "LIST")            //
        ("taxidlist", "the same, from a file with a taxonomy ID a line", text_value(), "FILE")                    //
        ("negative-taxids,negative_taxids", "leave sequences of these taxonomy IDs out; also --negative_taxids",  //
         text_value(), "LIST")                                                                                    //
        ("negative-taxidlist,negative_taxidlist", "leave those of this file out; also --negative_taxidlist",
         text_value(), "FILE");
}

Result<TargetChoice> read_target_options(const OptionValues& parsed) {
    TargetChoice choice;
    // In `search blastp` the options have blastp's spelling.
    const char* const negative = parsed.count("negative_seqidlist") != 0 ? "negative_seqidlist" : "negative-seqidlist";
    for (const char* const name : {"seqidlist", negative}) {
        if (parsed.count(name) == 0) continue;
        const std::string option = "--" + parsed.name_given(name);
        if (choice.sequences) return Status::usage(choice.sequences->option + " and " + option + " exclude each other");
        choice.sequences = SequenceList{option, parsed.text(name), !std::string_view(name).starts_with("seq")};
        choice.files.emplace_back(option, choice.sequences->file);
    }
    for (const char* name : {"taxids", "taxidlist", "negative-taxids", "negative-taxidlist"}) {
        if (parsed.count(name) == 0) continue;
        const std::string option = "--" + parsed.name_given(name);
        if (choice.taxa) return Status::usage(choice.taxa->option + " and " + option + " exclude each other");
        choice.taxa = TaxonList{option, {}, !std::string_view(name).starts_with("tax")};
        if (std::string_view(name).ends_with("list")) {
            auto taxids = read_taxids(parsed.text(name));
            if (!taxids.ok()) return taxids.status();
            if (taxids->empty()) return Status::invalid_input(parsed.text(name) + ": has no taxonomy IDs");
            choice.taxa->taxids = *std::move(taxids);
            choice.files.emplace_back(option, parsed.text(name));
        } else {
            auto taxids = parse_taxids(parsed.text(name), ',');
            if (!taxids)
                return Status::usage(option + " " + parsed.text(name) +
                                     ": expected taxonomy IDs, numbers separated by commas, as 9606,10090");
            choice.taxa->taxids = *std::move(taxids);
        }
        if (choice.taxa->taxids.empty())
            return Status::usage(option + " " + parsed.text(name) + ": expected at least one taxonomy ID");
    }
    return choice;
}

void add_inputs(const TargetChoice& choice, RunFiles& files) {
    for (const auto& [option, file] : choice.files) files.add_input(option, file);
}

}  // namespace warpseq
