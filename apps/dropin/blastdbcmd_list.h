// The list of databases in a folder that `blastdbcmd -list` prints.
#pragma once

#include "apps/dropin/blast_command_line.h"
#include "formats/io/output_sink.h"

namespace warpseq::blastdbcmd {

/// Prints a line for each database in the folder of -list: those of NCBI's kind, of proteins and
/// nucleotides, and .wsdb files beside which there is none of the same name. They are found by the
/// names of indexes and aliases. Files are read only if -list_outfmt asks for more than names. If a
/// .wsdb file cannot be read, a message says so, and the list goes on. Any other error ends the
/// list. Returns the exit status.
int list_databases(const BlastArguments& arguments, OutputSink& output);

}  // namespace warpseq::blastdbcmd
