package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// A search compiles a kernel again and again, each time with other settings of
// the scheduler and the allocator, and keeps the fastest code. Every candidate
// is compiled from the start and passes the checkers of registers and waits
// like any other code; one that does not is refused. Which candidates there
// are depends on the seed and on what the ones before came to, not on time.

// setting is a knob with the values that are tried, or a phase to leave out.
type setting struct {
	name   string
	values []string
	timed  bool // only worth trying where somebody measures: estimates do not see what it does
}

// settings are what candidates differ in, those first that gain the most.
var settings = [...]setting{
	{name: "SchedManner", values: []string{"2", "1", "4", "3", "5", "6", "7"}},
	{name: "TurnsTime", values: []string{"100000"}},
	{name: "SchedSlack", values: []string{"12", "0", "48", "2", "24"}},
	{name: "SlackProduct", values: []string{"6", "120", "60", "15"}},
	{name: "SlackAlone", values: []string{"30", "160"}},
	{name: "SlackPair", values: []string{"20", "100"}},
	{name: "TurnsReads", values: []string{"100", "2"}},
	{name: "SchedRegisters", values: []string{"255", "168", "128", "96", "80", "64", "56", "48", "40"}},
	{name: "SchedJitter", values: []string{"1", "2", "3", "4", "5", "6", "7", "8"}},
	{name: "SchedSpare", values: []string{"0", "3", "12", "24"}},
	{name: "SchedLoad", values: []string{"220", "450"}},
	{name: "SchedBetter", values: []string{"100"}},
	{name: "SchedFewer", values: []string{"95"}},
	{name: "SchedOpen", values: []string{"0", "300"}},
	{name: "SchedFences", values: []string{"100"}},
	{name: "StepBlocks", values: []string{"0"}},
	{name: "TurnsShare", values: []string{"1"}},
	{name: "UniformMany", values: []string{"200"}},
	{name: "ScarceTime", values: []string{"1", "100000"}},
	{name: "TurnsFew", values: []string{"1", "8"}},
	{name: "UniformWords", values: []string{"24", "56"}},
	{name: "WaitConstants", values: []string{"0", "8"}},
	{name: "RegAllocSpread", values: []string{"false"}},
	{name: "AheadWords", values: []string{"0"}},
	{name: "LooseGroups/off"},
	{name: "BalancePipes/off"},
	{name: "SharedPointers/off"},
	{name: "SharedInductions/off"},
	{name: "LocalCSE/off"},
	{name: "IfConvert/off", timed: true},
	{name: "Unroll/off", timed: true},
}

// jitters is how many seeds of small changes there are to choose from.
const jitters = 1 << 20

// Sampler hands out candidates and remembers the best. The settings of one are
// separated by spaces: NAME=VALUE sets a knob, NAME/off leaves a phase out.
type Sampler struct {
	r     *rand.Rand
	plain []string // single settings, tried first
	good  []single // those that cost less than the usual code, the best last
	top   []single // the best of all so far, the very best first
	all   []setting
	seen  map[string]bool
	now   []string // the last that was handed out
	best  []string
	cost  float64
	usual float64
	alone map[string]bool // single settings that were handed out first
}

// single is a setting by itself.
type single struct {
	text string
	cost float64
}

// NewSampler begins a search. What only measuring can judge is left out unless
// somebody measures.
func NewSampler(seed uint64, timed bool) *Sampler {
	h := &Sampler{r: rand.New(rand.NewPCG(seed, 0x5ea7c4)), seen: map[string]bool{"": true}, alone: map[string]bool{}}
	for _, s := range settings {
		if s.timed && !timed {
			continue
		}
		h.all = append(h.all, s)
		if s.values == nil {
			h.plain = append(h.plain, s.name)
		}
		for _, v := range s.values {
			h.plain = append(h.plain, s.name+"="+v)
		}
	}
	return h
}

// mostDrawn is how often a candidate is drawn that was there before until the
// search gives up.
const mostDrawn = 100

// tops is how many of the best candidates others are made of: orders differ so little
// that the best of some is not the one from which the best of more comes.
const tops = 6

// Next returns the next candidate, first each setting by itself, then those
// that gained something one after the other on top of the best, then several at
// once, three of four times such that one of the best so far is changed. It returns ""
// when there are no more.
func (h *Sampler) Next() string {
	if len(h.plain) > 0 {
		h.now, h.plain = h.plain[:1:1], h.plain[1:]
		h.seen[h.now[0]], h.alone[h.now[0]] = true, true
		return h.now[0]
	}
	for len(h.good) > 0 {
		x := h.good[len(h.good)-1].text
		h.good = h.good[:len(h.good)-1]
		h.now = slices.Clone(h.best)
		if !slices.Contains(h.now, x) {
			h.set(x)
		}
		if text := strings.Join(h.now, " "); !h.seen[text] {
			h.seen[text] = true
			return text
		}
	}
	for range mostDrawn {
		h.now = nil
		if h.r.IntN(4) > 0 && len(h.top) > 0 {
			h.now = strings.Fields(h.top[h.r.IntN(len(h.top))].text)
		}
		for range 1 + h.r.IntN(2) {
			h.change()
		}
		if text := strings.Join(h.now, " "); !h.seen[text] {
			h.seen[text] = true
			return text
		}
	}
	return ""
}

