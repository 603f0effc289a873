# SPDX-License-Identifier: MIT
# test_workflows.sh -- the workflows of GitHub and the action: their schemas, zizmor, and actionlint
#
# The first two come from the package index, into $SOFTFP8_BUILD/workflows. actionlint is a program of
# its own, and runs where it is installed.
python_with workflows check-jsonschema check_jsonschema
[ -x "$environment/bin/zizmor" ] \
    || "$python" -m pip --quiet --disable-pip-version-check install zizmor || skip "no package index"
zizmor() { "$environment/bin/zizmor" --offline --no-progress --quiet "$@"; }
schema() { "$environment/bin/check-jsonschema" --builtin-schema "$@"; }

status "workflows" 0 schema vendor.github-workflows "$source"/.github/workflows/*.yml
status "the action" 0 schema vendor.github-actions "$source/action.yml"
status "zizmor" 0 zizmor "$source/.github/workflows" "$source/action.yml"
cat out err
if command -v actionlint > seen; then
    status "actionlint" 0 actionlint "$source"/.github/workflows/*.yml
fi

# They can fail: an action that is not pinned, a key that no job has.
sed 's/@[0-9a-f]\{40\}.*/@v4/' "$source/.github/workflows/site.yml" > unpinned.yml
tests=$((tests + 2))
if zizmor unpinned.yml > out 2> err; then failed "zizmor accepts an action that is not pinned"; fi
sed 's/needs: build/need: build/' "$source/.github/workflows/site.yml" > other.yml
if schema vendor.github-workflows other.yml > out 2> err; then failed "the schema has a key need"; fi
