#include "api/openapi/document.hpp"

#include "api/codes.hpp"
#include "api/openapi/schema_writer.hpp"
#include "api/openapi/shared.hpp"
#include "api/text/renderers.hpp"
#include "base/check.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace gateway::openapi {
namespace {

namespace json = boost::json;

constexpr std::string_view problem_media = "application/problem+json";

std::string_view in_words(In in) {
    switch (in) {
        case In::query: return "query";
        case In::path: return "path";
        case In::header: return "header";
    }
    CHECK(false);
}

std::string_view method_in_words(http::verb method) {
    if (method == http::verb::get) return "get";
    CHECK(method == http::verb::post);
    return "post";
}

// Returns the path as OpenAPI writes it, where "{path...}" is "{path}".
std::string path_in_words(std::string_view path) {
    std::string text(path);
    if (const auto dots = text.find("...}"); dots != std::string::npos) text.erase(dots, 3);
    return text;
}

class Writer {
  public:
    Writer(ListenerSet listener, std::vector<std::span<const Schema>> schemas)
        : listener_(listener), schemas_(listener, std::move(schemas)) {}

    void add(const Call& call);
    json::object take();

  private:
    json::value example_of(const Refusal& refusal, unsigned status);
    json::object operation(const Call& call, const Description& described);
    json::object parameter(const Parameter& parameter);
    json::object body(const Body& body);
    json::object content(const std::vector<Content>& contents);
    // `texts` are the media types that the answer may have as a text for people.
    json::value answer(Answer answer, const std::vector<std::string_view>& texts = {});
    json::object problem(const Answer& answer);
    json::object headers(const Answer& answer);
    void describe_codes(json::object& problem);

