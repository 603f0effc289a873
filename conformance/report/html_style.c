/* SPDX-License-Identifier: MIT */
/* html_style.c -- the style and the script of the page
 *
 * Every text colour has a contrast of 4.5 or more with what is behind it, in both schemes.
 */
#include "report/html.h"

static const char *const style[] = {
    /* colours */
    ":root{--paper:#fff;--raised:#f7f8f9;--ink:#1b1f24;--soft:#57606a;--line:#d8dde2;"
    "--accent:#0a5a8f;--passed:#1a6b3c;--failed:#b3261e;--known:#7d5200;--not-run:#5a3ea6;"
    "--stale:#94400a;--broken:#99175c;--on:#fff;--good:#dcefe2}",
    "@media(prefers-color-scheme:dark){:root{--paper:#12161a;--raised:#191e23;--ink:#e3e7eb;"
    "--soft:#9aa5b0;--line:#2e353c;--accent:#71b7ea;--passed:#6fc791;--failed:#ff8d83;"
    "--known:#e2b24f;--not-run:#b9a6f7;--stale:#f2a26e;--broken:#f58bc4;--on:#12161a;"
    "--good:#1d3a29}}",
    ".passed{--tone:var(--passed)}.failed{--tone:var(--failed)}.known{--tone:var(--known)}"
    ".not-run{--tone:var(--not-run)}.stale{--tone:var(--stale)}.broken{--tone:var(--broken)}",
    /* text */
    "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}"
    "body{margin:0 auto;max-width:76rem;padding:2.5rem 2rem 4rem;background:var(--paper);"
    "color:var(--ink);font:1rem/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif;"
    "font-variant-numeric:tabular-nums;overflow-wrap:anywhere}",
    "h1{font-size:2rem;font-weight:600;line-height:1.2;margin:0;letter-spacing:-.01em}"
    "h2{font-size:1.3rem;font-weight:600;margin:3.5rem 0 1rem;padding-top:.75rem;"
    "border-top:1px solid var(--line)}h3{font-size:1rem;font-weight:600;margin:0}p{margin:.5rem 0}"
    "a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}"
    ":focus-visible{outline:2px solid var(--accent);outline-offset:2px}",
    "code,pre,svg text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans "
    "Mono\",monospace}code,pre{font-size:.875em}"
    ".mark{margin:0 0 .25rem;color:var(--soft)}.verdict{font-size:1.15rem;margin:.5rem 0 1.75rem}"
    ".note,footer{color:var(--soft);font-size:.875rem}footer{margin-top:4rem}"
    ".hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    ".definitions{position:absolute}",
    /* totals and facts */
    ".totals{list-style:none;display:grid;grid-template-columns:repeat(6,1fr);gap:.75rem;margin:0;"
    "padding:0}.totals li{border:1px solid var(--line);border-top:3px solid var(--tone);"
    "background:var(--raised);color:var(--tone)}.totals a{color:inherit}"
    ".totals a,.totals .none{display:block;padding:.75rem 1rem}.totals b{display:block;"
    "font-size:2rem;font-weight:600;line-height:1.2}.totals span{white-space:nowrap}"
    ".totals .none{color:var(--soft);border-top-color:var(--line)}",
    ".facts{display:flex;flex-wrap:wrap;gap:.75rem 2.5rem;margin:1.75rem 0 0}.facts dt{"
    "color:var(--soft);font-size:.875rem}.facts dd{margin:0}",
    /* the matrix */
    ".filter input{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);"
    "border-radius:3px;padding:.25rem .5rem;width:16rem;max-width:60%}::placeholder{"
    "color:var(--soft);opacity:1}"
    "table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:600}"
    ".family{margin:0 0 .75rem}.family>summary{padding:.6rem 0;color:var(--ink)}"
    ".family>summary b{font-weight:600;margin-right:.5rem}.family>summary.not-run b{"
    "color:var(--tone)}.count{display:inline-block;color:var(--tone);margin-right:.75rem;"
    "white-space:nowrap}.count.failed,.count.broken,.count.stale,.count.not-run{"
    "background:var(--tone);color:var(--on);padding:0 .5rem;border-radius:3px;font-size:.875rem}",
    ".matrix th{width:13rem;padding:.6rem 1rem .4rem 0;vertical-align:top;font-weight:400}"
    ".matrix td{padding:.4rem 0 .15rem;font-size:.875rem}"
    ".matrix tr{border-top:1px solid var(--line)}"
    ".chip{display:inline-block;margin:0 .35rem .35rem 0;padding:.1rem .5rem;color:var(--ink);"
    "border:1px solid var(--line);border-radius:3px}.chip b{color:var(--tone);font-weight:700}",
    ".chip.failed,.chip.broken,.chip.stale,.chip.known,.chip.not-run{border-color:var(--tone);"
    "color:var(--tone)}"
    ".chip.failed,.chip.broken,.chip.stale,.chip.not-run{background:var(--tone);color:var(--on)}"
    ".chip.failed b,.chip.broken b,.chip.stale b,.chip.not-run b{color:inherit}",
    /* cards */
    ".card{border:1px solid var(--line);border-left:4px solid var(--tone);padding:1.25rem 1.5rem;"
    "margin:0 0 1.5rem}.card h3 a{color:inherit;font-family:ui-monospace,SFMono-Regular,Menlo,"
    "Consolas,\"DejaVu Sans Mono\",monospace;font-size:.95rem}.badge{display:inline-block;"
    "background:var(--tone);color:var(--on);padding:0 .5rem;margin-right:.5rem;border-radius:3px;"
    "font-size:.875rem}.oracle{color:var(--soft)}.from{display:block;font-size:.875rem}.diagnosis{"
    "font-weight:600;max-width:52rem;margin:.75rem 0}.causes{margin:.75rem 0;padding-left:1.1rem}"
    ".causes li{margin:.25rem 0;max-width:52rem}",
    "pre{white-space:pre-wrap;background:var(--raised);padding:.75rem 1rem;margin:1rem 0 0;"
    "border:1px solid var(--line)}.ranges{margin:.75rem 0;font-size:.9375rem}.ranges th{"
    "color:var(--soft);font-weight:400;font-size:.875rem}.ranges th,.ranges td{"
    "padding:.3rem 1.5rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}"
    ".ranges span{color:var(--soft);margin-left:.4rem}summary{cursor:pointer;color:var(--accent);"
    "padding:.25rem 0}",
    /* lists */
    ".reason{color:var(--tone);margin:1.5rem 0 .5rem}.list{list-style:none;margin:0;padding:0}"
    ".list li,.passed-list td,.passed-list th{padding:.35rem 1.5rem .35rem 0;"
    "border-top:1px solid var(--line);vertical-align:top;font-weight:400}.list span,"
    ".passed-list td{color:var(--soft);font-size:.9375rem}.list span{margin-left:.75rem}"
    ".passed-list thead th{color:var(--soft);font-size:.875rem;border:0}"
    ".n{text-align:right!important;white-space:nowrap}",
    "tr:target,li:target,details:target{background:var(--raised);outline:2px solid var(--accent)}"
    ".card:target{outline:2px solid var(--accent)}",
    /* drawings */
    "figure{margin:0}figcaption{color:var(--soft);font-size:.875rem}.panels{display:grid;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1.25rem 2rem;"
    "margin:1rem 0 .5rem}.stairs{max-width:24rem}.stairs svg,.map svg{display:block;width:100%;"
    "margin:.35rem 0;overflow:visible}.map{max-width:21rem;margin:1rem 0}"
    ".small-map{width:2rem;height:2rem;vertical-align:middle;margin-right:.35rem}",
    "svg text{font-size:11px;fill:var(--soft)}.map text,.mid{text-anchor:middle}"
    ".stair{fill:none;stroke:var(--accent);stroke-width:2}.rule{fill:none;stroke:var(--line)}"
    ".tick{fill:none;stroke:var(--soft)}.band{fill:url(#hatch)}.known "
    ".band{fill:url(#hatch-known)}.hatch"
    "{stroke:var(--tone);stroke-width:2;opacity:.55}.cross{fill:none;stroke:var(--tone);stroke-"
    "width:2.5}"
    ".good{fill:var(--good)}.map .rule,.definitions .rule{stroke:var(--paper)}.definitions "
    ".rule{stroke-width:.6}"
    ".bad{fill:var(--tone)}.bad-mark{fill:none;stroke:var(--on);stroke-width:2}"
    ".unknown{fill:var(--line)}.unknown-mark{stroke:var(--ink);stroke-width:2}",
    /* narrow */
    "@media(max-width:46rem){body{padding:1.5rem 1rem 3rem}h1{font-size:1.6rem}"
    ".totals{grid-template-columns:repeat(3,1fr);gap:.5rem}.totals a,.totals .none{"
    "padding:.5rem .6rem}.totals b{font-size:1.5rem}.facts{display:grid;"
    "grid-template-columns:1fr 1fr;gap:.75rem 1rem}.card{padding:1rem}"
    ".matrix th,.matrix td{display:block;width:auto;padding:.4rem 0 .1rem}.matrix td{"
    "padding-bottom:.3rem}",
    ".ranges thead,.passed-list thead{display:none}.ranges tr,.passed-list tr{display:block;"
    "padding:.5rem 0;border-bottom:1px solid var(--line)}.ranges td,.passed-list td,.passed-list "
    "th{display:block;border:0;padding:.1rem 0}.ranges td{display:grid;grid-template-columns:5rem "
    "auto 1fr}.ranges td::before{content:attr(data-label);color:var(--soft)}"
    ".ranges td:first-child{grid-template-columns:5rem 1fr}.ranges td:first-child span{"
    "grid-column:2;margin:0}.passed-list .n{text-align:left!important;display:inline-block;"
    "margin-right:1rem}.list span{display:block;margin:0}}",
    "@media print{body{max-width:none;padding:0}.filter{display:none}.card{break-inside:avoid}}",
};

