# SPDX-License-Identifier: MIT
# softfp8.bash -- completion of the command softfp8 in bash
#
# Names of formats, policies, fields and functions are asked of the program itself. Nothing but bash
# is needed, from version 3.2 on.

_softfp8_commands="convert explain table formats policies recipes gen ver expand
    quantize dequantize identify conform record bench mma layout kv attend merge-states"
_softfp8_policy="--policy --round --overflow --via --set"
_softfp8_testfloat="-rnear_even -rnear_maxMag -rminMag -rmin -rmax -rodd -roddinf -rstoch
    -tininessbefore -tininessafter -exact -notexact -sat -nansign -level -seed --critical
    --format --columns $_softfp8_policy"

# _softfp8_options COMMAND: its options.
_softfp8_options() {
    local options
    case $1 in
        convert) options="--from --to --values --flags --show -o $_softfp8_policy" ;;
        explain) options="--to --from --codes --random --json --recipe --g --at $_softfp8_policy" ;;
        table) options="--hex --exact --csv -o" ;;
        formats) options="--names --json -o" ;;
        policies) options="--names --fields --json --for --from -o" ;;
        recipes) options="--names --json -o" ;;
        gen) options="--steps -n -forever -prefix -header -count -hash -list -o
            $_softfp8_testfloat" ;;
        ver) options="--steps -inorder -partial -errors -checkNaNs -checkInvInts -checkAll -nocheckNaNs
            $_softfp8_testfloat" ;;
        expand) options="--all --edges --words --format --columns -o" ;;
        quantize) options="--recipe --from --shape --g --layout -o --codes --scales --offsets --image --report" ;;
        dequantize) options="--to --format -o --recipe --shape --codes --scales --offsets --image --g --layout" ;;
        identify) options="--from --to --input --all --json --classes --product" ;;
        conform) options="--list --only --tier --jobs --shard --merge --limit --strict --records
            --html --json --junit" ;;
        record) options="--out --only --limit" ;;
        bench) options="--list --only --all --sizes --data --level --repeats --quick --json --svg" ;;
        mma) options="--list --probes --unit --in --out --lowering --set --explain --diagnose --schedule
            --probe-gemm -o" ;;
        layout) options="--codes --scales --values --from --to --shape --recipe --layout --g --json
            --quick -o" ;;
        kv) options="--values --policy --order --eps --link --json -o --scale --per-head-scales --to --recipe
            --g --heads --from --type --shape --all --one-pass --piece --svg --progress --layers --size --latent --rope
            --index --tokens --memory" ;;
        attend) options="--q --k --v --recipe --k-scale --v-scale --sums --scale --full --window --cap --sinks
            --first --heads --kv-heads --from --splits --order --prefix --orders -o --lse --to --base2 --compare --compare-lse --by --cliff
            --lengths --depths --trials --outlier --seed --svg --json" ;;
        merge-states) options="--list --rule --base --no-fma --heads-first --sums --from --to -o --lse --compare
            --compare-lse" ;;
        *) return ;;
    esac
    printf '%s\n' $options --help -h
}

# _softfp8_kind OPTION COMMAND: what its value is, nothing if it takes none. The option has no dashes.
_softfp8_kind() {
    case $2/$1 in
        quantize/from | dequantize/to | kv/from | kv/type | attend/from | attend/to) echo "f32 bf16 f16" && return ;;
        quantize/codes | dequantize/codes) echo file && return ;;
        dequantize/format) echo "npy raw text" && return ;;
        kv/policy) echo "satfinite nosat" && return ;;
        kv/order) echo "sequential sequential-fma warp warp-fma block block-fma tree tree-fma welford rms" && return ;;
        kv/link) echo "1 2 3 4 5 6 7 8" && return ;;
        kv/values | kv/eps) echo free && return ;;
        attend/q | attend/k | attend/v | attend/sinks | attend/lse | attend/compare | attend/compare-lse) echo file && return ;;
        merge-states/from | merge-states/to) echo "f32 bf16 f16" && return ;;
        merge-states/rule) echo merge-rule && return ;;
        merge-states/base) echo "e 2" && return ;;
        merge-states/lse | merge-states/compare | merge-states/compare-lse) echo file && return ;;
        attend/sums) echo "exact mma-f16 mma-bf16" && return ;;
        attend/order) echo attend-order && return ;;
        attend/k-scale | attend/v-scale | attend/scale | attend/window | attend/cap | attend/first | attend/heads | attend/kv-heads | attend/splits | attend/prefix | attend/lengths | attend/depths | attend/trials | attend/outlier) echo free && return ;;
    esac
    case $1 in
        from | to | for) if [[ $2 == layout ]]; then echo "linear 128x4 8x4 4-token f32 bf16 f16"; else echo format; fi ;;
        unit) echo unit ;;
        in) echo format ;;
        lowering) echo "chain independent" ;;
        recipe) echo recipe ;;
        layout) echo "linear 128x4 8x4 4-token" ;;
        codes | scales | values) if [[ $2 == layout ]]; then echo file; elif [[ $1 == scales ]]; then echo file; fi ;;
        policy) echo policy ;;
        round) echo round ;;
        overflow) echo "sat clip ieee" ;;
        set) if [[ $2 == mma ]]; then echo rule; else echo field; fi ;;
        schedule) echo schedule ;;
        format) echo "text bin readmemh c npy csv" ;;
        columns) echo columns ;;
        input) echo "raw words pairs steps" ;;
        sat) echo "none finite all" ;;
        nansign) echo "keep pos canonical" ;;
        level) if [[ $2 == bench ]]; then echo level; else echo "1 2"; fi ;;
        data) echo "mixed gauss bits" ;;
        only) if [[ $2 == bench ]]; then echo row; else echo case; fi ;;
        tier) echo "quick full soak" ;;
        json) [[ $2 != conform && $2 != bench && $2 != layout ]] || echo file ;;
        out) if [[ $2 == mma ]]; then echo "f32 f16"; else echo file; fi ;;
        o | output | words | html | junit | svg | records | offsets | image | per-head-scales) echo file ;;
        n | seed | errors | prefix | rstoch | random | jobs | shard | limit | sizes | repeats | shape | g | at | scale | heads | piece | \
            layers | size | latent | rope | index | tokens | memory)
            echo free
            ;;
    esac
}

