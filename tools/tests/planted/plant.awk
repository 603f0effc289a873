# SPDX-License-Identifier: MIT
# plant.awk -- lib/diagnose/policy/causes.c with one row more, and the function that makes that mistake
/^\/\* ---- the rows/ {
    print "static int least_lost(identify_operand *x)"
    print "{"
    print "    return (x->code & ~sign_of(x)) == 1 && gives(x, sign_of(x));"
    print "}"
    print ""
}
/^    MISTAKE\(sign_dropped,/ {
    print "    MISTAKE(least_lost, LAST, ANY, HAS_ZERO, \"the smallest number is given as zero\"),"
}
{ print }
