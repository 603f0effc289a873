/* SPDX-License-Identifier: MIT */
/* html.h -- the parts of the page
 *
 * The page is HTML that is XML too: every element is closed, every attribute quoted.
 */
#ifndef SOFTFP8_CONFORM_REPORT_HTML_H
#define SOFTFP8_CONFORM_REPORT_HTML_H

#include "report/parts.h"

/* The rules of style and the script, in their elements. */
void html_style(const report_out *out);
void html_script(const report_out *out);
/* What the drawings refer to: the hatching, the map of a case in which all is right. */
void html_definitions(const report_out *out);

/* A mark of a status: "x failed", never by colour alone. */
const char *html_symbol(conform_status s);
/* A name as an id, and as text that may be broken behind each "/". */
void html_id(const report_out *out, const char *name);
void html_name(const report_out *out, const char *name);

/* Cases whose operand has 8 bits or less: a cell for each code. */
int html_has_map(const report_case *k);
void html_map(const report_out *out, const report_case *k);
void html_small_map(const report_out *out, const report_case *k);

/* Cases whose operand is wider: the staircase of the oracle near zero, near overflow, and where the
 * case differs. */
int html_has_stairs(const report_case *k);
void html_stairs(const report_out *out, const report_case *k);

/* Which GPU a record is from, which instructions were executed; nothing of a host case. */
void html_origin(const report_out *out, const report_case *k);
/* "2.3 s", "12 ms" */
const char *html_time(double seconds, char *text);
/* A case that did not pass. */
void html_card(const report_out *out, const report_case *k);

/* The sections of the page. */
void html_matrix(const report_out *out, const report *r);
void html_not_run(const report_out *out, const report *r);
void html_passed(const report_out *out, const report *r);
void html_oracles(const report_out *out, const report *r);

#endif
