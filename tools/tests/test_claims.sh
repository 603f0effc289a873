# SPDX-License-Identifier: MIT
# test_claims.sh -- sentences that were false once, or missing, and that no other test reads
cd "$source"

# says WHAT PAGE FIRST LAST TEXT: those lines of the page have the text.
says() {
    same "$1" yes "$(sed -n "$3,$4p" "$2" | tr '\n' ' ' | grep -qF -- "$5" && echo yes)"
}
for command in 'pip install ./python' tools/conform tools/build tools/test; do
    says "README's first screen names $command" README.md 1 20 "\`$command\`"
done
says "pip needs no root" README.md 1 20 'needs no root'
says "P3109's required set" docs/spec/p3109.md 1 12 'softfp8 has all operations that D1 requires'

# Bits between the fields of a policy mean nothing: policies are compared field by field.
same "no policies are compared by their bytes" "" \
    "$(grep -rnE 'memcmp\([^;]*policy\b' lib/src lib/core lib/diagnose conformance tools/softfp8 --include='*.[ch]')"
