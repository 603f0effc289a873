# SPDX-License-Identifier: MIT
# session.sh -- plays a session: commands as a user types them, each followed by what it prints
#
#     | # a remark
#     | $ softfp8 convert --to e4m3
#     |   ! softfp8 convert: --from FORMAT is missing
#     |   [2]
#
# Lines that begin with `$ ` are a command, which those with `> ` continue. What it printed follows,
# two blanks before each line; `! ` begins what softfp8 wrote to standard error, and [N] is an exit
# status that is not 0. All that is compared with the file as a whole, so a new session is written
# without output: tools/test --accept adds it. `out` and `err` keep what softfp8 said last. What a
# machine cannot show is skipped, which is said on descriptor 4 and so is not compared.

# softfp8 ARGUMENT...: the program. With status 2 it has to write one line to standard error, and to
# change no file.
softfp8() {
    code=0
    before=$(state)
    saying=$(mktemp ../saying.XXXXXX) # of its own, for both ends of a pipe
    "$softfp8" "$@" > "$saying" 2> "$saying.err" || code=$?
    cat "$saying"
    sed 's/^/! /' "$saying.err" >&3
    [ "$code" -eq 0 ] || echo "[$code]" >&3
    if [ "$code" -eq 2 ] && { [ "$(wc -l < "$saying.err")" -ne 1 ] || [ "$before" != "$(state)" ]; }; then
        echo "softfp8 $*: not refused by one line, or a file changed" >> ../broken
    fi
    mv "$saying" out
    mv "$saying.err" err
}

# The files of the folder, without what a session keeps of the last command.
state() {
    find . ! -name out ! -name err -type f -exec cksum {} +
}

# Runs the command that was read, and prints it with what it said.
turn() {
    [ -n "$session_command" ] || return 0
    printf '%s\n' "$session_command" | sed '1s/^/$ /; 2,$s/^/> /'
    session_said=0
    eval "$session_command" > ../said 2>&1 3>&1 < /dev/null || session_said=$?
    [ "$session_said" -eq 0 ] || echo "[$session_said]" >> ../said
    sed "s|$source|PROJECT|g; s|$PWD|FOLDER|g" ../said | awk '{ sub(/ *$/, ""); print $0 == "" ? "" : "  " $0 }'
    tests=$((tests + 1))
    session_command=
}

# session FILE: plays it in a folder of its own.
session() {
    session_command=
    session_remark=1
    session_kept=$1
    PATH=${softfp8%/*}:$PATH # for its helpers: softfp8-test-NAME
    exec 4>&1
    mkdir session
    cd session || exit
    : > ../broken
    while IFS= read -r session_line; do
        case $session_line in
        '$ '*)
            turn
            session_remark=0
            session_command=${session_line#??}
            ;;
        '> '*) session_command="$session_command
${session_line#??}" ;;
        '#'*)
            turn
            [ "$session_remark" -eq 1 ] || echo
            session_remark=1
            echo "$session_line"
            ;;
        esac
    done < "$session_kept" > ../played
    turn >> ../played
    cd .. || exit
    while read -r session_line; do failed "$session_line"; done < broken
    golden session "${session_kept#"$source/"}" played
}
