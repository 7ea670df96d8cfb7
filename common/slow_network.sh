#!/bin/bash
# Runs a program over MPI ranks that are on different hosts with a slow network between them, all emulated on this
# machine: common/slow_network.sh HOSTS DELAY_US MBIT PROGRAM [OPTION]...
# Each host has one rank, one core and a network namespace of its own; TCP packets between two hosts need DELAY_US
# microseconds and MBIT Mbit/s (slow_network.c). Needs MPICH, the command ip, and /dev/net/tun.
# MPICH 4.0 sometimes hangs in MPI_Finalize; the program's table and CSV file are complete then.
# Exit status: that of the program; 3 if the system does not allow network namespaces or such devices.
set -u
self=$(realpath "$0")
top=$(dirname "$(dirname "$self")")

case ${1-} in
-x) # mpirun calls this like ssh, as -x HOST COMMAND...: it runs the command on the host
    k=${2##*.}
    shift 2
    exec nsenter --net="/proc/$SLOW_NETWORK/fd/$((100 + k))" sh -c "$*"
    ;;
--rank) # runs the rank on a core of its own; in /sys it finds no other core, and the devices of its host only
    shift
    k=${PMI_RANK:?MPICH sets it}
    core=$((k % $(nproc)))
    # shellcheck disable=SC2016 # $0, $1 and $@ are those of the inner shell
    exec unshare --mount taskset -c $core sh -c \
        'file=$(mktemp) && echo "$0" >"$file" && mount -t sysfs sysfs /sys &&
            mount --bind "$file" /sys/devices/system/cpu/online && rm -f "$file" && exec "$@"' $core "$@"
    ;;
esac

if [ $# -lt 4 ]; then
    echo "Usage: common/slow_network.sh HOSTS DELAY_US MBIT PROGRAM [OPTION]..." >&2
    exit 2
fi
hosts=$1
mpirun --version 2>&1 | grep -q HYDRA || {
    echo "slow_network.sh: needs mpirun of MPICH" >&2
    exit 3
}
relay=$top/build/slow_network
[ "$relay" -nt "$top/common/slow_network.c" ] ||
    { mkdir -p "$top/build" && "${CC:-cc}" -D_GNU_SOURCE -O2 -o "$relay" "$top/common/slow_network.c"; } || exit 3
unshare --net true 2>/dev/null || {
    echo "slow_network.sh: no network namespaces: root is needed" >&2
    exit 3
}
list=$(seq -s, -f '10.77.0.%g' "$hosts")
# UCX is the network layer of MPICH on Debian: TCP over the device `slow` and nothing else.
export UCX_TLS=tcp,self UCX_NET_DEVICES=slow
# If this script is killed, all processes of the new PID namespace are.
unshare --net --pid --fork --kill-child --mount-proc "$relay" "$hosts" "$2" "$3" mpirun -launcher ssh \
    -launcher-exec "$self" -hosts "$list" -iface slow -np "$hosts" -ppn 1 "$self" --rank "${@:4}"
status=$?
# The CSV file, if the program has written one, says what the network was.
for ((i = 4; i < $#; i++)); do
    file=${*:i+1:1}
    [ "${!i}" != --csv ] || [ ! -f "$file" ] ||
        sed -i "1a # network: $hosts hosts, $2 µs, $3 Mbit/s (emulated)" "$file"
done
exit $status
