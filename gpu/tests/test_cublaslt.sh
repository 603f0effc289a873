# SPDX-License-Identifier: MIT
# test_cublaslt.sh -- where cuBLASLt is looked for while the program runs
#
# $softfp8 prints which library is found. The libraries here are copies of another one.
name=libcublasLt.so.99
mkdir named built bin site site/nvidia site/nvidia/cu99 site/nvidia/cu99/lib
# The mathematical library, which lies beside that of C.
library=$(ldd "$softfp8" | sed -n 's/.*=> \([^ ]*\)libc\.so[^ ]* .*/\1libm.so.6/p')
for folder in named built site/nvidia/cu99/lib; do cp "$library" $folder/$name; done
# python3 that has only this folder of packages
cat > bin/python3 << END
#!/bin/sh
printf '%s\n' "\$2" | sed "s|sys.path\[1:\]|['$PWD/site']|" > program.py
exec $(command -v python3) program.py
END
sed -i "s|program.py|$PWD/program.py|" bin/python3
chmod +x bin/python3
PATH=$PWD/bin:$PATH
unset SOFTFP8_CUBLASLT LD_LIBRARY_PATH

found() { same "$1" "$2" "$("$softfp8" $name ${3:-})"; }

found 'when built' "$PWD/built/$name" "$PWD/built/$name"
found 'the packages of python3' "$PWD/site/nvidia/cu99/lib/$name"
found 'a file that is gone' "$PWD/site/nvidia/cu99/lib/$name" "$PWD/gone/$name"
LD_LIBRARY_PATH=$PWD/named
export LD_LIBRARY_PATH
found 'the library path' "$PWD/named/$name" "$PWD/built/$name"
unset LD_LIBRARY_PATH
SOFTFP8_CUBLASLT=$PWD/named
export SOFTFP8_CUBLASLT
found 'a folder that is named' "$PWD/named/$name" "$PWD/built/$name"
SOFTFP8_CUBLASLT=$PWD/named/$name
found 'a file that is named' "$PWD/named/$name"
SOFTFP8_CUBLASLT=$PWD/gone
found 'a folder without it' \
    "no cuBLASLt: SOFTFP8_CUBLASLT is $PWD/gone; no $name can be loaded there" "$PWD/built/$name"
unset SOFTFP8_CUBLASLT
rm bin/python3 site/nvidia/cu99/lib/$name
found 'nowhere' "no cuBLASLt: $name was looked for in the library path, /gone/$name, the packages \
of python3; SOFTFP8_CUBLASLT can name its folder" "/gone/$name"
