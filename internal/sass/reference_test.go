package sass

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// randomInst fills every field of a form with a random value that the form
// allows, or returns false when another form owns the word.
func randomInst(a *target.Arch, id FormID, r *rand.Rand) (Inst, bool) {
	f := &forms[id]
	i := New(id)
	for n := range int(f.nitem) {
		it := &items[f.item+uint32(n)]
		switch it.kind {
		case kLit, kOpt, kSum, kTerm, kClose, kOpen, kHidden:
		case kMod:
			e := &enums[it.aux]
			v := r.IntN(int(e.n))
			if values[int(e.start)+v].text != hole {
				i.w = it.set(i.w, uint64(v))
			}
		default:
			i.w = it.set(i.w, r.Uint64()&r.Uint64()&(1<<it.width()-1))
			if it.neg != 0 {
				i.w = i.w.With(uint(it.neg), 1, r.Uint64())
			}
			if it.abs != 0 {
				i.w = i.w.With(uint(it.abs), 1, r.Uint64())
			}
		}
	}
	i.w = bits.Word{Lo: i.w.Lo&^f.mask.Lo | f.match.Lo, Hi: i.w.Hi&^f.mask.Hi | f.match.Hi}
	i.SetCtrl(Ctrl{Stall: 1, WrBar: NoBar, RdBar: NoBar})
	back := Decode(a, i.w)
	return i, back.form == id
}

// TestFormsAgainstReference makes random instructions of every form on
// every architecture and compares their text with the reference
// disassembler's. Words it refuses say nothing, since it also checks
// register alignment and combinations of modifiers; words it prints
// otherwise are faults of the description, which must stay rare.
func TestFormsAgainstReference(t *testing.T) {
	tools := oracle.Find(t)
	each := 5
	if os.Getenv("GOPTXAS_FULL") != "" {
		each = 50
	}
	for _, name := range []string{"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"} {
		a := target.Find(name)
		r := rand.New(rand.NewPCG(1, 2))
		insts := ofEveryForm(a, each, r)
		var words []bits.Word
		for _, i := range insts {
			words = append(words, i.w)
		}
		var bad misses
		agreed, refused := 0, 0
		for n, want := range disasm(t, tools, name, words) {
			got := insts[n].Text(a, 0)
			switch {
			case want == "":
				refused++
			case got == want:
				agreed++
			default:
				bad.add(fmt.Sprintf("form %d %03x %s", insts[n].form, words[n].Lo&0xfff, mnemonic(want)),
					fmt.Sprintf("%s  got  %s  %016x %016x", want, got, words[n].Hi, words[n].Lo))
			}
		}
		t.Logf("%s: %d instructions: %d agree, %d refused, %d differ", name, len(insts), agreed, refused, len(insts)-agreed-refused)
		bad.log(t, strings.TrimPrefix(name, "sm_"), missLimit())
		if d := len(insts) - agreed - refused; percent(d, len(insts)) > 1 {
			t.Errorf("%s: %d of %d random instructions print otherwise", name, d, len(insts))
		}
	}
}

// ofEveryForm makes so many random instructions of each form that an
// architecture has.
func ofEveryForm(a *target.Arch, each int, r *rand.Rand) (insts []Inst) {
	for id := range forms {
		if id == 0 || !forms[id].on(a) {
			continue
		}
		for range each {
			if i, ok := randomInst(a, FormID(id), r); ok {
				insts = append(insts, i)
			}
		}
	}
	return insts
}

// TestBitsAgainstReference turns every bit of an instruction of every form,
// one at a time: where the reference disassembler knows the word, this one
// prints the same or says that it does not know it. So no field is missing
// from the description that another form's words hold.
func TestBitsAgainstReference(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes long")
	}
	tools := oracle.Find(t)
	each := 1
	if os.Getenv("GOPTXAS_FULL") != "" {
		each = 6
	}
	for _, name := range sweep.Of([]string{"sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"}, []string{"sm_100a", "sm_120a"}) {
		a := target.Find(name)
		r := rand.New(rand.NewPCG(7, 9))
		var words []bits.Word
		for _, i := range ofEveryForm(a, each, r) {
			for b := range uint(105 - 16) {
				words = append(words, i.w.With(b+16, 1, ^i.w.Field(b+16, 1)))
			}
		}
		var bad misses
		known, wrong := 0, 0
		for n, want := range disasm(t, tools, name, words) {
			i := Decode(a, words[n])
			if want == "" || i.form == 0 {
				continue
			}
			known++
			if got := i.Text(a, 0); got != want {
				wrong++
				bad.add(fmt.Sprintf("%03x %s", words[n].Lo&0xfff, mnemonic(want)), fmt.Sprintf("%s  got  %s  %016x %016x", want, got, words[n].Hi, words[n].Lo))
			}
		}
		t.Logf("%s: %d words that both know, %d print otherwise", name, known, wrong)
		bad.log(t, strings.TrimPrefix(name, "sm_"), missLimit())
		if wrong*10000 > known {
			t.Errorf("%s: %d of %d words print otherwise", name, wrong, known)
		}
	}
}
