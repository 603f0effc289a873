# SPDX-License-Identifier: MIT
# test_identify_rules.sh -- identify: which products are named for which formats, and roundings that
# are none of the modes

# ---- a product is named only for formats that it has --------------------------------------------

# first POLICY FROM TO EXPLAINED PRODUCTS: the report of the policy's own codes.
first() {
    "$softfp8" gen "$2_to_$3" --format bin --columns result --policy "$1" -o own
    "$softfp8" identify --from "$2" --to "$3" own > out
    same "$1, $2 to $3" "$4" "$(sed -n 's/^explained: \([^(]*[^ (]\).*/\1/p' out)"
    same "$1, $2 to $3: products" "$5" "$(sed -n 's/^products: //p' out)"
}
first ocp f16 e4m3fnuz 'onnx-saturate, rne' 'onnx, onnx-saturate, onnxruntime for f16 to e4m3fnuz'
first hip-ocp f16 e4m3fnuz 'hip-ocp, rne' 'tinygrad, hip for f16 to e4m3fnuz'
first hip-ocp f16 e4m3 'hip-ocp, rne' 'tinygrad, hip for f16 to e4m3'
first cuda f16 e2m3 'cuda-satfinite, rne' 'cuda for f16 to e2m3'
first p3109 f16 p3109_k8p3se 'p3109-satfinite, rne' 'p3109 for f16 to p3109_k8p3se'
first 'p3109-satnone round=ro' f16 p3109_k8p3se 'p3109-satnone, ro' ''
# p3109_k8p4sf and e4m3fnuz are the same format: the name says which is meant.
first p3109 f16 p3109_k8p4sf 'p3109-satfinite, rne' 'p3109 for f16 to p3109_k8p4sf'
first 'ocp-nosat round=rz' f16 bf16 'ocp-nosat, rz' ''
first 'ocp round=rna' f16 e4m3b15 'ocp, rna' ''
# A format of the user's own: no product has it.
own='e=4,m=3,bias=9,nan=top'
seq 0 65535 | awk '{ printf "%04x\n", $1 }' > inputs
"$softfp8" convert --from f16 --to "$own" --policy 'ocp round=rna' inputs > codes
"$softfp8" identify --from f16 --to "$own" codes > out
same 'a format of the user' 'ocp, rna:0' \
    "$(sed -n 's/^explained: \([^(]*[^ (]\).*/\1/p' out):$(grep -c ^products out || true)"
# The name of a product still means its rule for other formats.
same 'cuda for a format that it lacks' cuda-satfinite \
    "$("$softfp8" explain 1 --to e4m3fnuz --policy cuda | sed -n '1s/.*(policy \(.*\))/\1/p')"

# ---- thresholds ---------------------------------------------------------------------------------

"$softfp8" gen f16_to_e4m3 --format bin --columns result --policy 'ocp round=rz' -o rz
od -An -v -tu1 -w1 rz > down

# rounded RULE: codes of f16 to e4m3; RULE, in awk, says with nu and the parity `odd` of the code
# below when a magnitude goes up.
rounded() {
    awk 'function value(code, bits, bias,    e, m) {
             e = int(code / 2 ^ bits); m = code % 2 ^ bits
             return e ? (1 + m / 2 ^ bits) * 2 ^ (e - bias) : m / 2 ^ bits * 2 ^ (1 - bias)
         }
         BEGIN { srand(1) }
         { x = (NR - 1) % 32768; code = $1 % 128
           low = value(code, 3, 7); high = value(code + 1, 3, 7)
           nu = code < 126 ? (value(x, 10, 15) - low) / (high - low) : 0
           odd = code % 2
           printf "%02x\n", $1 + (nu > 0 && ('"$1"')) }' down > codes
    status "no policy gives them" 1 "$softfp8" identify --from f16 --to e4m3 codes
    sed -n '/^diagnosis/,$p' out
}
nearest='diagnosis: every code is one of the two nearest its value: '
nu='  nu: how far the value lies between its neighbours, 0 to 1; a tie has 0.5'
same 'a threshold' "${nearest}magnitudes are rounded up from nu = 0.25 on
$nu" "$(rounded 'nu >= 0.25')"
same 'a threshold that goes down' "${nearest}magnitudes are rounded up above nu = 0.625
$nu" "$(rounded 'nu > 0.625')"
same 'always away from zero' "${nearest}magnitudes are rounded up above nu = 0
$nu" "$(rounded 1)"
same 'ties to odd' "${nearest}magnitudes are rounded up from nu = 0.5 on
  if the code below is even, and above nu = 0.5 if it is odd
$nu" "$(rounded 'nu > 0.5 || (nu == 0.5 && !odd)')"
same 'two guard bits and no sticky bit' "${nearest}magnitudes are rounded up from nu = 0.75 on
  if the code below is even, and from nu = 0.5 on if it is odd
$nu" "$(rounded 'nu >= 0.75 || (nu >= 0.5 && odd)')"
random=$(rounded 'rand() < nu')
same 'at random' "${nearest}rounded in another way, perhaps at random" "$random"
# A few values could lie so by chance: 1.04, 1.01, 1.1 and such.
printf '%s\n' '3c28 39' '3c0a 38' '3c64 39' '3ca8 3a' '3c8a 39' 'bc28 b9' 'bc0a b8' > few
status "no policy gives these" 1 "$softfp8" identify --from f16 --to e4m3 few
same 'few values' "${nearest}rounded in another way, perhaps at random" "$(grep ^diagnosis out)"
