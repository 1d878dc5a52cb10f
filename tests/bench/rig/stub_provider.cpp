#include "bench/rig/stub_provider.hpp"

#include "bench/rig/check.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rig {
namespace {

constexpr std::string_view token_answer =
    R"({"access_token":"b3f0c2a1-7d4e-4a55-9c3f-0a1b2c3d4e5f","token_type":"Bearer","expires_in":86400})";
constexpr std::string_view authorised =
    R"({{"venda":{{"estabelecimento":{{"cnpjCpf":"12.345.678/0001-90","nome":"Loja Exemplo Ltda"}},)"
    R"("produto":{{"fornecedor":{{"nome":"TV Exemplo"}}}},)"
    R"("transacao":{{"valor":4900,"status":"AUTORIZADA","instrucao":"{{\"recargaTV\":{{\"nsuFornecedor\":\"{0}\",)"
    R"(\"mensagens\":[\"Recarga de TV\",\"Validade de 30 dias\"],\"mensagem_validade\":\"30 dias\"}}}}",)"
    R"("idTransacao":"{0}","dataHora":"2026-05-02T10:11:12.000-03:00"}},"idExterno":"{1}"}}}})";
constexpr std::string_view settled = R"({{"transacao":{{"status":"{}","idTransacao":"{}"}}}})";

constexpr std::string_view offer = R"({"valores":[{"chave":"Mensal","valor":"101;4900"}]})";

// Returns the text of a field of a JSON object: the peers of the rig send no escapes.
std::string_view field(std::string_view json, std::string_view name) {
    const auto at = json.find(name);
    if (at == json.npos) return {};
    const auto begin = json.find('"', at + name.size());  // after the colon, with or without a space
    if (begin == json.npos) return {};
    return json.substr(begin + 1, json.find('"', begin + 1) - begin - 1);
}

std::string http(int status, std::string_view body) {
    return fmt::format("HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                       status == 200 ? "200 OK" : "500 Internal Server Error", body.size(), body);
}

std::string_view path_of(std::string_view request) {
    const auto begin = request.find(' ') + 1;
    return request.substr(begin, request.find(' ', begin) - begin);
}

}  // namespace

class StubProvider::Caller final : public Stream, public std::enable_shared_from_this<Caller> {
  public:
    Caller(StubProvider& stub, int descriptor, Ssl tls)
        : Stream(stub.poller_, descriptor, std::move(tls)), stub_(stub) {}

  private:
    void received(std::string_view message) override { stub_.answer(shared_from_this(), message); }
    void ended() override { stub_.callers_.erase(this); }
    void handshake_done() override {
        ++(SSL_session_reused(const_cast<SSL*>(tls())) != 0 ? stub_.counts_.handshakes_resumed
                                                            : stub_.counts_.handshakes_full);
    }

    StubProvider& stub_;
};

StubProvider::StubProvider(Poller& poller, Books& books, StubOptions options)
    : poller_(poller),
      books_(books),
      options_(std::move(options)),
      hanging_(options_.hanging),
      listener_(listen_on(options_.port)) {
    if (!options_.certificate.empty()) {
        tls_.reset(SSL_CTX_new(TLS_server_method()));
        if (SSL_CTX_use_certificate_chain_file(tls_.get(), options_.certificate.c_str()) != 1 ||
            SSL_CTX_use_PrivateKey_file(tls_.get(), options_.key.c_str(), SSL_FILETYPE_PEM) != 1)
            fail("certificate and key", ERR_error_string(ERR_get_error(), nullptr));
        SSL_CTX_set_mode(tls_.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    }
    poller_.watch(listener_, *this, false);
}

StubProvider::~StubProvider() {
    callers_.clear();
    poller_.forget(listener_);
    close(listener_);
}

int StubProvider::port() const {
    return port_of(listener_);
}

void StubProvider::ready(std::uint32_t /*events*/) {
    for (;;) {
        const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) {
            if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) return;
            fail("accept", std::strerror(errno));
        }
        ++counts_.connections;
        const auto caller = std::make_shared<Caller>(*this, descriptor, Ssl(tls_ ? SSL_new(tls_.get()) : nullptr));
        callers_.emplace(caller.get(), caller);
    }
}

void StubProvider::answer(const std::shared_ptr<Caller>& caller, std::string_view request) {
    ++counts_.calls;
    const bool of_a_sale = request.starts_with("POST") && path_of(request).find("/token") == std::string_view::npos;
    auto delay = of_a_sale ? options_.delay : std::chrono::milliseconds(0);
    auto text = answer_to(request);
    if (of_a_sale && static_cast<int>(chance_() % 1000) < options_.misbehaving) {
        ++counts_.misbehaved;
        switch (chance_() % 3) {
            case 0: return;  // never
            case 1: text = http(500, "{}"); break;
            default: delay += options_.late_by;  // default: the last third
        }
    }
    if (hanging_ && (of_a_sale || !held_.empty()))
        held_.emplace_back(caller, std::move(text));
    else if (delay.count() > 0)
        answer_at(Clock::now() + delay, caller, std::move(text));
    else
        caller->send(text);
}

void StubProvider::answer_at(Instant when, const std::shared_ptr<Caller>& caller, std::string text) {
    poller_.at(when, [weak = std::weak_ptr(caller), text = std::move(text)] {
        const auto there = weak.lock();
        if (there && there->open()) there->send(text);
    });
}

std::string StubProvider::answer_to(std::string_view request) {
    const auto path = path_of(request);
    const auto body = body_of(request);
    if (path.ends_with("/solicitar"))
        return http(200, fmt::format(authorised, next_transaction_++, field(body, "\"idExterno\":")));
    if (path.ends_with("/confirmar")) {
        const auto id_transacao = field(body, "\"idTransacao\":");
        books_.sell(id_transacao);
        return http(200, fmt::format(settled, "EFETIVADA", id_transacao));
    }
    if (path.ends_with("/cancelar")) return http(200, fmt::format(settled, "CANCELADA", ""));
    if (path.find("/consulta-dinamica/") != path.npos) return http(200, offer);
    return http(200, token_answer);
}

void StubProvider::release() {
    hanging_ = false;
    for (const auto& [weak, text] : std::exchange(held_, {}))
        if (const auto caller = weak.lock(); caller && caller->open()) caller->send(text);
}

}  // namespace rig
