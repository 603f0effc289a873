# SPDX-License-Identifier: MIT
# test_evidence.sh -- conformance.evidence finds what is wrong between rows and records
#
# A copy of the records with one fault, and what the check says about it.
check=$softfp8

copy() {
    rm -rf copy
    mkdir -p copy/docs/matrix copy/vectors copy/conformance/records
    cp "$source/docs/matrix/matrix.json" copy/docs/matrix
    cp -r "$source/vectors/products" copy/vectors
    cp -r "$source/conformance/records/h100" copy/conformance/records
}

# faulty WHAT TEXT: the check fails, and says the text.
faulty() {
    status "$1" 1 "$check" copy
    same "$1: it says so" yes "$(grep -q "$2" out && echo yes || head -n 3 out)"
}

copy
status "the records as they are" 0 "$check" copy

matrix=copy/docs/matrix/matrix.json
sed -i '/"from":"f32","to":"e4m3",/s/"policy":"xla"/"policy":"ocp"/' $matrix
faulty "a conversion that follows another policy" "policy xla: "
copy
sed -i 's/{"package": "paddle", "version": "3.3.1"/{"package": "paddle", "version": "3.3.2"/' $matrix
faulty "another version" "policy paddle: "
copy
sed -i '/"from":"f32","to":"e4m3",.*"policy":"openvino"/s/"inputs":[0-9]*/"inputs":7/' $matrix
faulty "fewer inputs" "policy openvino: "
copy
sed -i 's/,"device":"NVIDIA H100 80GB HBM3"//' $matrix
faulty "results of a GPU that count as those of the CPU" "torch 2.11.0 on NVIDIA H100 80GB HBM3"
copy
sed -i 's/"date": "2026-11-/"date": "2026-12-/' $matrix
faulty "another month" "2026-12"
copy
rm copy/vectors/products/bfp8-tenstorrent.txt
faulty "no record" "recipe bfp8-tenstorrent: "
copy
sed -i 's/^# package gguf .*/# package gguf 0.20.0/' copy/vectors/products/q8_0-gguf.txt
faulty "a record of another version" "q8_0-gguf"
copy
sed -i '/^# package/d' copy/vectors/products/q8_0-gguf.txt
faulty "a record without a version" "no line .# package NAME VERSION. above"
copy
{
    echo '# package gguf 0.19.0'
    echo '# recipe mxfp4-floor'
} > copy/vectors/products/more.txt
faulty "a record that no row names" "mxfp4-floor"
copy
sed -i 's/^date 2026-11-27/date 2026-11-28/' copy/conformance/records/h100/cases.txt
faulty "a record of a GPU on another day" "policy ptx: no record in conformance/records supports"
copy
sed -i '1,/ differ=0 /s/ differ=0 / differ=1 /' copy/conformance/records/h100/cases.txt
faulty "a record of a GPU with a difference" "unit hopper-qgmma: no record in conformance/records"
copy
rm -r copy/conformance/records/h100
faulty "no record of a GPU" "policy cuda-nosat: no record in conformance/records supports"
copy
rm $matrix
status "no matrix" 2 "$check" copy
