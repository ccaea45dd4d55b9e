package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// Choosing among guesses: each attempt is run in the PTX interpreter, which
// says whether the kernel stays inside its buffers, ends, writes anything and
// depends on the order of its threads. The first attempts about which there
// is nothing to complain are taken.

// trial is what the interpreter says about one launch.
type trial struct {
	launch launch.Launch
	steps  int64
	fault  string // how it ended
	racy   bool   // the result depends on the order of threads
	unset  bool   // shared memory is read that was never written
	doubt  bool   // something was seen that may make the result an open one
	open   bool   // another order of threads or other garbage gives another result
	silent bool   // nothing was written that was not there before
	async  bool   // there were asynchronous copies, whose time may matter
	large  bool   // runs of it take long
	others bool   // there is another reason for doubt
}

// maxTrial bounds the instructions of warps in one trial.
const maxTrial = 1_500_000

// maxSpent is after how many instructions of warps a kernel has to do with
// the launches that were found. Where there are tensor maps, one must be good
// or all ways to share bytes between them have been tried.
const maxSpent = 8 * maxTrial

// faulty is the level of trials that did not end well.
const faulty = 4

// maxLong is after how many attempts that take too long only small grids are
// tried.
const maxLong = 3

// level orders trials: the lower the better.
func (t *trial) level() int {
	switch {
	case t.fault != "":
		return faulty
	case t.silent:
		return 3
	case t.open:
		return 2
	case t.racy || t.unset:
		return 1
	}
	return 0
}

// noteOpen marks launches whose result PTX leaves open.
const noteOpen = "open"

// note says what is wrong with a launch.
func (t *trial) note() string {
	odd := "racy"
	if !t.racy {
		odd = "unset"
	}
	return [...]string{"", odd, noteOpen, "silent", t.fault}[t.level()]
}

// outside reports whether the kernel left its buffers.
func (t *trial) outside() bool {
	return strings.Contains(t.fault, "outside of every buffer")
}

// nowhere reports whether it did so at an address that is no more than one
// of the numbers that were guessed.
func (t *trial) nowhere() bool {
	_, rest, ok := strings.Cut(t.fault, "global address 0x")
	digits, _, _ := strings.Cut(rest, ",")
	return ok && t.outside() && len(digits) <= 6
}

// pick returns up to count launches of a kernel, the best ones.
func (k *facts) pick(p *ptxvm.Program, count int, until time.Time) []trial {
	var good []trial
	var best *trial
	wide, long := false, 0
	order := slices.Clone(attempts[:])
	var spent int64
	for n := range order {
		if n > 0 && time.Now().After(until) {
			break
		}
		if spent > maxSpent && (len(good) > 0 || best != nil && best.level() < faulty) && (len(good) > 0 || !k.tensors || n >= len(shares)) {
			break
		}
		if long >= maxLong && order[n].grid != 1 {
			continue
		}
		a := order[n]
		a.wide = a.wide || wide
		l := k.guess(p, &a, windows[0], uint64(n), until)
		if slices.ContainsFunc(good, func(t trial) bool { return sameShape(&t.launch, &l) }) {
			continue
		}
		poor := best != nil && best.level() <= 1
		t := try(p, l, poor, until)
		if !a.wide && t.nowhere() { // a number was taken for a pointer: perhaps all are
			a.wide, wide = true, true
			t = try(p, k.guess(p, &a, windows[0], uint64(n), until), poor, until)
		}
		for _, w := range windows[1:] {
			if t.outside() {
				t = try(p, k.guess(p, &a, w, uint64(n), until), poor, until)
			}
		}
		if t.unset && !poor { // perhaps the kernel wants larger blocks
			slices.SortStableFunc(order[n+1:], func(a, b attempt) int { return cmp.Compare(b.block/largeBlock, a.block/largeBlock) })
		}
		spent += t.steps
		if reason(t.fault) == "more than" {
			long++
		}
		if t.level() < faulty-1 && (t.level() == 0 || best == nil || t.level() < best.level()) {
			t.large = k.large()
			spent += t.confirm(p, until)
		}
		if t.level() == 0 {
			if good = append(good, t); len(good) == count {
				return good
			}
			continue
		}
		if !a.none && (best == nil || t.level() < best.level()) { // to do nothing is easy without numbers
			best = &t
		}
		if n > 8 && len(good) > 0 {
			break
		}
	}
	if len(good) == 0 && best != nil {
		good = append(good, *best)
	}
	return good
}

// sameShape reports whether two launches differ in contents of buffers only.
func sameShape(a, b *launch.Launch) bool {
	if a.Grid != b.Grid || a.Block != b.Block {
		return false
	}
	for n := range a.Args {
		if (a.Args[n].Buf == 0) != (b.Args[n].Buf == 0) || !slices.Equal(a.Args[n].Bytes, b.Args[n].Bytes) {
			return false
		}
	}
	return true
}

