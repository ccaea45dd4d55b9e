package order

import (
	"cmp"
	"fmt"
	"slices"
)

// Race is a pair of places that no rule orders.
type Race struct {
	Kernel   string
	What     string
	First    string
	Second   string
	FirstPC  uint64
	SecondPC uint64
	Where    string
	Times    int
}

// String tells both places.
func (r Race) String() string {
	return fmt.Sprintf("%s: %s %s: %04x %s and %04x %s (%d times)", r.Kernel, r.Where, r.What, r.FirstPC, r.First, r.SecondPC, r.Second, r.Times)
}

type raceKey struct {
	first, second uint32
	what          string
}

// Races is the pairs that were found.
type Races struct{ found map[raceKey]*Race }

// Add counts a pair. It returns the race where it is a new one, to be
// described.
func (r *Races) Add(first, second uint32, what string) *Race {
	k := raceKey{first, second, what}
	if x := r.found[k]; x != nil {
		x.Times++
		return nil
	}
	if r.found == nil {
		r.found = map[raceKey]*Race{}
	}
	x := &Race{What: what, Times: 1}
	r.found[k] = x
	return x
}

// List gives the races in the order of the code.
func (r *Races) List() []Race {
	var out []Race
	for _, x := range r.found {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.SecondPC, b.SecondPC), cmp.Compare(a.FirstPC, b.FirstPC), cmp.Compare(a.What, b.What))
	})
	return out
}
