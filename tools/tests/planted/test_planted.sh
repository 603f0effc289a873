# SPDX-License-Identifier: MIT
# test_planted.sh -- a mistake that is one new row of lib/diagnose/policy/causes.c is named by C, by the
# command and by Python, without another edit: plant.awk adds the row
build=${softfp8%/bin/*}
says="ocp with least_lost: the smallest number is given as zero"

same "C" "$says" "$("$build/bin/softfp8-test-planted-cast")"
if [ "$PART" = command ]; then
    status "the command" 1 "$build/bin/softfp8-test-planted" identify --from f16 --to e4m3 codes.bin
    same "its diagnosis" "diagnosis: ocp, rne, with least_lost; this explains every input:
  least_lost: the smallest number is given as zero" "$(sed -n '/^diagnosis/,/^  least/p' out)"
    status "without the row" 1 "$softfp8" identify --from f16 --to e4m3 codes.bin
    same "there is no such diagnosis" 0 "$(grep -c least_lost out)"
    return
fi

objects=$(find "$build/python/build" -path '*/softfp8_binding.dir/*.o' 2> /dev/null)
[ -n "$objects" ] || skip "no module: the test python.package makes it"
cp -r "$source/python/src/softfp8" .
rm -f softfp8/_binding*
# Words.
# shellcheck disable=SC2086
$CC -shared $objects "$PLANTED" "$build/lib/libsoftfp8_diagnose.a" "$build/lib/libsoftfp8.a" -lm \
    -o softfp8/_binding.abi3.so
same "Python" "$says" "$("$build/python/bin/python" -c '
import numpy as np
import softfp8 as sf
codes = np.fromfile("codes.bin", np.uint8)
print(sf.diagnose_cast(None, codes, "f16", "e4m3"))')"
