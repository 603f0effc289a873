# SPDX-License-Identifier: MIT
# test_published_rows.sh -- the rows of matrix units are those of the whole sets, and so are digests
#
# SOFTFP8_SILICON names the folder of the sets.
if [ -z "${SOFTFP8_SILICON:-}" ]; then
    echo "skipped: SOFTFP8_SILICON names no folder of published results"
    exit 0
fi
folder=$source/conformance/records/published
for gpu in v100 a100 a2 ada l40s h100 h200 b200; do
    status "$gpu" 0 "$(dirname "$softfp8")/softfp8-test-extract_silicon" "$SOFTFP8_SILICON" $gpu
    same_file "the file of $gpu" "$folder/$gpu.txt" out
done
