package frame

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestRegPool: where registers were given back only low ones are left, where
// more were given all of them; a block that asks again has what it had.
func TestRegPool(t *testing.T) {
	m := &ori.Module{}
	f := m.NewFunc("k")
	var b [4]*ori.Block
	for k := range b {
		b[k] = f.NewBlock()
	}
	f.Blocks = b[:]
	b[0].AddEdge(b[1])
	b[0].AddEdge(b[2])
	b[1].AddEdge(b[1])
	b[1].AddEdge(b[3])
	b[2].AddEdge(b[3])
	up := f.Words(f.NewReg(ori.UP, 1))
	b[1].Append(f.NewInstr(op.USETMAXREG, op.M(op.MTRY_ALLOC, op.MCTAPOOL), []ori.Operand{up}, []ori.Operand{ori.Imm(240)}))
	b[2].Append(f.NewInstr(op.USETMAXREG, op.M(op.MDEALLOC, op.MCTAPOOL), nil, []ori.Operand{ori.Imm(40)}))
	p := PoolOf(f, 166)
	if p == nil {
		t.Fatal("no pool found")
	}
	for k, want := range []int{166, 166, 38, 38} {
		if got := p.Limit(b[k]); got != want {
			t.Errorf("block %d: %d registers, not %d", k, got, want)
		}
	}
	if got := p.out(b[1], b[3]); got != 238 {
		t.Errorf("%d registers after more were given, not 238", got)
	}
	if got := p.Most(); got != 166 {
		t.Errorf("%d registers where there are the most, not 166", got)
	}
	b[2].Append(f.NewInstr(op.CALL, op.Mods{}, nil, []ori.Operand{ori.Imm(0)}))
	for reach, want := range map[int]bool{38: true, 39: false} {
		if p.Calls(func(*ori.Instr) int { return reach }) != want {
			t.Errorf("a call of what uses %d registers where 38 are left: %v", reach, !want)
		}
	}
	wide := f.NewReg(ori.R, 4) // of which two words are there where 38 registers are left
	f.Regs[wide].Phys = 36
	words := f.Words(wide)
	for n, want := range map[uint8]bool{1: true, 2: true, 3: false} {
		words.N = n
		i := f.NewInstr(op.MOV, op.Mods{}, nil, []ori.Operand{words})
		if b[2].Append(i); p.Holds() != want {
			t.Errorf("%d words behind register 36 are there: %v", n, !want)
		}
		i.Remove()
	}
	p.Drop()
	text := string(f.Append(nil))
	if strings.Contains(text, "USETMAXREG") || !strings.Contains(text, "UPLOP3") {
		t.Errorf("after dropping the trade:\n%s", text)
	}
}
