#include "journal/field_cipher.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/digest.hpp"

#include <algorithm>
#include <span>

namespace gateway {
namespace {

// A later format will have another number.
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

// Hands the value's address to the cipher. The cipher does not encrypt it, but needs the same address to decrypt the
// value.
bool bind_to(EVP_CIPHER_CTX* context, const FieldAddress& address, bool encrypting) {
    int length = 0;
    const auto update = encrypting ? &EVP_EncryptUpdate : &EVP_DecryptUpdate;
    return update(context, nullptr, &length, bytes(address.column.data()), size(address.column)) == 1 &&
           update(context, nullptr, &length, bytes(address.row.data()), size(address.row)) == 1;
}

}  // namespace

FieldCipher::FieldCipher(const std::vector<Secret>& keys, Random& random) : random_(&random) {
    const auto context_of = [](const Secret& key, bool encrypting) {
        Context context(EVP_CIPHER_CTX_new());
        const auto* raw = bytes(key.reveal().data());
        CHECK(context && key.reveal().size() == key_size);
        CHECK(EVP_CipherInit_ex2(context.get(), EVP_aes_256_gcm(), raw, nullptr, encrypting ? 1 : 0, nullptr) == 1);
        return context;
    };
    for (const auto& key : keys) {
        // A key is named by its digest, so that it cannot be given the name of another by mistake. Because a key is
        // random, its digest tells nothing about it.
        auto name = sha256_hex("sales-gateway journal key\n" + key.reveal()).substr(0, 2 * id_size);
        auto id = from_hex(name).value();
        keys_.push_back({std::move(id), std::move(name), context_of(key, false)});
    }
    if (!keys.empty()) encryption_ = context_of(keys.front(), true);
}

bool FieldCipher::has(std::string_view name) const noexcept {
    return std::ranges::any_of(keys_, [&](const Key& key) { return key.name == name; });
}

ColumnValue FieldCipher::encrypt(const FieldAddress& address, std::optional<std::string_view> plain,
                                 std::string& buffer) {
    if (!plain) return {.kind = ColumnValue::Kind::null};
    if (!encrypts() || plain->empty()) return {.kind = ColumnValue::Kind::text, .bytes = *plain};
    buffer.resize(front_size + plain->size() + tag_size);
    buffer[0] = format;
    std::ranges::copy(keys_.front().id, buffer.begin() + 1);
    char* const nonce = buffer.data() + 1 + id_size;
    random_->fill(std::as_writable_bytes(std::span(nonce, nonce_size)));
    char* const text = buffer.data() + front_size;
    auto* const context = encryption_.get();
    int length = 0;
    CHECK(EVP_EncryptInit_ex2(context, nullptr, nullptr, bytes(nonce), nullptr) == 1);
    CHECK(bind_to(context, address, true));
    CHECK(EVP_EncryptUpdate(context, bytes(text), &length, bytes(plain->data()), size(*plain)) == 1);
    CHECK(EVP_EncryptFinal_ex(context, bytes(text + length), &length) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag_size, text + plain->size()) == 1);
    return {.kind = ColumnValue::Kind::blob, .bytes = buffer};
}

bool FieldCipher::decrypt(const FieldAddress& address, const Row& row, int column, std::string& plain) {
    if (!row.is_blob(column)) {
        plain = row.text(column);
        return true;
    }
    const auto encrypted = row.blob(column);
    const auto* key = key_of(encrypted);
    if (key != nullptr && decrypt_with(*key, address, encrypted, plain)) return true;
    plain.clear();
    return false;
}

bool FieldCipher::decrypt_with(const Key& key, const FieldAddress& address, std::string_view encrypted,
                               std::string& plain) {
    auto* const context = key.decryption.get();
    const auto text = encrypted.substr(front_size, encrypted.size() - front_size - tag_size);
    std::array<char, tag_size> tag{};  // the library takes it as something that it might write to
    std::ranges::copy(encrypted.substr(encrypted.size() - tag_size), tag.begin());
    plain.resize(text.size());
    int length = 0;
    return EVP_DecryptInit_ex2(context, nullptr, nullptr, bytes(encrypted.data() + 1 + id_size), nullptr) == 1 &&
           bind_to(context, address, false) &&
           EVP_DecryptUpdate(context, bytes(plain.data()), &length, bytes(text.data()), size(text)) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1 &&
           EVP_DecryptFinal_ex(context, bytes(plain.data() + length), &length) == 1;
}

bool FieldCipher::is_outdated(const Row& row, int column) const {
    if (!encrypts() || row.is_null(column)) return false;
    if (row.is_blob(column)) return key_of(row.blob(column)) != &keys_.front();
    return !row.text(column).empty();
}

const FieldCipher::Key* FieldCipher::key_of(std::string_view encrypted) const noexcept {
    if (encrypted.size() < front_size + tag_size || encrypted[0] != format) return nullptr;
    const auto found = std::ranges::find(keys_, encrypted.substr(1, id_size), &Key::id);
    return found == keys_.end() ? nullptr : &*found;
}

}  // namespace gateway
