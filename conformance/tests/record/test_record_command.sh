# SPDX-License-Identifier: MIT
# test_record_command.sh -- the command record: what it writes and prints, and what it leaves alone
bin=${softfp8%/*}
fake=$bin/softfp8-test-fake_record
shim=$bin/softfp8-shim

# ---- on cases with invented results

status 'right ones' 0 "$fake" --keep r --only 'fake/[rk]*'
cat > expected << 'END'
   seconds      inputs      differ         case
  0.250000          16           0  right  fake/right
  0.062500          16           1  known  fake/known
2 cases in r, 0.312 s of the GPU, 0 wrong
END
same_file 'what it says' expected out
same 'on stderr' '' "$(cat err)"
same 'what it writes' 'cases.txt jobs seconds.txt tables.txt' "$(echo $(ls -A r))"
same 'in order' 'fake/right fake/known' "$(echo $(grep -o '^fake/[a-z]*' r/cases.txt))"
same 'the table of both' 1 "$(grep -c '^table' r/tables.txt)"
same 'the head' 'gpu NVIDIA H200,driver 580.95.05,target sm_90a,emulated no' \
    "$(sed -n 's/ #[0-9a-f]*$//; /^gpu\|^driver\|^target\|^emulated/p' r/cases.txt | paste -sd ,)"
same 'the date' "$(date -u +%Y-%m-%d)" "$(sed -n 's/^date \([0-9-]*\) .*/\1/p' r/cases.txt)"
status 'it can be read' 0 "$softfp8" conform --records r --list --only 'record/*'

status 'a wrong one' 1 "$fake" --keep wrong --only 'fake/[rw]*'
grep -q '^  0.500000          16           3  WRONG  fake/wrong$' out || failed 'a wrong one: its row'
grep -q '1 wrong$' out || failed 'a wrong one: the count'
grep -q '^fake/wrong .* differ=3 ' wrong/cases.txt || failed 'a wrong one is recorded'

status 'all of them' 1 "$fake" --keep all
same 'left out' 'softfp8 record: left out: fake/broken: ended by signal 11
softfp8 record: left out: fake/no-text: the GPU run wrote no result
softfp8 record: left out: fake/hyphen: a record cannot state what its run wrote' "$(cat err)"
same 'the last line' \
    '3 cases in all, 0.812 s of the GPU, 1 wrong, 3 broken and left out, 1 skipped (needs sm_100a)' \
    "$(tail -n 1 out)"
same 'none of the host' '' "$(grep cuda-host all/cases.txt)"

refuses 'another choice of cases' "r/jobs is the folder of another run: there only is 'fake/.rk.[*]'" \
    "$fake" --keep r --only 'fake/[rn]*-run'
status 'one skipped' 3 "$fake" --keep skipped --only 'fake/[rn]*-run'
same 'why' 'softfp8 record: nothing was recorded: needs sm_100a' "$(cat err)"
status 'among others' 3 "$fake" --keep part --only 'fake/*[hu][tn]'
same 'the other one' 'fake/right' "$(grep -o '^fake/[a-z]*' part/cases.txt)"
same 'nothing of it changed' 2 "$(grep -c '^fake' r/cases.txt)"
same 'no record without a result' jobs "$(ls skipped)"

FAKE_GPU=none
export FAKE_GPU
status 'no GPU' 3 "$fake" --keep none
same 'no GPU: said' 'softfp8 record: no GPU' "$(cat err)"
same 'no GPU: nothing on stdout' '' "$(cat out)"
[ ! -e none ] || failed 'no GPU: a folder'
unset FAKE_GPU

# ---- arguments and folders

refuses 'no folder' '--keep DIR is missing' "$fake"
refuses 'an operand' "unexpected 'r': this command takes options only" "$fake" r
refuses 'an option' "no option '--tier'" "$fake" --keep x --tier full
refuses 'no such case' "no GPU case 'fake/rihgt'; did you mean 'fake/right'" \
    "$fake" --keep x --only fake/rihgt
refuses 'a case of the host' 'no GPU case' "$fake" --keep x --only 'cuda-host/*'
: > file
refuses 'a file' 'cannot write into file: it is not a folder' "$fake" --keep file
status 'no folder for it' 2 "$fake" --keep no/where --only fake/right
same 'why not' 'softfp8 record: cannot make no/where: No such file or directory' "$(cat err)"
[ ! -e x ] || failed 'a folder in spite of an error'

# If one of the files cannot be replaced, the others stay.
status 'a record to stay' 0 "$fake" --keep stays --only fake/right
mkdir before
for file in tables seconds cases; do
    mv stays/$file.txt before
    mkdir stays/$file.txt
    rm -r stays/jobs
    status "$file is a folder" 2 "$fake" --keep stays --only fake/known
    same "$file: why" "softfp8 record: cannot write stays/$file.txt: Is a directory" "$(cat err)"
    same "$file: nothing aside" 'cases.txt jobs seconds.txt tables.txt' "$(echo $(ls -A stays))"
    rmdir stays/$file.txt
    mv before/$file.txt stays
    status "$file: the others stay" 0 "$softfp8" conform --records stays --list --only 'record/*'
done
rm -r stays/jobs
status 'an old record is replaced' 0 "$fake" --keep stays --only fake/known
same 'by the new one' 'fake/known' "$(grep -o '^fake/[a-z]*' stays/cases.txt)"
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked
    chmod 555 locked
    status 'a folder that is locked' 2 "$fake" --keep locked --only fake/right
fi

# ---- on this processor instead of a GPU

if [ -x "$shim" ]; then
    status 'the shim' 0 "$shim" record --keep shim --only '*/halfraw2_to_fp8x2/*'
    same 'emulated' 'emulated yes' "$(sed -n 's/ #[0-9a-f]*$//; /^emulated/p' shim/cases.txt)"
    status 'its replay' 0 "$softfp8" conform --records shim --only 'record/*'
    same 'all of it' '4 passed, 0 failed, 0 known, 0 skipped' "$(tail -n 1 out)"
    cat shim/tables.txt > tables
    # A case of each group of sources: a record cannot state every name.
    for case in fp8=cuda-device/double_to_fp8/e4m3/satfinite kv=kv-gather/copy8/nhd \
        kvtable=kv-gather/nvfp4-te/bf16/page-v kvfour=kv-store/nvfp4-te/bf16/page-v ptx=ptx/cvt.rn.satfinite.e4m3x2.f32 \
        blocks=blocks-dequantize/mxfp8-e4m3-floor/bf16 merge=merge-device/vllm/bf16 \
        attend=attend-device/e4m3/exact/8 mma=mma-directed/mma.sync.m16n8k32/e4m3.e4m3/f32; do
        status "a case of ${case%%=*}" 0 "$shim" record --keep group --only "${case#*=}"
        grep -q "^${case#*=} group=${case%%=*} " group/cases.txt || failed "group ${case%%=*}"
        rm -r group
    done
    # A kernel that moved to another group, while the source of its old one stayed the same.
    status 'two groups' 0 "$shim" record --keep moved \
        --only 'kv-store/nvfp4-te/*f16/page-v'
    sed -i '/^source.kvfour/d; s/ group=kvfour / group=kv /' moved/cases.txt
    "$bin/softfp8-test-mend_record" moved
    status 'a kernel of another group' 1 "$softfp8" conform --records moved --only 'record/*'
    same 'one proves something' '1 passed, 0 failed, 0 known, 0 skipped, 1 stale' \
        "$(tail -n 1 out)"
    grep -q 'its kernel was one of the group kv, now of kvfour' out || failed 'its reason'
    "$bin/softfp8-test-make_record" host 'cuda-device/halfraw2_to_fp8x2/*'
    same_file 'the tables of the host' host/tables.txt tables
fi
