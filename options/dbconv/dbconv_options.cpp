#include "options/dbconv/dbconv_options.h"

namespace warpseq {

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

}  // namespace warpseq
