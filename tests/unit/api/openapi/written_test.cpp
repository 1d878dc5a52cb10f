#include "api/openapi/written.hpp"

#include "api/openapi/schema_writer.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::openapi {
namespace {

namespace json = boost::json;

struct Room {
    std::string name;
    std::optional<Cents> rent;
};

struct House {
    std::string street;
    std::string owner;
    std::optional<WallTime> sold_at;
    int floors = 0;
    bool is_empty = false;
    std::vector<Room> rooms;
    std::optional<Room> garage;
};

constexpr Written<Room> room_members[] = {
    {{"name", text, "", "kitchen"}, its<&Room::name>},
    {{"rent", or_null(cents), "", "1099"}, its<&Room::rent>},
};

constexpr Written<House> house_members[] = {
    {{"street", text, "", "Rua A"}, its<&House::street>},
    {{"owner", or_null(text), "", "Ana"}, its<&House::owner>},
    {{"soldAt", or_null(date_time), "", "null"}, its<&House::sold_at>},
    {maybe({"floors", count_from_one, "", "2"}), its<&House::floors>},
    {maybe({"isEmpty", always_true}), its<&House::is_empty>},
    {for_operators(maybe({"secret", text})), [](const House& house) { return "the key of " + house.street; }},
    {{"rooms", list_of(object_of<room_members>), "", "[]"},
     [](const House& house) { return parts(room_members, house.rooms); }},
    {maybe({"garage", object_of<room_members>}), [](const House& house) { return part(room_members, house.garage); }},
};

const House house{.street = "Rua \"A\"",
                  .owner = "Ana",
                  .sold_at = WallTime(Duration(1'500)),
                  .floors = 2,
                  .is_empty = true,
                  .rooms = {{"kitchen", Cents{5}}, {"hall", {}}},
                  .garage = Room{"garage", {}}};

TEST(Written, AnObjectIsWrittenInTheOrderOfTheRows) {
    EXPECT_EQ(write(house_members, house),
              R"({"street":"Rua \"A\"","owner":"Ana","soldAt":"1970-01-01T00:00:01.500Z","floors":2,"isEmpty":true,)"
              R"("secret":"the key of Rua \"A\"","rooms":[{"name":"kitchen","rent":5},{"name":"hall","rent":null}],)"
              R"("garage":{"name":"garage","rent":null}})");
}

TEST(Written, WhereThereIsNothingToTellAFieldIsNullOrLeftOut) {
    EXPECT_EQ(write(house_members, House{}, on_terminals), R"({"street":"","owner":null,"soldAt":null,"rooms":[]})");
}

TEST(Written, WhatAListenerIsNotToldIsLeftOutForIt) {
    EXPECT_EQ(object_from(house_members, house).count("secret"), 1U);
    EXPECT_EQ(write(house_members, house, on_terminals).find("secret"), std::string::npos);
    EXPECT_NE(write(house_members, house, on_console).find("secret"), std::string::npos);
}

TEST(Written, WhatIsWrittenIsWhatIsDescribed) {
    for (const auto listener : {on_terminals, on_admin}) {
        const auto schema = SchemaWriter(listener, {}).schema_of(object_of<house_members>);
        const auto& properties = schema.at("properties").as_object();
        const auto full = json::parse(write(house_members, house, listener)).as_object();
        const auto least = json::parse(write(house_members, House{}, listener)).as_object();
        EXPECT_EQ(full.size(), properties.size());
        for (const auto& member : full)
            EXPECT_TRUE(properties.contains(member.key())) << member.key();
        for (const auto& name : schema.at("required").as_array())
            EXPECT_TRUE(least.contains(name.as_string())) << name;
    }
}

}  // namespace
}  // namespace gateway::openapi
