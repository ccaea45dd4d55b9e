package opgen

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// exactOps are the operations that PTX wants exact or correctly rounded.
func exactOps() []Exact {
	var list []Exact
	add := func(text string, bits int, kind Operands) {
		name := strings.NewReplacer(".", "_", " ", "", "%", "", ",", "").Replace(strings.Split(text, " ")[0])
		list = append(list, Exact{Name: name, Text: text, Bits: bits, Kind: kind})
	}
	for _, r := range []string{"rn", "rz", "rm", "rp"} {
		for _, ftz := range []string{"", ".ftz"} {
			add("div."+r+ftz+".f32 %d, %a, %b", 32, Quotients)
			add("rcp."+r+ftz+".f32 %d, %b", 32, Quotients)
			add("sqrt."+r+ftz+".f32 %d, %a", 32, Roots)
		}
		add("div."+r+".f64 %d, %a, %b", 64, Quotients)
		add("rcp."+r+".f64 %d, %b", 64, Quotients)
		add("sqrt."+r+".f64 %d, %a", 64, Roots)
	}
	for _, op := range []string{"div", "rem"} {
		for _, t := range []struct {
			name string
			bits int
		}{{"u16", 16}, {"s16", 16}, {"u32", 32}, {"s32", 32}, {"u64", 64}, {"s64", 64}} {
			add(op+"."+t.name+" %d, %a, %b", t.bits, Integers)
		}
	}
	return list
}

func mixed(x, k uint64) uint64 {
	z := (x + k) * k
	z ^= z >> 30
	z *= 0xBF58476D1CE4E5B9
	z ^= z >> 27
	return z
}

// chosen makes the operands of number n as the kernel does.
func chosen(x *Exact, n uint64) (a, b uint64) {
	p := mixed(n, 0x9E3779B97F4A7C15)
	q := mixed(p, 0xD1B54A32D192ED03)
	c := mixed(q, 0x8CB92BA72F3D8DD7)
	if x.Kind == Integers {
		a, b = chosenInts(x.Bits, p, q, c)
	} else {
		a, b = chosenFloats(x, p, q, c)
	}
	mask := ^uint64(0) >> (64 - x.Bits)
	return a & mask, b & mask
}

func chosenInts(bits int, x, y, c uint64) (a, b uint64) {
	s := 64 - bits
	a, b = uint64(int64(x<<s)>>s), uint64(int64(y<<s)>>s)
	n1, n2 := c>>8&63, c>>14&63
	t2, t3 := uint64(int64(a)>>n1), uint64(int64(b)>>n2)
	t5 := c>>20&3 - 2
	t4 := t2*t3 + t5
	t6, t7 := uint64(1)<<n2+t5, uint64(1)<<n1-t5
	switch c & 7 {
	case 1:
		return t2, t3
	case 2:
		return a, t3
	case 3:
		return t4, t3
	case 4:
		return a, t6
	case 5:
		return t7, t6
	case 6:
		return t7, t3
	case 7:
		return a, -t6
	}
	return a, b
}

func chosenFloats(x *Exact, p, q, c uint64) (a, b uint64) {
	f := fields(x.Bits)
	format := fp.F64
	if x.Bits == 32 {
		format = fp.F32
	}
	keep := uint64(1)<<(x.Bits-1) | uint64(1)<<f.man - 1
	exp := func(w uint64, base, shift, mask int) uint64 {
		return w&keep | (c>>shift&uint64(mask)+uint64(base))<<f.man
	}
	t2, t3 := exp(p, f.bias-8, 8, 15), exp(q, f.bias-8, 12, 15)
	near := func(half bool) uint64 {
		e0, e1 := t2, t3
		if x.Kind == Roots {
			e1 = e0
		}
		r := format.Mul(e0, e1, fp.Mode{})
		if half {
			drop := f.man + 1
			if x.Kind == Roots {
				drop = f.man
			}
			e3 := t2&(uint64(f.top+1)<<f.man|uint64(1)<<(x.Bits-1)) - uint64(drop)<<f.man
			r = format.Fma(e0, e1, format.Mul(e3, e1, fp.Mode{}), fp.Mode{})
		}
		return r + c>>20&3 - 1
	}
	switch c & 7 {
	case 1:
		return t2, t3
	case 2:
		if c&256 == 0 {
			return p & keep, q & keep
		}
		return p & keep, t3
	case 3:
		return exp(p, 1, 8, 31), exp(q, f.bias-8, 16, 63)
	case 4:
		return near(false), t3
	case 5:
		return near(true), t3
	case 6:
		return uint64(int64(p)>>f.man)<<f.man + c>>8&3 - 2, uint64(int64(q)>>f.man)<<f.man + c>>10&3 - 2
	case 7:
		return exp(p, f.top-15, 8, 15), exp(q, f.top-15-f.bias-8, 16, 31)
	}
	return p, q
}

// expected returns the function that computes an operation exactly.
func expected(x *Exact) func(a, b uint64) uint64 {
	op := strings.Split(strings.Split(x.Text, " ")[0], ".")
	if x.Kind == Integers {
		return wholeQuotient(op[0] == "rem", op[1])
	}
	m := fp.Mode{Round: map[string]fp.Round{"rn": fp.RN, "rz": fp.RZ, "rm": fp.RM, "rp": fp.RP}[op[1]], Ftz: strings.Contains(x.Text, ".ftz")}
	f := fp.F64
	if x.Bits == 32 {
		f = fp.F32
	}
	switch op[0] {
	case "div":
		return func(a, b uint64) uint64 { return f.Div(a, b, m) }
	case "rcp":
		return func(_, b uint64) uint64 { return f.Rcp(b, m) }
	}
	return func(a, _ uint64) uint64 { return f.Sqrt(a, m) }
}

