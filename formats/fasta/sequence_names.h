// The names by which a sequence is found: identifiers of all its definition lines, the accessions in them, with and without
// versions. "sp|P68871|HBB_HUMAN" is found as such, as P68871 and as HBB_HUMAN; "gi|4504349|ref|NP_000509.1|" as such, as
// 4504349, NP_000509.1 and NP_000509; "1a3n_B", and "pdb|1A3N|B", with the chain and without.
//
// Definition lines are separated by Ctrl-A, as in NR. Names with bars are taken apart where they
// begin with one of NCBI's tags (https://ncbi.github.io/cxx-toolkit/pages/ch_demo#ch_demo.T5); any
// other is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace warpseq {

/// Between the definition lines of one header.
inline constexpr char kNextDefline = '\x01';

/// Names that the index has of a header: without versions, without chains, each once, at least one.
/// The first is that of the first identifier. They point into `header`.
std::vector<std::string_view> index_names_of(std::string_view header);

/// The same for many headers, in memory that is used again.
class IndexNames {
   public:
    /// Valid until the next call.
    std::span<const std::string_view> of(std::string_view header);

   private:
    std::vector<std::string_view> names_;
};

/// What names a definition line in lists of accessions, such as NCBI's accession2taxid: its
/// accession, then its GIs.
struct ListedName {
    std::string_view base;     // without its version and its chain
    std::string_view version;  // "1" of "NP_000509.1"; or empty
    std::string_view chain;    // "B" of "1a3n_B"; or empty
    bool is_public = false;    // of a public database: small letters and capitals are the same
};
std::vector<ListedName> listed_names_of(std::string_view identifier);
/// The first of them, which is quick where there are no bars.
ListedName first_listed_name_of(std::string_view identifier);
/// The identifiers of a header's definition lines, one of each; what stands before one does not
/// count.
std::vector<std::string_view> identifiers_of(std::string_view header);

/// Under which of its names the index has what is asked for.
std::string_view index_name_of(std::string_view asked);

/// A name of an identifier, taken apart.
struct NameParts {
    std::string_view base;     // what the index has
    std::string_view version;  // "1" of "NP_000509.1"; or empty
    std::string_view chain;    // "B" of "1a3n_B"; or empty
    bool operator==(const NameParts&) const = default;
};
/// The parts of what is asked for. A sequence has it where one of its names has the same base and,
/// as far as they are not empty here, the same version and chain.
NameParts asked_parts_of(std::string_view asked);
/// Calls `use` with the identifier of each definition line of a header and with the names in it.
/// Views are valid during the call.
void for_each_identifier_of(
    std::string_view header,
    const std::function<void(std::string_view identifier, std::span<const NameParts> names)>& use);

enum class NameMatch : std::uint8_t {
    kNone,
    kPart,   // one of the accessions of a definition line, with the version and the chain that were asked for, if any
    kWhole,  // the identifier of a definition line
};
NameMatch match_name(std::string_view header, std::string_view asked);

}  // namespace warpseq
