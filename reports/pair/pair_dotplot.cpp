#include "reports/pair/pair_dotplot.h"

#include <algorithm>
#include <cmath>

#include "formats/fasta/fasta.h"
#include "libcore/base/append_printf.h"
#include "libcore/base/number_format.h"
#include "reports/xml_writer.h"

namespace warpseq {

namespace {

constexpr double kLongSide = 1000;  // pixels
constexpr double kShortestSide = 120;
constexpr double kMargin = 90;
constexpr double kStepsPerPixel = 4;   // positions are rounded to a quarter of a pixel
constexpr double kLeastLabelled = 14;  // a sequence with fewer pixels gets no name

/// Returns a name in plain ASCII, for which every viewer has a font.
std::string shown_name(std::string_view text) {
    std::string plain(text);
    std::ranges::replace_if(
        plain, [](unsigned char letter) { return letter < 0x20 || letter >= 0x7f; }, '?');
    return xml_escaped(plain);
}

/// Returns the distance between marks, a round number. It makes about five marks.
std::uint64_t mark_distance(std::uint64_t residues) {
    std::uint64_t power = 1;
    while (residues / power >= 50) power *= 10;
    for (const std::uint64_t factor : {1u, 2u, 5u, 10u}) {
        if (residues / (factor * power) <= 6) return factor * power;
    }
    return 10 * power;
}

struct Point {
    std::int64_t x, y;  // quarters of a pixel
    bool operator==(const Point&) const = default;
};

/// A line through points. It leaves out points that lie on the straight line between their
/// neighbours.
class Polyline {
   public:
    void add(Point point) {
        if (!points_.empty() && points_.back() == point) return;
        if (points_.size() >= 2) {
            const Point a = points_[points_.size() - 2], b = points_.back();
            if ((b.x - a.x) * (point.y - b.y) == (b.y - a.y) * (point.x - b.x)) points_.pop_back();
        }
        points_.push_back(point);
    }
    const std::vector<Point>& points() const { return points_; }

   private:
    std::vector<Point> points_;
};

}  // namespace

PairDotPlot::Side PairDotPlot::lay_out(const std::vector<PairSequence>& sequences, const std::vector<bool>& used) {
    Side side;
    side.begins.resize(sequences.size());
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        if (!used[s]) continue;
        side.begins[s] = side.residues;
        side.used.push_back(s);
        side.residues += sequences[s].residues.size();
    }
    return side;
}

PairDotPlot::PairDotPlot(const PairInput& input) : input_(input) {
    std::vector<bool> queries(input.queries.size(), input.all_pairs), targets(input.targets.size(), input.all_pairs);
    for (const auto& [query, target] : input.listed) queries[query] = targets[target] = true;
    across_ = lay_out(input.targets, targets);
    down_ = lay_out(input.queries, queries);
    const double scale = kLongSide / static_cast<double>(std::max(across_.residues, down_.residues));
    for (Side* side : {&across_, &down_})
        side->pixels = std::max(kShortestSide, scale * static_cast<double>(side->residues));
}

void PairDotPlot::add(const PairResult& result) {
    if (!result.has_alignment()) return;
    const std::uint64_t query_begin = down_.begins[result.query], target_begin = across_.begins[result.target];
    const std::uint64_t query_residues = input_.queries[result.query].residues.size();
    const auto place = [](const Side& side, std::uint64_t residue) {
        return std::llround(kStepsPerPixel * side.pixels * static_cast<double>(residue) /
                            static_cast<double>(side.residues));
    };
    std::uint64_t q = result.alignment.query_begin, t = result.alignment.target_begin;
    Polyline line;
    const auto add_point = [&] {
        line.add(
            {place(across_, target_begin + t), place(down_, query_begin + (result.minus ? query_residues - q : q))});
    };
    add_point();
    for (const AlignmentRun& run : result.alignment.runs) {
        if (run.operation != AlignmentOperation::kDelete) q += run.length;
        if (run.operation != AlignmentOperation::kInsert) t += run.length;
        add_point();
    }
    paths_ += result.minus ? "<polyline class=\"minus\" points=\"" : "<polyline points=\"";
    const auto print = [&](Point point) {
        append_printf(paths_, "%.10g,%.10g ", static_cast<double>(point.x) / kStepsPerPixel,
                      static_cast<double>(point.y) / kStepsPerPixel);
    };
    for (const Point& point : line.points()) print(point);
    // A path shorter than a quarter of a pixel is drawn as a dot: two equal points, with round
    // ends.
    if (line.points().size() == 1) print(line.points().front());
    paths_.pop_back();
    paths_ += "\"/>\n";
}

void PairDotPlot::add_scale(const Side& side, const std::vector<PairSequence>& sequences, bool across,
                            std::string& out) const {
    const double per_residue = side.pixels / static_cast<double>(side.residues);
    const auto text = [&](double at, double away, const char* anchor, const std::string& label) {
        append_printf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", across ? at : away,
                      across ? away : at + 4, anchor);
        out += label + "</text>\n";
    };
    for (const std::size_t s : side.used) {
        const double begin = per_residue * static_cast<double>(side.begins[s]);
        const double length = per_residue * static_cast<double>(sequences[s].residues.size());
        const double other = across ? down_.pixels : across_.pixels;
        if (s != side.used.front()) {
            append_printf(out, "<path class=\"grid\" d=\"M%.2f %.2f%c%.2f\"/>\n", across ? begin : 0,
                          across ? 0 : begin, across ? 'V' : 'H', other);
        }
        if (length < kLeastLabelled) continue;
        std::string name = shown_name(identifier_of(sequences[s].header).substr(0, 40));
        if (side.used.size() > 1) {
            text(begin + length / 2, -8, across ? "middle" : "end", name);
            continue;
        }
        name += ", " + format_count(side.residues) + " residues";
        if (across) {
            text(length / 2, down_.pixels + 40, "middle", name);
        } else {
            append_printf(out, "<text transform=\"translate(%.2f %.2f) rotate(-90)\" text-anchor=\"middle\">",
                          12 - kMargin, length / 2);
            out += name + "</text>\n";
        }
    }
    if (side.used.size() > 1) return;
    for (std::uint64_t mark = 0, step = mark_distance(side.residues); mark <= side.residues; mark += step) {
        const double at = per_residue * static_cast<double>(mark);
        append_printf(out, "<path class=\"mark\" d=\"M%.2f %.2f%c%d\"/>\n", across ? at : 0, across ? down_.pixels : at,
                      across ? 'v' : 'h', across ? 5 : -5);
        text(at, across ? down_.pixels + 20 : -8, across ? "middle" : "end", format_count(mark));
    }
}

std::string PairDotPlot::svg() const {
    std::string out;
    append_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.2f %.2f %.2f %.2f\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n",
        -kMargin, -kMargin / 2, across_.pixels + 1.5 * kMargin, down_.pixels + 1.25 * kMargin);
    out +=
        "<style>polyline{fill:none;stroke:#1f4e9c;stroke-width:1.5;stroke-linecap:round}.minus{stroke:#b5301c}"
        ".grid{stroke:#ccc}.mark,.frame{stroke:#444;fill:none}</style>\n";
    append_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", -kMargin,
                  -kMargin / 2);
    add_scale(across_, input_.targets, true, out);
    add_scale(down_, input_.queries, false, out);
    append_printf(out, "<rect class=\"frame\" width=\"%.2f\" height=\"%.2f\"/>\n", across_.pixels, down_.pixels);
    return out + paths_ + "</svg>\n";
}

}  // namespace warpseq
