package versus

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// linedFiles is how many files with lines are compared.
const linedFiles = 60

// accessed are instructions that both compilers make of the same places of
// the text: those that touch memory which others see.
var accessed = [...]string{"LDG", "STG", "LDS", "STS", "LD", "ST", "ATOM", "ATOMG", "ATOMS", "RED", "REDG", "LDSM", "LDGSTS", "BAR"}

// lineFacts are the places in the source that a file's line table names: by
// line, and those of memory instructions, each with the calls it was inlined
// through.
type lineFacts struct{ lines, memory map[string]int }

// factsOf reads them from a cubin with one kernel; ok is false for others.
func factsOf(b *testing.B, a *target.Arch, data []byte) (x lineFacts, ok bool) {
	f, err := cubin.Read(data)
	if err != nil {
		b.Fatal(err)
	}
	s, fns := f.Find(".debug_line"), f.Functions()
	if s == nil || len(fns) != 1 {
		return x, false
	}
	t, err := dwarf.ParseLines(s.Data())
	if err != nil || len(t.Sequences) != 1 {
		return x, false
	}
	x = lineFacts{map[string]int{}, map[string]int{}}
	rows := t.Sequences[0].Rows
	at := 0
	for n := 0; n+16 <= len(fns[0].Code); n += 16 {
		for at+1 < len(rows) && rows[at+1].Addr <= uint64(n) {
			at++
		}
		if len(rows) == 0 || rows[at].Addr > uint64(n) {
			continue
		}
		place := placeOf(rows, at)
		x.lines[place] = 1
		i := sass.Decode(a, bits.Word{Lo: binary.LittleEndian.Uint64(fns[0].Code[n:]), Hi: binary.LittleEndian.Uint64(fns[0].Code[n+8:])})
		name, _, _ := strings.Cut(i.Op().String(), ".")
		for _, o := range accessed {
			if name == o {
				x.memory[name+" "+place] = 1 // how often differs with unrolling and vectors
			}
		}
	}
	return x, true
}

// placeOf writes a row and the calls that lead to it.
func placeOf(rows []dwarf.Row, n int) string {
	text := ""
	for k := 0; k < 40; k++ {
		r := &rows[n]
		text += fmt.Sprintf("%d:%d<", r.File, r.Line)
		if r.Call == 0 || int(r.Call) > len(rows) {
			break
		}
		n = int(r.Call) - 1
	}
	return text
}

// common counts what two tables share, and what the first has.
func common(a, b map[string]int) (shared, all int) {
	for k, n := range a {
		shared += min(n, b[k])
		all += n
	}
	return shared, all
}

// BenchmarkLines compiles files with .loc directives with both compilers and
// prints how many of the source's places that one line table names the other
// names too, and where memory instructions of each kind come from.
func BenchmarkLines(b *testing.B) {
	tools, c := oracle.Find(b), corpus.Find(b)
	for b.Loop() {
		var files, refShared, refAll, ourShared, ourAll, memShared, memAll int
		step := max(1, len(c.Files)/(3*linedFiles))
		for n := 0; n < len(c.Files) && files < linedFiles; n += step {
			f := &c.Files[n]
			text, err := os.ReadFile(f.Path)
			if err != nil {
				b.Fatal(err)
			}
			a := target.Find(f.Target)
			if a == nil || len(text) > 200_000 || !bytes.Contains(text, []byte(".loc")) {
				continue
			}
			ref, err := tools.CubinOf(text, "-arch="+f.Target, "-lineinfo")
			if err != nil {
				continue
			}
			our, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: f.Name, Text: text}}, goptxas.Options{Arch: f.Target, Args: []string{"-lineinfo"}})
			if err != nil {
				b.Fatalf("%s: %v", f.Name, err)
			}
			want, ok := factsOf(b, a, ref)
			got, ok2 := factsOf(b, a, our.Cubin)
			if !ok || !ok2 {
				continue
			}
			files++
			s, all := common(want.lines, got.lines)
			refShared, refAll = refShared+s, refAll+all
			s, all = common(got.lines, want.lines)
			ourShared, ourAll = ourShared+s, ourAll+all
			s, all = common(want.memory, got.memory)
			memShared, memAll = memShared+s, memAll+all
		}
		part := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
		b.Logf("%d files: of %d places in the reference's tables ours have %.1f%%, of %d in ours its have %.1f%%; of %d places of memory instructions, each kind by itself, ours have %.1f%%",
			files, refAll, part(refShared, refAll), ourAll, part(ourShared, ourAll), memAll, part(memShared, memAll))
	}
}
