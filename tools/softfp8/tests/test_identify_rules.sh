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

finish
