/* SPDX-License-Identifier: MIT */
/* words.c -- the words of a line */
#include "base/words.h"
#include "base/hex.h"

static int begins_comment(const char *at, const char *end)
{
    return *at == '#' || (*at == '/' && end - at > 1 && at[1] == '/');
}

const char *words_end(const char *text, const char *end)
{
    while (text < end && !begins_comment(text, end))
        text++;
    return text;
}

int words_next(const char **at, const char *end, text_word *word)
{
    const char *c = *at;
    while (c < end && words_separator(*c))
        c++;
    word->text = c;
    while (c < end && !words_separator(*c) && !begins_comment(c, end))
        c++;
    word->length = (size_t)(c - word->text);
    *at = c;
    return word->length > 0;
}

size_t words_split(const char *text, size_t length, text_word *words, size_t most)
{
    const char *end = text + length;
    text_word more;
    size_t count = 0;
    while (count < most && words_next(&text, end, &words[count]))
        count++;
    return count == most && words_next(&text, end, &more) ? most + 1 : count;
}

text_word words_digits(text_word word)
{
    if (word.length > 2 && word.text[0] == '0' && (word.text[1] == 'x' || word.text[1] == 'X')) {
        word.text += 2;
        word.length -= 2;
    }
    return word;
}

int words_hex(text_word word, int digits, uint64_t *value)
{
    word = words_digits(word);
    return word.length == (size_t)digits && hex_read(word.text, digits, value);
}

int words_value(text_word word, uint64_t *value)
{
    word = words_digits(word);
    for (; word.length > 1 && *word.text == '0'; word.text++)
        word.length--;
    return word.length <= 16 && words_hex(word, (int)word.length, value);
}
