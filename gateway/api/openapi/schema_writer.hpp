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

// The JSON object that has these members, which are written as in a JSON text.
boost::json::object parsed(std::string_view members);
// {"$ref": "#/components/kind/name"}
boost::json::object reference(std::string_view kind, std::string_view name);
// In place of those that are there, or besides them.
void add_members(boost::json::object& to, boost::json::object members);
// The same for an object; `changes` is JSON, or empty.
boost::json::value with_members(boost::json::value value, std::string_view changes);

class SchemaWriter {
  public:
    // Knows these schemas by their names, and leaves out fields that are not for `listener`.
    SchemaWriter(ListenerSet listener, std::vector<std::span<const Schema>> schemas)
        : listener_(listener), schemas_(std::move(schemas)) {}

    boost::json::object schema_of(const Type& type);
    // That of the type, or the one that is given; both must make one.
    boost::json::value example_of(const Type& type, std::string_view given = {});
    boost::json::object examples_of(const Content& content);
    // The type of what every problem may have.
    const Type& problem_member(std::string_view name);

    // The schemas that were spoken of, with those that they speak of, by their names.
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
