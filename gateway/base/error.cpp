#include "base/error.hpp"

#include <string>

namespace gateway {
namespace {

const char* words(errc e) noexcept {
    switch (e) {
        case errc::journal_unavailable: return "the journal cannot be written";
        case errc::commit_unknown: return "whether the journal has it is not known yet";
        case errc::sale_unreadable: return "the sale cannot be read from the journal";
        case errc::not_owned: return "another gateway owns the sale";
        case errc::close_unreadable: return "the close cannot be read from the journal";
        case errc::journal_foreign: return "the file is not a journal that this program can use";
        case errc::journal_moved: return "the journal was moved to another place, or is a copy that is not whole yet";
        case errc::journal_in_use: return "another process uses the journal";
        case errc::not_found: return "not found";
        case errc::no_token: return "no access token";
        case errc::unreachable: return "the provider cannot be reached";
        case errc::timed_out: return "no answer in time";
        case errc::connection_lost: return "the connection was lost";
        case errc::answer_too_large: return "the answer is too large";
        case errc::malformed: return "malformed";
        case errc::shutting_down: return "shutting down";
        case errc::stale_connection: return "the connection had been closed while it was idle";
    }
    return "unknown failure";
}

class Category final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "gateway"; }
    std::string message(int value) const override { return words(static_cast<errc>(value)); }
};

}  // namespace

const boost::system::error_category& gateway_category() noexcept {
    static const Category category;
    return category;
}

}  // namespace gateway
