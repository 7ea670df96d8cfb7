/* A slow network between emulated hosts on one machine, for MPI over TCP. slow_network.sh starts it
 * in a network namespace of its own:
 *
 *     slow_network HOSTS DELAY_US MBIT COMMAND [ARGUMENT]…
 *
 * It makes a network namespace for each host, with a device `slow` and the address 10.77.0.HOST,
 * and runs COMMAND as host 1. Until COMMAND ends it forwards packets: each waits until those before
 * it have been sent at MBIT Mbit/s, and arrives DELAY_US microseconds later, as with `tc qdisc …
 * netem delay`, which not every kernel has. Other processes enter host k by nsenter
 * --net=/proc/$SLOW_NETWORK/fd/$((100 + k)). Exit status: that of COMMAND; 3 if the system does not
 * allow such devices. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOSTS_MOST = 16, WAITING_MOST = 4096, BYTES_MOST = 1500, NAMESPACE_FD = 100 };

struct packet {
    double arrives; /* seconds */
    ssize_t bytes;
    unsigned char data[BYTES_MOST];
};
/* A host's device, and its packets that have not arrived, the oldest first. */
static struct host {
    int device, first, count;
    double sent; /* when the last of them leaves the host */
    struct packet *waiting;
} hosts[HOSTS_MOST + 1]; /* from 1 */

static void fail(const char *what)
{
    fprintf(stderr, "slow_network: %s: %s\n", what, strerror(errno));
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Makes host k in the network namespace of this process. */
static void make_host(int k)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = "slow"};
    char command[160];
    int space = open("/proc/self/ns/net", O_RDONLY);
    hosts[k].device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (hosts[k].device < 0 || ioctl(hosts[k].device, TUNSETIFF, &request) < 0)
        fail("/dev/net/tun");
    if (space < 0 || dup2(space, NAMESPACE_FD + k) < 0)
        fail("the network namespace");
    close(space);
    snprintf(command, sizeof command,
             "ip address add 10.77.0.%d/24 dev slow && ip link set slow mtu %d up && "
             "ip link set lo up",
             k, BYTES_MOST);
    if (system(command) != 0)
        fail("ip");
    hosts[k].waiting = malloc(WAITING_MOST * sizeof *hosts[k].waiting);
    if (!hosts[k].waiting)
        fail("memory");
}

/* Reads all packets that host k has sent. Drops those that are too many, as a network does. */
static void take(int k, double delay, double bits_a_second)
{
    struct host *host = &hosts[k];
    struct packet dropped;
    for (;;) {
        struct packet *p = host->count < WAITING_MOST
                               ? &host->waiting[(host->first + host->count) % WAITING_MOST]
                               : &dropped;
        p->bytes = read(host->device, p->data, sizeof p->data);
        if (p->bytes < 20)
            return;
        double begins = host->sent > now() ? host->sent : now();
        host->sent = begins + 8 * (double)p->bytes / bits_a_second;
        p->arrives = host->sent + delay;
        host->count += p != &dropped;
    }
}

/* Delivers the packets of host k that have arrived. Returns when the next one arrives. */
static double deliver(int k, int count)
{
    struct host *host = &hosts[k];
    while (host->count > 0) {
        struct packet *p = &host->waiting[host->first];
        int to = p->data[19]; /* the last byte of the IPv4 destination */
        if (p->arrives > now())
            return p->arrives;
        if (p->data[0] >> 4 == 4 && to >= 1 && to <= count &&
            write(hosts[to].device, p->data, (size_t)p->bytes) < 0 && errno != EAGAIN)
            fail("a packet");
        host->first = (host->first + 1) % WAITING_MOST;
        host->count--;
    }
    return INFINITY;
}

static void ended(int signal)
{
    (void)signal; /* interrupts ppoll() */
}

/* Forwards packets until the process has ended. Returns its exit status. */
static int forward(int count, double delay, double bits_a_second, pid_t process)
{
    struct pollfd wanted[HOSTS_MOST];
    sigset_t all;
    int status;
    sigemptyset(&all); /* while it waits */
    while (waitpid(process, &status, WNOHANG) == 0) {
        double next = INFINITY;
        for (int k = 1; k <= count; k++) {
            double arrives;
            take(k, delay, bits_a_second);
            arrives = deliver(k, count);
            next = arrives < next ? arrives : next;
            wanted[k - 1] = (struct pollfd){.fd = hosts[k].device, .events = POLLIN};
        }
        double left = next - now(), seconds = left < 0 ? 0 : left > 1 ? 1 : left;
        struct timespec most = {(time_t)seconds, (long)(1e9 * (seconds - (double)(long)seconds))};
        ppoll(wanted, (nfds_t)count, &most, &all);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    int count = argc > 4 ? atoi(argv[1]) : 0;
    double delay = argc > 4 ? 1e-6 * atof(argv[2]) : -1, mbit = argc > 4 ? atof(argv[3]) : 0;
    char own[16];
    sigset_t child;
    if (count < 2 || count > HOSTS_MOST || delay < 0 || mbit <= 0) {
        fprintf(stderr, "Usage: slow_network HOSTS DELAY_US MBIT COMMAND [ARGUMENT]...\n");
        return 2;
    }
    for (int k = count; k >= 1; k--) { /* host 1 last: COMMAND runs there */
        if (k < count && unshare(CLONE_NEWNET) < 0)
            fail("a network namespace");
        make_host(k);
    }
    snprintf(own, sizeof own, "%d", (int)getpid());
    setenv("SLOW_NETWORK", own, 1);
    signal(SIGCHLD, ended);
    pid_t process = fork();
    if (process == 0) {
        execvp(argv[4], &argv[4]);
        fail(argv[4]);
    }
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    prctl(PR_SET_TIMERSLACK, 1UL); /* wake up when a packet arrives, not 50 µs later */
    return forward(count, delay, 1e6 * mbit, process);
}
