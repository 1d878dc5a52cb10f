// Runs the sale core in virtual time, against a provider that follows its interface unless the test says otherwise.
#pragma once

#include "flow/driver.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/support/doubtful_journal.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gateway::test {

// These are the books of a provider that follows its interface, with as much as the tests of the flow need.
struct Counter {
    std::map<std::string, std::string> status;  // by idExterno
    std::map<std::string, std::string> id_of;   // idTransacao -> idExterno
    std::map<std::string, int> calls;           // by path
    bool answers_confirms = true;

    Reply answer(const http::ClientRequest& request) {
        ++calls[request.target];
        const auto body = boost::json::parse(request.body.reveal().empty() ? "{}" : request.body.reveal()).as_object();
        const auto text = [&](const char* name) {
            return body.contains(name) ? std::string(body.at(name).as_string()) : std::string();
        };
        if (request.target.ends_with("/solicitar")) {
            const auto id = text("idExterno");
            status[id] = "AUTORIZADA";
            id_of["T" + id] = id;
            const auto id_valor = text("id_valor");  // some have "<id>;<cents>" in the place of an amount
            const auto valor = std::stoll(id_valor.empty() ? text("valor") : id_valor.substr(id_valor.find(';') + 1));
            return answered(200, R"({"venda":{"idExterno":")" + id +
                                     R"(","transacao":{"status":"AUTORIZADA","idTransacao":"T)" + id + R"(","valor":)" +
                                     std::to_string(valor) +
                                     R"(,"instrucao":"{\"pin\":\"77\"}","dataHora":"2024-05-02T10:11:12-03:00"}}})");
        }
        if (request.target.ends_with("/confirmar") && !answers_confirms) return answered(503, "");
        if (request.target.ends_with("/confirmar")) return settle(id_of[text("idTransacao")], "EFETIVADA");
        if (request.target.ends_with("/cancelar")) return settle(text("idExterno"), "CANCELADA");
        return answered(404, "{}");
    }

    Reply settle(const std::string& id, const std::string& to) {
        const auto found = status.find(id);
        if (found == status.end()) return answered(404, "{}");
        if (found->second == "AUTORIZADA") found->second = to;
        return answered(200, R"({"transacao":{"status":")" + found->second + R"("}})");
    }
};

// This is a seller with all that leads from it to the provider, whose network the test answers.
struct SellingParts {
    // The parts that stood before must not have any sale under way.
    void build_parts(boost::asio::io_context& io, Journal& to, Clock& by, Random& chance, Log& says, const Rules& law,
                     const SellerOptions& selling = {}, const ProviderOptions& calls = {}, std::string prefix = {}) {
        tear_down_parts();
        const auto executor = io.get_executor();
        network = std::make_unique<ScriptedClient>(by);
        token_service = std::make_unique<ScriptedClient>(by);
        token_service->otherwise = [](const http::ClientRequest&) {
            return answered(200, R"({"access_token":"t","expires_in":3600})");
        };
        tokens =
            std::make_unique<TokenKeeper>(executor, calls, *token_service, by, chance, says, std::nullopt, nullptr);
        provider = std::make_unique<Provider>(executor, calls, *network, *tokens, by, says);
        metrics = std::make_unique<Metrics>();
        attention = std::make_unique<AttentionList>(to, by, says, *metrics);
        driver = std::make_unique<Driver>(executor, law, to, *provider, by, chance, says, *metrics, *attention,
                                          std::move(prefix));
        seller = std::make_unique<Seller>(executor, selling, *driver, to, by, chance, says, *metrics);
        attention->when_unreadable([this](SaleId id) { seller->found_unreadable(id); });
    }
    void tear_down_parts() {
        seller.reset();
        driver.reset();
        attention.reset();
        provider.reset();
        tokens.reset();
        network.reset();
        token_service.reset();
    }

