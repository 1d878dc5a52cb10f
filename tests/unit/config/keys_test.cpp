// Compares the table of keys with the files under config/. A new key must be explained there, or a test fails.
#include "config/keys.hpp"

#include "base/digest.hpp"
#include "sale/family.hpp"
#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace gateway {

namespace {

using test::TemporaryFolder;

std::string text_of(const std::string& name) {
    std::ifstream file(std::string(CONFIG_FOLDER) + "/" + name);
    EXPECT_TRUE(file) << name;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// Has one place for each key.
struct Everything {
    Config config;
    TerminalConfig terminal;
    Product product;
    Operator person;
    Target target{config, &terminal, &product, &person};
};

std::string complaint_of(const Key& key, Target& target, const std::string& value) {
    const auto table = toml::parse("v = " + value);
    return store(*table.get("v"), key.slot(target), key.rules.bounds).value_or("");
}

struct Entry {
    std::string value;
    bool commented_out = false;
    bool in_commented_section = false;  // in a list that may be left out
    bool explained = false;             // a comment stands above it, or above the keys right above it
};

// Returns every key of a file, also those that are commented out ("#key = value", without a space after the #).
std::map<std::string, Entry> entries_of(const std::string& text) {
    static const std::regex section(R"((#?)\[+([a-z._]+)\]+)");
    static const std::regex entry("(#?)([a-zA-Z_0-9]+) = (.+)");
    std::map<std::string, Entry> entries;
    std::string prefix;
    bool explained = false;
    bool in_comment = false;
    std::istringstream lines(text);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
        if (std::regex_match(line, match, section)) {
            prefix = match[2].str() + ".";
            in_comment = match[1].length() > 0;
        } else if (std::regex_match(line, match, entry)) {
            entries.try_emplace(prefix + match[2].str(), Entry{match[3], match[1].length() > 0, in_comment, explained});
            continue;
        }
        explained = line.starts_with("# ");
    }
    return entries;
}

}  // namespace

TEST(Keys, NamesAreUniqueAndWhatIsMissingIsSaidInASentence) {
    std::set<std::string_view> names;
    for (const auto& key : all_keys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
        EXPECT_TRUE(key.rules.missing.empty() || key.rules.missing.ends_with('.')) << key.name;
    }
}

TEST(Keys, NoTwoKeysWriteToOnePlace) {
    Everything made;
    std::set<const void*> places;
    for (const auto& key : all_keys()) {
        const auto* place = std::visit([](const auto* at) -> const void* { return at; }, key.slot(made.target));
        EXPECT_TRUE(places.insert(place).second) << key.name;
    }
}

// A family asks for a text of its products by the name of its key; the label is for people.
TEST(Keys, AFamilyFindsEveryTextOfAProductByTheNameOfItsKey) {
    for (const auto& key : all_keys()) {
        const auto name = key.name.substr(key.name.rfind('.') + 1);
        if (key.name != "products." + std::string(name) || name == "label") continue;
        Everything made;
        const auto slot = key.slot(made.target);
        auto* const* const text = std::get_if<std::string*>(&slot);
        if (text == nullptr) continue;
        **text = "x";
        EXPECT_EQ(listed_text(made.product, name), "x") << key.name << " has no row in text_fields";
    }
}

TEST(ExampleFile, ExplainsEveryKeyAndNoOther) {
    const auto entries = entries_of(text_of("gateway.example.toml"));
    for (const auto& key : all_keys()) {
        const auto found = entries.find(std::string(key.name));
        ASSERT_NE(found, entries.end()) << key.name << " is not in the example";
        EXPECT_TRUE(found->second.explained) << key.name << " has no comment above it";
    }
    for (const auto& entry : entries) {
        const auto& name = entry.first;
        EXPECT_TRUE(std::ranges::any_of(all_keys(), [&](const Key& key) { return key.name == name; })) << name;
    }
}

