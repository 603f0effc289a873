# SPDX-License-Identifier: MIT
# common.sh -- what the scripts share: where the project is, and installing what is missing
#
# Sourced by the scripts in this folder, with the project's root as the working folder. Nothing
# here reads from stdin.

# --help prints the head of the script, which stands in tools or a folder of it, and does nothing.
case ${1:-} in
--help | -h)
    sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$(find tools -name "${0##*/}" -type f | head -n 1)"
    exit
    ;;
esac

export CC="${CC:-gcc}" CXX="${CXX:-g++}"

# The presets for other processors.
# shellcheck disable=SC2034
processors="aarch64 s390x ppc64le riscv64 armhf i386"

note() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

have() { command -v "$1" > /dev/null 2>&1; }

has_cmake() {
    have cmake && cmake --version \
        | awk 'NR == 1 { split($3, v, "."); exit !(v[1] > 3 || (v[1] == 3 && v[2] >= 25)) }'
}

has_library() {
    have pkg-config && pkg-config --exists "$1"
}

# A compiler that makes a program with these flags: works COMPILER FLAG...
works() {
    have "$1" || return 1
    out=$(mktemp) || return 1
    if echo 'int main(void) { return 0; }' | "$@" -x c - -o "$out" > /dev/null 2>&1; then
        rm -f "$out"
        return 0
    fi
    rm -f "$out"
    return 1
}

# A compiler for another processor, and QEMU: missing_emulated QEMU TRIPLE ARCHITECTURE. The last one is
# Debian's name.
missing_emulated() {
    works "$2-gcc" -static || echo "gcc-$2" "libc6-dev-$3-cross"
    have "qemu-$1" || have "qemu-$1-static" || echo qemu-user
}

# The same, and MPFR for it.
missing_cross() {
    missing_emulated "$@"
    works "$2-gcc" -static -include mpfr.h -lmpfr -lgmp || echo "libmpfr-dev:$3" "libgmp-dev:$3"
}

# The packages that are missing for the given features.
missing_packages() {
    for feature in "$@"; do
        case $feature in
        build)
            { works gcc && have g++; } || echo build-essential
            has_cmake || echo cmake
            have ninja || echo ninja-build
            have pkg-config || echo pkg-config
            ;;
        proof)
            has_library mpfr || echo libmpfr-dev
            has_library gmp || echo libgmp-dev
            ;;
        tests)
            has_library criterion || echo libcriterion-dev
            ;;
        reference)
            have doxygen || echo doxygen
            ;;
        clang)
            works clang || echo clang
            ;;
        newest-clang)
            newest=$(apt-cache search --names-only '^clang-[0-9]+$' 2> /dev/null | cut -d' ' -f1 \
                | sort -V | tail -n 1)
            [ -z "$newest" ] || have "$newest" || echo "$newest"
            ;;
        formal)
            works clang || echo clang
            have opt || ls /usr/bin/opt-[0-9]* > /dev/null 2>&1 || echo llvm
            python3 -c 'import ensurepip, venv' 2> /dev/null || echo python3-venv
            ;;
        spelling)
            have codespell || echo codespell
            ;;
        aarch64) missing_cross aarch64 aarch64-linux-gnu arm64 ;;
        s390x) missing_cross s390x s390x-linux-gnu s390x ;;
        ppc64le) missing_cross ppc64le powerpc64le-linux-gnu ppc64el ;;
        riscv64) missing_emulated riscv64 riscv64-linux-gnu riscv64 ;; # Debian 12 has no MPFR for it
        armhf) missing_cross arm arm-linux-gnueabihf armhf ;;
        i386) missing_cross i386 i686-linux-gnu i386 ;;
        clients)
            have iverilog || echo iverilog
            have tcc || echo tcc
            [ -e /usr/include/gtest/gtest.h ] || echo libgtest-dev
            [ -e /usr/include/catch2 ] || echo catch2
            ;;
        rare)
            { have slurmctld || [ -x /usr/sbin/slurmctld ]; } || echo slurm-wlm munge
            have parallel || echo parallel
            have verilator || echo verilator
            have musl-gcc || echo musl-tools
            have dh || echo debhelper
            have lintian || echo lintian
            have meson || echo meson
            if have clang; then missing_packages wasm; fi
            ;;
        wasm)
            if ! have clang; then
                echo clang lld wasi-libc
            elif ! works clang --target=wasm32-wasi; then
                echo wasi-libc lld "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev-wasm32"
            fi
            ;;
        sanitizers)
            if have clang && ! works clang -fsanitize=address,undefined; then
                echo "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
            fi
            ;;
        esac
    done
}

