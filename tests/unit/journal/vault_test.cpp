#include "journal/vault.hpp"

#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

constexpr Place place{"sales.request/", "01JD3W4Q8YAAAAAAAAAAAAAAAA"};
const Secret first(std::string(Vault::key_size, 'a'));
const Secret second(std::string(Vault::key_size, 'b'));

// A row of one column, as a vault reads it.
class Row {
  public:
    explicit Row(const sqlite::Value& value)
        : connection_(std::move(*sqlite::Connection::open(":memory:", nullptr))), statement_(connection_, "SELECT ?") {
        statement_.bind_all(value);
        EXPECT_TRUE(statement_.step().value());
    }
    const sqlite::Statement& statement() const { return statement_; }

  private:
    sqlite::Connection connection_;
    sqlite::Statement statement_;
};

sqlite::Value blob(std::string_view bytes) {
    return {.kind = sqlite::Value::Kind::blob, .bytes = bytes};
}

struct VaultTest : ::testing::Test {
    std::string sealed_by(Vault& by, std::string_view plain, const Place& where = place) {
        std::string room;
        EXPECT_EQ(by.seal(where, plain, room).kind, sqlite::Value::Kind::blob);
        return room;
    }
    // What opening gives; nothing where it does not open.
    std::optional<std::string> opened_by(Vault& by, std::string_view sealed, const Place& where = place) {
        const Row row(blob(sealed));
        std::string plain = "left over";
        if (by.open(where, row.statement(), 0, plain)) return plain;
        EXPECT_EQ(plain, "");
        return std::nullopt;
    }

    SeededRandom random;
    Vault vault{{first}, random};
};

TEST_F(VaultTest, OpensWhatItSealed) {
    for (const auto* plain : {"x", "{\"cpf\":\"123.456.789-09\"}", "Olá, não é ASCII"})
        EXPECT_EQ(opened_by(vault, sealed_by(vault, plain)), plain);
    const std::string longest(1 << 20, 'l');
    EXPECT_EQ(opened_by(vault, sealed_by(vault, longest)), longest);
}

// Sealed once more by the library alone, as the format is described: what a tool in another language would do to open
// it.
TEST_F(VaultTest, IsAes256GcmWithThePlaceAsAssociatedData) {
    const std::string plain = "PIN 998877";
    const auto sealed = sealed_by(vault, plain);
    ASSERT_EQ(sealed.size(), 1 + 8 + 12 + plain.size() + 16);
    const auto at = [&](std::size_t offset) { return reinterpret_cast<const unsigned char*>(sealed.data()) + offset; };
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                  &EVP_CIPHER_CTX_free);
    const auto* key = reinterpret_cast<const unsigned char*>(first.reveal().data());
    ASSERT_EQ(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key, at(9)), 1);
    const auto associated = std::string(place.column) + std::string(place.row);
    int length = 0;
    EVP_EncryptUpdate(context.get(), nullptr, &length, reinterpret_cast<const unsigned char*>(associated.data()),
                      static_cast<int>(associated.size()));
    std::string text(plain.size(), '\0');
    EVP_EncryptUpdate(context.get(), reinterpret_cast<unsigned char*>(text.data()), &length,
                      reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
    EVP_EncryptFinal_ex(context.get(), nullptr, &length);
    std::string tag(16, '\0');
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data());
    EXPECT_EQ(sealed.substr(21), text + tag);
}

TEST_F(VaultTest, TheSealedValueHoldsNothingOfThePlainOne) {
    EXPECT_EQ(sealed_by(vault, "123.456.789-09").find("456"), std::string::npos);
}

TEST_F(VaultTest, NoTwoValuesAreAlike) {
    std::set<std::string> all;
    for (int i = 0; i < 1000; ++i)
        all.insert(sealed_by(vault, "the same"));
    EXPECT_EQ(all.size(), 1000U);
}

