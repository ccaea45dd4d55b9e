package fp

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// units are the operations of the multi-function unit on one 32-bit word, by
// the names of testdata/mufu.tsv.
var units = [...]struct {
	name string
	do   func(x uint32) uint32
}{
	{"rcp", func(x uint32) uint32 { return Mufu(RcpFn, x) }},
	{"rsq", func(x uint32) uint32 { return Mufu(RsqFn, x) }},
	{"sqrt", func(x uint32) uint32 { return Mufu(SqrtFn, x) }},
	{"ex2", func(x uint32) uint32 { return Mufu(Ex2Fn, x) }},
	{"lg2", func(x uint32) uint32 { return Mufu(Lg2Fn, x) }},
	{"sin", func(x uint32) uint32 { return Mufu(SinFn, x) }},
	{"cos", func(x uint32) uint32 { return Mufu(CosFn, x) }},
	{"tanh", func(x uint32) uint32 { return Mufu(TanhFn, x) }},
	{"rcp64h", func(x uint32) uint32 { return uint32(Approx64(RcpFn, uint64(x)<<32) >> 32) }},
	{"rsq64h", func(x uint32) uint32 { return uint32(Approx64(RsqFn, uint64(x)<<32) >> 32) }},
	{"ex2.f16", func(x uint32) uint32 { return uint32(ApproxHalf(F16, Ex2Fn, uint64(x), false)) }},
	{"tanh.f16", func(x uint32) uint32 { return uint32(ApproxHalf(F16, TanhFn, uint64(x), false)) }},
	{"ex2.bf16", func(x uint32) uint32 { return uint32(ApproxHalf(BF16, Ex2Fn, uint64(x), true)) }},
	{"tanh.bf16", func(x uint32) uint32 { return uint32(ApproxHalf(BF16, TanhFn, uint64(x), false)) }},
}

// TestMufu compares digests of an H200's results with ours. Lines of the file
// are a name, the first argument, the step, the number of results, and the
// first half of the SHA-256 of the results as little-endian words. Whole
// binades are compared with GOPTXAS_FULL set.
func TestMufu(t *testing.T) {
	file, err := os.Open("testdata/mufu.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	total, lines := 0, 0
	for in := bufio.NewScanner(file); in.Scan(); {
		f := strings.Split(in.Text(), "\t")
		first, err1 := strconv.ParseUint(f[1], 16, 32)
		step, err2 := strconv.Atoi(f[2])
		n, err3 := strconv.Atoi(f[3])
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("bad line %q", in.Text())
		}
		if n > 1<<22 && os.Getenv("GOPTXAS_FULL") == "" { // thinned ranges follow
			continue
		}
		known := false
		for _, u := range units {
			if u.name != f[0] {
				continue
			}
			known = true
			if d := digest(uint32(first), uint32(step), n, u.do); d != f[4] {
				t.Errorf("%s from %08x: results differ from the machine's", f[0], first)
			}
		}
		if !known {
			t.Errorf("%q: no such operation", f[0])
		}
		total, lines = total+n, lines+1
	}
	t.Logf("%d ranges, %d results equal to the machine's", lines, total)
}

func digest(x, step uint32, n int, do func(uint32) uint32) string {
	h := sha256.New()
	buf := make([]byte, 0, 1<<16)
	for range n {
		buf = binary.LittleEndian.AppendUint32(buf, do(x))
		x += step
		if len(buf) == cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// TestApproxDiv holds quotients to results of the expansion worked out by
// hand: scaled divisors at both ends, and the plain product between.
func TestApproxDiv(t *testing.T) {
	f := math.Float32bits
	for _, c := range []struct {
		a, b      float32
		full, ftz bool
		want      float32
	}{
		{6, 2, false, false, 3},
		{6, 2, true, true, 3},
		{0x1p127, 0x1p127, true, false, 1},
		{0x1p127, 0x1p127, true, true, 1},
		{0x1p127, 0x1p127, false, true, 0},
		{0x1p127, 0x1p127, false, false, 0},
		{0x1p-140, 0x1p-140, false, false, 1},
		{0x1p-140, 0x1p-130, true, false, 0x1p-10},
	} {
		if r := ApproxDiv(f(c.a), f(c.b), c.full, c.ftz); r != f(c.want) {
			t.Errorf("%v/%v full %v ftz %v = %v, want %v", c.a, c.b, c.full, c.ftz, math.Float32frombits(r), c.want)
		}
	}
}

func BenchmarkMufu(b *testing.B) {
	for fn := range NumFuncs {
		b.Run(fn.String(), func(b *testing.B) {
			x := uint32(0x3f012345)
			for b.Loop() {
				x = x&0xffffff | 0x3f000000
				x += Mufu(fn, x) | 1
			}
			sink += uint64(x)
		})
	}
}
