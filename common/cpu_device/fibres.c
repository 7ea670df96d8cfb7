/* Fibres: stacks, and switching from one to another without a system call. */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 256 * 1024 };
#else
enum { STACK_BYTES = 64 * 1024 };
#endif

/* GUARD_BYTES: memory without access rights below each stack, the largest page of aarch64.
 * FIBRES_MOST: a stack and its guard are two of the 65530 memory mappings that Linux allows. */
enum { GUARD_BYTES = 64 * 1024, FIBRES_MOST = 30 * 1024 };

/* ---- switching ---- */

/* On other processors, or with -DCPU_DEVICE_UCONTEXT, a switch is a system call of ucontext. */
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(CPU_DEVICE_UCONTEXT)
#define CPU_DEVICE_UCONTEXT
#endif

static void fibre_main(void);

#ifdef CPU_DEVICE_UCONTEXT
#include <ucontext.h>

/* The "stack pointer" of a fibre is then the address of its ucontext_t. */
static void cpu_switch(void **from, void *to)
{
    ucontext_t here;
    *from = &here;
    swapcontext(&here, to);
}

static void *fresh_stack_pointer(struct cpu_fibre *fibre)
{
    ucontext_t *context = (ucontext_t *)(void *)fibre->stack;
    getcontext(context);
    context->uc_stack.ss_sp = fibre->stack + sizeof *context;
    context->uc_stack.ss_size = STACK_BYTES - sizeof *context;
    context->uc_link = NULL;
    makecontext(context, fibre_main, 0);
    return context;
}
#else
/* Pushes the registers that a function must preserve, stores the stack pointer in *from, and
 * continues on the stack `to`. No kernel changes the rounding mode, so it is not saved. */
void cpu_switch(void **from, void *to) __attribute__((visibility("hidden")));

#ifdef __x86_64__
__asm__(".text\n.globl cpu_switch\n.hidden cpu_switch\n.type cpu_switch,@function\ncpu_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size cpu_switch,.-cpu_switch\n");
/* Six registers, the return address, and a slot that aligns the stack as a call does. */
enum { FRAME_REGISTERS = 8, FRAME_RETURN = 6 };
#else
__asm__(".text\n.globl cpu_switch\n.hidden cpu_switch\n.type cpu_switch,%function\ncpu_switch:\n"
        "sub sp,sp,#160\n"
        "stp x19,x20,[sp,#0]\nstp x21,x22,[sp,#16]\nstp x23,x24,[sp,#32]\nstp x25,x26,[sp,#48]\n"
        "stp x27,x28,[sp,#64]\nstp x29,x30,[sp,#80]\nstp d8,d9,[sp,#96]\nstp d10,d11,[sp,#112]\n"
        "stp d12,d13,[sp,#128]\nstp d14,d15,[sp,#144]\n"
        "mov x9,sp\nstr x9,[x0]\nmov sp,x1\n"
        "ldp x19,x20,[sp,#0]\nldp x21,x22,[sp,#16]\nldp x23,x24,[sp,#32]\nldp x25,x26,[sp,#48]\n"
        "ldp x27,x28,[sp,#64]\nldp x29,x30,[sp,#80]\nldp d8,d9,[sp,#96]\nldp d10,d11,[sp,#112]\n"
        "ldp d12,d13,[sp,#128]\nldp d14,d15,[sp,#144]\n"
        "add sp,sp,#160\nret\n.size cpu_switch,.-cpu_switch\n");
/* Twenty registers, among them x30, the return address. */
enum { FRAME_REGISTERS = 20, FRAME_RETURN = 11 };
#endif

/* A stack to which cpu_switch can switch: the registers are zero, the return address is fibre_main.
 */
static void *fresh_stack_pointer(struct cpu_fibre *fibre)
{
    uint64_t *frame = (uint64_t *)(void *)(fibre->stack + STACK_BYTES) - FRAME_REGISTERS;
    memset(frame, 0, FRAME_REGISTERS * sizeof *frame);
    frame[FRAME_RETURN] = (uint64_t)(uintptr_t)fibre_main;
    return frame;
}
#endif

/* AddressSanitizer must know which stack is in use. */
void cpu_switch_fibre(struct cpu_fibre *from, struct cpu_fibre *to)
{
#ifdef ASAN
    __sanitizer_start_switch_fiber(&from->sanitizer, to->stack, to->stack_bytes);
    cpu_switch(&from->stack_pointer, to->stack_pointer);
    __sanitizer_finish_switch_fiber(from->sanitizer, NULL, NULL);
#else
    cpu_switch(&from->stack_pointer, to->stack_pointer);
#endif
}

static void fibre_main(void)
{
#ifdef ASAN
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    cpu_run_threads();
}

void cpu_describe_stack(struct cpu_fibre *os)
{
#ifdef ASAN
    /* Once in each OS thread: for the main thread the C library reads a file in /proc. */
    static __thread void *stack;
    static __thread size_t stack_bytes;
    if (!stack) {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &stack, &stack_bytes);
        pthread_attr_destroy(&attributes);
    }
    os->stack = stack;
    os->stack_bytes = stack_bytes;
#else
    (void)os;
#endif
}

/* ---- all fibres of the process: a launch takes unused ones and gives them back ---- */

static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cpu_fibre *unused_fibres;
static int fibres_made;

static struct cpu_fibre *make_fibre(void)
{
    struct cpu_fibre *fibre = calloc(1, sizeof *fibre);
    char *guard = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!fibre || guard == MAP_FAILED || mprotect(guard, GUARD_BYTES, PROT_NONE) != 0) {
        if (guard != MAP_FAILED)
            munmap(guard, GUARD_BYTES + STACK_BYTES);
        free(fibre);
        return NULL;
    }
    fibre->stack = guard + GUARD_BYTES;
    fibre->stack_bytes = STACK_BYTES;
    return fibre;
}

struct cpu_fibre *cpu_take_fibre(struct cpu_block *block)
{
    struct cpu_fibre *fibre = block->free;
    if (fibre) {
        block->free = fibre->next;
        return block->entered = fibre;
    }
    pthread_mutex_lock(&unused_lock);
    bool make = !unused_fibres;
    int made = fibres_made;
    if (!make) {
        fibre = unused_fibres;
        unused_fibres = fibre->next;
    } else if (made < FIBRES_MOST && (fibre = make_fibre()) != NULL) {
        fibres_made++;
    }
    pthread_mutex_unlock(&unused_lock);
    if (!fibre) {
        cpu_fail(block->launch, block, "no stack for one more waiting thread; %d have one", made);
        return NULL;
    }
#ifdef ASAN
    if (!make) /* the functions that ran on this stack in an earlier launch have ended */
        __asan_unpoison_memory_region(fibre->stack, STACK_BYTES);
#endif
    fibre->stack_pointer = fresh_stack_pointer(fibre);
    block->fibres[block->fibre_count++] = fibre;
    return block->entered = fibre;
}

void cpu_leave_fibres(struct cpu_block *block)
{
    pthread_mutex_lock(&unused_lock);
    for (int i = 0; i < block->fibre_count; i++) {
        block->fibres[i]->next = unused_fibres;
        unused_fibres = block->fibres[i];
    }
    pthread_mutex_unlock(&unused_lock);
}
