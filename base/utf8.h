/* Checks UTF-8 in texts from outside. */
#ifndef TG_BASE_UTF8_H
#define TG_BASE_UTF8_H

/* Returns the number of bytes of the well-formed sequence at `p` (RFC 3629: shortest form, no
 * surrogates, at most U+10FFFF), or 0 if there is none.  p < end. */
int tg_utf8_length(const char *p, const char *end);

#endif
