// warpseq-cluster-sim: prints how long searches on many machines would take, as a table and a plot.
// bench/cluster_simulator.h describes the model.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cxxopts.hpp>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cluster_simulator.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace {

using namespace warpseq;

struct Study {
    std::vector<EngineCosts> engines;
    std::vector<double> nodes, residues, queries;
    Cluster cluster;
    Plan plan;
};

Simulated simulate(const Study& study, const EngineCosts& engine, double nodes, double residues, double queries) {
    Cluster cluster = study.cluster;
    cluster.nodes = nodes;
    return simulate(engine, cluster, {residues, queries}, study.plan);
}

template <typename... Values>
std::string formatted(const char* format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string rounded_seconds(double seconds) { return formatted(seconds < 100 ? "%.1f" : "%.0f", seconds); }

/// Returns all pieces one after the other. They are made in parallel.
std::string joined(const std::vector<std::function<std::string()>>& pieces) {
    std::vector<std::string> texts(pieces.size());
    const Status status =
        ThreadPool(ThreadPool::hardware_threads()).parallel_for(pieces.size(), [&](std::uint64_t i, unsigned) {
            texts[i] = pieces[i]();
            return Status();
        });
    if (!status.ok()) throw std::runtime_error(status.message());
    std::string text;
    for (const std::string& piece : texts) text += piece;
    return text;
}

/// Returns a table in Markdown. Parts are percentages of the time of the job. Efficiency and all
/// parts add up to 100 %.
std::string make_table(const Study& study) {
    const std::string head =
        "| engine | residues | queries | nodes | seconds | efficiency | start | first read | link | small shares | "
        "imbalance "
        "| merging | finishing | report | drain |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    std::vector<std::function<std::string()>> lines;
    for (const EngineCosts& engine : study.engines) {
        for (const double residues : study.residues) {
            for (const double queries : study.queries) {
                for (const double nodes : study.nodes) {
                    lines.push_back([&study, &engine, residues, queries, nodes] {
                        const Simulated s = simulate(study, engine, nodes, residues, queries);
                        std::string line = formatted("| %s | %.0e | %.0f | %.0f | %s | %.0f %% |",
                                                     std::string(engine.name).c_str(), residues, queries, nodes,
                                                     rounded_seconds(s.seconds).c_str(), 100 * s.efficiency());
                        for (const double part : {s.start, s.first_read, s.link, s.small_shares, s.imbalance, s.merging,
                                                  s.finishing, s.reporting, s.drain}) {
                            const double percent = std::round(100 * part / s.seconds);
                            line += percent == 0 ? "  |" : formatted(" %.0f |", percent);
                        }
                        return line + "\n";
                    });
                }
            }
        }
    }
    return head + joined(lines);
}

/// Returns a table in Markdown with the efficiency of the same searches on other machines, or
/// divided in other ways.
std::string make_alternatives(const Study& study) {
    struct Alternative {
        const char* name;
        void (*change)(Study&);
    };
    constexpr Alternative kAlternatives[] = {
        {"as above", [](Study&) {}},
        {"stealing from all", [](Study& s) { s.plan.stealing = Stealing::kAll; }},
        {"stealing within a node only", [](Study& s) { s.plan.stealing = Stealing::kNode; }},
        {"no stealing", [](Study& s) { s.plan.stealing = Stealing::kNone; }},
        {"largest piece first, stealing within a node only",
         [](Study& s) {
             s.plan.dealing = Dealing::kLargestFirst;
             s.plan.stealing = Stealing::kNode;
         }},
        {"largest piece first, no stealing",
         [](Study& s) {
             s.plan.dealing = Dealing::kLargestFirst;
             s.plan.stealing = Stealing::kNone;
         }},
        {"contiguous shares, no stealing",
         [](Study& s) {
             s.plan.dealing = Dealing::kContiguous;
             s.plan.stealing = Stealing::kNone;
         }},
        {"rank 0 finishes", [](Study& s) { s.plan.owners_finish = false; }},
        {"owners make the text", [](Study& s) { s.plan.formatting = Formatting::kOwners; }},
        {"window of 4 batches", [](Study& s) { s.plan.window = 4; }},
        {"window of 16 batches", [](Study& s) { s.plan.window = 16; }},
        {"network of 25 Gb/s", [](Study& s) { s.cluster.network_bytes = 3.125e9; }},
        {"file system ten times as fast",
         [](Study& s) {
             s.cluster.file_system_bytes *= 10;
             s.cluster.node_file_bytes *= 10;
             s.cluster.write_bytes *= 10;
             s.cluster.file_reads *= 10;
         }},
    };
    const double queries = study.queries.front();
    std::string head = formatted("| %.0f queries |", queries), line = "| --- |";
    std::vector<std::function<std::string()>> cells;
    for (const Alternative& alternative : kAlternatives) {
        const bool is_first = &alternative == kAlternatives;
        cells.push_back([&alternative] { return formatted("| %s |", alternative.name); });
        for (const EngineCosts& engine : study.engines) {
            for (const double residues : study.residues) {
                for (const double nodes : study.nodes) {
                    if (is_first) {
                        head += formatted(" %s, %.0e, %.0f |", std::string(engine.name).c_str(), residues, nodes);
                        line += " --- |";
                    }
                    cells.push_back([&alternative, &study, &engine, nodes, residues, queries] {
                        Study changed = study;
                        alternative.change(changed);
                        const Simulated s = simulate(changed, engine, nodes, residues, queries);
                        return formatted(" %.0f |", 100 * s.efficiency());
                    });
                }
            }
        }
        cells.push_back([] { return std::string("\n"); });
    }
    return head + "\n" + line + "\n" + joined(cells);
}

/// Returns a plot of efficiency over nodes. It has a panel for each engine, and one for hmm with
/// owners that make the text. It has a colour for each size of databases and a dash for each number
/// of queries.
std::string make_plot(const Study& study) {
    constexpr double kPanelWidth = 250, kWidth = 200, kHeight = 200, kLeft = 45, kTop = 30;
    const char* const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
    const char* const dashes[] = {"", "5 3", "2 2"};
    struct Panel {
        std::string name;
        EngineCosts engine;
        Study study;
    };
    std::vector<Panel> panels;
    for (const EngineCosts& engine : study.engines) {
        panels.push_back({std::string(engine.name), engine, study});
    }
    const double log_nodes = std::log(std::max(study.nodes.back() / study.nodes.front(), 2.0));
    std::string svg = formatted(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f 325\" font-family=\"sans-serif\" "
        "font-size=\"11\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        kPanelWidth * static_cast<double>(panels.size()) + 10);
    const auto y = [](double efficiency) { return kTop + kHeight * (1 - efficiency); };
    std::vector<std::function<std::string()>> lines;
    double left = kLeft;
    for (const Panel& panel : panels) {
        const auto x = [&](double nodes) { return left + kWidth * std::log(nodes / study.nodes.front()) / log_nodes; };
        svg += formatted("<text x=\"%.0f\" y=\"20\" font-weight=\"bold\">%s</text>\n", left, panel.name.c_str());
        for (int percent = 0; percent <= 100; percent += 25) {
            svg += formatted("<path d=\"M%.0f %.0fh%.0f\" stroke=\"#ddd\"/>", left, y(percent / 100.0), kWidth) +
                   formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%d %%</text>\n", left - 4,
                             y(percent / 100.0) + 4, percent);
        }
        for (const double nodes : study.nodes) {
            const int shown = static_cast<int>(nodes);
            if (shown != 1 && shown != 8 && shown != 64 && shown != 256 && shown != 1000) continue;
            svg += formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%d</text>\n", x(nodes),
                             kTop + kHeight + 15, shown);
        }
        for (std::size_t r = 0; r < study.residues.size(); ++r) {
            for (std::size_t q = 0; q < study.queries.size(); ++q) {
                const std::string begin = formatted(
                    "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" stroke-dasharray=\"%s\" points=\"",
                    colours[r % 4], dashes[q % 3]);
                lines.push_back([begin] { return begin; });
                for (const double nodes : study.nodes) {
                    lines.push_back([&panel, &study, &y, r, q, nodes, at = x(nodes)] {
                        const Simulated s =
                            simulate(panel.study, panel.engine, nodes, study.residues[r], study.queries[q]);
                        return formatted("%.0f,%.0f ", at, y(s.efficiency()));
                    });
                }
                lines.push_back([] { return std::string("\"/>\n"); });
            }
        }
        left += kPanelWidth;
    }
    svg += joined(lines);
    svg += formatted("<text x=\"%.0f\" y=\"265\">nodes (%s); efficiency</text>\n", kLeft,
                     study.cluster.gpus > 0 ? formatted("%.0f GPUs each", study.cluster.gpus).c_str() : "CPUs only");
    double at = kLeft;
    for (std::size_t r = 0; r < study.residues.size(); ++r, at += 130) {
        svg += formatted("<path d=\"M%.0f 285h25\" stroke-width=\"1.5\" stroke=\"%s\"/>", at, colours[r % 4]) +
               formatted("<text x=\"%.0f\" y=\"289\">%.0e residues</text>\n", at + 30, study.residues[r]);
    }
    at = kLeft;
    for (std::size_t q = 0; q < study.queries.size(); ++q, at += 130) {
        svg += formatted("<path d=\"M%.0f 307h25\" stroke-width=\"1.5\" stroke=\"black\" stroke-dasharray=\"%s\"/>", at,
                         dashes[q % 3]) +
               formatted("<text x=\"%.0f\" y=\"311\">%.0f queries</text>\n", at + 30, study.queries[q]);
    }
    return svg + "</svg>\n";
}

