#include "config/new_certificate.hpp"

#include "base/told.hpp"
#include "config/checks.hpp"
#include "config/files.hpp"
#include "config/values.hpp"
#include "net/certificate.hpp"
#include "net/networks.hpp"
#include "net/own_names.hpp"
#include "net/store_authority.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace gateway {

namespace {

namespace fs = std::filesystem;
using boost::system::in_place_error;
// Holds what could not be done, and why; nothing where it was done.
using Trouble = std::optional<std::string>;

constexpr std::size_t certificate_limit = 64 * 1024;  // bytes; these files have a few hundred each
constexpr std::uint16_t usual_port = 9091;
constexpr std::size_t longest_host_name = 253;  // of a host (RFC 1035, section 2.3.4)

struct CertificateFiles {
    explicit CertificateFiles(const fs::path& in) : folder(in) {}

    fs::path folder;
    std::string authority = folder / "authority.crt";
    std::string authority_key = folder / "authority.key";
    std::string cert = folder / "console.crt";
    std::string key = folder / "console.key";
};

std::string quoted_for_toml(const std::string& text) {
    std::ostringstream out;
    out << toml::value<std::string>(text);
    return out.str();
}

std::string system_error_about(std::string_view format, const fs::path& path) {
    return fmt::format(fmt::runtime(format), path.string(), std::generic_category().message(errno));
}

// Makes a new file that only its owner may read. A machine that lost its power may have left an earlier one.
int open_new(const std::string& name) {
    (void)::unlink(name.c_str());
    return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

// This is a new file, which is removed unless it is put into its place.
class NewFile {
  public:
    explicit NewFile(std::string place)
        : place_(std::move(place)), name_(place_ + ".new"), descriptor_(open_new(name_)) {}
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (!is_placed_) ::unlink(name_.c_str());
    }

    Trouble write(const std::string& text) const {
        if (descriptor_ < 0) return system_error_about(told("{} cannot be made: {}"), name_);
        for (std::size_t at = 0; at < text.size();) {
            const auto written = ::write(descriptor_, text.data() + at, text.size() - at);
            if (written < 0) return system_error_about(told("{} cannot be written: {}"), name_);
            at += static_cast<std::size_t>(written);
        }
        return {};
    }
    Trouble allow(mode_t mode, gid_t group) const {
        struct stat now {};
        if (::fstat(descriptor_, &now) != 0) return system_error_about(told("{} cannot be looked at: {}"), name_);
        if (now.st_gid != group && ::fchown(descriptor_, static_cast<uid_t>(-1), group) != 0)
            return system_error_about(
                told("{} cannot be given to the group of the configuration: {}; run it with sudo"), name_);
        if (::fchmod(descriptor_, mode) != 0) return system_error_about(told("{} cannot be given its mode: {}"), name_);
        return {};
    }
    Trouble put_into_place() {
        if (::fsync(descriptor_) != 0 || ::rename(name_.c_str(), place_.c_str()) != 0)
            return system_error_about(told("{} cannot be put into its place: {}"), name_);
        is_placed_ = true;
        const int folder = ::open(fs::path(place_).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const bool is_durable = folder >= 0 && ::fsync(folder) == 0;
        Trouble trouble =
            is_durable ? Trouble() : Trouble(system_error_about(told("{} cannot be kept durably: {}"), place_));
        if (folder >= 0) ::close(folder);
        return trouble;
    }

  private:
    const std::string place_;
    const std::string name_;
    const int descriptor_;
    bool is_placed_ = false;
};

Trouble put(const std::string& path, const std::string& text, mode_t mode, gid_t group) {
    NewFile file(path);
    if (auto trouble = file.write(text)) return trouble;
    if (auto trouble = file.allow(mode, group)) return trouble;
    return file.put_into_place();
}

// Returns a key that is there, or nothing where there is none.
boost::system::result<Secret, std::string> read_key(const std::string& path) {
    std::error_code failed;
    if (!fs::exists(path, failed) && !failed) return Secret();
    auto text = read_file(path, certificate_limit);
    if (!text) return {in_place_error, path + " " + text.error()};
    return Secret(std::move(*text));
}

// Returns the authority that is there; both texts are empty where there is none.
boost::system::result<CertifiedKey, std::string> read_authority(const CertificateFiles& files) {
    std::error_code failed;
    const bool has_cert = fs::exists(files.authority, failed);
    const bool has_key = !failed && fs::exists(files.authority_key, failed);
    if (failed) return {in_place_error, fmt::format("{}: {}", files.folder.string(), failed.message())};
    if (has_cert != has_key)
        return {in_place_error,
                fmt::format(told("{} is there without {}: bring that one back, or make both anew with --new-authority"),
                            has_cert ? files.authority : files.authority_key,
                            has_cert ? files.authority_key : files.authority)};
    if (!has_cert) return CertifiedKey();
    auto cert = read_file(files.authority, certificate_limit);
    if (!cert) return {in_place_error, files.authority + " " + cert.error()};
    auto key = read_key(files.authority_key);
    if (!key) return {in_place_error, key.error()};
    return CertifiedKey{.cert = std::move(*cert), .key = std::move(*key)};
}

bool is_same_file(const std::string& one, const std::string& other) {
    std::error_code unlike;
    return !one.empty() && fs::equivalent(one, other, unlike) && !unlike;
}

// Says what the section [listen] lacks for browsers of other machines. Who has named the files before has chosen where
// the console listens, for example behind a tunnel.
std::vector<std::string> missing_in(const ListenOptions& listen, const std::vector<std::string>& names,
                                    bool is_first_time) {
    std::vector<std::string> lines;
    if (!listen.console || (is_first_time && listen.console->address().is_loopback()))
        lines.push_back(fmt::format("console = \"0.0.0.0:{}\"", listen.console ? listen.console->port() : usual_port));
    auto called = listen.console_names;
    for (const auto& name : names)
        if (!parse_plain_address(name) && std::ranges::find(called, name) == called.end()) called.push_back(name);
    if (called != listen.console_names) {
        for (auto& name : called)
            name = quoted_for_toml(name);
        lines.push_back(fmt::format("console_names = [{}]", fmt::join(called, ", ")));
    }
    return lines;
}

std::string address_of(const std::string& name, const ListenOptions& listen) {
    const auto address = parse_plain_address(name);
    const std::string host = address && address->is_v6() ? "[" + name + "]" : name;
    return fmt::format("https://{}:{}/", host, listen.console ? listen.console->port() : usual_port);
}

// This is what the files are to hold. What was there already is not written again.
struct Contents {
    CertifiedKey authority;
    Secret key;
    bool has_new_authority = false;
    bool has_new_key = false;
};

// The key stays as long as its authority, so that a renewal replaces one file only. Nobody asks whether a certificate
// was revoked, so a key that was stolen is of use until the telephones trust another authority.
boost::system::result<Contents, std::string> keep_or_make(const CertificateFiles& files,
                                                          const std::vector<std::string>& names,
                                                          const std::string& store, bool new_authority, WallTime now,
                                                          Random& random) {
    Contents contents;
    if (!new_authority) {
        auto authority = read_authority(files);
        if (!authority) return {in_place_error, authority.error()};
        contents.authority = std::move(*authority);
    }
    contents.has_new_authority = contents.authority.cert.empty();
    if (contents.has_new_authority) {
        contents.authority = make_authority(names, store, now, random);
    } else {
        auto key = read_key(files.key);
        if (!key) return {in_place_error, key.error()};
        contents.key = std::move(*key);
    }
    contents.has_new_key = contents.key.empty();
    if (contents.has_new_key) contents.key = make_private_key();
    return contents;
}

Trouble write_files(const CertificateFiles& files, const Contents& contents, const std::string& cert, gid_t group) {
    constexpr mode_t for_the_owner = S_IRUSR | S_IWUSR;
    constexpr mode_t for_the_service = for_the_owner | S_IRGRP;
    constexpr mode_t for_everybody = for_the_service | S_IROTH;
    const auto& authority = contents.authority;
    if (contents.has_new_authority) {
        if (auto trouble = put(files.authority_key, authority.key.reveal(), for_the_owner, group)) return trouble;
        if (auto trouble = put(files.authority, authority.cert, for_everybody, group)) return trouble;
    }
    if (contents.has_new_key)
        if (auto trouble = put(files.key, contents.key.reveal(), for_the_service, group)) return trouble;
    // The authority stands behind the certificate, so that the console can give it to telephones.
    return put(files.cert, cert + authority.cert, for_everybody, group);
}

}  // namespace

std::string wrong_name_of_console(const std::string& name) {
    const bool is_name = !name.empty() && name.size() <= longest_host_name && is_host_name(name);
    if (is_name || parse_plain_address(name)) return {};
    return fmt::format(told("\"{}\" is neither the name of a host nor an IP address; write it without scheme and port, "
                            "such as gateway.store or 192.168.10.5"),
                       name);
}

std::vector<std::string> names_of_console(const ListenOptions& listen) {
    return listen.console_names.empty() ? own_names() : listen.console_names;
}

boost::system::result<NewCertificate, std::string> make_certificate(const CertificateWish& wish, WallTime now,
                                                                    Random& random) {
    const auto reading = load_config(wish.config);
    if (reading.has_error("")) return {in_place_error, to_string(reading.errors.front(), wish.config)};
    const auto& listen = reading.seen().listen;
    const auto names = wish.names.empty() ? names_of_console(listen) : wish.names;
    if (names.empty())
        return {in_place_error,
                std::string(told("this machine has no name and no address: say by which one browsers call the "
                                 "console"))};
    for (const auto& name : names)
        if (auto wrong = wrong_name_of_console(name); !wrong.empty()) return {in_place_error, std::move(wrong)};
    struct stat of_config {};
    if (::stat(wish.config.c_str(), &of_config) != 0)
        return {in_place_error, system_error_about(told("{} cannot be looked at: {}"), wish.config)};
    std::error_code failed;
    const CertificateFiles files(fs::absolute(wish.config).lexically_normal().parent_path() / "tls");
    fs::create_directories(files.folder, failed);
    if (failed)
        return {in_place_error, fmt::format(told("{} cannot be made: {}"), files.folder.string(), failed.message())};
    const auto store = reading.has_error("store.name") ? std::string() : reading.seen().store.letterhead.name;
    const auto contents = keep_or_make(files, names, store, wish.new_authority, now, random);
    if (!contents) return {in_place_error, contents.error()};
    const auto issued = issue_certificate(contents->authority, contents->key, names, now, random);
    if (!issued)
        return {in_place_error, fmt::format(told("the authority {} cannot vouch for the certificate: {}. With "
                                                 "--new-authority another one is made, which every telephone must "
                                                 "install"),
                                            files.authority, issued.error())};
    if (auto trouble = write_files(files, *contents, issued->cert, of_config.st_gid))
        return {in_place_error, std::move(*trouble)};

    NewCertificate made{.fingerprint = fingerprint_of(contents->authority.cert),
                        .authority = files.authority,
                        .ends_at = issued->ends_at,
                        .is_of_new_authority = contents->has_new_authority};
    const auto& used = listen.console_tls;
    if (!is_same_file(used.cert, files.cert) || !is_same_file(used.key, files.key))
        made.lines = fmt::format("[listen.console_tls]\ncert = {}\nkey = {}\n", quoted_for_toml(files.cert),
                                 quoted_for_toml(files.key));
    made.of_listen = missing_in(listen, names, !made.lines.empty());
    made.needs_restart = used.cert.empty() || !made.of_listen.empty();
    for (const auto& name : names)
        if (!is_loopback(name)) made.addresses.push_back(address_of(name, listen));
    return made;
}

std::string what_to_do_with(const NewCertificate& made, const Telling& tell) {
    std::string text;
    if (!made.lines.empty()) text += '\n' + tell(told("The lines above belong into the configuration.")) + '\n';
    if (!made.of_listen.empty()) {
        const auto where = told("These belong below the line [listen] of the configuration, in place of what it has:");
        text += fmt::format("\n{}\n\n    {}\n", tell(where), fmt::join(made.of_listen, "\n    "));
    }
    const auto* const verb = made.needs_restart ? "restart" : "reload";
    text +=
        '\n' + tell(fmt::format(told("Then: sales-gateway check-config && systemctl {} sales-gateway"), verb)) + '\n';
    text +=
        tell(fmt::format(told("The certificate is good until {}. From two weeks before, the gateway says so; the same "
                              "command\nrenews it."),
                         to_local_text(made.ends_at))) +
        '\n';
    if (!made.is_of_new_authority)
        return text + tell(told("The authority is the one of before: nothing is to be done on the telephones.")) + '\n';
    text +=
        '\n' +
        tell(fmt::format(told("A telephone that is to open the console installs {} once.\nIt gets that file from here; "
                              "the browser warns before that, because it does not know the\nauthority yet. Type no "
                              "password there so far:"),
                         made.authority)) +
        "\n\n";
    for (const auto& address : made.addresses)
        text += fmt::format("    {}console/authority.crt\n", address);
    text += '\n' +
            tell(told("Compare this SHA-256 with the one that the telephone shows. Where they differ, somebody "
                      "on the\nnetwork gave it another certificate: remove that one.")) +
            "\n\n    " + made.fingerprint + "\n\n" +
            tell(told("After that the console is here, and its page Help has each step:")) + "\n\n";
    for (const auto& address : made.addresses)
        text += fmt::format("    {}\n", address);
    return text;
}

}  // namespace gateway
