# SPDX-License-Identifier: MIT
# test_pretend.sh -- record on a pretended device: host and device overlap, and nothing takes it for
# a record of hardware
bin=${softfp8%/*}
pretend=$bin/softfp8-pretend
cases='mma-sparse/wgmma.sp.m64n8k64/e4m3.e*'

# beside: how many other processes computed while the device worked.
beside() { sed -n 's/^while the device worked, \([0-9.]*\) other processes computed.*/\1/p' err; }

status 'one process' 0 "$pretend" --keep one --only "$cases" --jobs 1
same 'nothing beside the device' 0.000 "$(beside)"
# On a busy machine the other processes may wait while the device works: three attempts.
for attempt in 1 2 3; do
    rm -rf four
    status 'four processes' 0 "$pretend" --keep four --only "$cases" --jobs 4
    case $(beside) in
    0.000 | '') ;;
    *) break ;;
    esac
done
tests=$((tests + 1))
case $(beside) in
0.000 | '') failed "no process computes while the device works, in $attempt attempts" ;;
esac
same 'each row says what it is' "$(grep -c '^ .*  mma-sparse/' out)" "$(grep -c '  pretended  ' out)"
same 'and so does the last one' ', 0 wrong, all pretended: nothing was compared' \
    "$(tail -n 1 out | sed 's/.* of the GPU//')"
same 'the record says it' 'emulated pretended' "$(sed -n '6s/ #.*//p' four/cases.txt)"
same 'what a core less or more means' '1 2 4 8 16 32 64' \
    "$(echo $(sed -n '/^cores/,$s/^ *\([0-9]*\) .*/\1/p' err))"

# The device's times count, and those of the host do not depend on them.
SOFTFP8_PRETEND=0
export SOFTFP8_PRETEND
status 'a device that answers at once' 0 "$pretend" --keep at-once --only "$cases" --jobs 1
same 'it takes no time' 0.0 "$(sed -n 's/^[0-9.]* s of the host, \([0-9.]*\) s of the device.*/\1/p' err)"
SOFTFP8_PRETEND=fast
refuses 'no factor' 'SOFTFP8_PRETEND is no factor' "$pretend" --keep x --only "$cases"
unset SOFTFP8_PRETEND

refuses 'no replay' 'cannot use four: a pretended device made it; it proves nothing' \
    "$softfp8" conform --records four --only 'record/*'
refuses 'no merge' 'cannot use four/units: a pretended device made it; it proves nothing' \
    "$softfp8" conform --join four
refuses 'no record by merging' 'a pretended device made it' "$softfp8" conform --join --record merged four
[ ! -e merged ] || failed 'a record of a pretended device was merged'
sed 's/^emulated pretended/emulated no/' four/cases.txt > edited
cat edited > four/cases.txt
refuses 'no edited one' 'four/cases.txt:6: ' "$softfp8" conform --records four --only 'record/*'
