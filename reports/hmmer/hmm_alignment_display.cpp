#include "reports/hmmer/hmm_alignment_display.h"

#include <algorithm>
#include <cctype>

#include "engines/hmm/posterior_letter.h"
#include "formats/fasta/hmmer_fasta.h"
#include "libcore/base/append_printf.h"
#include "libcore/base/ascii.h"

namespace warpseq {

namespace {

constexpr int kLeastColumns = 40;

int width_of(std::string_view text) { return static_cast<int>(text.size()); }

char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }
char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace

HmmAlignmentLines draw_alignment(const HmmModel& model, const HmmDomain& domain) {
    HmmAlignmentLines lines;
    for (const TraceStep& step : domain.trace) {
        const auto node = static_cast<std::size_t>(step.node - 1);
        const auto annotation = [&](const std::string& of_nodes, std::string& line) {
            if (!of_nodes.empty()) line += step.state == TraceState::kInsert ? '.' : of_nodes[node];
        };
        annotation(model.structure, lines.structure);
        annotation(model.reference, lines.reference);
        annotation(model.consensus, lines.model);

        if (step.state == TraceState::kDelete) {
            lines.match += ' ';
            lines.target += '-';
            lines.posterior += '.';
            continue;
        }
        const ResidueCode code =
            domain.aligned_residues[static_cast<std::size_t>(step.residue - domain.alignment_from)];
        const char letter = shown_letter(code);
        lines.posterior += posterior_letter(step.posterior);
        if (step.state == TraceState::kInsert) {
            lines.match += ' ';
            lines.target += lower(letter);
            continue;
        }
        const char consensus = model.consensus[node];
        const bool equal = kSymbolTable[static_cast<unsigned char>(consensus)] == code;
        const bool likely = model.is_likely(std::min(code, kCodeStop), step.node);
        lines.match += equal ? consensus : likely ? '+' : ' ';
        lines.target += upper(letter);
    }
    return lines;
}

void append_alignment(const HmmAlignmentLines& lines, const HmmDomain& domain, std::string_view model_name,
                      std::string_view target_name, int text_width, std::string& out) {
    // printf wants them terminated. HMMER cuts white space from the end of a model's name, which in
    // phmmer may be a sequence's name with its line end.
    const std::string model(without_trailing_space(model_name)), target(target_name);
    const int columns = width_of(lines.model);
    const int name_width = std::max(width_of(model), width_of(target));
    const int place_width = std::max(width_of(std::to_string(std::max(domain.node_from, domain.node_to))),
                                     width_of(std::to_string(std::max(domain.alignment_from, domain.alignment_to))));
    int block_columns = text_width > 0 ? text_width - name_width - 2 * place_width - 5 : columns;
    if (block_columns < columns) block_columns = std::max(block_columns, kLeastColumns);

    int node = domain.node_from;
    std::int64_t residue = domain.alignment_from;
    for (int first = 0; first < columns; first += block_columns) {
        if (first > 0) out += '\n';
        const auto block = [&](const std::string& line) {
            return line.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(block_columns));
        };
        const auto annotation = [&](const std::string& line, const char* what) {
            if (!line.empty())
                append_printf(out, "  %*s %s %s\n", name_width + place_width + 1, "", block(line).c_str(), what);
        };
        const std::string model_block = block(lines.model), target_block = block(lines.target);
        const auto nodes =
            static_cast<int>(model_block.size()) - static_cast<int>(std::ranges::count(model_block, '.'));
        const auto residues = static_cast<std::int64_t>(target_block.size()) -
                              static_cast<std::int64_t>(std::ranges::count(target_block, '-'));

        annotation(lines.structure, "CS");
        annotation(lines.reference, "RF");
        append_printf(out, "  %*s %*d %s %-*d\n", name_width, model.c_str(), place_width, node, model_block.c_str(),
                      place_width, node + nodes - 1);
        append_printf(out, "  %*s %s\n", name_width + place_width + 1, "", block(lines.match).c_str());
        if (residues > 0) {
            append_printf(out, "  %*s %*lld %s %-*lld\n", name_width, target.c_str(), place_width,
                          static_cast<long long>(residue), target_block.c_str(), place_width,
                          static_cast<long long>(residue + residues - 1));
        } else {
            append_printf(out, "  %*s %*s %s %*s\n", name_width, target.c_str(), place_width, "-", target_block.c_str(),
                          place_width, "-");
        }
        annotation(lines.posterior, "PP");
        node += nodes;
        residue += residues;
    }
}

}  // namespace warpseq
