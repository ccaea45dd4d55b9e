package matrix

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// corner is where a register's first element lies, from the thread's own
// place: so much further along the outer and the inner dimension.
type corner struct{ outer, inner int64 }

// fragmentMap says where the elements of a fragment lie in memory.
type fragmentMap struct {
	spots   []corner
	natural bool  // the elements of a register are neighbours in memory
	bits    int   // of an element
	per     int64 // elements of one register
	step    int64 // elements between neighbouring threads
	width   int   // words of a register
	lead    int64 // elements between lines where no operand says
}

// mapOf describes fragment which ('a', 'b' or 'c') of the current
// load or store, whose matrix lies by columns or rows.
func mapOf(l *build.Builder, which byte, shape isa.Word, t isa.Type, byColumn bool) *fragmentMap {
	m, n, k := isa.ShapeMNK(shape)
	lead := n
	f := &fragmentMap{bits: elementBits(t), width: 1}
	f.per = max(1, int64(32/f.bits))
	f.step = f.per
	if f.bits == 64 {
		f.width = 2
	}
	switch which {
	case 'a':
		f.spots, f.natural, lead = factorSpots('a', shape, f.bits), !byColumn, k
		if byColumn {
			lead = m
		}
	case 'b':
		f.spots, f.natural = factorSpots('b', shape, f.bits), byColumn
		if byColumn {
			lead = k
		}
	default:
		f.step = 2
		f.spots, f.natural = sumSpots(shape, f.bits), byColumn == (shape == isa.WM8n32k16)
		if byColumn {
			lead = m
		}
	}
	f.lead = int64(lead)
	return f
}

func elementBits(t isa.Type) int {
	if t == isa.TF32 {
		return 32
	}
	return t.Bits()
}

// factorSpots returns the registers of a factor, each once.
func factorSpots(which byte, shape isa.Word, bits int) []corner {
	long := which == 'a' && shape == isa.WM32n8k16 || which == 'b' && shape == isa.WM8n32k16
	short := which == 'b' && shape == isa.WM32n8k16 || which == 'a' && shape == isa.WM8n32k16
	switch {
	case bits == 16 && long:
		return spotsA16[:]
	case bits == 16 && short:
		return spotsB16[:2]
	case bits == 16 && which == 'a':
		return spotsA16[:4]
	case bits == 16:
		return spotsB16[:]
	case bits == 32 && which == 'a':
		return spotsTA[:]
	case bits == 32:
		return spotsTB[:]
	case bits == 8 && long:
		return spotsRow[:]
	case bits == 8 && !short:
		return spotsRow[:2]
	}
	return spotsRow[:1]
}

// sumSpots returns the registers of an accumulator.
func sumSpots(shape isa.Word, bits int) []corner {
	square := shape == isa.WM16n16k16 || shape == isa.WM16n16k8
	switch {
	case bits == 16 && square:
		return spotsA16[:4]
	case bits == 16:
		return spotsRow[:]
	case square:
		return spotsC32[:]
	case shape == isa.WM32n8k16 || shape == isa.WM8n32k16:
		return spotsLong[:]
	}
	return spotsC32[:2]
}

// paired reports whether registers n and n+1 are neighbours in memory.
func (f *fragmentMap) paired(n int) bool {
	return f.natural && n+1 < len(f.spots) && f.spots[n+1] == corner{f.spots[n].outer, f.spots[n].inner + 1}
}

// Fragments: sixteen lines of sixteen elements of 16 bits in A's order and
// in B's, the same twice over, accumulators, and the small ones.
var (
	spotsA16  = [...]corner{{0, 0}, {8, 0}, {0, 8}, {8, 8}, {16, 0}, {24, 0}, {16, 8}, {24, 8}}
	spotsB16  = [...]corner{{0, 0}, {0, 8}, {8, 0}, {8, 8}}
	spotsC32  = [...]corner{{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}}
	spotsLong = [...]corner{{0, 0}, {0, 1}, {8, 0}, {8, 1}, {16, 0}, {16, 1}, {24, 0}, {24, 1}}
	spotsRow  = [...]corner{{0, 0}, {8, 0}, {16, 0}, {24, 0}}
	spotsTA   = [...]corner{{0, 0}, {8, 0}, {0, 4}, {8, 4}}
	spotsTB   = [...]corner{{0, 0}, {0, 4}, {8, 0}, {8, 4}}
)
