#include "journal/field_cipher.hpp"

#include "base/ascii.hpp"
#include "base/digest.hpp"
#include "journal/sqlite/database.hpp"
#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

constexpr FieldAddress address{"sales.request/", "01JD3W4Q8YAAAAAAAAAAAAAAAA"};
const Secret first(std::string(FieldCipher::key_size, 'a'));
const Secret second(std::string(FieldCipher::key_size, 'b'));

// Makes a row of one column, as a cipher reads it.
Rows row_of(const ColumnValue& value) {
    auto database = *sqlite::Database::open(":memory:", nullptr);
    return database.ask("SELECT ?", value).value();
}

ColumnValue blob(std::string_view bytes) {
    return {.kind = ColumnValue::Kind::blob, .bytes = bytes};
}

struct FieldCipherTest : ::testing::Test {
    std::string encrypted_by(FieldCipher& by, std::string_view plain, const FieldAddress& where = address) {
        std::string buffer;
        EXPECT_EQ(by.encrypt(where, plain, buffer).kind, ColumnValue::Kind::blob);
        return buffer;
    }
    // Returns the decrypted value; nothing where it cannot be decrypted.
    std::optional<std::string> decrypted_by(FieldCipher& by, std::string_view encrypted,
                                            const FieldAddress& where = address) {
        const auto row = row_of(blob(encrypted));
        std::string plain = "left over";
        if (by.decrypt(where, row.front(), 0, plain)) return plain;
        EXPECT_EQ(plain, "");
        return std::nullopt;
    }

    SeededRandom random;
    FieldCipher cipher{{first}, random};
};

TEST_F(FieldCipherTest, OpensWhatItEncrypted) {
    for (const auto* plain : {"x", "{\"cpf\":\"123.456.789-09\"}", "Olá, não é ASCII"})
        EXPECT_EQ(decrypted_by(cipher, encrypted_by(cipher, plain)), plain);
    const std::string longest(1 << 20, 'l');
    EXPECT_EQ(decrypted_by(cipher, encrypted_by(cipher, longest)), longest);
}

// Encrypted once more by the library alone, as the format is described: what a tool in another language would do to
// open it.
TEST_F(FieldCipherTest, IsAes256GcmWithTheAddressAsAssociatedData) {
    const std::string plain = "PIN 998877";
    const auto encrypted = encrypted_by(cipher, plain);
    ASSERT_EQ(encrypted.size(), 1 + 8 + 12 + plain.size() + 16);
    const auto at = [&](std::size_t offset) {
        return reinterpret_cast<const unsigned char*>(encrypted.data()) + offset;
    };
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                  &EVP_CIPHER_CTX_free);
    const auto* key = reinterpret_cast<const unsigned char*>(first.reveal().data());
    ASSERT_EQ(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key, at(9)), 1);
    const auto associated = std::string(address.column) + std::string(address.row);
    int length = 0;
    EVP_EncryptUpdate(context.get(), nullptr, &length, reinterpret_cast<const unsigned char*>(associated.data()),
                      static_cast<int>(associated.size()));
    std::string text(plain.size(), '\0');
    EVP_EncryptUpdate(context.get(), reinterpret_cast<unsigned char*>(text.data()), &length,
                      reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
    EVP_EncryptFinal_ex(context.get(), nullptr, &length);
    std::string tag(16, '\0');
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data());
    EXPECT_EQ(encrypted.substr(21), text + tag);
}

// A journal that is written today is read by later versions.
TEST_F(FieldCipherTest, AValueBeginsWithItsFormatAndTheDigestOfItsKey) {
    const auto name = sha256_hex("sales-gateway journal key\n" + first.reveal()).substr(0, 16);
    EXPECT_EQ(cipher.current(), name);
    EXPECT_EQ(encrypted_by(cipher, "x").substr(0, 9), '\1' + from_hex(name).value());
}

TEST_F(FieldCipherTest, NoTwoValuesAreAlike) {
    std::set<std::string> all;
    for (int i = 0; i < 1000; ++i)
        all.insert(encrypted_by(cipher, "the same"));
    EXPECT_EQ(all.size(), 1000U);
}

TEST_F(FieldCipherTest, AValueThatWasMovedIsNotDecrypted) {
    const auto encrypted = encrypted_by(cipher, "plain");
    EXPECT_EQ(decrypted_by(cipher, encrypted, {"sales.request/", "01JD3W4Q8YBBBBBBBBBBBBBBBB"}), std::nullopt);
    EXPECT_EQ(decrypted_by(cipher, encrypted, {"sales.goods/", address.row}), std::nullopt);
}

