// Runs a probe in process: in virtual time, with the sandbox provider's model behind both clients, and a folder of its
// own. A run costs only its computing time.
#pragma once

#include "base/digest.hpp"
#include "config/config.hpp"
#include "probe/probe.hpp"
#include "sandbox/model.hpp"
#include "sandbox/seeded_random.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::test {

// Carries requests to the model, and lets a test change each before that. A reply of the test's replaces that of the
// model, which then has not seen the request.
class ModelClient final : public http::Client {
  public:
    using Interference = std::function<std::optional<Reply>(const http::ClientRequest&)>;

    ModelClient(sandbox::Model& model, Clock& clock) : model_(model), clock_(clock) {}

    boost::asio::awaitable<Result<std::unique_ptr<http::Reservation>>> reserve(Instant) override {
        std::unique_ptr<http::Reservation> held = std::make_unique<Held>(*this);
        co_return std::move(held);
    }

    Interference before;                                            // the model has not seen it
    Interference after;                                             // it has
    std::function<void(const http::ClientRequest&, Reply&)> alter;  // changes the model's reply
    std::size_t count = 0;

  private:
    class Held final : public http::Reservation {
      public:
        explicit Held(ModelClient& client) : client_(client) {}
        boost::asio::awaitable<Reply> send(http::ClientRequest request, Instant) override {
            co_await client_.clock_.sleep_for(Duration(1));
            co_return client_.carry(request);
        }

      private:
        ModelClient& client_;
    };

    Reply carry(const http::ClientRequest& request) {
        ++count;
        if (before)
            if (auto reply = before(request)) return *reply;
        sandbox::Call call{.method = request.post ? "POST" : "GET", .target = request.target};
        call.headers.emplace_back("Accept", request.accept);
        if (!request.content_type.empty()) call.headers.emplace_back("Content-Type", request.content_type);
        if (!request.authorization.empty()) call.headers.emplace_back("Authorization", request.authorization.reveal());
        call.body = request.body.reveal();
        const auto answer = model_.handle(call, clock_.wall());
        if (after)
            if (auto reply = after(request)) return *reply;
        if (answer.drop) return Reply::lost(errc::connection_lost);
        Reply reply;
        reply.kind = Reply::Kind::answered;
        reply.status = static_cast<unsigned>(answer.status);
        reply.content_type = sandbox::find_header(answer.headers, "Content-Type").value_or("");
        reply.body = answer.body;
        if (const auto wait = sandbox::find_header(answer.headers, "Retry-After"))
            reply.retry_after = std::chrono::seconds(std::stoi(std::string(*wait)));
        if (alter) alter(request, reply);
        return reply;
    }

    sandbox::Model& model_;
    Clock& clock_;
};

// This is the client of one run. A process that has ended sends nothing: its token keeper, which lives on in this
// process, must not write to the transcript that the next run continues.
class ClientOfRun final : public http::Client {
  public:
    explicit ClientOfRun(http::Client& client) : client_(client) {}

    boost::asio::awaitable<Result<std::unique_ptr<http::Reservation>>> reserve(Instant deadline) override {
        if (ended) co_return errc::shutting_down;
        auto reserving = client_.reserve(deadline);
        co_return co_await std::move(reserving);
    }

    bool ended = false;

  private:
    http::Client& client_;
};

inline Config config_of_sandbox() {
    Config config;
    config.provider.app_key = "app-key";
    config.provider.app_secret = Secret("segredo-do-aplicativo-7731");
    config.provider.scopes = {"Venda_TvPrePaga", "Venda_Egift"};
    config.provider.estabelecimento = "12345678";
    config.provider.callback_url.text = "http://loja.example";
    config.provider.callback_field = "the service";
    config.provider.request_timeout = Duration(15'000);
    config.sale.late_arrival = Duration(120'000);
    config.products = {
        {.family = Family::tv, .produto = "TV Livre", .fornecedor = "Operadora Livre", .price_list = true},
        {.family = Family::egift,
         .produto = "Moedas do Jogo",
         .fornecedor = "Estudio Um",
         .tipo_negocio = 1,
         .nome_menu = "Jogos"},
        {.family = Family::transit, .produto = "Bilhete"},
        {.family = Family::health, .produto = "Consulta"},
        {.family = Family::esim, .produto = "Chip Virtual"}};
    return config;
}

inline probe::Customer test_customer() {
    const auto endereco = boost::json::parse(
        R"({"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"Cidade Reconhecivel","bairro":"Bairro Reconhecivel",
            "tipoLogradouroId":1,"logradouro":"Rua Reconhecivel","numeroLogradouro":77,"complemento":""})");
    const auto consumidor = boost::json::parse(
        R"({"cpf":"529.982.247-25","nome":"Fulana Reconhecivel","email":"fulana@reconhecivel.example",
            "nascimento":"01021990","telefone":11987654321})");
    return {
        {"numeroCartao", "1000000002"}, {"cpf", "529.982.247-25"}, {"consumidor", consumidor}, {"endereco", endereco}};
}