# _softfp8_ask PROGRAM ARGUMENT...: its answer, or nothing if there is no such program.
_softfp8_ask() {
    type "$1" > /dev/null 2>&1 && "$@" 2> /dev/null < /dev/null
}

# _softfp8_fields PROGRAM WORD: FIELD=, or once that is there FIELD=VALUE.
_softfp8_fields() {
    local field value values
    _softfp8_ask "$1" policies --fields | while read -r field values; do
        if [[ $2 != *=* ]]; then
            echo "$field="
        elif [[ $2 == "$field="* && $values != [0-9]* ]]; then
            for value in $values; do
                echo "$field=$value"
            done
        fi
    done
}

# _softfp8_columns WORD: the list so far and one more column.
_softfp8_columns() {
    local column before=""
    [[ $1 == *,* ]] && before=${1%,*},
    for column in operands result flags; do
        [[ ,$before == *,$column,* ]] || echo "$before$column"
    done
}

# _softfp8_words PROGRAM KIND WORD: what can stand where WORD does; a KIND that is no name of a kind
# is the list of the words itself.
_softfp8_words() {
    local name rest
    case $2 in
        file | free | "") ;;
        format) _softfp8_ask "$1" formats --names ;;
        policy) _softfp8_ask "$1" policies --names ;;
        recipe) _softfp8_ask "$1" recipes --names ;;
        round) _softfp8_ask "$1" policies --fields | while read -r name rest; do
            [[ $name == round ]] && printf '%s\n' $rest
        done ;;
        attend-order) _softfp8_ask "$1" attend --orders | sed -n '/^[a-z]/s/ .*//p' ;;
        merge-rule) _softfp8_ask "$1" merge-states --list | sed -n '2,$s/ .*//p' ;;
        function) _softfp8_ask "$1" gen -list ;;
        function-or-type)
            _softfp8_ask "$1" gen -list
            _softfp8_ask "$1" formats --names
            printf '%s\n' i8 i16 i32 i64 ui8 ui16 ui32 ui64
            ;;
        case) _softfp8_ask "$1" conform --list | while read -r name rest; do echo "$name"; done ;;
        unit) _softfp8_ask "$1" mma --list | while read -r name rest; do
            [[ $name == *-* ]] && echo "$name"
        done | sort -u ;;
        rule) printf '%s\n' fraction= zero= length= sum= round= order= underflow=signed underflow=positive cut=zero \
            cut=down products=raw products=normalised lowering=chain lowering=independent ;;
        schedule) _softfp8_ask "$1" mma --list | sed -n '/^schedule/,/^$/{/^[cd].*-/s/ .*//p;}' ;;
        row) _softfp8_ask "$1" bench --list --all | while read -r name rest; do echo "$name"; done ;;
        level) _softfp8_ask "$1" bench --list --only 'data/f32_to_e4m3/*' |
            while read -r name rest; do echo "${name##*/}"; done ;;
        field) _softfp8_fields "$1" "$3" ;;
        columns) _softfp8_columns "$3" ;;
        *) printf '%s\n' $2 ;;
    esac
}

