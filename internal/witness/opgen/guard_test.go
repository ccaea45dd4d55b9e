package opgen

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

const guardThreads = 256

// TestGuards runs every form in four ways: plain, under a guard, with the
// result over a source, and both. A guarded form must give the plain result
// where the guard holds and leave the registers alone elsewhere; a source
// that is overwritten must have been read before. Forms with the condition
// code are left out: their kernels show it beside the result. One form in
// four runs where no sweep is wanted.
func TestGuards(t *testing.T) {
	list := forms(t, 90)
	done, aliased := 0, 0
	for n := range list {
		f := list[n]
		if !f.simulated() || !sweep.Takes(n, 4) || f.carries() {
			continue
		}
		guarded := f
		guarded.Guarded = true
		variants := []Form{f, guarded}
		if a, ok := f.Aliased(); ok {
			ag := a
			ag.Guarded = true
			variants = append(variants, a, ag)
			aliased++
		}
		buffers, err := run(variants, "sm_90", guardThreads, uint64(n))
		if err != nil {
			t.Errorf("%s: %v", f.Text, err)
			continue
		}
		done++
		plain := buffers[1]
		checkGuard(t, &f, uint64(n), plain, buffers[2], 5)
		if len(buffers) > 3 {
			if !bytes.Equal(plain, buffers[3]) {
				t.Errorf("%s: another result", variants[2].Text)
			}
			checkGuard(t, &variants[2], uint64(n), plain, buffers[4], -1)
		}
	}
	t.Logf("%d forms plain and guarded, %d over a source", done, aliased)
}

// checkGuard compares a guarded run with a plain one. slot is where the
// results came from before the form ran; below zero they are not looked at.
func checkGuard(t *testing.T, f *Form, seed uint64, plain, guarded []byte, slot int) {
	in := launch.Data("edge", seed, guardThreads*8*Slots)
	dst, src := split(f.Text)
	results := registers(dst)
	for _, r := range registers(src) {
		if slices.Contains(results, r) {
			slot = -1 // loaded as a source
		}
	}
	for n := range guardThreads {
		word := func(s int) uint64 { return binary.LittleEndian.Uint64(in[n*8*Slots+8*s:]) }
		at := n * OutBytes
		if word(7)&2 != 0 {
			if !bytes.Equal(plain[at:at+OutBytes], guarded[at:at+OutBytes]) {
				t.Errorf("%s: thread %d: another result under a guard that holds", f.Text, n)
				return
			}
			continue
		}
		for k, r := range results {
			if slot < 0 {
				break
			}
			want := word((slot + k) % Slots)
			switch kind(r) {
			case "h":
				want &= 0xffff
			case "r":
				want &= 0xffffffff
			case "p":
				want = word(7-(slot+k)%Slots) & 1
			}
			if got := binary.LittleEndian.Uint64(guarded[at+8*(k&1):]); got != want {
				t.Errorf("%s: thread %d: %s became %#x under a guard that does not hold, was %#x", f.Text, n, r, got, want)
				return
			}
		}
	}
}

// TestGuardIsResult runs every form with a predicate among its results under
// that predicate, plain and negated: what it is before counts for all results.
func TestGuardIsResult(t *testing.T) {
	list := forms(t, 90)
	done := 0
	for n := range list {
		f := list[n]
		dst, _ := split(f.Text)
		var variants []Form
		for _, r := range registers(dst) {
			if kind(r) == "p" {
				variants = append(variants, Form{Text: f.Text, Guard: r}, Form{Text: f.Text, Guard: "!" + r})
			}
		}
		if len(variants) == 0 || !f.simulated() || !sweep.Takes(n, 4) {
			continue
		}
		got, err := run(variants, "sm_90", guardThreads, uint64(n))
		if err != nil {
			t.Errorf("%s: %v", f.Text, err)
			continue
		}
		text := File("ops", "sm_90", variants, guardThreads, uint64(n))
		launches, err := launch.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		vm, err := ptxvm.Load("ops.ptx", text, "sm_90")
		if err != nil {
			t.Fatal(err)
		}
		want, err := vm.Run(&launches[0], ptxvm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range variants {
			if !bytes.Equal(got[k+1], want[k+1]) {
				t.Errorf("@%s %s: not what the interpreter says", variants[k].Guard, f.Text)
			}
			done++
		}
	}
	t.Logf("%d guarded forms", done)
}
