# The tests of the package share this: how they print what was seen, the package and the next one, and a clean Debian
# (made once, with debootstrap, under build/package/). It is sourced from the root of the tree.
. deploy/packages.sh

work=$PWD/build/package
pids=()
# choose_release NAME: chooses the Debian or Ubuntu that is made.
choose_release() { release=$1 base=$work/base-$1; }
# The default is this machine's own release, because what is built here runs there.
choose_release "$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")"

seen() { printf 'ok  %s\n' "$*"; }
fail() { printf 'FAILED  %s\n' "$*" >&2; exit 1; }
# check WHAT COMMAND...: tests that the command succeeds.
check() { local what=$1; shift; "$@" >"$work/last.log" 2>&1 || { cat "$work/last.log" >&2; fail "$what"; }; seen "$what"; }
# says WHAT TEXT: tests that the last command of inside() printed this text.
says() { grep -qF -- "$2" "$work/inside.log" || { cat "$work/inside.log" >&2; fail "$1"; }; seen "$1"; }
# inside COMMAND...: runs it in the clean Debian at $root, and exits with its status.
inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        chroot "$root" "$@" >"$work/inside.log" 2>&1
}
# This installs Debian's own packages there.
get() {
    inside apt-get install -q -y --no-install-recommends "$@" || { cat "$work/inside.log" >&2; fail "installing $*"; }
}
# install_deb FILE...: installs packages of our own, in one call.
install_deb() {
    rm -rf "$root/tmp/debs"
    install -D -m 0644 -t "$root/tmp/debs" "$@"
    inside sh -c 'apt-get install -q -y --no-install-recommends --allow-downgrades \
        -o Dpkg::Options::=--force-confold /tmp/debs/*.deb' || { cat "$work/inside.log" >&2; fail "installing $*"; }
}
# until_so COMMAND...: succeeds if the command does within a minute; otherwise the test has failed.
until_so() {
    local i
    for i in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done
    fail "this never came to be: $*"
}

# make_base: makes the clean Debian that each test copies.
make_base() {
    [ -x "$base/usr/bin/apt-get" ] && [ ! -d "$base/debootstrap" ] && return
    rm -rf "$base"
    local -a made=("$release" "$base" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}")
    # Debian's debootstrap knows no newer Ubuntu, but all of them are made like gutsy.
    [ "$release" != noble ] ||
        made=(--components=main,universe "$release" "$base" "${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}" gutsy)
    check "a clean system is made: $release" debootstrap --variant=minbase "${made[@]}"
}
# copy_of FOLDER: makes a copy of one, as $root, in which the mirror and the programs can be used.
copy_of() {
    rm -rf "$root"
    cp -a "$1" "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    inside apt-get update -q || { cat "$work/inside.log" >&2; fail 'the mirror'; }
}
finish() {
    local pid
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    mountpoint -q "$root/proc" && umount "$root/proc"
    rm -rf "$root"
}

# build_there: builds the packages and the next ones in a system of the release, once its quick tests have passed there,
# and sets deb, module, next, next_module and newer as find_deb and make_next do. The system is kept with everything
# that was built in it, and provider_program is the sandbox provider there.
build_there() {
    local there=$work/builder-$release tree=/srv/sales-gateway
    mkdir -p "$work"
    make_base
    if [ ! -d "$there" ]; then
        rm -rf "$there.half"
        cp -a "$base" "$there.half"
        printf '#!/bin/sh\nexit 101\n' | install -m 0755 /dev/stdin "$there.half/usr/sbin/policy-rc.d"
        mv "$there.half" "$there"
    fi
    cp /etc/resolv.conf "$there/etc/resolv.conf"
    mkdir -p "$there$tree"
    find "$there$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    tar -c --exclude=./build --exclude=./.git . | tar -x --no-same-owner -C "$there$tree"
    cat >"$there/root/build.sh" <<'END'
set -euo pipefail
cd /srv/sales-gateway
tests/run.sh --quick
. tests/package/clean_debian.sh
find_deb
make_next
printf '%s\n' "$deb" "$module" "$next" "$next_module" "$newer" >build/package/made
END
    # The mounts go away with the process that sees them, however it ends.
    # shellcheck disable=SC2016
    unshare --mount sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" || exit 1
        exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive bash /root/build.sh' - "$there" ||
        fail "building and its quick tests on $release"
    local -a made
    mapfile -t made <"$there$tree/build/package/made"
    deb=$there${made[0]} module=$there${made[1]} next=$there${made[2]} next_module=$there${made[3]} newer=${made[4]}
    provider_program=(chroot "$there" "$tree/build/release/sandbox-provider")
}

