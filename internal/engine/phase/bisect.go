package phase

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// Bisection. Every optional rewrite has a number: a hash of the function, the
// phase, its kind and the thing it rewrites. A pattern allows the rewrites whose hash ends
// in some bits: with the pattern that allows half of them the program is right
// or wrong, and so on, until one rewrite is left. The hash does not depend on
// which other rewrites were allowed.

// Bisect decides which optional rewrites may happen. It may be used from many
// goroutines.
type Bisect struct {
	suffixes []suffix // a rewrite is allowed when one matches
	mu       sync.Mutex
	seen     []Change
}

type suffix struct {
	bits, mask uint64
}

// Change is one optional rewrite that was allowed.
type Change struct {
	Hash  uint64
	Func  string
	Phase string
	Step  int // place of the phase in the plan
	Kind  string
	ID    int // the thing rewritten
}

// String returns the change as a person reads it.
func (c Change) String() string {
	return fmt.Sprintf("%s/%s@%d/%s#%d", c.Func, c.Phase, c.Step, c.Kind, c.ID)
}

// ParseBisect reads a pattern: "y" allows all, "n" none, otherwise bit strings
// such as "0110", joined by "+"; a rewrite is allowed when its hash ends in one
// of them.
func ParseBisect(pattern string) (*Bisect, error) {
	b := &Bisect{}
	if pattern == "n" {
		return b, nil
	}
	for part := range strings.SplitSeq(pattern, "+") {
		var s suffix
		if part != "y" {
			if part == "" || len(part) > 64 || strings.Trim(part, "01") != "" {
				return nil, fmt.Errorf("bisect pattern %q is not y, n or bits joined by +", pattern)
			}
			for _, c := range part {
				s.bits = s.bits<<1 | uint64(c-'0')
				s.mask = s.mask<<1 | 1
			}
		}
		b.suffixes = append(b.suffixes, s)
	}
	return b, nil
}

func (b *Bisect) allow(c Change) bool {
	c.Hash = c.hash()
	for _, s := range b.suffixes {
		if c.Hash&s.mask == s.bits {
			b.mu.Lock()
			b.seen = append(b.seen, c)
			b.mu.Unlock()
			return true
		}
	}
	return false
}

// Changes returns the rewrites that were allowed so far, in an order that does
// not depend on the number of goroutines.
func (b *Bisect) Changes() []Change {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := append([]Change(nil), b.seen...)
	sort.Slice(out, func(i, j int) bool {
		if out[i].Hash != out[j].Hash {
			return out[i].Hash < out[j].Hash
		}
		return out[i].ID < out[j].ID
	})
	return out
}

// hash is FNV-1a of the parts, then mixed so that the low bits, which
// patterns look at, depend on all of it.
func (c *Change) hash() uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for _, s := range [...]string{c.Func, c.Phase, c.Kind} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * prime
		}
		h = (h ^ 0xff) * prime
	}
	h = (h ^ uint64(c.Step)) * prime
	h = (h ^ uint64(c.ID)) * prime
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>32
}

// Bisect returns the runner's bisection, or nil.
func (r *Runner[F]) Bisect() *Bisect { return r.bisect }

// FindChange searches for the one rewrite that breaks a program. try compiles
// and runs with the pattern and returns the rewrites it allowed and whether the
// result was wrong. The search assumes that the fault needs one rewrite only;
// when it needs several together, it reports that no single one shows it.
func FindChange(try func(pattern string) (changes []Change, wrong bool, err error)) (Change, error) {
	_, wrong, err := try("n")
	if err != nil {
		return Change{}, err
	}
	if wrong {
		return Change{}, fmt.Errorf("the program is wrong without any optional rewrite")
	}
	all, wrong, err := try("y")
	if err != nil {
		return Change{}, err
	}
	if !wrong {
		return Change{}, fmt.Errorf("the program is right with all %d rewrites", len(all))
	}
	bits := ""
	for len(bits) < 64 {
		next := ""
		for _, b := range [...]string{"0", "1"} {
			changes, wrong, err := try(b + bits)
			if err != nil {
				return Change{}, err
			}
			if !wrong {
				continue
			}
			if len(changes) == 1 {
				return changes[0], nil
			}
			next = b + bits
			break
		}
		if next == "" {
			return Change{}, fmt.Errorf("no single rewrite shows the fault: it needs several together")
		}
		bits = next
	}
	return Change{}, fmt.Errorf("two rewrites have the same hash")
}