    const ListenerSet listener_;
    SchemaWriter schemas_;
    json::object paths_;
    json::object parameters_;
    json::object headers_;
    json::object responses_;
    std::set<std::string_view> codes_;
};

json::value Writer::example_of(const Refusal& refusal, unsigned status) {
    json::object example{{"type", "about:blank"},    {"title", http::reason_phrase(static_cast<http::status>(status))},
                         {"status", status},         {"code", refusal.code},
                         {"detail", refusal.detail}, {"requestId", request_id_example}};
    if (refusal.members.empty()) return example;
    auto members = json::parse(refusal.members).get_object();
    for (auto& member : members) {
        auto value = std::move(member.value());
        if (value.is_object())
            value = with_members(schemas_.example_of(schemas_.problem_member(member.key())), json::serialize(value));
        if (member.key() == "sale") example["outcome"] = value.at("outcome");
        example[member.key()] = std::move(value);
    }
    return example;
}

json::object Writer::content(const std::vector<Content>& contents) {
    json::object made;
    for (const auto& content : contents) {
        json::object one;
        if (auto schema = schemas_.schema_of(content.type); !schema.empty()) one["schema"] = std::move(schema);
        if (!content.examples.empty()) one["examples"] = schemas_.examples_of(content);
        made[content.media] = std::move(one);
    }
    return made;
}

// Says what all problems of the answer have in common, and what each of them comes with.
json::object Writer::problem(const Answer& answer) {
    std::vector<std::string_view> codes;
    json::object examples;
    json::array all{schemas_.schema_of(a("Problem")), nullptr};
    const auto& first = answer.refusals.front();
    const bool is_alike =
        std::ranges::all_of(answer.refusals, [&](const Refusal& one) { return one.comes == first.comes; });
    for (const auto& refusal : answer.refusals) {
        const auto code = find_code(refusal.code).code;
        if (!refusal.detail.empty())
            examples[refusal.example.empty() ? code : refusal.example] = {
                {"value", example_of(refusal, answer.status)}};
        if (std::ranges::find(codes, code) != codes.end()) continue;
        codes.push_back(code);
        codes_.insert(code);
        if (!is_alike && !refusal.comes.empty())
            all.push_back({{"if", {{"properties", {{"code", {{"const", code}}}}}}}, {"then", parsed(refusal.comes)}});
    }
    auto rules = is_alike ? parsed(first.comes) : json::object();
    json::object properties{{"status", {{"const", answer.status}}}};
    properties["code"] =
        codes.size() == 1 ? json::object{{"const", codes.front()}} : json::object{{"enum", json::value_from(codes)}};
    if (auto* const more = rules.if_contains("properties")) add_members(properties, more->get_object());
    rules["properties"] = std::move(properties);
    all[1] = std::move(rules);
    json::object made{{"schema", {{"allOf", std::move(all)}}}};
    if (!examples.empty()) made["examples"] = std::move(examples);
    return {{problem_media, std::move(made)}};
}

json::object Writer::headers(const Answer& answer) {
    json::object made;
    for (const auto& header : all_headers()) {
        if (header.when != no_headers && (answer.headers & header.when) == 0) continue;
        json::object component{{"description", header.description}};
        if (header.is_required) component["required"] = true;
        component["schema"] = schemas_.schema_of(header.type);
        component["example"] = header.example;
        headers_[header.component] = std::move(component);
        made[header.name] = reference("headers", header.component);
    }
    return made;
}

json::value Writer::answer(Answer answer, const std::vector<std::string_view>& texts) {
    if (!texts.empty()) answer.headers = answer.headers | of_text;
    json::object made{{"description", answer.description}, {"headers", headers(answer)}};
    auto contents = answer.refusals.empty() ? content(answer.contents) : problem(answer);
    for (const auto type : texts)
        if (answer.refusals.empty() || type == "text/plain")
            contents[fmt::format("{}; charset=utf-8", type)] = {{"schema", schemas_.schema_of(openapi::text)}};
    made["content"] = std::move(contents);
    if (answer.component.empty()) return made;
    // Calls with text and calls without it may share an answer, which may be text then.
    if (!texts.empty() || !responses_.contains(answer.component)) responses_[answer.component] = std::move(made);
    return reference("responses", answer.component);
}

json::object Writer::parameter(const Parameter& parameter) {
    json::object made{{"name", parameter.name}, {"in", in_words(parameter.in)}};
    if (parameter.required || parameter.in == In::path) made["required"] = true;
    if (!parameter.description.empty()) made["description"] = parameter.description;
    made["schema"] = schemas_.schema_of(parameter.type);
    if (!parameter.example.empty()) made["example"] = schemas_.example_of(parameter.type, parameter.example);
    return made;
}

json::object Writer::body(const Body& body) {
    return {{"required", body.required}, {"content", content(body.contents)}};
}

json::object Writer::operation(const Call& call, const Description& described) {
    json::object made{{"operationId", described.id},
                      {"summary", described.summary},
                      {"tags", json::array{described.tag}},
                      {"description", described.text}};
    const bool is_for_everybody = call.access == http::Access::everybody;
    if (is_for_everybody && listener_ == on_terminals) made["security"] = json::array();
    auto& parameters = made.emplace("parameters", json::array()).first->value().get_array();
    for (const auto& one : described.parameters)
        parameters.push_back(parameter(one));
    parameters_["RequestId"] = parameter(request_id);
    parameters.push_back(reference("parameters", "RequestId"));
    if (described.body) made["requestBody"] = body(*described.body);
    if (described.is_passed_on) made["x-passes-on"] = true;

    // Answers are sorted by their status. What the call says of a status replaces what is said of it for all calls.
    const auto texts = listener_ == on_admin ? text::types_of(call.method, call.path) : std::vector<std::string_view>();
    auto own = described.answers;
    if (!texts.empty() && std::ranges::find(own, 422, &Answer::status) == own.end()) own.push_back(wrong_width());
    auto answers = own;
    for (const auto& all : answers_of_all(listener_, is_for_everybody))
        if (std::ranges::find(own, all.status, &Answer::status) == own.end()) answers.push_back(all);
    std::ranges::stable_sort(answers, {}, [](const Answer& one) { return one.status == 0 ? 1000 : one.status; });
    auto& responses = made.emplace("responses", json::object()).first->value().get_object();
    for (const auto& one : answers) {
        const bool is_own = std::ranges::find(own, one.status, &Answer::status) != own.end();
        responses[one.status == 0 ? "default" : std::to_string(one.status)] =
            answer(one, is_own ? texts : std::vector<std::string_view>());
    }
    return made;
}

void Writer::add(const Call& call) {
    if ((call.on & listener_) == 0 || call.describe == nullptr) return;
    const auto described = call.describe();
    auto& methods = paths_.emplace(path_in_words(call.path), json::object()).first->value().get_object();
    methods[method_in_words(call.method)] = operation(call, described);
}

// Tells the meaning of each code that the document has.
void Writer::describe_codes(json::object& problem) {
    std::string description = "What a program switches on: what happened, and what it does next.";
    json::array words;
    for (const auto& [code, happened, next] : all_codes()) {
        if (!codes_.contains(code)) continue;
        words.emplace_back(code);
        description.append("\n- `").append(code).append("`: ").append(happened).append(" ").append(next);
    }
    problem.at("properties").get_object()["code"] = {{"description", description}, {"enum", std::move(words)}};
}

json::object Writer::take() {
    // No operation has the answers to paths and methods that no call has.
    for (const auto& one : answers_of_no_call())
        (void)answer(one);
    auto schemas = schemas_.take();
    describe_codes(schemas.at("Problem").get_object());
    const auto overview = overview_of(listener_);
    json::array tags;
    for (const auto tag : overview.tags)
        tags.push_back(json::object{{"name", tag}});
    json::object components{{"parameters", std::move(parameters_)},
                            {"headers", std::move(headers_)},
                            {"responses", std::move(responses_)},
                            {"schemas", std::move(schemas)}};
    json::array security;
    if (listener_ == on_terminals) {
        security.push_back(json::object{{"terminalKey", json::array()}});
        components["securitySchemes"] = {
            {"terminalKey",
             {{"type", "http"}, {"scheme", "bearer"}, {"description", "`Authorization: Bearer <terminal key>`"}}}};
    }
    return {
        {"openapi", "3.1.0"},
        {"info",
         {{"title", overview.title},
          {"version", "1.1"},
          {"contact", {{"name", "The sales-gateway authors"}}},
          {"license", {{"name", "Apache License 2.0"}, {"identifier", "Apache-2.0"}}},
          {"description", overview.text}}},
        {"servers", json::array{json::object{{"url", "/"}, {"description", "The listener that serves this document"}}}},
        {"security", std::move(security)},
        {"tags", std::move(tags)},
        {"paths", std::move(paths_)},
        {"components", std::move(components)}};
}

}  // namespace

json::object document(ListenerSet listener, const std::vector<std::span<const Call>>& calls,
                      std::vector<std::span<const Schema>> schemas) {
    Writer writer(listener, std::move(schemas));
    for (const auto table : calls)
        for (const auto& call : table)
            writer.add(call);
    return writer.take();
}

}  // namespace gateway::openapi
