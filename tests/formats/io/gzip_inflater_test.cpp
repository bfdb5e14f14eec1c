// The two inflaters. They give the same bytes, end at the same place, and refuse the same damage.
#include "formats/io/gzip_inflater.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <memory>
#include <string>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/gzip.h"

namespace warpseq {
namespace {

using testing::gzip;

struct Inflated {
    std::string bytes;
    bool ended = false, failed = false;
    std::size_t left_bytes = 0;
};

/// Inflates `stored` in steps of these sizes, in and out.
Inflated inflate_all(GzipInflater& inflater, const std::string& stored, std::size_t in_step, std::size_t out_step) {
    Inflated result;
    REQUIRE(inflater.begin().ok());
    std::vector<std::uint8_t> room(out_step);
    std::size_t done = 0;
    for (bool more = true; more;) {
        std::span<const std::uint8_t> in(reinterpret_cast<const std::uint8_t*>(stored.data()) + done,
                                         std::min(in_step, stored.size() - done));
        const std::size_t given = in.size();
        std::span<std::uint8_t> out(room);
        const Result<bool> ended = inflater.inflate(in, out);
        result.bytes.append(reinterpret_cast<const char*>(room.data()), out_step - out.size());
        done += given - in.size();
        if (!ended.ok()) {
            CHECK_FALSE(ended.status().message().empty());
            result.failed = true;
            break;
        }
        result.ended = *ended;
        more = !*ended && (given != in.size() || out.size() != out_step);
    }
    result.left_bytes = stored.size() - done;
    return result;
}

std::vector<std::unique_ptr<GzipInflater>> inflaters() {
    std::vector<std::unique_ptr<GzipInflater>> all;
    all.push_back(make_zlib_inflater());
    if (auto isal = make_isal_inflater()) {
        all.push_back(std::move(isal));
    } else {
        MESSAGE("skipped: this build has no ISA-L");
    }
    return all;
}

std::string some_text(std::size_t bytes) {
    Random random(bytes);
    std::string text(bytes, ' ');
    for (char& byte : text) byte = static_cast<char>('A' + random.below(23));
    return text;
}

TEST_CASE("members of all levels, in steps of all sizes, and what follows stays") {
    std::string name = "a name", comment(300, 'c'), extra(200, 'e');
    gz_header header{};
    header.name = reinterpret_cast<Bytef*>(name.data());
    header.comment = reinterpret_cast<Bytef*>(comment.data());
    header.extra = reinterpret_cast<Bytef*>(extra.data());
    header.extra_len = 200;
    header.hcrc = 1;
    for (const auto& inflater : inflaters()) {
        for (const int level : {0, 1, 6, 9}) {
            for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3000}, std::size_t{200'000}}) {
                const std::string text = size == 3000 ? std::string(size, 'A') : some_text(size);
                for (gz_header* const with : {static_cast<gz_header*>(nullptr), &header}) {
                    const std::string stored = gzip(text, level, with);
                    for (const std::size_t step :
                         {std::size_t{1}, std::size_t{7}, std::size_t{4096}, std::size_t{1} << 20}) {
                        if (step < 100 && size > 100'000) continue;
                        const Inflated found = inflate_all(*inflater, stored + "\x1f\x8b\x08more", step, step);
                        CHECK_FALSE(found.failed);
                        CHECK(found.ended);
                        CHECK(found.left_bytes == 7);
                        REQUIRE(found.bytes == text);
                    }
                }
            }
        }
    }
}

TEST_CASE("a wrong checksum, a wrong length and damaged data are refused; a cut member does not end") {
    const std::string text = some_text(5000), stored = gzip(text, 6);
    for (const auto& inflater : inflaters()) {
        for (std::size_t place = 10; place < stored.size(); place += place + 60 < stored.size() ? std::size_t{13} : 1) {
            CAPTURE(place);
            std::string damaged = stored;
            damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
            const Inflated found = inflate_all(*inflater, damaged, 100, 1000);
            CHECK((found.failed || !found.ended));
        }
        for (const std::size_t kept : {std::size_t{5}, std::size_t{100}, stored.size() - 9, stored.size() - 1}) {
            const Inflated found = inflate_all(*inflater, stored.substr(0, kept), 50, 1000);
            CHECK_FALSE(found.failed);
            CHECK_FALSE(found.ended);
            CHECK(text.starts_with(found.bytes));
        }
    }
}

}  // namespace
}  // namespace warpseq
