package opgen

import "strings"

// part returns a word's piece that a selector names, extended by its type.
func (x *inputs) part(arg int, typ string) int64 {
	v := x.arg(arg)
	at, n := selector(x.args[arg])
	v = v >> at & (1<<n - 1)
	if typ == "s32" && v>>(n-1) != 0 {
		return int64(v) - 1<<n
	}
	return int64(v)
}

// selector returns the first bit and the size of what a selector names.
func selector(arg string) (at, n int) {
	_, s, ok := strings.Cut(arg, ".")
	if !ok {
		return 0, 32
	}
	k := int(s[1] - '0')
	if s[0] == 'h' {
		return 16 * k, 16
	}
	return 8 * k, 8
}

// first returns the result of a scalar video instruction before it is clamped
// or compared, and whether it is a number of the destination.
func (x *inputs) first() (v int64, fits bool) {
	op, _, _ := strings.Cut(x.form.Text, " ")
	words := strings.Split(op, ".")
	a, b := x.part(1, words[2]), x.part(2, words[3])
	v = a
	switch n := uint64(b); words[0] {
	case "vadd":
		v = a + b
	case "vsub":
		v = a - b
	case "vabsdiff":
		v = max(a-b, b-a)
	case "vmin":
		v = min(a, b)
	case "vmax":
		v = max(a, b)
	case "vshl", "vshr":
		if n = min(n, 32); strings.Contains(op, ".wrap") {
			n = uint64(b) & 31
		}
		if v = a >> n; words[0] == "vshl" {
			v = a << n
		}
	}
	_, bits := selector(x.args[0])
	if words[1] == "s32" {
		return v, v >= -1<<(bits-1) && v < 1<<(bits-1)
	}
	return v, v >= 0 && v < 1<<bits
}

// largeFactor is the rule for vmad: an unsigned word that is negative as a
// signed one, as a factor or as the addend.
func largeFactor(x *inputs) bool {
	op, _, _ := strings.Cut(x.form.Text, " ")
	words := strings.Split(op, ".")
	whole := func(arg int) bool { _, n := selector(x.args[arg]); return n == 32 }
	return words[2] == "u32" && whole(1) && x.arg(1)>>31 != 0 || words[3] == "u32" && whole(2) && x.arg(2)>>31 != 0 ||
		words[2] == "u32" && words[3] == "u32" && x.arg(3)>>31 != 0
}
