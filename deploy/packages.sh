# This lists the Debian packages that building, testing and measuring need, and installs those that are missing. The
# demos, tests/run.sh and tests/bench/run.sh source it.

# These packages have a version in their names, which depends on the release: Debian 12 and 13, Ubuntu 24.04. Any other
# release is taken for a newer one. The script asks the release and not apt, which knows no package before its lists
# have been fetched. Where clang-format-14 and clang-tidy-14 do not exist, tests/tidy/CMakeLists.txt leaves out the
# tests that need them.
case $(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME-}") in
    bookworm) boost=1.81 postgresql=postgresql-15 tidy_packages=(clang-format-14 clang-tidy-14) ;;
    noble) boost=1.83 postgresql=postgresql-16 tidy_packages=(clang-format-14 clang-tidy-14) ;;
    *) boost=1.83 postgresql=postgresql-17 tidy_packages=() ;;
esac

# A release build needs these, and nothing else.
build_packages=(
    g++ cmake ninja-build mold
    "libboost$boost-dev" "libboost-json$boost-dev" "libboost-url$boost-dev"
    libssl-dev libsqlite3-dev libtomlplusplus-dev libfmt-dev libcli11-dev libmimalloc-dev
    libpq-dev libutf8proc-dev libhowardhinnant-date-dev tzdata
)
# Building the Debian package needs these.
package_packages=(dpkg-dev fakeroot file gzip)
# tests/package/run.sh tests the package with these.
package_test_packages=(debootstrap lintian groff iproute2 jq curl openssl sqlite3 systemd)
# tests/spare/run.sh boots two boxes with these.
spare_test_packages=(debootstrap systemd-container e2fsprogs util-linux curl jq)
# tests/package/boot.sh needs these besides.
boot_test_packages=(debootstrap qemu-system-x86 nbdkit nbdkit-plugin-python e2fsprogs jq)
# The demo makes and shows its calls with these.
demo_packages=(curl jq ca-certificates procps)
# deploy/demo-chain.sh runs these besides.
chain_packages=("$postgresql" haproxy util-linux)
# tests/chain/run.sh makes machines, faults and clocks with these, and its tests are written with them.
chain_test_packages=(
    "$postgresql" haproxy iproute2 nftables util-linux strace faketime openssl
    python3 python3-pytest python3-jsonschema
)
# The tests and the gates need these.
test_packages=(
    libgtest-dev libgmock-dev ccache
    "${tidy_packages[@]}"
    python3 python3-pytest python3-jsonschema python3-yaml strace openssl sqlite3 curl jq slowhttptest systemd e2fsprogs
    "$postgresql" haproxy
    gcc libcurl4-openssl-dev
    iproute2 util-linux openssh-client
)
# A Node that is not Debian's brings its own npm, and Debian's npm does not work with it.
command -v npm >/dev/null || test_packages+=(nodejs npm ca-certificates)
# The benchmarks compare the gateway with these programs, and are written with these.
bench_packages=(
    nginx libnginx-mod-http-lua lua-cjson
    python3 python3-jsonschema openssl procps "$postgresql"
)
# tests/clients/run.sh tries these clients.
client_test_packages=(
    curl wget httpie python3 python3-urllib3 python3-requests python3-httpx python3-aiohttp
    golang-go php-cli php-curl perl libwww-perl ruby
    python3-jsonschema
)
command -v node >/dev/null || client_test_packages+=(nodejs)
# tests/tills/run.sh builds and runs the tills of examples/ with these.
till_test_packages=(gcc libc6-dev libcurl4-openssl-dev curl mono-mcs mono-runtime libmono-system-net-http4.0-cil
    fp-compiler fp-units-base fp-units-fcl python3 python3-pytest python3-jsonschema shellcheck)
