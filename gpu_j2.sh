#!/bin/bash
exec > >(tee "$OUT/j2.log") 2>&1
( time make ARCH=sm_90 lib ) >"$OUT/lib.log" 2>&1; echo "lib rc $?"; grep real "$OUT/lib.log"
timeout 120 python3 python/test_recurrences.py --gpu 2>&1 | tail -30
T="timeout 200"
$T build/gpu/pscheme_g --variant one_pass,cub_scan --n 1M,256M --type s --reps 20 --csv "$OUT/rec.csv" | grep -E "one_pass|cub_scan|triad|copy"
$T build/gpu/nshape --variant tridiagonal,tridiagonal_pivoted --n 300000,32M --type s,d,z --reps 20 --csv "$OUT/tri.csv" | grep -E "tridiagonal|copy|triad"
$T build/gpu/thomas_batch --variant tridiagonal_batch --n 4095 --batch 25000 --type s,d --reps 20 --csv "$OUT/batch.csv" | grep -E "tridiagonal_batch|copy|reads"
for c in t4 rtx4090 a100; do for p in pscheme_gpu pcr pscheme_g thomas_batch nshape; do for o in --check --quick; do
  s=$SECONDS; DEVICE_LIMITS=$c timeout 150 build/gpu/$p $o >/tmp/o 2>/tmp/e; rc=$?; echo "$c $p $o rc $rc $((SECONDS-s)) s $(tail -n1 /tmp/o | cut -c1-60) | $(head -n1 /tmp/e | cut -c1-110)"; [ $rc = 0 ] || { tail -3 /tmp/o; tail -5 /tmp/e; }; done; done; done
build/cpu/pscheme_cpu --quick --csv "$OUT/cpu.csv" >/dev/null; grep -v '^#' "$OUT/cpu.csv" | awk -F, '{n[$9" "$NF]++} END {for (k in n) print "pscheme_cpu cores, status:", k, n[k]}'
