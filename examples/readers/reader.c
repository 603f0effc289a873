/* SPDX-License-Identifier: MIT */
/* reader.c -- reads JSON vectors, and checks a function with them: reader FILE.json
 *
 * The files of vectors/json have a line for the head of each group and a line for each case, so
 * that a program in C needs no JSON library. Replace sf8_function_call by what you want to test.
 */
#include <softfp8.h>
#include <softfp8_vectors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20], word[2048];

/* The string behind "key" in the line, or "". */
static const char *text_of(const char *key)
{
    char name[32];
    snprintf(name, sizeof name, "\"%s\": \"", key);
    const char *at = strstr(line, name);
    snprintf(word, sizeof word, "%.*s", at ? (int)strcspn(at + strlen(name), "\"") : 0,
             at ? at + strlen(name) : "");
    return word;
}

#define number_of(key) strtoull(text_of(key), NULL, 16)

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    sf8_function function = {0};
    sf8_policy policy = SF8_OCP;
    sf8_status status = SF8_UNKNOWN_NAME;
    int exact = 0, cases = 0, wrong = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "{\"kind\"", 7) == 0 &&
            (status = sf8_function_named(text_of("function"), &function)) == SF8_OK) {
            exact = strstr(line, "\"exact\": true") != NULL;
            text_of("policy"); /* "ocp round=rz": a name, and fields that differ */
            policy = sf8_policy_named(strtok(word, " ="), NULL);
            for (char *field; (field = strtok(NULL, " =")) != NULL;)
                sf8_policy_set(&policy, field, strtok(NULL, " ="));
        } else if (strncmp(line, "{\"id\"", 5) == 0 && status == SF8_OK) {
            uint64_t operands[3] = {number_of("a"), number_of("b"), number_of("c")};
            sf8_result found = sf8_function_call(&function, operands, policy,
                                                 (uint32_t)number_of("random"), exact);
            cases++;
            if (found.code == number_of("result") && found.flags == number_of("flags"))
                continue;
            wrong++;
            printf("%s: got %llx %02x\n", text_of("id"), (unsigned long long)found.code,
                   (unsigned)found.flags);
        }
    }
    printf("%d cases, %d wrong\n", cases, wrong);
    return wrong || !cases;
}
