package main

import (
	"maps"
	"slices"
	"time"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// Before tensor maps are made, a launch runs without them: it shows where in
// the parameters maps are, which coordinates are asked for, where boxes lie in
// shared memory and how many bytes barriers expect.

// mapUse is what a kernel does with one map.
type mapUse struct {
	offset int // in the parameters
	rank   int
	load   bool
	at     [5][]int32 // the coordinates that are asked for, sorted
	places []uint64   // of boxes in shared memory, sorted
}

// brought is a number of bytes that a barrier expects and how often each map
// brings some of them.
type brought struct {
	bytes uint64
	count map[int]uint64 // by the index of the map
}

// probed is what a probe has found.
type probed struct {
	maps    []mapUse
	expects []brought
	at      []barrierOf       // of each expectation
	open    map[barrierOf]int // the last expectation of each barrier
}

// barrierOf names an mbarrier.
type barrierOf struct {
	block int
	bar   uint64
}

// sharedBits are those of an address that tell places of one block apart.
const sharedBits = 1<<24 - 1

// probe runs a launch without maps. It need not end well.
func probe(p *ptxvm.Program, l *launch.Launch, until time.Time) *probed {
	x := &probed{open: map[barrierOf]int{}}
	_, _, _ = p.RunStats(l, ptxvm.Options{
		MaxSteps: maxTrial / 4, Until: until, Probe: &ptxvm.Probe{Copy: x.copied, Expect: x.expect},
	})
	for n := range x.maps {
		u := &x.maps[n]
		for d := range u.at {
			u.at[d] = sortedSet(u.at[d])
		}
		u.places = sortedSet(u.places)
	}
	return x
}

func sortedSet[T int32 | uint64](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// maxSeen bounds what is remembered of the copies of a map.
const maxSeen = 1 << 14

func (x *probed) copied(c *ptxvm.TensorCopy) {
	if c.Param < 0 {
		return
	}
	n := slices.IndexFunc(x.maps, func(u mapUse) bool { return u.offset == c.Param })
	if n < 0 {
		n = len(x.maps)
		x.maps = append(x.maps, mapUse{offset: c.Param, rank: c.Rank, load: c.Load})
	}
	u := &x.maps[n]
	if len(u.places) < maxSeen {
		for d := range c.Rank {
			u.at[d] = append(u.at[d], c.At[d])
		}
		u.places = append(u.places, c.Shared&sharedBits)
	}
	if k, ok := x.open[barrierOf{c.Block, c.Bar & sharedBits}]; ok && c.Load {
		x.expects[k].count[n]++
	}
}

func (x *probed) expect(block int, bar, bytes uint64) {
	if bytes == 0 || len(x.expects) >= maxSeen {
		return
	}
	b := barrierOf{block, bar & sharedBits}
	if k, ok := x.open[b]; ok && len(x.expects[k].count) == 0 { // several threads expect parts
		x.expects[k].bytes += bytes
		return
	}
	x.open[b] = len(x.expects)
	x.at = append(x.at, b)
	x.expects = append(x.expects, brought{bytes, map[int]uint64{}})
}

// step is the least distance between two coordinates of dimension d, or zero.
func (u *mapUse) step(d int) uint32 {
	return uint32(least(u.at[d]))
}

// least is the least distance between neighbours of a sorted list, or zero.
func least[T int32 | uint64](list []T) T {
	var s T
	for k := 1; k < len(list); k++ {
		if d := list[k] - list[k-1]; s == 0 || d < s {
			s = d
		}
	}
	return s
}

// gap is how many bytes lie at least between the start of a box of a map and
// the start of the next one of any map, or zero.
func (x *probed) gap(n int) uint64 {
	var all []uint64
	for k := range x.maps {
		all = append(all, x.maps[k].places...)
	}
	all = sortedSet(all)
	var g uint64
	for _, at := range x.maps[n].places {
		if k, _ := slices.BinarySearch(all, at+1); k < len(all) && (g == 0 || all[k]-at < g) {
			g = all[k] - at
		}
	}
	return g
}

// consistent reports whether expectations of the same copies are equal. They
// are not where warps expect the next bytes before copies of the last ones
// begin.
func (x *probed) consistent() bool {
	for k := range x.expects {
		for j := range k {
			a, b := &x.expects[j], &x.expects[k]
			if a.bytes != b.bytes && len(a.count) > 0 && maps.Equal(a.count, b.count) {
				return false
			}
		}
		if k > maxCompared {
			break
		}
	}
	return true
}

// maxCompared bounds the expectations that are compared with each other.
const maxCompared = 256

// totals adds up all that each barrier expects.
func (x *probed) totals() []brought {
	var list []brought
	index := map[barrierOf]int{}
	for k, e := range x.expects {
		n, ok := index[x.at[k]]
		if !ok {
			n = len(list)
			index[x.at[k]] = n
			list = append(list, brought{count: map[int]uint64{}})
		}
		list[n].bytes += e.bytes
		for m, c := range e.count {
			list[n].count[m] += c
		}
	}
	return list
}
