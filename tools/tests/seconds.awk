# SPDX-License-Identifier: MIT
# seconds.awk -- compares the seconds of tests, in a JUnit report of ctest, with tools/tests/seconds.txt
#
#     awk -f tools/tests/seconds.awk tools/tests/seconds.txt REPORT
#     awk -f tools/tests/seconds.awk -v slow=1 tools/tests/seconds.txt    a regular expression of the
#                                                        tests that tools/test leaves out: above 9 seconds
#
# On a slow or busy machine all tests take longer; by how much, their median says. After that a test
# may take four times what its line says, or 5 seconds if that is more; without a line it may take 15.
BEGIN { MOST = 9 }
NR == FNR {
    if (/^[^#]/)
        line[$1] = $2
    next
}
/<testcase .* status="run"/ {
    name = time = $0
    sub(/.* name="/, "", name)
    sub(/".*/, "", name)
    sub(/.* time="/, "", time)
    sub(/".*/, "", time)
    took[name] = time + 0
    if (name in line) {
        ratio = time / line[name]
        for (i = ++many; i > 1 && sorted[i - 1] > ratio; i--)
            sorted[i] = sorted[i - 1]
        sorted[i] = ratio
    }
}
END {
    if (slow) {
        for (name in line)
            if (line[name] > MOST)
                list = list "|" name
        gsub(/[.]/, "[.]", list)
        print "^(" substr(list, 2) ")$"
        exit
    }
    slow = many ? sorted[int((many + 1) / 2)] : 1
    if (slow < 1)
        slow = 1
    for (name in took) {
        seconds = name in line ? line[name] : 15 / 4
        if (took[name] > 5 && took[name] > 4 * slow * seconds) {
            printf "%s took %.1f s: %g are allowed, and this machine takes %.1f times as long\n", name, \
                took[name], 4 * seconds, slow
            bad = 1
        }
    }
    exit bad
}