// wholeQuotient divides integers; by zero both results are all ones.
func wholeQuotient(rem bool, typ string) func(a, b uint64) uint64 {
	bits := map[string]int{"16": 16, "32": 32, "64": 64}[typ[1:]]
	mask, s := ^uint64(0)>>(64-bits), 64-bits
	return func(a, b uint64) uint64 {
		if b == 0 {
			return mask
		}
		if typ[0] == 'u' {
			if rem {
				return a % b
			}
			return a / b
		}
		x, y := int64(a<<s)>>s, int64(b<<s)>>s
		if y == -1 { // of the least number there is no quotient
			if rem {
				return 0
			}
			return uint64(-x) & mask
		}
		if rem {
			return uint64(x%y) & mask
		}
		return uint64(x/y) & mask
	}
}

// TestExact compares what our code computes, simulated, with exact
// arithmetic: on 8,000 operands each, in a sweep on 20,000, with GOPTXAS_FULL on ten million. Half
// of them go through routines.
func TestExact(t *testing.T) {
	threads, turns := 1<<11, sweep.Of(10, 4)
	if os.Getenv("GOPTXAS_FULL") != "" {
		threads, turns = 1<<16, 158
	}
	for _, x := range exactOps() {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			wrong := 0
			for _, twice := range []bool{false, true} {
				x.Twice = twice
				p := newDirect(t, &x, threads)
				for turn := range turns / 2 {
					wrong += p.turn(t, 2*turn+pick(twice))
				}
			}
			t.Logf("%s: %d operands, %d wrong", x.Text, turns*threads, wrong)
		})
	}
}

func pick(b bool) int {
	if b {
		return 1
	}
	return 0
}

// direct runs one operation on operands from memory.
type direct struct {
	x       *Exact
	threads int
	launch  *launch.Launch
	kernel  *sim.Program
}

func newDirect(t *testing.T, x *Exact, threads int) *direct {
	text := DirectFile(*x, "sm_90", threads)
	msg, code := compileFile(text, "sm_90")
	if msg != "" {
		t.Fatalf("%s: %s", x.Text, msg)
	}
	launches, err := launch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sim.Load(code)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Kernel(x.Name)
	if err != nil {
		t.Fatal(err)
	}
	return &direct{x, threads, &launches[0], p}
}

// turn runs one launch, which shows the result of every operand, and returns
// how many are wrong.
func (p *direct) turn(t *testing.T, turn int) int {
	x := p.x
	c, err := p.kernel.Prepare(p.launch, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range p.threads {
		a, b := chosen(x, uint64(turn*p.threads+k))
		binary.LittleEndian.PutUint64(c.Buffers[1][8*k:], a)
		binary.LittleEndian.PutUint64(c.Buffers[2][8*k:], b)
	}
	if _, err := p.kernel.Run(&c.Launch); err != nil {
		t.Fatalf("%s: %v", x.Text, err)
	}
	wrong, exactly := 0, expected(x)
	for k := range p.threads {
		a, b := binary.LittleEndian.Uint64(c.Buffers[1][8*k:]), binary.LittleEndian.Uint64(c.Buffers[2][8*k:])
		got, want := binary.LittleEndian.Uint64(c.Buffers[0][8*k:]), exactly(a, b)
		if got == want {
			continue
		}
		if wrong++; wrong <= 3 {
			t.Errorf("%s: of %#x and %#x: %#x, not %#x", x.Text, a, b, got, want)
		}
	}
	return wrong
}

// TestExactTurns runs the kernels of TestExactBatch for a few turns: the
// operation stands in a loop there, among other code. A few operands each on
// one architecture of every family.
func TestExactTurns(t *testing.T) {
	n := 0
	for _, x := range exactOps() {
		for _, x.Twice = range []bool{false, true} {
			n += exactTurns(t, &x, "sm_90", 6)
		}
		for _, arch := range []string{"sm_75", "sm_86", "sm_100", "sm_120"} {
			n += exactTurns(t, &x, arch, 1)
		}
	}
	t.Logf("%d results", n)
}

func exactTurns(t *testing.T, x *Exact, arch string, turns int) int {
	const threads = 64
	text := ExactFile(*x, arch, threads, turns)
	msg, code := compileFile(text, arch)
	if msg != "" {
		t.Fatalf("%s, %s: %s", x.Text, arch, msg)
	}
	out, err := runFile(code, text)
	if err != nil {
		t.Fatalf("%s, %s: %v", x.Text, arch, err)
	}
	exactly := expected(x)
	for k := range threads {
		sum := uint64(0)
		for turn := range turns {
			a, b := chosen(x, uint64(turn*threads+k))
			sum = sum*checksumFactor + exactly(a, b)
		}
		if got := binary.LittleEndian.Uint64(out[0][8*k:]); got != sum {
			t.Fatalf("%s, %s, twice %v, thread %d: checksum %#x, not %#x", x.Text, arch, x.Twice, k, got, sum)
		}
	}
	return threads * turns
}

// TestExactBatch writes the kernels to OPGEN_DIR for gpurun zoo: ten million
// operands each.
func TestExactBatch(t *testing.T) {
	dir := os.Getenv("OPGEN_DIR")
	if dir == "" {
		t.Skip("OPGEN_DIR names no folder")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, x := range exactOps() {
		for _, prefix := range []string{"x_", "twice_"} {
			x.Twice = prefix == "twice_"
			if err := os.WriteFile(filepath.Join(dir, prefix+x.Name+".ptx"), []byte(ExactFile(x, "sm_90", 1<<16, 160)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
