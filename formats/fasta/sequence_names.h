// The names by which a sequence is found: the identifiers of all its definition lines, and the
// accessions in them, with and without versions and chains.
//
//   identifier                     names
//   sp|P68871|HBB_HUMAN            the identifier, P68871, HBB_HUMAN
//   gi|4504349|ref|NP_000509.1|    the identifier, 4504349, NP_000509.1, NP_000509
//   1a3n_B                         the identifier, 1a3n
//   pdb|1A3N|B                     the identifier, 1A3N_B, 1A3N
//
// Ctrl-A separates definition lines, as in NR. An identifier with bars is split if it begins with
// one of NCBI's tags (https://ncbi.github.io/cxx-toolkit/pages/ch_demo#ch_demo.T5). Any other
// identifier with bars is one name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace warpseq {

/// The separator between the definition lines of one header.
inline constexpr char kNextDefline = '\x01';

/// Returns the names by which an index of names finds the header: at least one, each once, without
/// versions and chains. The first one is the first name of the first identifier. The names point
/// into `header`.
std::vector<std::string_view> index_names_of(std::string_view header);

/// Returns the same names for many headers and reuses its memory from call to call.
class IndexNames {
   public:
    /// Returns the names of a header, valid until the next call.
    std::span<const std::string_view> of(std::string_view header);

   private:
    std::vector<std::string_view> names_;
};

/// The name of a definition line in lists of accessions, such as NCBI's accession2taxid. It is the
/// line's accession or one of its GIs.
struct ListedName {
    std::string_view base;     // without its version and its chain
    std::string_view version;  // "1" in "NP_000509.1"; may be empty
    std::string_view chain;    // "B" in "1a3n_B"; may be empty
    bool is_public = false;    // whether it is of a public database, where the case of letters does not matter
};
/// Returns the names of an identifier in lists of accessions, at least one. The first is the
/// accession, if there is one.
std::vector<ListedName> listed_names_of(std::string_view identifier);
/// Returns the first of the names that listed_names_of() returns. This is fast for identifiers
/// without bars.
ListedName first_listed_name_of(std::string_view identifier);
/// Returns the identifiers of a header's definition lines, one for each line. Blanks and '>' at the
/// beginning of a line are ignored.
std::vector<std::string_view> identifiers_of(std::string_view header);

/// Returns the name under which an index of names has the sequences with the requested name
/// `asked`.
std::string_view index_name_of(std::string_view asked);

/// A name in an identifier, split into its parts.
struct NameParts {
    std::string_view base;     // the name in the index
    std::string_view version;  // "1" in "NP_000509.1"; may be empty
    std::string_view chain;    // "B" in "1a3n_B"; may be empty
    bool operator==(const NameParts&) const = default;
};
/// Returns the parts of a requested name. A sequence has that name if one of its own names has the
/// same base and, unless they are empty here, the same version and chain.
NameParts asked_parts_of(std::string_view asked);
/// Calls `use` with the identifier of each definition line of a header and with the names in it.
/// The views are valid during the call.
void for_each_identifier_of(
    std::string_view header,
    const std::function<void(std::string_view identifier, std::span<const NameParts> names)>& use);

/// The way in which a sequence has a requested name.
enum class NameMatch : std::uint8_t {
    kNone,
    kPart,   // an accession of a definition line, with the requested version and chain, if any
    kWhole,  // the whole identifier of a definition line
};
/// Returns whether and how a sequence with this header has the requested name `asked`.
NameMatch match_name(std::string_view header, std::string_view asked);

}  // namespace warpseq
