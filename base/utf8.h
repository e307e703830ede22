/* UTF-8, as texts from outside must have it. */
#ifndef TG_BASE_UTF8_H
#define TG_BASE_UTF8_H

/* Bytes of the well-formed sequence at `p` (RFC 3629: shortest form, no surrogates, at most U+10FFFF), or 0 where none
 * is.  p < end. */
int tg_utf8_length(const char *p, const char *end);

#endif
