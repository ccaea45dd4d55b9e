package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestIndex: writers and readers in the order of the code, an instruction
// once for each operand, addresses and guards among them; lists do not run
// into each other.
func TestIndex(t *testing.T) {
	m, err := ori.Parse("func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg p2 1/1\nreg u3 2/2\nb0:\nISETP.NE p2 = r0, rz\n@p2 IADD3 r0 = r0, r0, rz\nSTG.E desc[u3], [r1.64+0x0], r0\nEXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	x := IndexOf(f)
	x.Defs[0] = append(x.Defs[0], nil)[:len(x.Defs[0])]
	var got []string
	for r := range f.Regs {
		for _, list := range [...][]*ori.Instr{x.Defs[r], x.Uses[r]} {
			var ops []string
			for _, i := range list {
				ops = append(ops, i.Op.String())
			}
			got = append(got, strings.Join(ops, " "))
		}
	}
	if text := fmt.Sprintf("%q", got); text != `["IADD3" "ISETP IADD3 IADD3 STG" "" "STG" "ISETP" "IADD3" "" "STG"]` {
		t.Error(text)
	}
}
