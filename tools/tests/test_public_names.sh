# SPDX-License-Identifier: MIT
# test_public_names.sh -- grep finds every public function in lib/include
#
# lib/include/names.txt has the names that macros paste together; a header that is changed needs it
# anew. The exported names are those that the consumer's test finds in the library.
"$source/tools/public-names" > names.txt
golden 'the pasted names' lib/include/names.txt names.txt
grep -oE '^sf8_[a-z0-9_]+' "$source/lib/tests/consumer/symbols.txt" | sort > exported
grep -rohE '\bsf8_[a-z0-9_]+\b' "$source/lib/include" | sort -u > found
tests=$((tests + 1))
[ "$(wc -l < exported)" -gt 200 ] || failed "$(wc -l < exported) exported names"
same 'exported, and not in lib/include' "" "$(comm -23 exported found)"
