// Writes the schemas of a document, and examples, from the tables of fields.
#pragma once

#include "api/openapi/description.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::openapi {

// Returns the JSON object that has these members, which are written as in a JSON text.
boost::json::object parsed(std::string_view members);
// Returns {"$ref": "#/components/kind/name"}.
boost::json::object reference(std::string_view kind, std::string_view name);
// Adds the members; each replaces the one of its name that is there.
void add_members(boost::json::object& to, boost::json::object members);
// Does the same to an object; `changes` is JSON, or empty.
boost::json::value with_members(boost::json::value value, std::string_view changes);

class SchemaWriter {
  public:
    // Knows these schemas by their names, and leaves out fields that are not for `listener`.
    SchemaWriter(ListenerSet listener, std::vector<std::span<const Schema>> schemas)
        : listener_(listener), schemas_(std::move(schemas)) {}

    boost::json::object schema_of(const Type& type);
    // Returns the example that is given, or else that of the type; there must be one.
    boost::json::value example_of(const Type& type, std::string_view given = {});
    boost::json::object examples_of(const Content& content);
    // Returns the type of a member that every problem may have.
    const Type& problem_member(std::string_view name);

    // Returns the schemas that were spoken of, and those that these speak of, by their names.
    boost::json::object take();

  private:
    boost::json::object single(const Type& type);
    boost::json::object rules(std::string_view text);
    boost::json::object object_of(const Type& type, bool closed);
    boost::json::object described(std::string_view description, const Type& type);
    boost::json::object component_of(const Schema& schema);
    boost::json::object example_of_fields(const Type& type);
    const Schema& find(std::string_view name);
    bool has(const Field& field) const { return (field.on & listener_) != 0; }
    bool is_text(const Type& type);

    const ListenerSet listener_;
    const std::vector<std::span<const Schema>> schemas_;
    std::vector<std::string_view> wanted_;  // in the order in which they are spoken of
};

}  // namespace gateway::openapi
