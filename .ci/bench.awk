# Reads `go test -bench` and prints a line for every benchmark that measures its floor: name value floor ratio.
/^Benchmark/ {
	name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	value = floor = ratio = ""
	for (i = 3; i < NF; i += 2) {
		unit = $(i + 1)
		if (unit == "ratio") ratio = $i
		else if (unit ~ /^floor-/) { floor = $i; kind = unit; sub(/^floor-/, "", kind) }
	}
	for (i = 3; i < NF; i += 2) if ($(i + 1) == kind) value = $i
	if (ratio != "") printf "%-32s %12s %12s %8s   (%s)\n", name, value, floor, ratio, kind
}
/^(--- FAIL|FAIL|panic:)/ { print; failed = 1 }
BEGIN { printf "%-32s %12s %12s %8s\n", "name", "value", "floor", "ratio" }
END { exit failed }