/* Words in any order; a word may be the name of a status. */
static const char *const script[] = {
    "(function(){var box=document.querySelector('.filter');if(!box)return;box.hidden=false;"
    "var input=box.querySelector('input'),told=box.querySelector('output');",
    "var all=[].slice.call(document.querySelectorAll('.chip'));"
    "function name(a){return decodeURIComponent(a.hash.slice(1))}",
    "function show(){var words=input.value.toLowerCase().split(' ').filter(Boolean),n=0;"
    "all.forEach(function(a){var text=(name(a)+' '+a.className).toLowerCase();"
    "var fits=words.every(function(w){return text.indexOf(w)!==-1});",
    "a.hidden=!fits;if(fits)n++;var e=document.getElementById(name(a));if(e)e.hidden=!fits});"
    "[].forEach.call(document.querySelectorAll('.matrix tr'),function(t){"
    "t.hidden=!t.querySelector('.chip:not([hidden])')});",
    "[].forEach.call(document.querySelectorAll('details.family'),function(d){"
    "if(d.was===undefined)d.was=d.open;d.open=words.length?true:d.was});",
    "told.textContent=words.length?n+' of '+all.length:''}"
    "input.addEventListener('input',show);",
    "function open(){var e=location.hash?document.getElementById(decodeURIComponent("
    "location.hash.slice(1))):null;for(var d=e;d;d=d.parentElement)"
    "if(d.tagName==='DETAILS')d.open=true;if(e)e.scrollIntoView()}"
    "window.addEventListener('hashchange',open);open()})();",
};

void html_style(const report_out *out)
{
    out_text(out, "<style>\n");
    for (size_t i = 0; i < sizeof style / sizeof style[0]; i++) {
        out_text(out, style[i]);
        out_text(out, "\n");
    }
    out_text(out, "[hidden]{display:none!important}\n</style>\n");
}

void html_script(const report_out *out)
{
    out_text(out, "<script>\n");
    for (size_t i = 0; i < sizeof script / sizeof script[0]; i++) {
        out_text(out, script[i]);
        out_text(out, "\n");
    }
    out_text(out, "</script>\n");
}