# _softfp8_operand COMMAND NUMBER FIRST STEPS: the kind of the operand after NUMBER others, of which
# FIRST is the first; STEPS is 1 if --steps is given.
_softfp8_operand() {
    case $1 in
        convert | expand | identify | quantize | dequantize | mma) [[ $2 -eq 0 ]] && echo file ;;
        merge-states) echo file ;;
        table) [[ $2 -eq 0 ]] && echo format ;;
        formats) echo format ;;
        policies) echo policy ;;
        recipes) echo recipe ;;
        layout) if [[ $2 -eq 0 ]]; then echo "identify offset place move"; elif [[ $3 == move ]]; then echo file; fi ;;
        kv) if [[ $2 -eq 0 ]]; then echo "chain doctor"; elif [[ $3 == doctor ]]; then echo file; fi ;;
        gen)
            if [[ $2 -eq 0 ]]; then
                echo function-or-type
            elif [[ $2 -eq 1 && $3 != *_to_* && ($3 != *_* || $3 == p3109_k?p???) ]]; then
                echo "1 2 3"
            fi
            ;;
        ver)
            if [[ $2 -eq 0 && $4 -eq 0 ]]; then
                echo function
            elif [[ $2 -lt 2 ]]; then
                echo file
            fi
            ;;
    esac
}

# _softfp8_reply WORD STRIP KIND CANDIDATE...: those that begin with WORD, without STRIP, to
# COMPREPLY. Files are added here, as their names may hold blanks.
_softfp8_reply() {
    local word=$1 strip=$2 kind=$3 line
    shift 3
    if [[ $kind == file ]]; then
        compopt -o filenames 2> /dev/null
        while IFS= read -r line; do
            COMPREPLY[${#COMPREPLY[@]}]=${line#"$strip"}
        done < <(compgen -f -- "$word")
    fi
    while IFS= read -r line; do
        [[ $line == *= ]] && compopt -o nospace 2> /dev/null
        COMPREPLY[${#COMPREPLY[@]}]=${line#"$strip"}
    done < <(compgen -W "$*" -- "$word")
}

# Where "=" breaks words, bash gives --to=e4m3 as three of them: they are put together here.
_softfp8() {
    local IFS=$' \t\n' n=0 words i text
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        text=${COMP_WORDS[i]-}
        if [[ $n -gt 0 && ($text == =* || ${COMP_WORDS[i - 1]-} == *= && -n $text) ]]; then
            words[n - 1]+=$text
        else
            words[n]=$text
            n=$((n + 1))
        fi
    done
    COMPREPLY=()
    _softfp8_complete
}

# Goes through the words before the last, and completes the last; words and n are those of _softfp8.
_softfp8_complete() {
    local program=${words[0]/#\~\//${HOME-}/} word=${words[n - 1]} command=${words[1]-}
    local i text option kind="" strip="" operands=0 first="" steps=0 dashes=1
    if [[ $n -le 2 ]]; then
        _softfp8_reply "$word" "" "" $_softfp8_commands help --help --version
        return 0
    fi
    if [[ $command == help ]]; then
        [[ $n -gt 3 ]] || _softfp8_reply "$word" "" "" $_softfp8_commands
        return 0
    fi
    for ((i = 2; i < n - 1; i++)); do
        text=${words[i]}
        if [[ -n $kind ]]; then
            kind=
        elif [[ $dashes -eq 1 && $text == -- ]]; then
            dashes=0
        elif [[ $dashes -eq 1 && $text == -[a-zA-Z-]* ]]; then
            option=${text#-}
            option=${option#-}
            [[ $option == steps ]] && steps=1
            [[ $option == *=* ]] || kind=$(_softfp8_kind "$option" "$command")
        else
            [[ $operands -gt 0 ]] || first=$text
            operands=$((operands + 1))
        fi
    done
    # Bash replaces what stands behind the last "=" only, if that breaks words.
    [[ ${COMP_WORDBREAKS-} == *=* && $word == *=* ]] && strip=${word%=*}=
    if [[ -z $kind && $dashes -eq 1 && $word == -*=* ]]; then
        _softfp8_complete_given "${word%%=*}"
        return 0
    fi
    if [[ -z $kind && $dashes -eq 1 && $word == -* ]]; then
        _softfp8_reply "$word" "" "" $(_softfp8_options "$command")
        return 0
    fi
    [[ -n $kind ]] || kind=$(_softfp8_operand "$command" "$operands" "$first" "$steps")
    _softfp8_reply "$word" "$strip" "$kind" $(_softfp8_words "$program" "$kind" "$word")
    if [[ -z $kind && -z $word && $dashes -eq 1 ]]; then
        _softfp8_reply "" "" "" $(_softfp8_options "$command")
    fi
}

# --OPTION=VALUE in one; the variables are those of _softfp8_complete.
_softfp8_complete_given() {
    local option=${1#-} value=${word#*=}
    kind=$(_softfp8_kind "${option#-}" "$command")
    if [[ -n $strip ]]; then
        strip=${strip#"$1="}
        _softfp8_reply "$value" "$strip" "$kind" $(_softfp8_words "$program" "$kind" "$value")
        return 0
    fi
    COMPREPLY=()
    _softfp8_reply "$value" "" "$kind" $(_softfp8_words "$program" "$kind" "$value")
    for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
        COMPREPLY[i]=$1=${COMPREPLY[i]}
    done
}

complete -F _softfp8 softfp8
