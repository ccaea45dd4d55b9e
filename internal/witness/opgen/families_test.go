package opgen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// opaque are forms whose result means nothing but to other instructions, or
// whose last bits only the machine knows: the interpreter need not agree.
var opaque = regexp.MustCompile(`^createpolicy|^rsqrt\.approx\.f64|%total_smem_size|^isspacep|^(cvta|mapa|getctarank)\b|^mov\S* \S*,(lv|cv|sv)`)

// unsimulated are forms for which the simulator has other addresses, windows
// and sizes than the machine: a GPU decides on them.
var unsimulated = regexp.MustCompile(`^isspacep|^(cvta|mapa|getctarank)\b|^mov\S* \S*,(lv|cv|sv)|%(total|dynamic|aggr)_smem|%envreg|%reserved|^createpolicy`)

// family is a row of docs/differences.md: forms for which the reference's
// code leaves something else than the ISA says, and for which inputs.
type family struct {
	name  string
	forms *regexp.Regexp
	where func(x *inputs) bool // nil: all inputs
}

var families = [...]family{
	{"bfe.s32 from a constant place of 32 and more", regexp.MustCompile(`^bfe\.s32 .*,32,`), func(x *inputs) bool { return x.arg(1)>>31&1 == 0 }},
	{"64-bit fields at variable places above 255", regexp.MustCompile(`^(bfe\.[us]64|bfi\.b64) `), func(x *inputs) bool {
		n := len(x.args)
		return x.arg(n-1) > 255 || x.arg(n-2) > 255
	}},
	{"fns.b32 with offset -2^31", regexp.MustCompile(`^fns\.b32 `), func(x *inputs) bool { return x.arg(3) == 1<<31 }},
	{"bfi.b32 with a constant length of 32 and more", regexp.MustCompile(`^bfi\.b32 .*,40$`), nil},
	{"vectors of eight bytes or half words", regexp.MustCompile(`\.v8\.(b|u|s)(8|16) `), nil},
	{"st.f32 of a 64-bit register", regexp.MustCompile(`^st\S*\.f32 \S*,%rd`), nil},
	{"video: merging into d.h1", regexp.MustCompile(`^v(add|sub|min|max|absdiff|shl|shr|set)\.\S* %r1\.h1,`), nil},
	{"video: .sat", regexp.MustCompile(`^v(add|sub|min|max|absdiff|shl|shr)\.\S*\.sat`), func(x *inputs) bool {
		v, fits := x.first()
		return !fits || v < 0
	}},
	{"video: .min and .max", regexp.MustCompile(`^v(add|sub|min|max|shl|shr)\.\S*\.(min|max) `), func(x *inputs) bool {
		_, fits := x.first()
		return !fits || x.arg(3)>>31 != 0
	}},
	{"cvt.rna.tf32 of a NaN", regexp.MustCompile(`^cvt\.rna\S*\.tf32`), func(x *inputs) bool { return x.arg(1)&0x7fffffff > 0x7f800000 }},
	{"vmad with unsigned factors", regexp.MustCompile(`^vmad\.\S*\.u32`), largeFactor},
}

// inputs are what one thread gives a form.
type inputs struct {
	form *Form
	args []string
	in   []uint64
}

// arg returns the value of argument n.
func (x *inputs) arg(n int) uint64 {
	a := strings.TrimSpace(x.args[n])
	if v, err := strconv.ParseUint(a, 0, 64); err == nil {
		return v
	}
	a, _, _ = strings.Cut(a, ".")
	_, src := split(x.form.Text)
	for k, r := range registers(src) {
		if r != strings.TrimPrefix(a, "-") {
			continue
		}
		v := x.in[k%Slots]
		switch kind(r) {
		case "h":
			v &= 0xffff
		case "r":
			v &= 0xffffffff
		}
		return v
	}
	return 0
}

// given returns the operands of a thread, of which alike makes some equal.
func given(in []byte, thread int) []uint64 {
	w := words(in, thread, 8*Slots)
	switch thread & 7 {
	case 3:
		w[1] = w[0]
	case 5:
		w[2] = w[0]
	}
	return w
}

// explain finds the family whose rule covers every thread whose result
// differs, or says what is missing.
func explain(f *Form, in, interp, ours, theirs []byte) (name, why string) {
	if interp == nil {
		return "", "and the interpreter cannot tell"
	}
	if string(interp) != string(ours) {
		return "", "and the interpreter does not agree with ours"
	}
	_, args, _ := strings.Cut(f.Text, " ")
	threads := len(in) / (8 * Slots)
	size := len(ours) / threads
	why = "which no family lists"
	for k := range families {
		y := &families[k]
		if !y.forms.MatchString(f.Text) {
			continue
		}
		why = ""
		for t := range threads {
			if string(ours[t*size:(t+1)*size]) == string(theirs[t*size:(t+1)*size]) || y.where == nil {
				continue
			}
			if x := (&inputs{f, strings.Split(args, ","), given(in, t)}); !y.where(x) {
				why = fmt.Sprintf("beyond the rule of %q in thread %d: ours %x, theirs %x, inputs %x", y.name, t, words(ours, t, size), words(theirs, t, size), given(in, t))
			}
		}
		if why == "" {
			return y.name, ""
		}
	}
	return "", why
}

// firstDifference describes the first thread whose results are not all the
// same.
func firstDifference(in, interp, ours, theirs []byte) string {
	threads := len(in) / (8 * Slots)
	size := len(ours) / threads
	for t := range threads {
		o, r := words(ours, t, size), words(theirs, t, size)
		i := o
		if interp != nil {
			i = words(interp, t, size)
		}
		for k := range o {
			if i[k] != o[k] || o[k] != r[k] {
				return fmt.Sprintf("thread %d word %d: interpreter %#x, ours %#x, theirs %#x, inputs %x", t, k, i[k], o[k], r[k], words(in, t, 8*Slots))
			}
		}
	}
	return ""
}