/// An option that sets a number of the model, with the option's name.
struct Number {
    const char* name;
    const char* help;
    double Cluster::*of_cluster;
    double EngineCosts::*of_engine;
};
constexpr Number kNumbers[] = {
    {"gpus", "GPUs of a node; 0: CPUs only", &Cluster::gpus, nullptr},
    {"threads", "of a node", &Cluster::threads, nullptr},
    {"gpu-bytes", "of a GPU, for its share", &Cluster::gpu_bytes, nullptr},
    {"host-bytes", "of a node, for pages of databases", &Cluster::host_bytes, nullptr},
    {"link-bytes", "bytes a second of a GPU", &Cluster::link_bytes, nullptr},
    {"file-system-bytes", "bytes a second for all nodes", &Cluster::file_system_bytes, nullptr},
    {"node-file-bytes", "bytes a second for one node", &Cluster::node_file_bytes, nullptr},
    {"write-bytes", "bytes a second of rank 0's report", &Cluster::write_bytes, nullptr},
    {"file-read-seconds", "a random read of a file", &Cluster::file_read_seconds, nullptr},
    {"file-reads", "random reads a second for all nodes", &Cluster::file_reads, nullptr},
    {"network-bytes", "bytes a second of a node", &Cluster::network_bytes, nullptr},
    {"network-seconds", "a message", &Cluster::network_seconds, nullptr},
    {"start-seconds", "until all ranks run", &Cluster::start_seconds, nullptr},
    {"open-seconds", "to open databases, for each residue", &Cluster::open_seconds_per_residue, nullptr},
    {"cpu-cells", "cells a second of a thread", nullptr, &EngineCosts::cpu_thread_cells_per_second},
    {"gpu-cells", "cells a second of a GPU", nullptr, &EngineCosts::gpu_cells_per_second},
    {"query-residues", "of a query, or nodes", nullptr, &EngineCosts::query_residues},
    {"hits", "of a query", nullptr, &EngineCosts::hits},
    {"finish-seconds", "of a hit", nullptr, &EngineCosts::finish_seconds_per_hit},
    {"format-seconds", "of a hit", nullptr, &EngineCosts::format_seconds_per_hit},
};

