package phase

import (
	"errors"
	"fmt"
	"os"
	"slices"
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
	log      string // file to which allowed rewrites are written, if any
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
			if b.log != "" {
				// without the line the search says that nothing was allowed
				_ = b.line(fmt.Sprintf("%x %q %q %d %q %d\n", c.Hash, c.Func, c.Phase, c.Step, c.Kind, c.ID))
			}
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

// Log makes b write every rewrite it allows to the end of a file, a line each:
// compilations in other processes are bisected by it.
func (b *Bisect) Log(file string) error {
	b.log = file
	return b.line("")
}

// line adds text to the log.
func (b *Bisect) line(text string) error {
	f, err := os.OpenFile(b.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// ReadChanges reads what Log wrote. Of rewrites that several compilations did
// one is returned.
func ReadChanges(text string) ([]Change, error) {
	var list []Change
	seen := map[Change]bool{}
	for line := range strings.Lines(text) {
		var c Change
		if _, err := fmt.Sscanf(line, "%x %q %q %d %q %d", &c.Hash, &c.Func, &c.Phase, &c.Step, &c.Kind, &c.ID); err != nil {
			return nil, fmt.Errorf("line %q of a log of rewrites: %w", strings.TrimSpace(line), err)
		}
		if !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	return list, nil
}

// A Try compiles and runs with a pattern and returns the rewrites it allowed
// and whether the result was wrong.
type Try func(pattern string) (changes []Change, wrong bool, err error)

// FindChanges searches for the rewrites that break a program: one, or where
// none does it alone the fewest that halving finds.
func FindChanges(try Try) ([]Change, error) {
	_, wrong, err := try("n")
	if err != nil {
		return nil, err
	}
	if wrong {
		return nil, errors.New("the program is wrong without any optional rewrite")
	}
	all, wrong, err := try("y")
	if err != nil {
		return nil, err
	}
	if !wrong {
		return nil, fmt.Errorf("the program is right with all %d rewrites", len(all))
	}
	return try.search("", nil)
}

// search finds rewrites among those whose hash ends in bits that together with
// those of the patterns in beside make the program wrong. All of the former
// with the latter do, the latter alone do not.
func (try Try) search(bits string, beside []string) ([]Change, error) {
	if len(bits) >= 64 {
		return nil, errors.New("two rewrites have the same hash")
	}
	halves := [...]string{"0" + bits, "1" + bits}
	for _, half := range halves {
		changes, wrong, err := try(strings.Join(append(slices.Clone(beside), half), "+"))
		if err != nil {
			return nil, err
		}
		if !wrong {
			continue
		}
		if among := slices.DeleteFunc(changes, func(c Change) bool { return !strings.HasSuffix(c.bits(), half) }); len(among) == 1 {
			return among, nil
		}
		return try.search(half, beside)
	}
	// both halves are needed
	first, err := try.part(halves[0], append(slices.Clone(beside), halves[1]))
	if err != nil {
		return nil, err
	}
	for _, c := range first {
		beside = append(slices.Clone(beside), c.bits())
	}
	second, err := try.part(halves[1], beside)
	return append(first, second...), err
}

// part is search where a half may hold one rewrite only.
func (try Try) part(bits string, beside []string) ([]Change, error) {
	changes, wrong, err := try(strings.Join(append(slices.Clone(beside), bits), "+"))
	if err != nil {
		return nil, err
	}
	if !wrong {
		return nil, errors.New("the program is right and wrong with the same rewrites")
	}
	if among := slices.DeleteFunc(changes, func(c Change) bool { return !strings.HasSuffix(c.bits(), bits) }); len(among) == 1 {
		return among, nil
	}
	return try.search(bits, beside)
}

// bits is the pattern of the change alone.
func (c *Change) bits() string { return fmt.Sprintf("%064b", c.Hash) }
