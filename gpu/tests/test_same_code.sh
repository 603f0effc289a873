# SPDX-License-Identifier: MIT
# test_same_code.sh -- tools/kernel-cost --same: comments leave machine code as it is, a rule does not
command -v python3 > /dev/null || skip "no python3"
cost() { "$source/tools/kernel-cost" "$@"; }

mkdir copy
cp -r "$source/gpu" "$source/lib" copy
got=0
cost --same copy --only kernels/merge > out 2> err || got=$?
[ "$got" -ne 77 ] || skip "$(cat out)"
same "a copy" "0: 16 kernels compared, 0 have other machine code
$(sed -n '2s/[0-9]*/N/p' out | grep -x 'N functions and tables of the host, 0 are others' | sed "s/N/$(sed -n '2s/ .*//p' out)/")" \
    "$got: $(cat out)"

file=copy/gpu/kernels/merge/merge.h
{
    echo '/* A comment, and so other lines. */'
    cat "$file"
} > edited
mv edited "$file"
status "a comment" 0 cost --same copy --only kernels/merge
sed 's/\([^_a-z]\)place(/\1other_place(/g' "$file" > edited
! cmp -s edited "$file" || failed "no other name"
mv edited "$file"
status "another name" 0 cost --same copy --only kernels/merge

sed 's/d = kernels::sum(ea, eb)/d = kernels::sum(eb, kernels::sum(ea, 1.0f))/' "$file" > edited
! cmp -s edited "$file" || failed "no other sum"
mv edited "$file"
status "another sum" 1 cost --same copy --only kernels/merge
grep -q '^kernels/merge/merge.cu: _ZN' out || failed "the name of a kernel"

# The half of the host: it starts fewer blocks, which no kernel shows.
cp "$source/gpu/kernels/merge/merge.h" "$file"
sed 's/BLOCKS_EACH = 8/BLOCKS_EACH = 7/' "$source/gpu/shim_cuda.h" > copy/gpu/shim_cuda.h
! cmp -s "$source/gpu/shim_cuda.h" copy/gpu/shim_cuda.h || failed "no other number"
status "another launch" 1 cost --same copy --only kernels/merge
same "no kernel" "16 kernels compared, 0 have other machine code" "$(grep ' kernels compared' out)"
grep -q '^kernels/merge/merge.cu: host: _ZN4shim6launch' out || failed "the name of a function"

status "no such sources" 1 cost --same copy --only kernels/nothing
same "none compared" "0 kernels compared, 0 have other machine code" "$(head -n 1 out)"
refuses "no version of the project" ".: expected a folder of the project, with gpu/device.cu" \
    cost --same .