Status run(const cxxopts::ParseResult& arguments) {
    Study study;
    study.nodes = arguments["nodes"].as<std::vector<double>>();
    study.residues = arguments["residues"].as<std::vector<double>>();
    study.queries = arguments["queries"].as<std::vector<double>>();
    for (const auto& values : {study.nodes, study.residues, study.queries})
        for (const double value : values)
            if (!(value >= 1)) return Status::usage("nodes, residues and queries are numbers from 1 on");
    for (const double nodes : study.nodes)
        if (nodes != std::floor(nodes)) return Status::usage("--nodes are whole numbers");
    for (const std::string& name : arguments["engine"].as<std::vector<std::string>>()) {
        bool is_known = false;
        for (const EngineCosts& engine : measured_engines()) {
            if (engine.name != name) continue;
            study.engines.push_back(engine);
            is_known = true;
        }
        if (!is_known) return Status::usage("there is no engine " + name + "; there are sw, hmm and blastp");
    }
    for (const Number& number : kNumbers) {
        if (arguments.count(number.name) == 0) continue;
        const double value = arguments[number.name].as<double>();
        if (!(value >= 0)) return Status::usage(std::string("--") + number.name + " is a number from 0 on");
        if (number.of_cluster != nullptr) study.cluster.*number.of_cluster = value;
        if (number.of_engine == nullptr) continue;
        for (EngineCosts& engine : study.engines) engine.*number.of_engine = value;
    }
    const auto dealing = arguments["dealing"].as<std::string>();
    if (dealing != "largest" && dealing != "turns" && dealing != "contiguous")
        return Status::usage("--dealing is largest, turns or contiguous");
    study.plan.dealing = dealing == "largest" ? Dealing::kLargestFirst
                         : dealing == "turns" ? Dealing::kInTurns
                                              : Dealing::kContiguous;
    const auto stealing = arguments["stealing"].as<std::string>();
    if (stealing != "usual" && stealing != "all" && stealing != "node" && stealing != "none")
        return Status::usage("--stealing is usual, all, node or none");
    study.plan.stealing = stealing == "usual"  ? Stealing::kUsual
                          : stealing == "all"  ? Stealing::kAll
                          : stealing == "node" ? Stealing::kNode
                                               : Stealing::kNone;
    const auto text = arguments["text"].as<std::string>();
    if (text != "usual" && text != "owners" && text != "rank-0")
        return Status::usage("--text is usual, owners or rank-0");
    study.plan.formatting = text == "usual"    ? Formatting::kUsual
                            : text == "owners" ? Formatting::kOwners
                                               : Formatting::kRank0;
    study.plan.owners_finish = arguments.count("rank-0-finishes") == 0;
    study.plan.window = arguments["window"].as<double>();
    study.plan.seed = arguments["seed"].as<std::uint64_t>();
    if (study.cluster.gpus != std::floor(study.cluster.gpus)) return Status::usage("--gpus is a whole number");
    study.plan.rank_batches = arguments["rank-batches"].as<double>();
    if (!(study.plan.window >= 0)) return Status::usage("--window is a number from 0 on");

    if (arguments.count("svg") > 0) {
        const std::string name = arguments["svg"].as<std::string>();
        std::ofstream file(name);
        file << make_plot(study) << std::flush;
        if (!file) return Status::io(name + ": cannot be written");
    } else if (arguments.count("alternatives") > 0) {
        std::fputs(make_alternatives(study).c_str(), stdout);
    } else {
        std::fputs(make_table(study).c_str(), stdout);
    }
    return {};
}

