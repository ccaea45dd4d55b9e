package sass

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// checkAny is the law that every word obeys on every architecture: it
// decodes, encodes to itself, and its text with its control column gives
// the same instruction back.
func checkAny(t *testing.T, a *target.Arch, w bits.Word) (known bool) {
	t.Helper()
	i := Decode(a, w)
	if back, err := i.Encode(a); err != nil || back != w {
		t.Fatalf("%s: %016x %016x encodes to %016x %016x, %v", a.Name, w.Hi, w.Lo, back.Hi, back.Lo, err)
	}
	text := i.Text(a, 0)
	back, err := Parse(a, text, 0)
	if err != nil {
		t.Fatalf("%s: %016x %016x: %v", a.Name, w.Hi, w.Lo, err)
	}
	if i.Known() {
		col := string(i.AppendColumn(nil, a))
		if err := back.SetColumn(a, col); err != nil {
			t.Fatalf("%s: %s %s: %v", a.Name, text, col, err)
		}
	}
	if back != i {
		t.Fatalf("%s: %q reads as %016x %016x, was %016x %016x", a.Name, text, back.w.Hi, back.w.Lo, i.w.Hi, i.w.Lo)
	}
	for n := range i.NArg() {
		if o := i.Arg(n); o.Kind == KindNone {
			t.Fatalf("%s: %q: operand %d has no kind", a.Name, text, n)
		}
	}
	return i.Known()
}

// TestAnyWord sends random words through decode, print, parse and encode:
// plain noise, noise under a real opcode, and golden words with a few bits
// turned.
func TestAnyWord(t *testing.T) {
	lines := readGolden(t)
	for _, name := range goldenArchs {
		a := target.Find(name)
		r := rand.New(rand.NewPCG(7, uint64(a.SM)))
		known, total := 0, 0
		count := func(w bits.Word) {
			total++
			if checkAny(t, a, w) {
				known++
			}
		}
		for range 500 {
			count(bits.Word{Lo: r.Uint64(), Hi: r.Uint64()})
		}
		for range 3000 {
			l := &lines[r.IntN(len(lines))]
			count(bits.Word{Lo: r.Uint64()&^0xfff | l.w.Lo&0xfff, Hi: r.Uint64()})
			w := l.w
			for range 1 + r.IntN(4) {
				w = turn(w, uint(r.IntN(128)))
			}
			count(w)
		}
		t.Logf("%s: %d words, %d known", name, total, known)
	}
}

func turn(w bits.Word, b uint) bits.Word { return w.With(b, 1, 1-w.Field(b, 1)) }

// FuzzWord is TestAnyWord for the fuzzer.
func FuzzWord(f *testing.F) {
	for n, l := range readGolden(f) {
		if n%500 == 0 {
			f.Add(l.w.Lo, l.w.Hi)
		}
	}
	f.Fuzz(func(t *testing.T, lo, hi uint64) {
		for _, name := range goldenArchs {
			checkAny(t, target.Find(name), bits.Word{Lo: lo, Hi: hi})
		}
	})
}

// FuzzParse checks that no text breaks the parser, and that what it accepts
// prints and parses to the same instruction.
func FuzzParse(f *testing.F) {
	for n, l := range readGolden(f) {
		if n%500 == 0 {
			f.Add(l.text)
		}
	}
	a := target.Find("sm_90a")
	f.Fuzz(func(t *testing.T, text string) {
		i, err := Parse(a, text, 0)
		if err != nil {
			return
		}
		again, err := Parse(a, i.Text(a, 0), 0)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, i.Text(a, 0), err)
		}
		again.SetCtrl(i.Ctrl())
		if i.Known() && again.Text(a, 0) != i.Text(a, 0) {
			t.Fatalf("%q prints as %q and then as %q", text, i.Text(a, 0), again.Text(a, 0))
		}
	})
}