TEST_F(VaultTest, AValueThatWasMovedDoesNotOpen) {
    const auto sealed = sealed_by(vault, "plain");
    EXPECT_EQ(opened_by(vault, sealed, {"sales.request/", "01JD3W4Q8YBBBBBBBBBBBBBBBB"}), std::nullopt);
    EXPECT_EQ(opened_by(vault, sealed, {"sales.goods/", place.row}), std::nullopt);
}

TEST_F(VaultTest, AnyBitThatIsChangedKeepsAValueFromOpening) {
    const auto sealed = sealed_by(vault, "plain");
    for (std::size_t i = 0; i < sealed.size() * 8; ++i) {
        auto changed = sealed;
        changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
        EXPECT_EQ(opened_by(vault, changed), std::nullopt) << "bit " << i;
    }
}

TEST_F(VaultTest, AnyPieceOfAValueDoesNotOpen) {
    const auto sealed = sealed_by(vault, "plain");
    for (std::size_t size = 0; size < sealed.size(); ++size)
        EXPECT_EQ(opened_by(vault, sealed.substr(0, size)), std::nullopt) << size;
    EXPECT_EQ(opened_by(vault, sealed + "x"), std::nullopt);
}

TEST_F(VaultTest, AnOlderKeyOpensAndOnlyTheFirstSeals) {
    Vault both({second, first}, random);
    const auto old_one = sealed_by(vault, "plain");
    const auto new_one = sealed_by(both, "plain");
    EXPECT_EQ(opened_by(both, old_one), "plain");
    EXPECT_EQ(opened_by(both, new_one), "plain");
    EXPECT_EQ(opened_by(vault, new_one), std::nullopt);
    EXPECT_TRUE(both.is_outdated(Row(blob(old_one)).statement(), 0));
    EXPECT_FALSE(both.is_outdated(Row(blob(new_one)).statement(), 0));
    EXPECT_NE(both.current(), vault.current());
    EXPECT_TRUE(both.has(vault.current()));
    EXPECT_FALSE(vault.has(both.current()));
}

TEST_F(VaultTest, ATextWasWrittenWithoutAKeyAndIsReadAsItIs) {
    const sqlite::Value text{.kind = sqlite::Value::Kind::text, .bytes = "plain"};
    const Row row(text);
    std::string plain;
    EXPECT_TRUE(vault.open(place, row.statement(), 0, plain));
    EXPECT_EQ(plain, "plain");
    EXPECT_TRUE(vault.is_outdated(row.statement(), 0));
    EXPECT_FALSE(Vault().is_outdated(row.statement(), 0));
}

TEST_F(VaultTest, NothingStaysNothingAndEmptyStaysEmpty) {
    std::string room;
    EXPECT_EQ(vault.seal(place, std::nullopt, room).kind, sqlite::Value::Kind::null);
    EXPECT_EQ(vault.seal(place, "", room).kind, sqlite::Value::Kind::text);
    const Row row(sqlite::Value{});
    std::string plain = "left over";
    EXPECT_TRUE(vault.open(place, row.statement(), 0, plain));
    EXPECT_EQ(plain, "");
    EXPECT_FALSE(vault.is_outdated(row.statement(), 0));
}

TEST_F(VaultTest, WithoutAKeyTextStaysTextAndNothingSealedOpens) {
    Vault none;
    std::string room;
    const auto value = none.seal(place, "plain", room);
    EXPECT_EQ(value.kind, sqlite::Value::Kind::text);
    EXPECT_EQ(value.bytes, "plain");
    EXPECT_FALSE(none.seals());
    EXPECT_EQ(opened_by(none, sealed_by(vault, "plain")), std::nullopt);
}

TEST_F(VaultTest, AnEmptyKeyNameIsNobodys) {
    EXPECT_FALSE(vault.has(""));
    EXPECT_EQ(vault.current().size(), 16U);
}

}  // namespace
}  // namespace gateway::test
