# SPDX-License-Identifier: MIT
# test_mma_probes.sh -- softfp8 mma --probes: the committed text, and rows that the command takes
. "$source/tools/softfp8/tests/common.sh"

status "--probes" 0 "$softfp8" mma --probes
golden "--probes" conformance/vectors/unit_probes.txt out
mv out text
status "-o" 0 "$softfp8" mma --probes -o probes
same_file "the same in a file" text probes
refuses "--probes and a unit" "--probes can be combined only with -o" "$softfp8" mma --probes --unit x
refuses "--probes and a file" "--probes can be combined only with -o" "$softfp8" mma --probes x

# A row as it is printed, by the command: --set is a rival.
row=$(sed -n 's/^T7b hopper-qgmma e4m3 e4m3 f32 \([^ ]* [^ ]* [^ ]*\) 42d9f800 sum=f32:42d9f820$/\1/p' probes)
echo "$row" | "$softfp8" mma --unit hopper-qgmma --in e4m3 --result f32 > word
same "T7b" 42d9f800 "$(cat word)"
echo "$row" | "$softfp8" mma --unit hopper-qgmma --in e4m3 --result f32 --set sum=f32 > word
same "its rival" 42d9f820 "$(cat word)"
finish
