/* Messages about the errors of a kernel, with kernel, block, thread and source line. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>

#ifdef ASAN
#include <sanitizer/common_interface_defs.h>
#endif

/* The message of the last failed launch of this host thread. */
static __thread char message[sizeof((struct launch *)NULL)->message] = "unspecified launch failure";

void cpu_keep_message(const struct launch *launch)
{
    memcpy(message, launch->message, sizeof message);
}

const char *cpu_message(void)
{
    return message;
}

static void fail_with(struct launch *launch, const char *where, const char *format, va_list args)
{
    if (__atomic_exchange_n(&launch->failed, 1, __ATOMIC_SEQ_CST))
        return;
    size_t room = sizeof launch->message;
    int length = snprintf(launch->message, room, "kernel %s%s: ", launch->kernel, where);
    if (length > 0 && (size_t)length < room)
        vsnprintf(launch->message + length, room - (size_t)length, format, args);
}

/* E.g. ", block (1,0,0): thread (2,0,0)", or, if thread is NULL, ", block (1,0,0)". */
static const char *place(char text[160], const struct cpu_block *block,
                         const struct cpu_thread *thread)
{
    const struct cpu_dim3 *b = &block->at.block, *t = thread ? &thread->index : NULL;
    int length = snprintf(text, 160, ", block (%u,%u,%u)", b->x, b->y, b->z);
    if (t)
        snprintf(text + length, 160 - (size_t)length, ": thread (%u,%u,%u)", t->x, t->y, t->z);
    return text;
}

void cpu_fail(struct launch *launch, const struct cpu_block *block, const char *format, ...)
{
    char where[160];
    va_list args;
    va_start(args, format);
    fail_with(launch, block ? place(where, block, NULL) : "", format, args);
    va_end(args);
}

void cpu_fail_thread(const char *format, ...)
{
    struct cpu_block *block = cpu_self->block;
    char where[160];
    va_list args;
    va_start(args, format);
    fail_with(block->launch, place(where, block, cpu_self), format, args);
    va_end(args);
    cpu_run_next(block, cpu_self->fibre, cpu_self);
}

const char *const cpu_warp_names[] = {"__syncwarp", "a shuffle", "a vote"};

/* E.g. "thread (1,0,0) waits at a shuffle of lanes 0x0000ffff (x.cu:10)". */
static const char *describe(char text[512], const struct cpu_thread *thread)
{
    char lanes[32] = "";
    const char *at = thread->polls ? thread->polls : "__syncthreads";
    if (thread->state == CPU_AT_WARP) {
        snprintf(lanes, sizeof lanes, " of lanes 0x%08x", thread->mask);
        at = cpu_warp_names[thread->operation];
    }
    snprintf(text, 512, "thread (%u,%u,%u) waits at %s%s (%s:%d)", thread->index.x, thread->index.y,
             thread->index.z, at, lanes, thread->file, thread->line);
    return text;
}

void cpu_fail_apart(struct cpu_block *block, const struct cpu_thread *one,
                    const struct cpu_thread *other)
{
    char first[512], second[512];
    cpu_fail(block->launch, block, "%s while %s", describe(first, one), describe(second, other));
}

void cpu_fail_wait(struct cpu_block *block, const struct cpu_thread *one,
                   const struct cpu_thread *other)
{
    char first[512], second[512];
    cpu_fail(block->launch, block, "%s, which can never end%s%s", describe(first, one),
             other ? ", while " : "", other ? describe(second, other) : "");
}

#ifdef ASAN
/* A cudaMalloc that is too large returns an error, as on a GPU. The sanitizer does not keep the
 * stack frames of functions that have returned, which it would look for on fibres that do not
 * exist. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:detect_stack_use_after_return=0";
}

/* Prints kernel, block and thread after the report of a sanitizer. gcc's
 * UndefinedBehaviorSanitizer, which is another library, calls __ubsan_on_report. */
static void death_note(void)
{
    static int said;
    if (cpu_self && !__atomic_exchange_n(&said, 1, __ATOMIC_SEQ_CST))
        fprintf(stderr, "CPU device: in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n",
                cpu_self->block->launch->kernel, cpu_self->block->at.block.x,
                cpu_self->block->at.block.y, cpu_self->block->at.block.z, cpu_self->index.x,
                cpu_self->index.y, cpu_self->index.z);
}
void __ubsan_on_report(void)
{
    death_note();
}
#endif

void cpu_prepare_sanitizer(void)
{
#ifdef ASAN
    __sanitizer_set_death_callback(death_note);
#endif
}
