# SPDX-License-Identifier: MIT
# test_help.sh -- every script of tools/ says with --help what it does, and does nothing else
. "$source/tools/softfp8/tests/common.sh"

# Where one would build or install, it finds no program to do that with.
mkdir bin
for name in cmake apt-get sudo; do
    printf '#!/bin/sh\necho %s >> "%s/started"\nexit 1\n' "$name" "$PWD" > "bin/$name"
    chmod +x "bin/$name"
done

for script in arrows build check-layers conform kernel-cost mutation/mutate p3109-tables prove record test vectors; do
    for option in --help -h; do
        PATH=$PWD/bin:$PATH status "$script $option" 0 "$source/tools/$script" $option
        same "$script $option: its name" "${script##*/}" "$(sed -n '1s/[ ].*//; 1s/.*\///; 1p' out)"
        same "$script $option: an example" yes "$(grep -q "tools/$script" out && echo yes || head -n 3 out)"
    done
done
same "nothing was started" no "$([ -e started ] && cat started || echo no)"
