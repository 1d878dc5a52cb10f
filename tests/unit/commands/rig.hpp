// Runs a command in a shell, with a gateway that answers what the test prepares, and keeps what the command prints.
#pragma once

#include "base/wall_time.hpp"
#include "commands/commands.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/virtual_clock.hpp"
#include "unit/support/zone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace gateway::test {

struct CommandRig : ::testing::Test {
    Shell shell(bool as_json = false, Language language = Language::english) {
        return {.gateway = gateway,
                .words = Words::in(language),
                .screen = {.columns = 100},
                .now = *from_rfc3339("2026-11-22T20:10:00Z"),
                .out = out,
                .err = err,
                .as_json = as_json};
    }
    void answer(std::string body, unsigned status = 200) { client.then(answered(status, std::move(body))); }
    void answer_text(std::string body, unsigned status = 200, std::string_view more = "") {
        client.then(answered(status, std::move(body), "text/plain; charset=utf-8" + std::string(more)));
    }
    std::vector<std::string> targets() const {
        std::vector<std::string> targets;
        for (const auto& seen : client.seen)
            targets.push_back(seen.request.target);
        return targets;
    }

    const Zone zone{"<-03>3"};
    boost::asio::io_context io;
    VirtualClock clock{io};
    ScriptedClient client{clock};
    AdminClient gateway{io, clock, client, "127.0.0.1:9090", Words::in(Language::english)};
    std::ostringstream out;
    std::ostringstream err;
};

}  // namespace gateway::test
