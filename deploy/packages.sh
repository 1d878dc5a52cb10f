# The Debian packages that building and testing take, in one place, and how missing ones are installed. Sourced by
# deploy/demo.sh and tests/run.sh.

# A release build, and nothing else.
build_packages=(
    g++ cmake ninja-build mold
    libboost1.81-dev libboost-json1.81-dev libboost-url1.81-dev
    libssl-dev libsqlite3-dev libtomlplusplus-dev libfmt-dev libcli11-dev
)
# The Debian package of the program.
package_packages=(dpkg-dev fakeroot gzip)
# What tests/package/run.sh tests the package with.
package_test_packages=(debootstrap lintian groff jq curl sqlite3 systemd)
# What the demo shows its calls with.
demo_packages=(curl jq ca-certificates)
# The tests and the gates.
test_packages=(
    libgtest-dev libgmock-dev
    clang-format-14 clang-tidy-14
    python3 python3-pytest python3-jsonschema strace openssl sqlite3 curl jq slowhttptest systemd
)
# Looking for input that breaks something: tests/fuzz/run.sh.
fuzz_packages=(clang-14 libclang-rt-14-dev)

# require_packages NAME...: installs those that are missing, and says nothing where none is.
require_packages() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || {
        echo "This is no Debian: what stands in deploy/packages.sh has to be installed by hand." >&2
        return 0
    }
    local -a missing=() as_root=()
    local name
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "These packages are missing, and only root can install them: apt-get install ${missing[*]}" >&2
            return 1
        }
        as_root=(sudo)
        # Without a terminal sudo cannot ask for a password, and must not wait for one.
        { : </dev/tty; } 2>/dev/null || as_root+=(-n)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive)
    # Another apt may be at work on a machine that has just started.
    local -a apt=(apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    echo "Installing ${missing[*]}"
    # The lists are fetched only where they are absent or too old for the mirror.
    "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null && return 0
    "${as_root[@]}" "${apt[@]}" update </dev/null &&
        "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null
}