    std::unique_ptr<ScriptedClient> network;
    std::unique_ptr<ScriptedClient> token_service;
    std::unique_ptr<TokenKeeper> tokens;
    std::unique_ptr<Provider> provider;
    std::unique_ptr<Metrics> metrics;
    std::unique_ptr<AttentionList> attention;
    std::unique_ptr<Driver> driver;
    std::unique_ptr<Seller> seller;
};

class FlowRig : public SellingParts {
  public:
    FlowRig() { build(); }

    // Destroys everything, wherever it stands, and builds it again on the same journal.
    void crash() {
        tear_down();
        build();
        if (before_adopting) before_adopting();
        EXPECT_TRUE(clock->run(attention->look()).has_value());
        const auto found = clock->run(seller->adopt_unfinished()).value();
        adopted = found.sales;
        unreadable = found.unreadable;
        clock->settle();
    }

    SellOrder order(std::string key, ConfirmMode mode = ConfirmMode::automatic) {
        SellOrder asked;
        asked.order.family = Family::tv;
        asked.order.mode = mode;
        asked.order.estabelecimento = "12345678";
        asked.order.produto = "TV Mensal";
        asked.order.valor = Cents{2500};
        asked.order.fields = {{"tipoProduto", "ONLINE"}, {"valor", "2500"}};
        asked.terminal = "caixa-01";
        asked.key = std::move(key);
        asked.digest = "d";
        asked.request_id = "r";
        asked.patience = clock->now() + patience;
        return asked;
    }
    SellResult sell(std::string key, ConfirmMode mode = ConfirmMode::automatic) {
        return clock->run(seller->sell(order(std::move(key), mode)));
    }
    // Sells one that its terminal confirms later.
    SaleId held_sale(std::string key = "k1") {
        const auto id = sell(std::move(key), ConfirmMode::manual).sale->sale().id;
        clock->settle();
        EXPECT_EQ(kept(id).current().state, AttemptState::held);
        return id;
    }
    // Returns the names of the events in the sale's history, the oldest first.
    std::vector<std::string> events(SaleId id) {
        std::vector<std::string> names;
        for (const auto& line : clock->run(journal->history(id)).value().events)
            names.push_back(line.event);
        return names;
    }
    Sale kept(SaleId id) { return clock->run(journal->find(id)).value().value(); }

    Duration patience{0};
    Rules rules;
    std::size_t in_flight = 10'000;
    // The following are used from the next crash on.
    std::vector<Secret> keys;  // of the journal
    Duration duplicate_window{0};
    std::string id_prefix;
    ProviderOptions provider_options;
    Counter books;
    bool answers_are_lost = false;  // the provider's answers, also after a crash
    std::function<void()> before_adopting;
    std::size_t adopted = 0;
    std::size_t unreadable = 0;  // when it adopted last
    TemporaryFolder folder;
    SeededRandom random;
    MemoryLog log;
    std::unique_ptr<boost::asio::io_context> io;
    std::unique_ptr<VirtualClock> clock;
    std::unique_ptr<Journal> journal;
    std::unique_ptr<DoubtfulJournal> doubtful;  // in front of it, for the driver and the seller

    ~FlowRig() { tear_down(); }

  private:
    void build() {
        io = std::make_unique<boost::asio::io_context>();
        clock = std::make_unique<VirtualClock>(*io);
        const JournalOptions options{.path = folder.path("journal.db"),
                                     .keys = keys,
                                     .random = &random,
                                     .durability = Durability::inline_,
                                     .log_bytes = short_log_bytes};
        journal = *open_sqlite_journal(io->get_executor(), options, *clock);
        doubtful = std::make_unique<DoubtfulJournal>(*journal);
        const SellerOptions selling{.in_flight = in_flight, .duplicate_window = duplicate_window};
        build_parts(*io, *doubtful, *clock, random, log, rules, selling, provider_options, id_prefix);
        network->otherwise = [this](const http::ClientRequest& request) {
            return answers_are_lost ? lost() : books.answer(request);
        };
    }
    void tear_down() {
        journal.reset();  // the journal's completions need the context
        io.reset();       // and what is still under way dies with it
        tear_down_parts();
    }
};

}  // namespace gateway::test
