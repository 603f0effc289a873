# SPDX-License-Identifier: MIT
# test_page.sh -- the page of softfp8 conform --html in a browser: cases, drawings, links, filter
#
# $BROWSER is Chromium. softfp8-test-fake_conform has the cases of fake_cases.h, softfp8-test-faulty
# converters with planted faults.
fake=$(dirname "$softfp8")/softfp8-test-fake_conform
faulty=$(dirname "$softfp8")/softfp8-test-faulty

# dom FILE FRAGMENT: the page as the browser built it, in dom.html, without the scripts.
dom() {
    status "the browser: $1$2" 0 "$BROWSER" --headless --no-sandbox --disable-gpu --no-first-run \
        --user-data-dir="$PWD/profile" --virtual-time-budget=20000 --enable-logging=stderr \
        --dump-dom "file://$PWD/$1$2"
    same "the console: $1$2" "" "$(grep CONSOLE err || true)"
    sed '/<script/,/<\/script>/d' out > dom.html
}
ids() { grep -oE ' id="[^"]*"' dom.html | sed 's/.*="//; s/"//' | sort; }
rows() { grep -oE '<(article|li|tr) class="case[^>]*>' dom.html; }
# The names of the cases that are shown.
shown() { rows | grep -v ' hidden=' | sed 's/.* id="//; s/".*//' | sort; }
# named STATUS: the names of the cases with it, by the JSON.
named() { sed -n "s/.*{\"name\": \"\([^\"]*\)\", \"status\": \"$1\".*/\1/p" report.json | sort; }
# count PATTERN: how often it is in the page.
count() { grep -oE -- "$1" dom.html | wc -l | tr -d ' '; }

"$fake" report json > report.json
"$fake" report html > report.html
dom report.html ''

# ---- the head

same "no GPU" 1 "$(count '<dt>GPU</dt><dd>no GPU</dd>')"
same "the GPU of a record is named as one" 1 "$(count \
    '<dt>Replayed record of</dt><dd>NVIDIA Example &amp; Co., driver 1.2.3, CUDA 13.0, 2026-11-20</dd>')"
same "the kinds of evidence" 1 "$(count \
    '<dt>Evidence</dt><dd>9 run here; 1 replayed from our own records</dd>')"
same "skipped cases are shown like failures" 1 \
    "$(count '<li class="not_run"><a href="#filter=skipped"><b>2</b>')"
same "the title" 1 "$(count '<title>softfp8 conformance: 2 passed, 5 failed, 2 skipped</title>')"

# ---- the cases

same "every case" "$(named '[a-z_]*')" "$(shown)"
same "every case has a link in the overview" "$(named '[a-z_]*')" \
    "$(grep -oE '<a class="chip [^>]*' dom.html | sed 's/.*href="#//; s/".*//' | sort)"
same "each id once" "" "$(ids | uniq -d)"
ids > ids
grep -oE 'href="#[^"]*"' dom.html | sed 's/.*#//; s/"//' | grep -v '^filter=' | sort -u > targets
same "each link has its target" "" "$(comm -23 targets ids)"
same "a family says how many were skipped" 1 \
    "$(count '<b>cuda-gpu</b><span class="count not_run"><span class="strong not_run">[^<]* 2 skipped<')"
same "what a record says of itself" 1 "$(count \
    'Record of NVIDIA Example &amp; Co\.[^<]*</span><span class="from">Executed <code>F2FP.SATFINITE.E4M3 F2F&lt;/script&gt;</code>')"
same "the explanation" 1 "$(count \
    '<p class="diagnosis">On all [^<]* it does &lt;exactly&gt; what the policy cuda-satfinite does\.</p>')"
same "no tag of a text gets through" 0 "$(count '<here>')"
same "the one address is that of the known difference" \
    'https://example.org/a?b=1&amp;c=2' \
    "$(grep -oE 'https?://[^"< ]*' dom.html | sed '/\/$/d' | sort -u)"

# ---- drawings

# 64 kept ranges of a code each; 2 and 2 codes
same "cells that are wrong" "64 4" "$(grep -oE '<path class="wrong" d="[^"]*"' dom.html |
    awk '{ print gsub(/M/, "M") }' | tr '\n' ' ' | sed 's/ $//')"
# the tie and infinity: 448 is returned where NaN is right, at the input after 464
sed 's/<article/\n&/g' dom.html |
    sed -n '/id="cuda-host\/float_to_fp8\/e4m3\/nosat"/,/<\/article>/p' > card
same "drawings of cuda-host/float_to_fp8/e4m3/nosat" "2 1" \
    "$(grep -o '<svg' card | wc -l | tr -d ' ') $(grep -o 'class="cross"' card | wc -l | tr -d ' ')"
status "a case with 14 wrong codes" 1 "$faulty" --only 'faulty/e4m3_to_f16/lost' --html wrong.html
dom wrong.html ''
same "a map of 256 codes" 1 "$(count 'Of 256 codes 242 are right, 14 are wrong')"

# ---- the filter, links from outside

dom report.html '#filter=failed'
same "failed" "$(named failed)" "$(shown)"
same "it says how many" 1 "$(count '<output>5 of 12</output>')"
same "links in the overview" 7 "$(count '<a class="chip[^>]* hidden=')"
dom report.html '#filter=e4m3%20skipped'
same "words and a status" cuda-gpu/cvt/e4m3x2 "$(shown)"
dom report.html '#filter=nothing%20of%20this'
same "nothing" "" "$(shown)"
same "nothing of 12" 1 "$(count '<output>0 of 12</output>')"
dom report.html '#steps/cuda-host/float_to_fp8/e4m3/satfinite'
same "a target in something closed" 1 \
    "$(count '<details id="steps/cuda-host/float_to_fp8/e4m3/satfinite" open="">')"
