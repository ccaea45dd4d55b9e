package sass

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// TestModifiersStart holds what the matcher takes for granted: no modifier
// begins with what ends them all.
func TestModifiersStart(t *testing.T) {
	for _, v := range values {
		if v.text != hole && texts[v.text] != "" && strings.ContainsAny(texts[v.text][:1], " ;") {
			t.Errorf("a modifier is %q", texts[v.text])
		}
	}
	if texts[VNone] != "" {
		t.Errorf("the first text is %q", texts[VNone])
	}
}

// TestSieveIsNoJudge prints random words of every form and asks the sieve: it
// must let the form pass that the text was made from.
func TestSieveIsNoJudge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	asked := 0
	for id := range forms {
		f := &forms[id]
		for _, name := range [...]string{"sm_75", "sm_86", "sm_90", "sm_103", "sm_121"} {
			a := target.Find(name)
			if f.op == OpUnknown || !f.on(a) {
				continue
			}
			for range 8 {
				w := bits.Word{Lo: r.Uint64()&^f.mask.Lo | f.match.Lo, Hi: r.Uint64()&^f.mask.Hi | f.match.Hi}
				i := Decode(a, w)
				if i.form != FormID(id) {
					continue
				}
				i.SetGuard(Always)
				text := i.Text(a, 0)
				v := sieveOf(text)
				if asked++; !v.passes(sieves[id]) {
					t.Errorf("%s: its own form %d is stopped", text, id)
				}
			}
		}
	}
	if asked < 10000 {
		t.Errorf("only %d texts", asked)
	}
}
