#include "formats/io/json_writer.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libcore/base/random.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using Tree = nlohmann::ordered_json;
using Layout = JsonWriter::Layout;

std::string written(Layout layout, const std::function<void(JsonWriter&)>& write) {
    std::string text;
    JsonWriter json(text, layout);
    write(json);
    CHECK(json.finish().ok());
    return text;
}

void write_tree(const Tree& tree, JsonWriter& json) {
    if (tree.is_object()) {
        json.begin_object();
        for (const auto& [name, value] : tree.items()) {
            json.key(name);
            write_tree(value, json);
        }
        json.end_object();
    } else if (tree.is_array()) {
        json.begin_array();
        for (const Tree& value : tree) write_tree(value, json);
        json.end_array();
    } else if (tree.is_string()) {
        json.value(tree.get<std::string>());
    } else if (tree.is_boolean()) {
        json.value(tree.get<bool>());
    } else if (tree.is_number_unsigned()) {
        json.value(tree.get<std::uint64_t>());
    } else if (tree.is_number_integer()) {
        json.value(tree.get<std::int64_t>());
    } else if (tree.is_number_float()) {
        json.value(tree.get<double>());
    } else {
        json.null();
    }
}

std::string random_text(Random& random) {
    std::string text(random.below(6), ' ');
    for (char& c : text) c = static_cast<char>(random.below(2) == 0 ? random.below(256) : 0x20 + random.below(95));
    return text;
}

Tree random_tree(Random& random, int depth) {
    switch (random.below(depth > 0 ? 8 : 6)) {
        case 0: return random_text(random);
        case 1: return random.below(2) == 0;
        case 2: return random.below(std::numeric_limits<std::uint64_t>::max());
        case 3: return -static_cast<std::int64_t>(random.below(1000));
        case 4: return (random.uniform() - 0.5) * 1e6;
        case 5: return nullptr;
        case 6: {
            Tree array = Tree::array();
            for (auto left = random.below(4); left > 0; --left) array.push_back(random_tree(random, depth - 1));
            return array;
        }
        default: {
            Tree object = Tree::object();
            for (auto left = random.below(4); left > 0; --left)
                object[random_text(random)] = random_tree(random, depth - 1);
            return object;
        }
    }
}

#ifndef NDEBUG
/// Returns whether an assertion ends a process that does this.
bool is_refused(const std::function<void(JsonWriter&)>& misuse) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);  // doctest's handler would report a crash
        if (dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) < 0) _exit(2);
        std::string text;
        JsonWriter json(text, Layout::kCompact);
        misuse(json);
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
#endif

}  // namespace

TEST_CASE("brackets with nothing between them in two lines, and all of it further in") {
    std::string text;
    JsonWriter json(text, Layout::kOpenEnds, 1);
    write_tree(Tree::parse(R"({"a": [], "b": [1, {}, 9.40252e-160]})"), json);
    CHECK(json.finish().ok());
    CHECK(text == "{\n    \"a\": [\n    ],\n    \"b\": [\n      1,\n      {\n      },\n      9.40252e-160\n    ]\n  }");
}

TEST_CASE("control characters are letters in one layout and numbers in the other") {
    const auto written = [](Layout layout) {
        std::string text;
        JsonWriter json(text, layout);
        json.value("a\n\x1F\x7F\"\\\xC3\xA9\t");
        CHECK(json.finish().ok());
        return text;
    };
    CHECK(written(Layout::kIndented) == "\"a\\n\\u001f\x7F\\\"\\\\\xC3\xA9\\t\"");
    CHECK(written(Layout::kOpenEnds) == "\"a\\u000A\\u001F\x7F\\\"\\\\\xC3\xA9\\u0009\"");
}

TEST_CASE("values, members and elements in both layouts") {
    const auto write = [](JsonWriter& json) {
        json.begin_object();
        json.member("text", "a\"b");
        json.member("small", -3);
        json.member("large", std::numeric_limits<std::uint64_t>::max());
        json.member("number", 0.1);
        json.member("infinite", std::numeric_limits<double>::infinity());
        json.member("truth", true);
        json.key("nothing").null();
        json.key("none").begin_array();
        json.end_array();
        json.key("some").begin_array();
        json.value(1U);
        json.begin_object();
        json.end_object();
        json.end_array();
        json.end_object();
    };
    CHECK(written(Layout::kCompact, write) ==
          R"({"text":"a\"b","small":-3,"large":18446744073709551615,"number":0.1,"infinite":null,"truth":true,)"
          R"("nothing":null,"none":[],"some":[1,{}]})");
    CHECK(written(Layout::kIndented, write) == R"({
  "text": "a\"b",
  "small": -3,
  "large": 18446744073709551615,
  "number": 0.1,
  "infinite": null,
  "truth": true,
  "nothing": null,
  "none": [],
  "some": [
    1,
    {}
  ]
})");
}

