#include "base/digest.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <memory>
#include <span>

namespace gateway {
namespace {

struct Free {
    void operator()(EVP_MD* algorithm) const noexcept { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

// The algorithm is fetched only once, because OpenSSL otherwise searches its providers for every digest.
EVP_MD* sha256() {
    static const std::unique_ptr<EVP_MD, Free> algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    CHECK(algorithm);
    return algorithm.get();
}

EVP_MD_CTX* context_of_this_thread() {
    thread_local const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
    CHECK(context);
    return context.get();
}

void start_digest(EVP_MD_CTX* context) {
    CHECK(EVP_DigestInit_ex2(context, sha256(), nullptr) == 1);
}

void add_to_digest(EVP_MD_CTX* context, std::string_view data) {
    CHECK(EVP_DigestUpdate(context, data.data(), data.size()) == 1);
}

std::string end_digest(EVP_MD_CTX* context) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    CHECK(EVP_DigestFinal_ex(context, digest.data(), &length) == 1);
    return to_hex(std::as_bytes(std::span(digest).first(length)));
}

}  // namespace

std::string sha256_hex(std::string_view data) {
    auto* const context = context_of_this_thread();
    start_digest(context);
    add_to_digest(context, data);
    return end_digest(context);
}

struct Sha256::State {
    std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    CHECK(state_->context);
    start_digest(state_->context.get());
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view data) {
    add_to_digest(state_->context.get(), data);
}

std::string Sha256::hex() {
    return end_digest(state_->context.get());
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gateway
