package cli

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sim/perfmodel"
)

// What a multiprocessor of Hopper has, and how many there are.
const (
	smCount     = 132
	smRegisters = 1 << 16
	smThreads   = 2048
	smBlocks    = 32
	smShared    = 228 << 10
	blockShared = 1 << 10 // that the system takes of each block
	mostSteps   = 1 << 24 // instructions of warps that are kept
	mostSMs     = 4       // multiprocessors that are looked at
)

// recorder keeps what the warps of some multiprocessors execute.
type recorder struct {
	grid  [3]uint32
	warps int
	index map[[3]uint32]int // place of a block among those kept
	list  []perfmodel.Block
	sm    []int // of each block kept
	code  []perfmodel.Inst
	known []bool
	steps int
}

func newRecorder(l *sim.Launch, size int) *recorder {
	threads := int(l.Block[0] * l.Block[1] * l.Block[2])
	return &recorder{grid: l.Grid, warps: (threads + 31) / 32, index: map[[3]uint32]int{}, code: make([]perfmodel.Inst, size), known: make([]bool, size)}
}

// hook notes an instruction about to run.
func (r *recorder) hook(e *sim.Event) error {
	id := e.Block()
	n := int(id[0] + r.grid[0]*(id[1]+r.grid[1]*id[2]))
	if n%smCount >= mostSMs || r.steps >= mostSteps {
		return nil
	}
	k, ok := r.index[id]
	if !ok {
		k = len(r.list)
		r.index[id] = k
		r.list, r.sm = append(r.list, perfmodel.Block{Warps: make([][]uint32, r.warps)}), append(r.sm, n%smCount)
	}
	at := e.Index()
	if !r.known[at] {
		r.known[at], r.code[at] = true, describe(e)
	}
	r.list[k].Warps[e.Warp()] = append(r.list[k].Warps[e.Warp()], uint32(at))
	r.steps++
	return nil
}

// describe tells the model about an instruction.
func describe(e *sim.Event) perfmodel.Inst {
	text := e.Text()
	i := perfmodel.Inst{Mnemonic: e.Mnemonic(), Ctrl: e.Ctrl(), Commits: strings.Contains(text, "gsb0"), Never: strings.HasPrefix(text, "@!PT ")}
	if _, args, ok := strings.Cut(text, ", "); ok {
		i.Reads = strings.HasPrefix(args, "R") && !strings.HasPrefix(args, "RZ")
	}
	if strings.Contains(i.Mnemonic, "DEPBAR.LE") {
		words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), ";"))
		n, _ := strconv.ParseInt(strings.TrimSuffix(words[len(words)-1], ","), 0, 32)
		i.Left = int(n)
	}
	return i
}

// cycles is about how long the multiprocessor takes that takes longest. The blocks
// may stand for a grid that fills the machine: then as many run together as fit,
// and the time is that of those there are.
func (r *recorder) cycles(registers int, smem uint32, fill bool) (most int64) {
	threads := r.warps * 32
	together := min(smRegisters/(max(8, (registers+7)/8*8)*threads), smThreads/threads, smBlocks, smShared/(int(smem)+blockShared))
	for s := range mostSMs {
		var list []perfmodel.Block
		for k, b := range r.list {
			if r.sm[k] == s {
				list = append(list, b)
			}
		}
		n := len(list)
		for fill && n > 0 && len(list) < together {
			list = append(list, list[:n]...)
		}
		if n > 0 {
			most = max(most, perfmodel.Cycles(r.code, list, together)*int64(n)/int64(len(list)))
		}
	}
	return most
}
