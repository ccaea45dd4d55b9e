package fp

import (
	"strconv"
	"strings"
	"testing"
)

// folded are constants that the reference put in place of approximate
// functions of constants: function, .ftz, argument, result; "-" is left as it
// was.
const folded = `
rcp 0 40388a27 3eb190f0
rcp 1 00000001 7f800000
rcp 0 00000001 7f800000
rcp 0 00400000 7f000000
rcp 1 7e800001 00000000
rcp 0 7e800001 007fffff
rcp 1 ff800000 80000000
rcp 1 7fc00000 -
rsqrt 0 3fa8dbce 3f5ee2e3
rsqrt 1 80000000 ff800000
rsqrt 0 00000001 64b504f3
rsqrt 0 80000001 -
rsqrt 1 80000001 ff800000
rsqrt 1 bf800000 -
rsqrt 0 7e800001 1fffffff
sqrt 0 402b8812 3fd18d55
sqrt 0 80000000 80000000
sqrt 0 00000001 1a3504f3
sqrt 1 00000001 00000000
sqrt 0 bf800000 -
ex2 0 3f8d8510 4009b907
ex2 1 c2fc0001 00000000
ex2 0 c2fc0001 007fffd4
ex2 0 c3150000 00000001
ex2 0 c3160000 00000000
ex2 0 ff800000 00000000
ex2 0 43000000 7f800000
lg2 0 3f82506b 3cd3c2d8
lg2 0 3f373d50 bef6fedf
lg2 1 00000000 -
lg2 1 007fffff -
lg2 0 007fffff c2fc0000
lg2 0 00000001 c3150000
lg2 0 7f800000 7f800000
lg2 0 bf800000 -
sin 0 3eda029e 3ed37b5e
sin 0 00400000 00000000
sin 0 80000001 80000000
sin 0 7f7fffff bf0599b3
sin 0 7f800000 -
cos 0 4032c92d bf70a620
cos 0 7e800001 be90c665
cos 0 00000001 3f800000
tanh 0 40039e4c -
`

func TestFoldApprox(t *testing.T) {
	n := 0
	for line := range strings.Lines(strings.TrimSpace(folded)) {
		f := strings.Fields(line)
		fn := NumFuncs
		for k := range NumFuncs {
			if k.String() == f[0] {
				fn = k
			}
		}
		x, err := strconv.ParseUint(f[2], 16, 32)
		if err != nil || fn == NumFuncs {
			t.Fatalf("bad line %q", line)
		}
		r, ok := FoldApprox(fn, uint32(x), f[1] == "1")
		got := "-"
		if ok {
			got = strconv.FormatUint(1<<32|uint64(r), 16)[1:]
		}
		if got != f[3] {
			t.Errorf("%s: got %s", strings.TrimSpace(line), got)
		}
		n++
	}
	t.Logf("%d constants as the reference folds them", n)
}
