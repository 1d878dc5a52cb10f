#include "http/server/answer.hpp"

#include "base/ascii.hpp"
#include "http/syntax.hpp"

#include <boost/beast/core/string.hpp>
#include <fmt/format.h>

namespace gateway::http {
namespace {

using boost::beast::iequals;
using namespace std::string_view_literals;

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out += name;
    out += ": "sv;
    const auto begin = out.size();
    out += value;
    if (!is_field_value(value))
        std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_control, ' ');
    out += "\r\n"sv;
}

// These fields say how the message is framed, or are in every answer. They are written once, here.
bool is_reserved(std::string_view name) {
    return iequals(name, "Content-Length") || iequals(name, "Transfer-Encoding") || iequals(name, "Connection") ||
           iequals(name, "X-Request-Id") || iequals(name, "Date") || iequals(name, "Content-Type");
}

// A status that does not end an exchange can only come from another server whose answer is passed on.
status final_status(status code) {
    const auto number = static_cast<unsigned>(code);
    return number >= 200 && number <= 999 ? code : status::internal_server_error;
}

void append_status_line(std::string& out, status code) {
    out += "HTTP/1.1 ";
    append_number(out, static_cast<unsigned>(code));
    out += ' ';
    out += reason_phrase(code);
    out += "\r\n";
}

bool is_bodiless(status code) {
    return code == status::no_content || code == status::not_modified;
}

}  // namespace

std::string_view DateText::at(WallTime now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (second == second_) return text_;
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(second);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(second - day);
    text_ = fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days.at(std::chrono::weekday(day).c_encoding()),
                        static_cast<unsigned>(date.day()), months.at(static_cast<unsigned>(date.month()) - 1),
                        static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
                        time.seconds().count());
    second_ = second;
    return text_;
}

bool has_body(const Response& response, const AnswerFrame& frame) noexcept {
    return !is_bodiless(response.status) && !frame.head_only;
}

void append_answer(std::string& out, const Response& response, const AnswerFrame& frame) {
    append_status_line(out, final_status(response.status));
    append_field(out, "X-Request-Id", frame.request_id);
    append_field(out, "Date", frame.date);
    bool cache_control = false;
    for (const auto& [name, value] : response.headers) {
        if (is_reserved(name)) continue;
        cache_control = cache_control || iequals(name, "Cache-Control");
        append_field(out, name, value);
    }
    if (!cache_control) out += "Cache-Control: no-store\r\n";
    if (!is_bodiless(response.status) && response.source) {
        append_field(out, "Content-Type", response.content_type);
        if (!frame.http_1_0) out += "Transfer-Encoding: chunked\r\n";
    } else if (!is_bodiless(response.status)) {
        const auto size = response.body.size() + response.document.size();
        if (size > 0 && !response.content_type.empty()) append_field(out, "Content-Type", response.content_type);
        out += "Content-Length: ";
        append_number(out, size);
        out += "\r\n";
    }
    if (!frame.keep_alive) out += "Connection: close\r\n";
    if (frame.keep_alive && frame.http_1_0) out += "Connection: keep-alive\r\n";
    out += "\r\n";
    if (has_body(response, frame)) out += response.body;
}

void append_piece(std::string& out, std::string_view piece, bool chunked) {
    if (!chunked)
        out += piece;
    else
        fmt::format_to(std::back_inserter(out), "{:x}\r\n{}\r\n", piece.size(), piece);
}

}  // namespace gateway::http
