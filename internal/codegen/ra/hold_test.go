package ra

import (
	"errors"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestBarriersStay: a convergence barrier is never spilled. Without room for
// all the function is refused.
func TestBarriersStay(t *testing.T) {
	const text = `func f {
reg p0 1/1
reg k1 1/1
reg k2 1/1
reg k3 1/1
b0: -> b6, b1
BSSY k1 = b6
@p0 BRA b6
b1: -> b5, b2
BSSY k2 = b5
@p0 BRA b5
b2: -> b4, b3
BSSY k3 = b4
@p0 BRA b4
b3: -> b4
NOP
b4: -> b5
BSYNC k3
b5: -> b6
BSYNC k2
b6:
BSYNC k1
RET
}
`
	for barriers, fits := range map[int]bool{3: true, 2: false} {
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Run(m.Funcs[0], Options{Registers: 32, Uniforms: 63, Barriers: barriers, StackReg: 1, Check: true})
		var over *regalloc.Overflow
		if fits && err != nil || !fits && (!errors.As(err, &over) || over.Class != fileB) {
			t.Errorf("%d barriers: %v", barriers, err)
		}
	}
}
