#include "config/files.hpp"

#include <boost/asio/ssl/context.hpp>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace gateway {

namespace {

namespace ssl = boost::asio::ssl;

// A chain of certificates is a few kilobytes, a bundle of all public authorities some 300.
constexpr std::size_t pem_limit = 4 * 1024 * 1024;

std::string system_message() {
    return std::generic_category().message(errno);
}

std::optional<std::string> trouble_with_reading(const std::string& path) {
    const auto text = read_file(path, pem_limit);
    return text ? std::nullopt : std::optional(text.error());
}

}  // namespace

boost::system::result<std::string, std::string> read_file(const std::string& path, std::size_t limit) {
    using boost::system::in_place_error;
    const auto name = "\"" + path + "\" ";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) return {in_place_error, name + "cannot be opened: " + system_message()};
    std::string text(limit + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get()) != 0) return {in_place_error, name + "cannot be read: " + system_message()};
    if (text.size() > limit) return {in_place_error, name + "is longer than " + std::to_string(limit) + " bytes"};
    return {boost::system::in_place_value, std::move(text)};
}

bool is_public(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0;
}

std::optional<std::string> trouble_with_pair(const TlsConfig& files) {
    for (const auto& path : {files.cert, files.key}) {
        if (auto trouble = trouble_with_reading(path)) return trouble;
    }
    ssl::context context(ssl::context::tls);
    boost::system::error_code failure;
    // Without this OpenSSL asks for a pass phrase on the terminal, and a service has none.
    context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
    context.use_certificate_chain_file(files.cert, failure);
    if (failure) return "\"" + files.cert + "\" holds no certificate in PEM: " + failure.message();
    context.use_private_key_file(files.key, ssl::context::pem, failure);
    if (failure) {
        return "\"" + files.key + "\" holds no private key in PEM, without a pass phrase, that belongs to \"" +
               files.cert + "\": " + failure.message();
    }
    return {};
}

std::optional<std::string> trouble_with_authorities(const std::string& path) {
    if (auto trouble = trouble_with_reading(path)) return trouble;
    ssl::context context(ssl::context::tls);
    boost::system::error_code failure;
    context.load_verify_file(path, failure);
    if (failure) return "\"" + path + "\" holds no certificates in PEM: " + failure.message();
    return {};
}

}  // namespace gateway
