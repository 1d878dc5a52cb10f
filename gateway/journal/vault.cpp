#include "journal/vault.hpp"

#include "base/check.hpp"
#include "base/digest.hpp"

#include <algorithm>
#include <span>

namespace gateway {
namespace {

// A later format has another number.
constexpr char format = 1;

unsigned char* bytes(char* text) {
    return reinterpret_cast<unsigned char*>(text);
}
const unsigned char* bytes(const char* text) {
    return reinterpret_cast<const unsigned char*>(text);
}
int size(std::string_view text) {
    return static_cast<int>(text.size());
}

// Hands the value's place to the cipher as what is not sealed but must be the same when the value is opened.
bool bind_to(EVP_CIPHER_CTX* context, const Place& place, bool sealing) {
    int length = 0;
    const auto update = sealing ? &EVP_EncryptUpdate : &EVP_DecryptUpdate;
    return update(context, nullptr, &length, bytes(place.column.data()), size(place.column)) == 1 &&
           update(context, nullptr, &length, bytes(place.row.data()), size(place.row)) == 1;
}

std::string from_hex(std::string_view hex) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string raw;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        raw += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    return raw;
}

}  // namespace

Vault::Vault(const std::vector<Secret>& keys, Random& random) : random_(&random) {
    const auto context_of = [](const Secret& key, bool sealing) {
        Context context(EVP_CIPHER_CTX_new());
        const auto* raw = bytes(key.reveal().data());
        CHECK(context && key.reveal().size() == key_size);
        CHECK(EVP_CipherInit_ex2(context.get(), EVP_aes_256_gcm(), raw, nullptr, sealing ? 1 : 0, nullptr) == 1);
        return context;
    };
    for (const auto& key : keys) {
        // Named by its digest, so that a key cannot be given another's name by mistake. It is random, so its digest
        // says nothing about it.
        auto name = sha256_hex("sales-gateway journal key\n" + key.reveal()).substr(0, 2 * id_size);
        auto id = from_hex(name);
        keys_.push_back({std::move(id), std::move(name), context_of(key, false)});
    }
    if (!keys.empty()) sealing_ = context_of(keys.front(), true);
}

bool Vault::has(std::string_view name) const noexcept {
    return std::ranges::any_of(keys_, [&](const Key& key) { return key.name == name; });
}

sqlite::Value Vault::seal(const Place& place, std::optional<std::string_view> plain, std::string& room) {
    if (!plain) return {.kind = sqlite::Value::Kind::null};
    if (!seals() || plain->empty()) return {.kind = sqlite::Value::Kind::text, .bytes = *plain};
    room.resize(front_size + plain->size() + tag_size);
    room[0] = format;
    std::ranges::copy(keys_.front().id, room.begin() + 1);
    char* const nonce = room.data() + 1 + id_size;
    random_->fill(std::as_writable_bytes(std::span(nonce, nonce_size)));
    char* const text = room.data() + front_size;
    auto* const context = sealing_.get();
    int length = 0;
    CHECK(EVP_EncryptInit_ex2(context, nullptr, nullptr, bytes(nonce), nullptr) == 1);
    CHECK(bind_to(context, place, true));
    CHECK(EVP_EncryptUpdate(context, bytes(text), &length, bytes(plain->data()), size(*plain)) == 1);
    CHECK(EVP_EncryptFinal_ex(context, bytes(text + length), &length) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag_size, text + plain->size()) == 1);
    return {.kind = sqlite::Value::Kind::blob, .bytes = room};
}

bool Vault::open(const Place& place, const sqlite::Statement& row, int column, std::string& plain) {
    if (!row.is_blob(column)) {
        plain = row.text(column);
        return true;
    }
    const auto sealed = row.blob(column);
    const auto* key = key_of(sealed);
    if (key != nullptr && unseal(*key, place, sealed, plain)) return true;
    plain.clear();
    return false;
}

bool Vault::unseal(const Key& key, const Place& place, std::string_view sealed, std::string& plain) {
    auto* const context = key.opening.get();
    const auto text = sealed.substr(front_size, sealed.size() - front_size - tag_size);
    std::array<char, tag_size> tag{};  // the library takes it as something that it might write to
    std::ranges::copy(sealed.substr(sealed.size() - tag_size), tag.begin());
    plain.resize(text.size());
    int length = 0;
    return EVP_DecryptInit_ex2(context, nullptr, nullptr, bytes(sealed.data() + 1 + id_size), nullptr) == 1 &&
           bind_to(context, place, false) &&
           EVP_DecryptUpdate(context, bytes(plain.data()), &length, bytes(text.data()), size(text)) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1 &&
           EVP_DecryptFinal_ex(context, bytes(plain.data() + length), &length) == 1;
}

bool Vault::is_outdated(const sqlite::Statement& row, int column) const {
    if (!seals() || row.is_null(column)) return false;
    if (row.is_blob(column)) return key_of(row.blob(column)) != &keys_.front();
    return !row.text(column).empty();
}

const Vault::Key* Vault::key_of(std::string_view sealed) const noexcept {
    if (sealed.size() < front_size + tag_size || sealed[0] != format) return nullptr;
    const auto found = std::ranges::find(keys_, sealed.substr(1, id_size), &Key::id);
    return found == keys_.end() ? nullptr : &*found;
}

}  // namespace gateway