// change sets a setting of the candidate, or takes it back.
func (h *Sampler) change() {
	k := h.r.IntN(2 * len(h.all)) // the other half is jitter, of which there is no end
	name, value := "SchedJitter", ""
	if k < len(h.all) {
		name = h.all[k].name
		if v := h.all[k].values; v != nil {
			value = v[h.r.IntN(len(v))]
		}
	} else {
		value = fmt.Sprint(1 + h.r.IntN(jitters))
	}
	text := name
	if value != "" {
		text += "=" + value
	}
	if n := slices.Index(h.now, text); n >= 0 {
		h.now = slices.Delete(h.now, n, n+1)
		return
	}
	h.set(text)
}

// set sets a setting of the candidate.
func (h *Sampler) set(text string) {
	name, _, _ := strings.Cut(text, "=")
	h.now = slices.DeleteFunc(h.now, func(s string) bool { return s == name || strings.HasPrefix(s, name+"=") })
	h.now = append(h.now, text)
	slices.Sort(h.now)
}

// worth is how much less than the best a candidate must cost to be kept.
const worth = 0.999

// Start tells what the usual code costs.
func (h *Sampler) Start(cost float64) { h.cost, h.usual = cost, cost }

// Tell says what a candidate costs, and reports whether it is kept.
func (h *Sampler) Tell(text string, cost float64) bool {
	if h.alone[text] && cost < h.usual*worth {
		n, _ := slices.BinarySearchFunc(h.good, cost, func(x single, c float64) int { return cmp.Compare(c, x.cost) })
		h.good = slices.Insert(h.good, n, single{text, cost})
	}
	if cost < h.usual*worth {
		n, _ := slices.BinarySearchFunc(h.top, cost, func(x single, c float64) int { return cmp.Compare(x.cost, c) })
		h.top = slices.Insert(h.top, n, single{text, cost})
		h.top = h.top[:min(len(h.top), tops)]
	}
	if cost >= h.cost*worth {
		return false
	}
	h.best, h.cost = strings.Fields(text), cost
	return true
}

// Best returns the settings of the best candidate, and what it costs.
func (h *Sampler) Best() (string, float64) { return strings.Join(h.best, " "), h.cost }

// atOnce is how many candidates are drawn before the first of them is judged,
// so that several can be compiled at the same time. It is the same wherever the
// search runs: what is drawn depends on it.
const atOnce = 8

// searched compiles a kernel, and looks for faster code of it if that is
// asked for.
func searched(m *sema.Module, fn int32, body *sema.Body, o *Options, r *runner, at *phase.Progress, all *runners, size int64) (*link.Kernel, error) {
	begun := time.Now()
	best, err := compiled(m, body, o, r, at)
	s := o.Search
	if s == nil || err != nil || !m.Funcs[fn].Entry {
		return best, err
	}
	h, usual := NewSampler(s.Seed, false), best
	h.Start(best.Price)
	found := Found{Kernel: m.Funcs[fn].Name, Usual: best.Price, Best: best.Price}
	ended := func() bool {
		return s.Limit > 0 && time.Since(begun).Seconds() > s.Limit.Seconds()*all.share(size) || o.ended() != nil
	}
	for !ended() {
		n := atOnce
		if s.Candidates > 0 {
			n = min(n, s.Candidates-found.Tried)
		}
		list := h.draw(n)
		if len(list) == 0 {
			break
		}
		side := &sides{m: m, body: body, o: o, ended: ended, list: list}
		for _, x := range side.compile(all.abreast()) {
			if x.skipped {
				continue
			}
			found.Tried++
			switch {
			case x.err != nil:
				found.Refused++
			case h.Tell(x.text, judged(x.k, usual)):
				best = x.k
			}
			found.How, found.Best = h.Best()
			s.tell(found)
		}
	}
	if found.Best > clearly*found.Usual {
		best, found.How, found.Best = usual, "", found.Usual
	}
	found.Done = true
	s.tell(found)
	return best, o.ended()
}

// clearly is what the estimate of code that is kept comes to at most, of the
// usual code's. Of 23 kernels on an H200 nine came to more: they took 0.5 % longer
// than the usual code in the mean.
const clearly = 0.99

// judged is the estimate of a candidate. Fewer warps than the usual code has are
// no gain where memory, which estimates know little of, may be what counts: a
// layer norm with 89 registers instead of 56, which should have taken 89 % of
// the time, took 134 %. Products of matrices can do with fewer.
func judged(k, usual *link.Kernel) float64 {
	if k.Warps < usual.Warps {
		return math.Inf(1)
	}
	return k.Price
}

// draw returns up to n candidates.
func (h *Sampler) draw(n int) (list []string) {
	for range n {
		text := h.Next()
		if text == "" {
			break
		}
		list = append(list, text)
	}
	return list
}

// sides are candidates that are compiled side by side.
type sides struct {
	m     *sema.Module
	body  *sema.Body
	o     *Options
	ended func() bool // time is up
	list  []string
}

// side is what came of one; skipped: there was no time for it.
type side struct {
	text    string
	k       *link.Kernel
	err     error
	skipped bool
}

// compile makes the candidates, so many at a time.
func (s *sides) compile(width int) []side {
	out := make([]side, len(s.list))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(width, len(s.list)) {
		wait.Go(func() {
			for n := next.Add(1) - 1; int(n) < len(s.list); n = next.Add(1) - 1 {
				x := &out[n]
				if x.text = s.list[n]; s.ended() {
					x.skipped = true
					continue
				}
				x.k, x.err = candidate(s.m, s.body, s.o, x.text)
			}
		})
	}
	wait.Wait()
	return out
}
