# SPDX-License-Identifier: MIT
# test_kv_chain.sh -- softfp8 kv chain: its output as it stands in kv/, options, what it refuses
#
# kv/chain.txt is the whole; its numbers are those of the sources that they name, or worked out here, link by
# link. check_kv_chain_model.c has them once more, by plain float and double.
chain="$softfp8 kv chain"
kept=tools/softfp8/tests/kv

$chain > got
golden "the whole" $kept/chain.txt got
lacks "100 columns" '.{101}' got
$chain --policy nosat --link 5 > got
golden "NaN by the cast" $kept/chain_nosat.txt got
$chain --link 4 -o kept.txt
sed -n '/^4\. /,/^$/p' "$source/$kept/chain.txt" | sed '$d' > want
same_file "one link, to a file" want kept.txt

# has LINK TEXT [OPTION...]: a line of the link begins with the text.
has() {
    link=$1
    text=$2
    shift 2
    tests=$((tests + 1))
    $chain --link "$link" "$@" > got
    cut -c 4- got | grep -qF -- "$text" || {
        failed "link $link: $text"
        cat got
    }
}

# 1: 5/200 and 5 times fl(1/200); the tie of 192 and 208
# the counts of quotients at and above 200: 9 + 111, 8; 89, 39
# amax 1.5625 / 200 = 2^-7 exactly: both ways the same
has 1 "scale of K    3c000000 = 0.0078125," --requests 1.5625,1,2
has 1 "              3c000000 = 0.0078125," --requests 1.5625,1,2
# 3
has 3 "In fact:      only 1 of these 3 values are." --requests 5,1,12,2
has 3 "satfinite     1 of 3 become 41333333 = 11.2, 0 become NaN" --requests 5,1,12,2
# 4: of orders and eps
has 4 "this request  tree-fma of the 8 values of link 3: variance b575c290 = -9.155e-07, plus eps 1e-6 =" --eps 1e-6
has 4 "              8.447e-08, 1/sqrt = 3441" --eps 1e-6
has 4 "this request  tree of the 8 values of link 3: variance 00000000 = 0, plus eps 1e-12 = 1e-12," --norm-order tree
has 4 "              1/sqrt = 1e+06" --norm-order tree
has 4 "this request  sequential of the 8 values of link 3: variance 37c00000 = 2.289e-05" --norm-order sequential
has 4 "this request  welford of the 8 values of link 3: variance 00000000 = 0" --norm-order welford
has 4 "this request  rms of the 8 values of link 3: mean square 42fae147 = 125.4" --norm-order rms
# -- situations: of one thread 8 sizes times an fma in the sums or not, for the last step or not; of 32 threads 7
# -- sizes, for 8 numbers are a tree; of 1024 threads 3; of the tree, whose products meet no sum, 2 a size; of
# -- Welford's 2: 32 + 28 + 12 + 16 + 16
# 5: by 0.025 5/8 is 25, a tie, so 24, 0.6; keys of normed tokens are 1 and -1 by turns, so that scores are 0, and the
# sum of two weights 1: log 2 = 0.6931, out 0.6 / 2 - 0.6 / 2
# -- without a norm the keys of token 2 are NaN, and its values: the rows before it lose them too, by 0 NaN
has 5 "differ if a weight of 0 is multiplied with a value, and are the same if it is" --policy nosat
# 6: 5/16 is 12.5, a tie, so 12, 0.3; with a clean token 2, of 0, (0.6 - 0.6 + 0 + 0.3) / 4. 1 - (254/256)^128 and
# 1 - (248/256)^128
# 8: 15.3 18.7 12.1 19.5 16.8 20 14.2 17.9 have the mean 16.8125 and the squares 2314.73: / 8 less the mean's is 6.681.
# bf16 has 8 bits: 16.8 becomes 16.75, 0.05 / 16.8 = 0.30 %; the same mean, squares 2314.6640625: 6.6729
# -- a scale of the request, 20 / 200: 153 187 121 195 168 200 142 179, of which 168 and 200 are ties, become 160 192
# -- 120 192 160 192 144 176 tenths: 0.8 / 16.8 = 4.76 %; squares of their differences to 167 are 49 625 2209 625 49
# -- 625 529 81, a hundredth of an eighth of it 5.99
# -- per token and head, 20 / 448: 342.7 418.9 271.04 436.8 376.3 448 318.1 400.96 become 32 times 11 13 8 14 12 14 10
# -- 13, where 32 stands for 10/7: 12.1 becomes 80/7, 5.55 % off; 1159 / 8 - (95 / 8)^2 =
# -- 3.859375, times 100 / 49 7.876
# -- the largest apart, 19.5 / 448: 277.99 of 12.1 goes to 288, 9 times 39/28: 12.536, 3.60 % off. 11 13 9 14 12 10 13
# -- have the sum 82, their squares 980: (980 u^2 + 400) / 8 - ((82 u + 20) / 8)^2 with u = 39/28 is 6.196
# -- tokens stand for 35/4 (t - 1): a, 2, is nearest from 4.375 to 13.125, b up to 21.875, so that 12.1 is a
# 5 to 8: who ends at "!"
has 5 "In fact:      Key 2 is finite with this order and eps: the chain ends here." --norm-order welford
has 5 "In fact:      Key 2 is finite with this order and eps: the chain ends here." --eps 1e-5
has 7 'the logits    14 of 14 are NaN: token 0. All steps give "!!!!!!!!".' --policy nosat --eps 1e-5
has 7 'the logits    0 of 14 are NaN: token 1. All steps give "________".' --eps 1e-5
same "in range, but for the norm" "aa __ aa aa aa aa aa aa" \
    "$($chain --link 8 --requests 11,9,9.5 --norm-order sequential | sed '1,/variance/d; s/.* //' | xargs)"

if command -v python3 > /dev/null; then
    for policy in satfinite nosat; do
        status "JSON reads, $policy" 0 sh -c "$chain --json --policy $policy | python3 -m json.tool"
    done
fi
