// SmallSession: a session with two small databases that contain families, and queries for every
// engine that find them. It is for tests of sessions, not of hits.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "engines/blastp/query_parts.h"
#include "engines/hmm/calibration.h"
#include "engines/query_set.h"
#include "engines/session.h"
#include "libcore/base/random.h"
#include "tests/support/make_database.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

namespace warpseq::testing {

struct SmallSession {
    explicit SmallSession(unsigned threads) {
        Random random(91);
        std::vector<TestSequence> sequences;
        for (int family = 0; family < 3; ++family) {
            const Sequence ancestor = random_protein(random, 120);
            queries.push_back({"q" + std::to_string(family), mutated(random, ancestor, 0.9)});
            for (int member = 0; member < 6; ++member)
                sequences.push_back(
                    {std::to_string(family) + "." + std::to_string(member), mutated(random, ancestor, 0.7)});
        }
        for (int i = 0; i < 80; ++i)
            sequences.push_back({"r" + std::to_string(i), random_protein(random, 1 + random.below(200))});
        ProfileHmm profile = random_profile(random, 30);
        profile.statistics = *calibrate(profile, CpuBackend::kPortable);
        profiles.push_back(std::move(profile));
        for (int i = 0; i < 5; ++i) sequences.push_back({"h" + std::to_string(i), emitted(random, profiles[0], 1, 30)});
        make_database(folder.path("a.wsdb"), sequences);
        make_database(folder.path("b.wsdb"), sequences, {.codec = ResidueCodec::kZstd});
        SessionSettings settings{.database_files = {folder.path("a.wsdb"), folder.path("b.wsdb")}};
        settings.device.kind = DeviceRequest::Kind::kCpu;
        settings.chunk_bytes = 4096;
        settings.threads = threads;
        settings.backend = CpuBackend::kPortable;
        session = *Session::open(settings);
    }

    std::vector<QueryWithParts> blastp_queries() const {
        std::vector<QueryWithParts> all;
        for (const Query& query : queries) all.push_back({query, {}, 0});
        return all;
    }

    ScratchFolder folder;
    std::vector<Query> queries;
    std::vector<ProfileHmm> profiles;
    std::unique_ptr<Session> session;
};

}  // namespace warpseq::testing
