# SPDX-License-Identifier: MIT
# test_verdict_closed.sh -- standard streams that are closed: no report in a result file, no crash,
# and never status 0 when what was printed is lost
. "$source/tools/softfp8/tests/tensors.sh"

# closed STREAMS WHAT EXPECTED COMMAND...: the status of a command that starts with these closed.
closed() {
    closing=$1
    what=$2
    want=$3
    shift 3
    status "$what, started with $closing" "$want" sh -c '"$@" '"$closing" sh "$@"
}

{
    npy '<f4' '16, 16'
    for row in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        # shellcheck disable=SC2086
        words $golden
    done
} > w.npy

# ---- standard output closed: the codes are the file's, the report is lost, and that is said
quantize_all="$quantize --recipe nvfp4-te --global-scale auto --codes codes --scales scales"
status "the codes" 0 $quantize_all w.npy
cp codes right_codes
cp scales right_scales
rm codes scales
for closing in '>&-' '<&- >&-'; do
    closed "$closing" "quantize" 2 $quantize_all --report w.npy
    same "the message" "softfp8 quantize: cannot write standard output: Bad file descriptor" "$(cat err)"
    for part in codes scales; do
        if [ -e $part ]; then
            same_file "no report in the $part" right_$part $part
        fi
    done
    rm -f codes scales
    closed "$closing" "conform" 2 "$softfp8" conform --records none --jobs 1 --only chain/argmax --html x.html
    closed "$closing" "kv doctor" 2 "$softfp8" kv doctor --json x.json w.npy
done
closed '>&-' "what was asked for is a file" 0 $quantize_all w.npy
same_file "its codes" right_codes codes
status "no JSON of it" 0 "$softfp8" kv doctor --json right.json w.npy
[ ! -e x.json ] || same_file "or a whole one" right.json x.json
for command in "--version" "--help" "formats" "convert --from e4m3 --to f32 codes" "kv chain"; do
    # shellcheck disable=SC2086
    closed '>&-' "$command" 2 "$softfp8" $command
done

# ---- standard input closed: reading it fails; a command that does not read it works
echo 38 > one
closed '<&-' "an input that is there" 0 "$softfp8" convert --from e4m3 --to f32 -o result one
same "the result" 3f800000 "$(cat result)"
closed '<&-' "standard input" 2 "$softfp8" convert --from e4m3 --to f32
closed '<&-' "standard input and -o" 2 "$softfp8" convert --from e4m3 --to f32 -o result
same "the message" "softfp8 convert: cannot read standard input: Bad file descriptor" "$(cat err)"
closed '<&-' "an input that is absent" 2 "$softfp8" attend -o x.npy --q none --k none --v none
same "it is named" 1 "$(grep -c none err)"
closed '<&- >&- 2>&-' "all three" 0 "$softfp8" convert --from e4m3 --to f32 -o result one
same "nothing but the result" 3f800000 "$(cat result)"
