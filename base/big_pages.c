#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/big_pages.h"

#include <stdint.h>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

/* The least that is worth a system call; numpy advises its arrays from this size on. */
enum { WORTH_BYTES = 4 * 1024 * 1024 };

void tg_advise_big_pages(void *memory, size_t bytes)
{
#if defined __linux__ && defined MADV_HUGEPAGE
    if (bytes < WORTH_BYTES) return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t before = (page - (uintptr_t)memory % page) % page;
    /* Advice only: a system without huge pages refuses it, and the memory is as good as before. */
    (void)madvise((char *)memory + before, bytes - before, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}