TEST_CASE("any JSON comes out as nlohmann's library prints its tree") {
    Random random(17);
    std::size_t objects = 0;
    for (int i = 0; i < 2000; ++i) {
        const Tree tree = random_tree(random, 5);
        if (tree.is_object() && !tree.empty()) ++objects;
        const auto write = [&tree](JsonWriter& json) { write_tree(tree, json); };
        REQUIRE(written(Layout::kCompact, write) == tree.dump(-1, ' ', false, Tree::error_handler_t::replace));
        REQUIRE(written(Layout::kIndented, write) == tree.dump(2, ' ', false, Tree::error_handler_t::replace));
    }
    CHECK(objects > 100);
}

TEST_CASE("bytes that are not UTF-8 are replaced, in keys too") {
    CHECK(written(Layout::kCompact, [](JsonWriter& json) {
              json.begin_object();
              json.member("k\xFF", "v\xC3");
              json.end_object();
          }) == "{\"k\xEF\xBF\xBD\":\"v\xEF\xBF\xBD\"}");
    CHECK(json_string("a\n\xFE") == "\"a\\n\xEF\xBF\xBD\"");
}

TEST_CASE("line breaks in compact text: after the comma, or before an end") {
    CHECK(written(Layout::kCompact, [](JsonWriter& json) {
              json.begin_object();
              json.member("a", 1);
              json.line_break();
              json.key("b").begin_array();
              for (int i = 0; i < 2; ++i) {
                  json.line_break();
                  json.value(i);
              }
              json.line_break();
              json.end_array();
              json.key("c").begin_array();
              json.line_break();
              json.end_array();
              json.end_object();
              json.line_break();
          }) == "{\"a\":1,\n\"b\":[\n0,\n1\n],\"c\":[\n]}\n");
}

TEST_CASE("text goes to a sink in pieces, and its error comes out") {
    const auto write = [](JsonWriter& json) {
        json.begin_array();
        for (int i = 0; i < 300; ++i) json.value(std::string(10'000, 'x'));
        json.end_array();
        json.line_break();
        return json.finish();
    };
    const ScratchFolder folder;
    auto sink = OutputSink::open(folder.path("out"));
    REQUIRE(sink.ok());
    JsonWriter json(*sink, Layout::kIndented);
    CHECK(write(json).ok());
    REQUIRE(sink->finish().ok());
    std::ostringstream text;
    text << std::ifstream(folder.path("out"), std::ios::binary).rdbuf();
    CHECK(text.str() == written(Layout::kIndented, [&](JsonWriter& whole) { CHECK(write(whole).ok()); }));

    auto full = OutputSink::open("/dev/full");
    REQUIRE(full.ok());
    JsonWriter refused(*full, Layout::kIndented);
    CHECK_FALSE(write(refused).ok());
}

TEST_CASE("assertions refuse calls that would not give JSON") {
#ifdef NDEBUG
    MESSAGE("skipped: a build without assertions");
#else
    CHECK_FALSE(is_refused([](JsonWriter& json) {
        json.begin_object();
        json.member("a", 1);
        json.end_object();
        static_cast<void>(json.finish());
    }));
    CHECK(is_refused([](JsonWriter& json) {
        json.begin_object();
        json.value(1);
    }));
    CHECK(is_refused([](JsonWriter& json) {
        json.begin_object();
        json.begin_array();
    }));
    CHECK(is_refused([](JsonWriter& json) { json.key("a"); }));
    CHECK(is_refused([](JsonWriter& json) {
        json.begin_array();
        json.key("a");
    }));
    CHECK(is_refused([](JsonWriter& json) {
        json.begin_object();
        json.key("a").key("b");
    }));
    CHECK(is_refused([](JsonWriter& json) {
        json.begin_object();
        json.key("a");
        json.end_object();
    }));
    CHECK(is_refused([](JsonWriter& json) {
        json.begin_object();
        json.end_array();
    }));
    CHECK(is_refused([](JsonWriter& json) { json.end_object(); }));
    CHECK(is_refused([](JsonWriter& json) {
        json.value(1);
        json.value(2);
    }));
    CHECK(is_refused([](JsonWriter& json) { static_cast<void>(json.finish()); }));
    CHECK(is_refused([](JsonWriter& json) {
        json.begin_array();
        static_cast<void>(json.finish());
    }));
#endif
}
