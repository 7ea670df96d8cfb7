# Makes gnuplot's SVG smaller, without a change that the eye sees, and fit for a page with several figures: sed -zf.
# Titles, which a browser would show at the mouse, and empty groups go. Attributes that all groups have stand once, and
# coordinates have one decimal. Text with markup would need a font that phones lack.
s/<?xml[^>]*>//
s/<title>[^<]*<\/title>//g
s/\(<g [^>]*>\s*<\/g>\s*\)\+//g
s/ stroke-linecap="butt" stroke-linejoin="miter"//g
s/ fill="none" color="black"//g
s/ font-family="DejaVu Sans[^"]*"//g
s/<tspan *>\([^<]*\)<\/tspan>/\1/g
s/<svg /&fill="none" color="black" font-family="DejaVu Sans,sans-serif" /
s/rgb( *\([0-9]*\), *\([0-9]*\), *\([0-9]*\))/rgb(\1,\2,\3)/g
s/\([0-9]\)\.\([0-9]\)[0-9],\(-\?[0-9]\+\)\.\([0-9]\)[0-9]\>/\1.\2,\3.\4/g
s/[ \t]\+/ /g
s/ \?\n[ \n]*/\n/g
