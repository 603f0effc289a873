// SPDX-License-Identifier: MIT
// draw.mjs -- runs the script of a page that --html wrote, and prints what it draws
//
//     node draw.mjs PAGE
import { readFileSync } from "node:fs";

const page = readFileSync(process.argv[2], "utf8");
const between = (a, b) => page.split(a)[1].split(b)[0];
const PLAIN = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
const plain = html => html.replace(/&[a-z0-9#]*;/g, c => PLAIN[c] ?? c);
const element = {
  data: { textContent: between('id="data">', "</script>") },
  command: { textContent: plain(between('id="command">', "</h1>")) },
  text: { textContent: plain(between('id="text">', "</pre>")) },
  verdict: {}, main: {},
};
globalThis.document = { getElementById: id => element[id] };
new Function(between('"use strict";', "</script>"))();
console.log(element.verdict.textContent);
console.log(element.main.innerHTML);
