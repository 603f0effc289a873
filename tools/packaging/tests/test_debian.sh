# SPDX-License-Identifier: MIT
# test_debian.sh -- tools/packaging/debian makes packages that lintian accepts and a program can use
#
# A copy of the sources is built without optimization, which the packages do not depend on. Skipped
# without Debian's tools.
for program in dpkg-buildpackage dh lintian pkg-config; do
    command -v $program > /dev/null || { echo "skipped: no $program"; exit 77; }
done

mkdir copy
(cd "$source" && git ls-files -co --exclude-standard -z 2> /dev/null) > names
if [ -s names ]; then
    (cd "$source" && tar --null -T - -cf - < "$OLDPWD/names") | tar xf - -C copy
else
    (cd "$source" && tar cf - --exclude ./build .) | tar xf - -C copy
fi
cp -R copy/tools/packaging/debian copy/debian
cd copy
dpkg-checkbuilddeps > ../unmet 2>&1 || { sed 's/^/skipped: /' ../unmet; exit 77; }
version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' debian/changelog)
same "the version of the changelog is the library's" \
    "$(sed -n 's/^project(softfp8 VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)" "$version"
status "dpkg-buildpackage" 0 env -u CFLAGS -u MAKEFLAGS DEB_CFLAGS_STRIP=-g \
    DEB_BUILD_OPTIONS="noopt nocheck noautodbgsym parallel=$(nproc)" dpkg-buildpackage -b -us -uc
if [ "$got" -ne 0 ]; then
    tail -n 30 out err
fi
cd ..

status "lintian" 0 lintian --allow-root --fail-on error ./*.changes
if [ "$got" -ne 0 ]; then
    cat out err
fi
same "the packages" "libsoftfp8-0.2 libsoftfp8-dev softfp8 " "$(for package in *.deb; do
    case $package in *-dbgsym_*) ;; *) printf '%s ' "${package%%_*}" ;; esac
done)"
same "the library needs the C library alone" "libc6" \
    "$(dpkg-deb -f libsoftfp8-0.2_*.deb Depends | sed 's/ (.*//')"
dpkg-deb -c libsoftfp8-0.2_*.deb | awk '{ print $6 }' | sed -n 's|.*/\(lib.*\.so.*\)|\1|p' | sort > names
same "the library's files" "libsoftfp8.so.0.2 libsoftfp8.so.$version " "$(tr '\n' ' ' < names)"

# What an installation of them gives.
for package in *.deb; do
    dpkg-deb -x "$package" root
done
root=$PWD/root
LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libsoftfp8.so.0.2)")
PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig
export LD_LIBRARY_PATH PKG_CONFIG_PATH
# Words of a command.
# shellcheck disable=SC2046
status "a program is compiled" 0 "${CC:-cc}" -std=c11 "$source/examples/c/example.c" -o example \
    $(pkg-config --cflags --libs softfp8)
status "and runs" 0 ./example
same "it prints" "saturated: 7e = 448
otherwise: 7f, flags 05" "$(cat out)"
same "the command prints" "$("$softfp8" --version)" "$(root/usr/bin/softfp8 --version)"
same "the manual is there" 1 "$(find root/usr/share/man/man1 -name 'softfp8.1*' | wc -l)"