// A default is what the options of a part have when nobody sets anything. An empty value is no default.
TEST(ExampleFile, ShowsEveryDefaultCommentedOut) {
    const auto entries = entries_of(text_of("gateway.example.toml"));
    Everything made;
    Everything read;
    for (const auto& key : all_keys()) {
        const auto& entry = entries.at(std::string(key.name));
        const auto fallback = key.slot(made.target);
        if (key.rules.missing.empty() && !is_in_a_list(key) && !is_blank(fallback)) {
            EXPECT_EQ(complaint_of(key, read.target, entry.value), "") << key.name;
            EXPECT_TRUE(have_same_value(fallback, key.slot(read.target))) << key.name << " = " << entry.value;
            EXPECT_TRUE(entry.commented_out) << key.name;
        }
        EXPECT_FALSE(!key.rules.missing.empty() && entry.commented_out && !entry.in_commented_section) << key.name;
    }
}

TEST(ExampleFile, PassesOnceItsPlaceholdersAreReplaced) {
    const TemporaryFolder folder;
    folder.write("app_secret", "s3cret\n");
    auto text = text_of("gateway.example.toml");
    replace_all(text, "/etc/sales-gateway/app_secret", folder.path("app_secret"));
    replace_all(text, "/var/lib/sales-gateway/journal.db", folder.path("journal.db"));
    EXPECT_EQ(read_config(text).warnings.size(), 5U) << "each placeholder is told";
    replace_all(text, std::string(64, '0'), test::some_digest);
    replace_all(text, "provider.example\"", "provider.store\"");
    replace_all(text, "the app-key", "store-7");
    replace_all(text, "\"12345678\"", "\"87654321\"");
    const auto reading = read_config(text);
    EXPECT_EQ(test::lines(reading.errors), "");
    EXPECT_EQ(test::lines(reading.warnings), "");
}

// The example's products are used as by a store that removes the comment marks.
TEST(ExampleFile, ShowsAProductOfEachFamilyThatWouldPass) {
    std::istringstream file(text_of("gateway.example.toml"));
    std::string products;
    bool in_products = false;
    for (std::string line; std::getline(file, line);) {
        in_products = line == "#[[products]]" || (in_products && !line.empty());
        if (in_products && !line.starts_with("# ")) products += line.substr(1) + "\n";
    }
    const auto config = test::good(test::ConfigText().lines(products));
    std::set<Family> families;
    for (const auto& product : config.products)
        families.insert(product.family);
    EXPECT_EQ(families.size(), all_families.size());
}

// The manual pages are made from the examples, whose settings a gate compares.
TEST(Keys, EveryFamilyIsInTheExamples) {
    auto example = text_of("gateway.example.toml");
    auto translated = text_of("gateway.example.pt-BR.toml");
    const auto sandbox = text_of("sandbox.toml");
    for (const auto family : all_families) {
        const auto block = "family = \"" + std::string(to_string(family)) + "\"\n";
        EXPECT_NE(example.find("\n#" + block), std::string::npos) << block;
        EXPECT_NE(sandbox.find("\n" + block), std::string::npos) << block;
    }
    replace_all(example, "\n# ", " ");
    EXPECT_NE(example.find("the families that it may sell: " + family_names() + "."), std::string::npos);
    EXPECT_NE(example.find("The family: " + family_names() + "."), std::string::npos);
    replace_all(translated, "\n# ", " ");
    EXPECT_NE(translated.find("as famílias que ele pode vender: " + family_names() + "."), std::string::npos);
    EXPECT_NE(translated.find("A família: " + family_names() + "."), std::string::npos);
}

TEST(SandboxFile, PassesAndSellsEveryFamilyWithTheDocumentedKey) {
    const auto text = text_of("sandbox.toml");
    const auto reading = read_config(text);
    EXPECT_EQ(test::lines(reading.errors), "");
    ASSERT_TRUE(reading.config);
    ASSERT_EQ(reading.config->terminals.size(), 1U);
    EXPECT_EQ(reading.config->families_of(reading.config->terminals[0]).size(), all_families.size());
    EXPECT_EQ(reading.config->terminals[0].key_sha256.all, std::vector{sha256_hex("demo-key-caixa-01")});
    EXPECT_NE(text.find("demo-key-caixa-01"), std::string::npos);
}

}  // namespace gateway
