# SPDX-License-Identifier: MIT
# test_pages.sh -- the pages that --html writes: the JSON and the words in them, and what they draw
#
# Their script runs in node, with an element for each one that it looks for.
. "$source/tools/softfp8/tests/tensors.sh"
data=$source/examples/data

# page NAME STATUS FIGURES COMMAND...: the page has the command's JSON and its words, and this many
# pictures.
page() {
    name=$1 expected=$2 figures=$3
    shift 3
    status "$name" "$expected" "$softfp8" "$@" --html "$name.html"
    cp out words
    case $1 in
    identify) status "$name: JSON" "$expected" "$softfp8" "$@" --json ;;
    *) status "$name: JSON" "$expected" "$softfp8" "$@" --json - ;;
    esac
    sed -n '/ id="data">/,/<\/script>/p' "$name.html" |
        sed 's/.* id="data">//; s/<\/script>.*//; s/\\u003c/</g' | sed '/^$/d' > in_page
    sed '/^$/d' out > json
    [ "$1" = attend ] || cmp -s json in_page || failed "$name: the JSON of the page is another"
    sed -n '/ id="text">/,/<\/pre>/p' "$name.html" | sed 's/.* id="text">//; s/<\/pre>.*//
        s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/'"'"'/g; s/&amp;/\&/g' | sed '/^$/d' > in_page
    sed '/^$/d' words > text
    cmp -s text in_page || failed "$name: the words of the page are others"
    grep -q '@[A-Z]*@\|https\?:' "$name.html" && failed "$name: a mark of the template, or an address"
    command -v node > /dev/null || return 0
    status "$name: drawn" 0 node "$source/tools/softfp8/tests/draw.mjs" "$name.html"
    sed 's/></>\
</g' out > drawn
    same "$name: pictures" "$figures" "$(grep -c '<figure' drawn)"
    lacks "$name: all numbers are there" 'undefined|NaN</(dd|td)>|: NaN<|[a-z]="NaN"|Infinity' drawn
}

page doctor 0 3 kv doctor "$data/keys.npy"
page checkpoint 1 1 checkpoint "$data/model.safetensors"
page several 0 6 kv doctor "$data/keys.npy" "$data/keys.npy"
bytes 7f 00 7e 38 7f 00 7e 38 > codes
page inspect 0 10 kv inspect --shape 2,1,2,2 codes
words 41888000 3f800000 c1888000 40400000 > x.bin
bytes 59 38 d9 46 > wrong.bin
page judge 1 1 judge --to e4m3 --codes wrong.bin --expected x.bin --from f32 --shape 2,2 --uncertain bf16/2
printf '3c00 38\n4000 41\n' > pairs
page identify 1 1 identify --from f16 --to e4m3 pairs

# Attention: two queries of one head. The page alone has the errors of all rows.
eight() { repeat 7 00000000; }
for name in q k v; do
    npy '<f4' '2, 1, 8' > $name.npy
    words "3f800000 $(eight) $(eight) 3f800000" >> $name.npy
done
cp q.npy other.npy
words 40000000 | dd of=other.npy bs=1 seek=128 conv=notrunc 2> seen
page attend 1 1 attend --q q.npy --k k.npy --v v.npy --compare q.npy
same "each row has its error" 1 "$(grep -c '"errors": {"each": 1, "of_bound": ' attend.html)"
page same 1 1 attend --same q.npy other.npy

# A name that would end the script, or begin an element.
cp codes '<script>x<!--&'
status "a hostile name" 0 "$softfp8" kv inspect --shape 2,1,2,2 '<script>x<!--&' --html hostile.html
same "ends no element" 2 "$(grep -o '<script' hostile.html | wc -l | tr -d ' ')"

# Refused: what has no page, and two outputs in one file. No file is written.
refuses "a page of nothing" 'html needs --compare or --same' "$softfp8" attend --q q.npy --k k.npy --v v.npy --html x.html
refuses "two outputs in one file" 'two outputs go to the same file' "$softfp8" kv doctor "$data/keys.npy" --json x.html --html x.html
same "no page" "" "$(ls x.html 2> /dev/null)"
