# SPDX-License-Identifier: MIT
# test_io.sh -- outputs: two are never one file, none is an input, all are there or none
. "$source/tools/softfp8/tests/tensors.sh"

words 3f800000 40000000 > tensor
doctor="$softfp8 kv doctor --from f32 --shape 1,2"
suite="$softfp8 conform --records none --jobs 1 --only chain/argmax"

# ---- two that are one file, there already or not, by the name or by another
echo kept > there
ln -s there link
ln there hard
mkdir folder
for pair in "there ./there" "there link" "there hard" "new ./new" "new folder/../new" "new $PWD/new"; do
    set -- $pair
    refuses "doctor: $pair" "two outputs go to the same file '$2', which is '$1'" $doctor --json "$1" --svg "$2" tensor
    refuses "conform: $pair" "two outputs go to the same file '$1', which is '$2'" $suite --json "$1" --html "$2"
done
refuses "quantize" "two outputs go to the same file './new', which is 'new'" \
    "$softfp8" quantize --recipe mxfp4-floor --from f32 --shape 1,2 --codes new --scales ./new tensor
refuses "one name" "two outputs go to the same file 'new'" $suite --json new --html new
refuses "standard output" "two outputs go to the same file '-'" $suite --json - --html -
same "what was there" kept "$(cat there)"
tests=$((tests + 1))
[ ! -e new ] || failed "something was written"
status "a name in two folders" 0 $doctor --json folder/new --svg new tensor
status "devices are no files" 0 $doctor --json /dev/null --svg /dev/null tensor

# ---- an output that is the input
ln tensor hard_tensor
cp tensor as_it_was
for other in tensor ./tensor hard_tensor; do
    refuses "doctor: $other" "the output '$other' would overwrite the input 'tensor'" $doctor --json $other tensor
    refuses "doctor, SVG: $other" "the output '$other' would overwrite the input 'tensor'" $doctor --svg $other tensor
    refuses "quantize: $other" "the output '$other' would overwrite the input 'tensor'" \
        "$softfp8" quantize --recipe mxfp4-floor --from f32 --shape 1,2 -o $other tensor
done
refuses_input "standard input" "the output 'in' would overwrite the input '-'" '\0\0\200\077\0\0\200\077' $doctor --json in -
# Whether or not they are good input: outputs are checked first.
for command in 'convert --from f32 --to e4m3 tensor' 'expand tensor' 'expand --words tensor none' \
    'mma --unit hopper-qgmma --in e4m3 --result f32 tensor' 'dequantize tensor' \
    'dequantize --recipe mxfp4-floor --shape 1,2 --codes tensor --scales none' \
    'dequantize --recipe mxfp4-floor --shape 1,2 --codes none --scales tensor' \
    'layout move --from linear --to 128x4 --shape 2,4 tensor'; do
    # shellcheck disable=SC2086
    refuses "$command" "the output './tensor' would overwrite the input 'tensor'" "$softfp8" $command -o ./tensor
done
for inputs in 'tensor none none' 'none tensor none' 'none none tensor'; do
    # shellcheck disable=SC2086
    set -- $inputs
    refuses "layout identify $*" "the output 'hard_tensor' would overwrite the input 'tensor'" "$softfp8" \
        layout identify --codes "$1" --scales "$2" --expected "$3" --shape 1,2 --json hard_tensor
done
same_file "the tensor" as_it_was tensor

# ---- all or none: the second cannot be written to its end, or at all
if [ -c /dev/full ]; then
    refuses "doctor" "cannot write /dev/full" $doctor --json alone --svg /dev/full tensor
    refuses "doctor, the other way" "cannot write /dev/full" $doctor --svg alone --json /dev/full tensor
    refuses "conform" "cannot write /dev/full" $suite --html alone --json /dev/full
    refuses "quantize" "cannot write /dev/full" \
        "$softfp8" quantize --recipe mxfp4-floor --from f32 --shape 1,2 --codes alone --scales /dev/full tensor
else
    echo "skipped: no /dev/full"
fi
refuses "a folder that is not there" "cannot write none/svg" $doctor --json alone --svg none/svg tensor
same "nothing is left" "" "$(find . -name 'alone*')"
