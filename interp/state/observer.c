#include "interp/state/observer.h"

/* A visitor that gets elements of another width than the access has. */
typedef struct scaled {
    tg_run_visitor *visit;
    void *context;
    int64_t factor; /* > 0: visited elements in one of the access; < 0: the reverse */
} scaled;

static void visit_scaled(void *context, int64_t first, int64_t stride, int64_t count)
{
    const scaled *s = context;
    if (s->factor > 0 && stride == 1) {
        s->visit(s->context, first * s->factor, 1, count * s->factor);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = first + i * stride;
        if (s->factor > 0)
            s->visit(s->context, at * s->factor, 1, s->factor);
        else if (s->factor < 0)
            s->visit(s->context, at / -s->factor, 1, 1);
    }
}

void tg_access_runs(const tg_access_event *event, size_t width, tg_run_visitor *visit,
                    void *context)
{
    scaled s = {.visit = visit, .context = context};
    if (event->width == width) {
        tg_access_own_runs(event, visit, context);
        return;
    }
    s.factor =
        event->width > width ? (int64_t)(event->width / width) : -(int64_t)(width / event->width);
    tg_access_own_runs(event, visit_scaled, &s);
}