not_built() { tail -n 40 "$work/build.log" >&2; fail "building $1"; }
# find_deb [FILE]: sets deb to the file, or to a package that is built now, and sets module to the module's package
# beside it.
find_deb() {
    mkdir -p "$work"
    local built
    if [ -n "${1:-}" ]; then
        deb=$1 module=${1/sales-gateway_/sales-gateway-postgres_}
        [ -e "$module" ] && [ "$module" != "$deb" ] || fail "beside $deb there is no sales-gateway-postgres"
        return 0
    fi
    built=$(deploy/package.sh 2>"$work/build.log") || not_built 'the packages'
    deb=${built%%$'\n'*} module=${built##*$'\n'}
    seen "built: $deb, and ${module##*/}"
}
# make_next: sets next to a package of the next version, whose program knows one migration more, and next_module to that
# of its module; nothing else differs.
make_next() {
    next=$work/next.deb next_module=$work/next-postgres.deb
    newer=$(($(find sql -maxdepth 1 -name '[0-9]*.sql' | wc -l) + 1))
    [ ! "$next" -nt "$deb" ] || return 0
    local made=1 version
    version=$(dpkg-deb -f "$deb" Version)
    rm -rf "$work/sql" "$work/next"
    cp -a sql "$work/sql"
    echo 'ALTER TABLE sales ADD COLUMN next_version TEXT;' >"$work/sql/$(printf %03d $newer)_next.sql"
    # It is built in the tree of the release, where little has to be compiled; the tree is restored whatever happens.
    {
        cmake --preset release -DGATEWAY_SQL="$work/sql" &&
            cmake --build --preset release \
                --target sales-gateway sales-gateway-probe sandbox-provider postgres-client manual &&
            (umask 022 && cd build/release && cpack -G DEB -B "$work/built") && made=0
        cmake --preset release && cmake --build --preset release --target sales-gateway
    } >"$work/build.log" 2>&1
    [ $made -eq 0 ] || not_built 'the next version'
    dpkg-deb -R "$(ls -t "$work"/built/sales-gateway_*.deb | head -n 1)" "$work/next"
    rm -rf "$work/built"
    sed -i "s/^Version: .*/Version: $version+next/" "$work/next/DEBIAN/control"
    echo '# of the next version' >>"$work/next/etc/sales-gateway/gateway.example.toml"
    rm -rf "$work/next-postgres"
    dpkg-deb -R "$module" "$work/next-postgres"
    sed -i -E "s/^Version: .*/Version: $version+next/; s/(sales-gateway \\(= )[^)]*/\\1$version+next/" \
        "$work/next-postgres/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$work/next-postgres" "$next_module" >/dev/null
    dpkg-deb --root-owner-group -b "$work/next" "$next" >/dev/null
}
# find_sandbox: sets sandbox to the sandbox provider, which is built now if there is none.
find_sandbox() {
    sandbox=${SANDBOX_BIN:-}
    [ -z "$sandbox" ] || return 0
    for sandbox in build/{release,dev}/sandbox-provider; do [ ! -x "$sandbox" ] || return 0; done
    sandbox=build/release/sandbox-provider
    check 'the sandbox provider is built' cmake --build --preset release --target sandbox-provider
}
