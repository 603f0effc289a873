# SPDX-License-Identifier: MIT
# complete.bash -- complete.bash PROGRAMS BREAKS COMPLETION WORD...: what bash makes of the last word
#
# PROGRAMS is the folder of softfp8; "-": there is none. BREAKS are the characters of COMP_WORDBREAKS.
set -u
[[ $1 == - ]] || PATH=$1:$PATH
COMP_WORDBREAKS=$2
. "$3"
shift 3
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_softfp8
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