int report(const Status& status) {
    if (!status.ok()) std::fprintf(stderr, "warpseq-cluster-sim: %s\n", status.message().c_str());
    return status.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        cxxopts::Options declared("warpseq-cluster-sim",
                                  "Simulates searches on many machines: what they take, and where the time goes.");
        using Numbers = std::vector<double>;
        auto add = declared.add_options();
        add("engine", "sw, hmm, blastp", cxxopts::value<std::vector<std::string>>()->default_value("sw,hmm,blastp"));
        add("nodes", "machines", cxxopts::value<Numbers>()->default_value("1,2,4,8,16,32,64,128,256,512,1000"));
        add("residues", "of the databases", cxxopts::value<Numbers>()->default_value("1e11,1e12,1e13"));
        add("queries", "sequences or profiles", cxxopts::value<Numbers>()->default_value("100000,1000"));
        add("svg", "a plot in place of the table", cxxopts::value<std::string>());
        add("alternatives", "in place of the table: the efficiency of other plans, for the first of --queries");
        add("dealing", "of shares: turns (pieces by length), largest (pieces, the largest first), contiguous",
            cxxopts::value<std::string>()->default_value("turns"));
        add("stealing",
            "of whom a rank that is done takes work: usual (all; node from 257 ranks on), all, node (those on its "
            "node), none",
            cxxopts::value<std::string>()->default_value("usual"));
        add("text", "who makes the text of results: usual (hmm: owners, others: rank-0), owners (who finishes), rank-0",
            cxxopts::value<std::string>()->default_value("usual"));
        add("rank-batches", "so many batches times ranks are simulated, and the others like them",
            cxxopts::value<double>()->default_value("200000"));
        add("rank-0-finishes", "instead of all ranks by turns");
        add("window", "batches in flight; 0: twice as many as ranks, 4 to 32",
            cxxopts::value<double>()->default_value("0"));
        add("seed", "of what is random", cxxopts::value<std::uint64_t>()->default_value("1"));
        for (const Number& number : kNumbers) add(number.name, number.help, cxxopts::value<double>());
        add("h,help", "show this");
        const cxxopts::ParseResult arguments = declared.parse(argc, argv);
        if (arguments.count("help") > 0) {
            std::fputs(declared.help().c_str(), stdout);
            return 0;
        }
        if (!arguments.unmatched().empty()) return report(Status::usage("nothing but options; see --help"));
        return report(run(arguments));
    } catch (const cxxopts::exceptions::exception& error) {
        return report(Status::usage(error.what()));
    } catch (const std::exception& error) {
        return report(Status::io(error.what()));
    }
}