// largeBlock is a size of blocks that is not tried at first.
const largeBlock = 256

// try runs a launch. The buffers of the result are as long as what the
// kernel touched. Where a poor launch is known already, another one is given
// up as soon as it is seen to be poor.
func try(p *ptxvm.Program, l launch.Launch, poor bool, until time.Time) trial {
	w := &watcher{quick: poor}
	_, st, err := p.RunStats(&l, ptxvm.Options{MaxSteps: maxTrial, Until: until, Watch: w.access})
	w.settle()
	t := trial{launch: l, steps: st.Warps, racy: w.racy, unset: w.unset, silent: !w.changed}
	t.async = st.Async
	t.others = w.racy || w.unset || w.atomics || w.close || st.Open
	t.doubt = t.others || st.Async
	if err != nil {
		t.fault = err.Error()
		var f *ptxvm.Fault
		if errors.As(err, &f) {
			t.fault = f.Inst + ": " + f.What
		}
		return t
	}
	t.launch = w.trim(l)
	return t
}

// confirm runs a launch again with asynchronous copies at the last moment,
// with garbage where nobody wrote and with threads in other orders, if
// anything suggests that this may matter. A
// launch that then gives another result is an open one. It returns how many
// instructions of warps this took.
func (t *trial) confirm(p *ptxvm.Program, until time.Time) int64 {
	if !t.doubt {
		return 0
	}
	_, a, err := p.RunStats(&t.launch, ptxvm.Options{MaxSteps: maxTrial, Until: until, Hash: true})
	if err != nil {
		return a.Warps
	}
	if t.large { // one other run, in which everything is different
		o := ptxvm.Options{MaxSteps: confirmSteps, Until: until, Hash: true, Late: t.async, Schedule: 1, Garbage: confirmGarbage[0]}
		_, b, err := p.RunStats(&t.launch, o)
		t.open = err != nil && reason(err.Error()) != "more than" || err == nil && a.Hash != b.Hash
		return a.Warps + b.Warps
	}
	if t.async {
		_, b, err := p.RunStats(&t.launch, ptxvm.Options{MaxSteps: maxTrial, Until: until, Hash: true, Late: true})
		if err != nil && reason(err.Error()) == "more than" {
			return a.Warps + b.Warps
		}
		if t.open = err != nil || a.Hash != b.Hash; t.open || !t.others {
			return a.Warps + b.Warps
		}
	}
	left := int64(confirmSteps)
	orders := len(confirmGarbage)
	if t.racy {
		orders *= 4
	}
	for n := 0; n < orders && left > 0; n++ {
		o := ptxvm.Options{MaxSteps: left, Until: until, Hash: true, Schedule: uint64(n + 1), Garbage: confirmGarbage[n%len(confirmGarbage)]}
		_, b, err := p.RunStats(&t.launch, o)
		if err != nil && reason(err.Error()) == "more than" { // small steps take longer
			return confirmSteps
		}
		left -= b.Warps
		if t.open = err != nil || a.Hash != b.Hash; t.open {
			break
		}
	}
	return confirmSteps - left
}

// confirmSteps bounds the instructions of warps in all runs of one launch.
const confirmSteps = 4 * maxTrial

// confirmGarbage is large numbers of both signs, as integers and as floats of
// every size, so that a minimum or a maximum takes one of them.
var confirmGarbage = [...]uint64{0x7E7E7E7E7E7E7E7E, 0xFEFEFEFEFEFEFEFE, 0x4141414141414141}

// trim shortens the buffers of a launch.
func (w *watcher) trim(l launch.Launch) launch.Launch {
	n := 0
	cut := func(size int) int {
		end := 0
		if n < len(w.ends) {
			end = int(w.ends[n])
		}
		n++
		return min(size, max(256, (end+255)&^255))
	}
	args := slices.Clone(l.Args)
	for k := range args {
		a := &args[k]
		if a.Buf > 0 {
			a.Buf = cut(a.Buf)
		}
		a.Ptrs = slices.Clone(a.Ptrs)
		for q := range a.Ptrs {
			a.Ptrs[q].Buf = cut(a.Ptrs[q].Buf)
		}
	}
	l.Args = args
	return l
}

// reason shortens a fault for counting.
func reason(s string) string {
	for _, r := range [...]string{"untried", "no body", "assertion", "not aligned", "outside", "more than", "barrier", "waits", "trap", "texture"} {
		if strings.Contains(s, r) {
			return r
		}
	}
	return s
}