class ProbeRig {
  public:
    explicit ProbeRig(sandbox::Options options = {}) : model_options(std::move(options)) {
        model_options.app_secret = config.provider.app_secret;
        model.emplace(model_options, model_random, *silent);
        provider.emplace(*model, clock);
        tokens.emplace(*model, clock);
    }

    // Runs the probe in the folder. Its results are in `book()` and in the folder's files afterwards. What an earlier
    // run has started goes on beside it, so the parts of that run are kept.
    probe::Ending run(bool revisit = false) {
        if (!runs.empty()) {
            runs.back().end();
            clock.advance(Duration(2));  // what it has sent is answered
        }
        auto& parts = runs.emplace_back(*this);
        return probe::run_trials(parts.setting, revisit).ending;
    }
    const probe::Notebook& book() const { return runs.back().book; }
    probe::Ledger& ledger() { return *runs.back().ledger; }
    probe::Bench& bench() { return runs.back().bench; }
    std::string folder_path() const { return folder.path("probe"); }

    // Returns the sales that are open at the provider.
    std::vector<std::string> open_at_provider() const {
        std::vector<std::string> open;
        for (const auto& entry : model->books().all())
            if (entry.status == sandbox::Status::autorizada) open.push_back(entry.idExterno);
        return open;
    }

    boost::asio::io_context io{1};
    VirtualClock clock{io};
    std::unique_ptr<Log> silent = make_silent_log();
    sandbox::SeededRandom model_random{7};
    sandbox::SeededRandom random{11};
    Config config = config_of_sandbox();
    sandbox::Options model_options;
    std::optional<sandbox::Model> model;
    std::optional<ModelClient> provider;
    std::optional<ModelClient> tokens;
    probe::Arguments arguments;
    TemporaryFolder folder;
    struct Run {
        explicit Run(ProbeRig& rig)
            : ledger(std::in_place, rig.folder_path(), rig.clock),
              transcript(rig.folder_path() + "/transcript.jsonl", rig.clock, mask),
              book(rig.folder_path() + "/notebook.jsonl", rig.clock),
              log(rig.clock, mask),
              sales_through(*rig.provider),
              tokens_through(*rig.tokens),
              provider(sales_through, transcript, "provider"),
              tokens(tokens_through, transcript, "token_service"),
              receiver(rig.clock),
              bench(rig.config.provider, rig.config.sale.late_arrival,
                    {.executor = rig.io.get_executor(),
                     .provider = provider,
                     .tokens = tokens,
                     .transcript = transcript,
                     .clock = rig.clock,
                     .random = rig.random,
                     .log = log,
                     .ledger = *ledger,
                     .drive = [&rig](const auto& is_over) { rig.drive(is_over); }}),
              setting{.bench = bench,
                      .book = book,
                      .mask = mask,
                      .log = log,
                      .config = rig.config,
                      .arguments = rig.arguments,
                      .customer = test_customer(),
                      .receiver = &receiver,
                      .say = [&rig](const std::string& line) { rig.said.push_back(line); },
                      .begins = [](const std::string&) {},
                      .keep_sample = [](const std::string&, const std::string&) {}} {}

        void end() {
            ledger.reset();
            sales_through.ended = tokens_through.ended = true;
        }

        probe::Mask mask;
        std::optional<probe::Ledger> ledger;
        probe::Transcript transcript;
        probe::Notebook book;
        probe::TrialLog log;
        ClientOfRun sales_through;
        ClientOfRun tokens_through;
        probe::TranscriptClient provider;
        probe::TranscriptClient tokens;
        probe::CallbackReceiver receiver;
        probe::Bench bench;
        probe::Setting setting;
    };
    std::list<Run> runs;
    std::vector<std::string> said;

  private:
    // Lets time jump from one thing that is due to the next, on either side.
    void drive(const std::function<bool()>& is_over) {
        clock.settle();
        while (!is_over()) {
            call_back();
            const auto due = model->next_due();
            const auto next = boost::asio::use_service<VirtualTime>(io).next();
            const auto model_in = due ? std::max(Duration(0), *due - clock.wall()) : Duration::max();
            const auto timer_in = std::chrono::duration_cast<Duration>(next - clock.now());
            if (next == never && !due) throw std::runtime_error("the probe waits for nothing");
            clock.advance(std::max(Duration(1), next == never ? model_in : std::min(model_in, timer_in)));
        }
    }
    void call_back() {
        for (const auto& delivery : model->advance(clock.wall())) {
            const std::string_view url = delivery.url;
            const auto kind = url.substr(url.rfind('/') + 1);
            const auto rest = url.substr(0, url.rfind('/'));
            const int status =
                runs.back().receiver.take(rest.substr(rest.rfind('/') + 1), kind == "recharge", delivery.body);
            model->callback_answered(delivery.id, status, clock.wall());
        }
    }
};

}  // namespace gateway::test
