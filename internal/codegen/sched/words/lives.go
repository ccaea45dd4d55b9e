package words

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Set is a set of the words that can live between blocks, by their
// dense numbers.
type Set []uint64

// Has reports whether a word is in the set.
func (s Set) Has(n int32) bool { return s[n/64]>>(n%64)&1 != 0 }
func (s Set) add(n int32)      { s[n/64] |= 1 << (n % 64) }

// Each calls do with every member.
func (s Set) Each(do func(n int32)) {
	for k, x := range s {
		for ; x != 0; x &= x - 1 {
			do(int32(64*k + bits.TrailingZeros64(x)))
		}
	}
}

// Lives says which words of registers hold values at the borders of blocks.
// Only words that some block reads before it writes them are in the sets.
type Lives struct {
	f     *ori.Func
	names *Numbering
	Dense []int32 // of each word, its number in the sets or -1
	Words []int32 // of each number, the word
	Out   []Set   // by block ID: read later, and written on some path
	In    []Set   // by block ID: written on some path to the block
	list  []Access
}

// maxLiveBytes bounds the memory of the sets; functions beyond it keep
// their order before allocation.
const maxLiveBytes = 256 << 20

// LivesOf computes the sets, or returns nil when they would be too large.
func LivesOf(f *ori.Func, names *Numbering) *Lives {
	l := &Lives{f: f, names: names, Dense: pool.Make[int32](f.Scratch(), names.Size)}
	l.number()
	size := (len(l.Words) + 63) / 64
	if 5*8*size*f.NumBlocks() > maxLiveBytes {
		return nil
	}
	var sets [5][]Set
	for k := range sets {
		sets[k] = make([]Set, f.NumBlocks())
		all := pool.Make[uint64](f.Scratch(), size*f.NumBlocks())
		for n := range sets[k] {
			sets[k][n] = all[n*size : (n+1)*size]
		}
	}
	exposed, killed, written := sets[0], sets[1], sets[2]
	l.Out, l.In = sets[3], sets[4]
	for _, b := range f.Blocks {
		l.local(b, exposed[b.ID], killed[b.ID], written[b.ID])
	}
	l.upward(exposed, killed)
	l.downward(written)
	return l
}

// number finds the words that live between blocks.
func (l *Lives) number() {
	killed := pool.Make[int32](l.f.Scratch(), l.names.Size) // last block that wrote the word whole, + 1
	for w := range l.Dense {
		l.Dense[w] = -1
	}
	for n, b := range l.f.Blocks {
		for i := range b.Instrs {
			l.list = l.names.Accesses(i)
			for _, a := range l.list {
				for w := a.Word; w < a.Word+int32(a.N); w++ {
					if !a.Write && killed[w] != int32(n)+1 && l.Dense[w] < 0 {
						l.Dense[w] = int32(len(l.Words))
						l.Words = append(l.Words, w)
					}
				}
			}
			if i.Guard.Kind != ori.KNone || i.Op == op.PHISRC {
				continue
			}
			for _, a := range l.list {
				for w := a.Word; a.Write && w < a.Word+int32(a.N); w++ {
					killed[w] = int32(n) + 1
				}
			}
		}
	}
}

// local finds what one block does with the words.
func (l *Lives) local(b *ori.Block, exposed, killed, written Set) {
	for i := range b.Instrs {
		l.list = l.names.Accesses(i)
		guarded := i.Guard.Kind != ori.KNone || i.Op == op.PHISRC
		for pass := range 2 {
			for _, a := range l.list {
				if a.Write != (pass == 1) {
					continue
				}
				for w := a.Word; w < a.Word+int32(a.N); w++ {
					n := l.Dense[w]
					switch {
					case n < 0:
					case !a.Write && !killed.Has(n):
						exposed.add(n)
					case a.Write:
						written.add(n)
						if !guarded {
							killed.add(n)
						}
					}
				}
			}
		}
	}
}

// upward follows reads up to the writes that end them.
func (l *Lives) upward(exposed, killed []Set) {
	for changed := true; changed; {
		changed = false
		for k := len(l.f.Blocks) - 1; k >= 0; k-- {
			b := l.f.Blocks[k]
			out := l.Out[b.ID]
			for _, s := range b.Succs {
				for n, x := range exposed[s.ID] {
					out[n] |= x
				}
			}
			in := exposed[b.ID] // grows into what lives at the top
			for n, x := range out {
				if x &^= killed[b.ID][n]; x&^in[n] != 0 {
					in[n] |= x
					changed = true
				}
			}
		}
	}
}

// downward follows writes, and takes away what no path has written.
func (l *Lives) downward(written []Set) {
	for changed := true; changed; {
		changed = false
		for _, b := range l.f.Blocks {
			in, w := l.In[b.ID], written[b.ID]
			for _, s := range b.Succs {
				to := l.In[s.ID]
				for n := range to {
					if x := (in[n] | w[n]) &^ to[n]; x != 0 {
						to[n] |= x
						changed = true
					}
				}
			}
		}
	}
	for _, b := range l.f.Blocks {
		out, in, w := l.Out[b.ID], l.In[b.ID], written[b.ID]
		for n := range out {
			out[n] &= in[n] | w[n]
		}
	}
}