# Runs apt-get as root, or through sudo, which may ask for a password only on a terminal.
apt() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
    elif [ -t 0 ]; then
        sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
    fi
}

# Packages of another architecture are known only when it has been added.
add_architecture() {
    if dpkg --print-foreign-architectures | grep -qx "$1"; then return 0; fi
    if [ "$(id -u)" -eq 0 ]; then dpkg --add-architecture "$1"; else sudo dpkg --add-architecture "$1"; fi
}

can_install() {
    have apt-get || return 1
    [ "$(id -u)" -eq 0 ] && return 0
    have sudo || return 1
    [ -t 0 ] || sudo -n true 2> /dev/null
}

# Installs the packages that the given features need and this machine lacks, or names them and
# stops.
need() {
    # A second attempt finds what only shows after the first one.
    for attempt in 1 2; do
        packages=$(missing_packages "$@" | tr '\n' ' ')
        [ -n "$packages" ] || return 0
        if ! can_install; then
            note "these packages are missing, and this user cannot install them:"
            note "    $packages"
            exit 2
        fi
        note "installing $packages"
        for package in $packages; do
            case $package in
            *:*) add_architecture "${package#*:}" ;;
            esac
        done
        if [ "$attempt" -eq 1 ] && ! apt update -q >&2 < /dev/null; then
            note "apt-get update failed; going on with the lists there are"
        fi
        # Names of packages, to be split into words.
        # shellcheck disable=SC2086
        if ! apt install -q -y --no-install-recommends $packages >&2 < /dev/null; then
            note "could not install: $packages"
            exit 2
        fi
    done
    packages=$(missing_packages "$@" | tr '\n' ' ')
    if [ -n "$packages" ]; then
        note "installed, and still not usable (CMake must be 3.25 or later): $packages"
        exit 2
    fi
}

# The output of these goes to stderr: stdout is for results.

# The newest version, since what optimizers and assemblers do to floating point changes.
newest_clang() {
    for version in $(seq 40 -1 15); do
        if have "clang-$version" && have "clang++-$version"; then
            echo "-DCMAKE_C_COMPILER=clang-$version -DSOFTFP8_CXX=clang++-$version"
            return
        fi
    done
}

# configure PRESET [OPTION...]. A folder that was configured for another compiler is begun anew:
# CMake would forget the flags of the preset.
configure() {
    preset_options=
    case $1 in clang-*) preset_options=$(newest_clang) ;; esac
    compiler=${preset_options%% *}
    compiler=${compiler#*=}
    cache=build/$1/CMakeCache.txt
    if [ -n "$compiler" ] && [ -f "$cache" ] && ! grep -q "^CMAKE_C_COMPILER:.*$compiler\$" "$cache"; then
        rm -rf "build/$1"
    fi
    # Two options, or none.
    # shellcheck disable=SC2086
    cmake --preset "$@" $preset_options >&2
}

# compile PRESET [TARGET...]: these targets of a configured preset, or all of them.
compile() {
    configuration=$1
    shift
    cmake --build --preset "$configuration" ${1+--target} "$@" >&2
}

# build PRESET [OPTION...]: both, with more options for cmake if given.
build() { configure "$@" && compile "$1"; }