command -v npm >/dev/null || till_test_packages+=(nodejs npm ca-certificates)
# tests/monitoring/run.sh is written with these; it fetches Prometheus by itself, and does not install it.
monitoring_test_packages=(python3 python3-pytest python3-yaml openssl)
# tests/proxies/run.sh puts these proxies around the gateway, and its tests are written with these.
proxy_test_packages=(
    tinyproxy haproxy nginx libnginx-mod-stream
    python3 python3-pytest python3-jsonschema openssl sqlite3
)
# tests/statements/run.sh fetches statements from this sftp server, and its tests are written with these.
statement_test_packages=(
    openssh-server openssh-client
    python3 python3-pytest python3-jsonschema openssl sqlite3 systemd
)
# tests/console/run.sh looks at the console with this browser, and reads the printed pages with these.
console_test_packages=(chromium poppler-utils)
command -v npm >/dev/null || console_test_packages+=(nodejs npm ca-certificates)
# deploy/make-font.sh makes the console's font with these.
font_packages=(fonts-inter-variable python3-fonttools python3-brotli)
# tests/paper/run.sh draws receipts with these, and reads their QR codes.
paper_test_packages=(python3-pil python3-qrcode zbar-tools fonts-dejavu-core python3-pytest python3-jsonschema)
# tests/fuzz/run.sh searches with this for input that breaks something.
fuzz_packages=(clang libclang-rt-dev)

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# find_root: leaves in as_root the words that a command begins with if it needs root.
find_root() {
    as_root=()
    [ "$(id -u)" -ne 0 ] || return 0
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
    # Without a terminal sudo cannot ask for a password, and must not wait for one.
    { : </dev/tty; } 2>/dev/null || as_root+=(-n)
}

# require_packages NAME...: installs those that are missing, and prints nothing where none is.
require_packages() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || {
        echo "This is no Debian: what stands in deploy/packages.sh has to be installed by hand." >&2
        return 0
    }
    local -a missing=() as_root=()
    local name
    for name in "$@"; do
        is_installed "$name" || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    find_root || {
        echo "These packages are missing, and only root can install them: apt-get install ${missing[*]}" >&2
        return 1
    }
    as_root+=(env DEBIAN_FRONTEND=noninteractive)
    # Another apt may be at work on a machine that has just started.
    local -a apt=(apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    echo "Installing ${missing[*]}"
    # The lists are fetched only where they are absent or too old for the mirror.
    "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null && return 0
    "${as_root[@]}" "${apt[@]}" update </dev/null &&
        "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null
}

# require_without_starting SERVICE... -- NAME...: does the same where some of the packages bring services. The caller
# starts the services itself. If they were not there before, Debian is kept from starting them when they are installed
# and at the next boot. A service has the name of its package, unless PACKAGE:SERVICE says otherwise.
require_without_starting() {
    local -a services=() as_root=()
    local policy=/usr/sbin/policy-rc.d patterns status
    while [ "$1" != -- ]; do
        is_installed "${1%:*}" || services+=("${1#*:}")
        shift
    done
    shift
    if ! command -v dpkg-query >/dev/null || [ ${#services[@]} -eq 0 ]; then
        require_packages "$@"
        return
    fi
    find_root || policy=
    if [ -n "$policy" ] && [ ! -e $policy ]; then
        patterns=$(printf '|*" %s "*' "${services[@]}")
        printf '#!/bin/sh\ncase " $* " in %s) exit 101 ;; esac\n' "${patterns#|}" |
            "${as_root[@]}" tee $policy >/dev/null
        "${as_root[@]}" chmod 755 $policy
    else
        policy=
    fi
    require_packages "$@"
    status=$?
    if [ -n "$policy" ]; then "${as_root[@]}" rm -f $policy; fi
    if [ $status -eq 0 ] && command -v systemctl >/dev/null; then
        "${as_root[@]}" systemctl --quiet disable "${services[@]}" >/dev/null 2>&1 || true
    fi
    return $status
}

require_chain_packages() {
    require_without_starting "$postgresql:postgresql" haproxy -- "${demo_packages[@]}" "${chain_packages[@]}"
}
require_chain_test_packages() {
    require_without_starting "$postgresql:postgresql" haproxy nftables -- "${chain_test_packages[@]}"
}
require_test_packages() { require_without_starting "$postgresql:postgresql" haproxy -- "${test_packages[@]}"; }
require_bench_packages() { require_without_starting nginx "$postgresql:postgresql" -- "${bench_packages[@]}"; }
require_proxy_test_packages() { require_without_starting tinyproxy haproxy nginx -- "${proxy_test_packages[@]}"; }
require_statement_test_packages() { require_without_starting openssh-server:ssh -- "${statement_test_packages[@]}"; }