TEST_F(FieldCipherTest, NoValueOpensThatIsNotWhole) {
    const auto encrypted = encrypted_by(cipher, "plain");
    std::vector<std::string> altered{encrypted + "x"};
    for (std::size_t i = 0; i < encrypted.size() * 8; ++i) {
        altered.push_back(encrypted);
        altered.back()[i / 8] = static_cast<char>(encrypted[i / 8] ^ (1 << (i % 8)));
    }
    for (std::size_t size = 0; size < encrypted.size(); ++size)
        altered.push_back(encrypted.substr(0, size));
    for (std::size_t i = 0; i < altered.size(); ++i)
        EXPECT_EQ(decrypted_by(cipher, altered[i]), std::nullopt) << i;
}

// A change of keys leaves it as it is: nobody could read it afterwards either.
TEST_F(FieldCipherTest, AValueThatWasCutBehindItsTagIsOfItsKey) {
    const std::string plain = "plain";
    const auto cut = encrypted_by(cipher, plain).substr(0, 1 + 8 + 12 + 16);
    EXPECT_FALSE(cipher.is_outdated(row_of(blob(cut)).front(), 0));
}

TEST_F(FieldCipherTest, AnOlderKeyOpensAndOnlyTheFirstEncrypts) {
    FieldCipher both({second, first}, random);
    const auto old_one = encrypted_by(cipher, "plain");
    const auto new_one = encrypted_by(both, "plain");
    EXPECT_EQ(decrypted_by(both, old_one), "plain");
    EXPECT_EQ(decrypted_by(both, new_one), "plain");
    EXPECT_EQ(decrypted_by(cipher, new_one), std::nullopt);
    EXPECT_TRUE(both.is_outdated(row_of(blob(old_one)).front(), 0));
    EXPECT_FALSE(both.is_outdated(row_of(blob(new_one)).front(), 0));
    EXPECT_NE(both.current(), cipher.current());
    EXPECT_TRUE(both.has(cipher.current()));
    EXPECT_FALSE(cipher.has(both.current()));
    EXPECT_FALSE(cipher.has("")) << "that is nobody's name";
    EXPECT_EQ(cipher.current().size(), 16U);
}

TEST_F(FieldCipherTest, ATextWasWrittenWithoutAKeyAndIsReadAsItIs) {
    const ColumnValue text{.kind = ColumnValue::Kind::text, .bytes = "plain"};
    const auto row = row_of(text);
    std::string plain;
    EXPECT_TRUE(cipher.decrypt(address, row.front(), 0, plain));
    EXPECT_EQ(plain, "plain");
    EXPECT_TRUE(cipher.is_outdated(row.front(), 0));
    EXPECT_FALSE(FieldCipher().is_outdated(row.front(), 0));
}

TEST_F(FieldCipherTest, NothingStaysNothingAndEmptyStaysEmpty) {
    std::string buffer;
    EXPECT_EQ(cipher.encrypt(address, std::nullopt, buffer).kind, ColumnValue::Kind::null);
    EXPECT_EQ(cipher.encrypt(address, "", buffer).kind, ColumnValue::Kind::text);
    const auto row = row_of(ColumnValue{});
    std::string plain = "left over";
    EXPECT_TRUE(cipher.decrypt(address, row.front(), 0, plain));
    EXPECT_EQ(plain, "");
    EXPECT_FALSE(cipher.is_outdated(row.front(), 0));
    EXPECT_FALSE(cipher.is_outdated(row_of({.kind = ColumnValue::Kind::text, .bytes = ""}).front(), 0));
}

TEST_F(FieldCipherTest, WithoutAKeyTextStaysTextAndNothingEncryptedOpens) {
    FieldCipher none;
    std::string buffer;
    const auto value = none.encrypt(address, "plain", buffer);
    EXPECT_EQ(value.kind, ColumnValue::Kind::text);
    EXPECT_EQ(value.bytes, "plain");
    EXPECT_FALSE(none.encrypts());
    EXPECT_FALSE(FieldCipher({}, random).encrypts());
    EXPECT_EQ(decrypted_by(none, encrypted_by(cipher, "plain")), std::nullopt);
}

}  // namespace
}  // namespace gateway::test
