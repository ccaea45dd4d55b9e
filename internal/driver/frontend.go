package driver

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// check reads every input and reports what is wrong with it. An input that
// could not be read stands for a file that stops at once, so that its
// message comes in its turn. A nil module means the context ended.
func (j *Job) check(ctx context.Context) *sema.Module {
	trees := make([]*syntax.Tree, len(j.Files))
	for i, f := range j.Files {
		if ctx.Err() != nil {
			return nil
		}
		trees[i] = syntax.Scan(f.File)
		if f.Err != "" {
			trees[i].Stmts = nil
			trees[i].Err = &syntax.Error{Pos: src.NoPos, Msg: f.Err}
		}
	}
	m := declare.Module(trees, semaOptions(j.Settings), j.Sink)
	j.checkBodies(ctx, m)
	if ctx.Err() != nil {
		return nil
	}
	bodies.End(m, j.Sink)
	return m
}

// keptText is how much text of bodies is kept checked until it is compiled,
// in bytes: a body takes about eight times its text. What lies beyond is read
// again.
const keptText = 24 << 20

// checkBodies checks the bodies on as many workers as were asked for, the
// longest first, each under a token of make where there is a jobserver. The
// sink keeps the messages in source order.
func (j *Job) checkBodies(ctx context.Context, m *sema.Module) {
	list := m.Bodies()
	workers := j.Settings.Split
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	if workers = min(workers, len(list)); workers > 1 {
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(m.BodyLen(b), m.BodyLen(a)) })
	}
	var next, kept atomic.Int64
	step := func(s *bodies.Scratch) bool {
		i := int(next.Add(1)) - 1
		if i >= len(list) || ctx.Err() != nil {
			return false
		}
		j.progress.checked(i+1, len(list))
		bodies.Check(m, list[i], s)
		if kept.Add(m.BodyLen(list[i])) <= keptText {
			bodies.Keep(m, list[i], s)
		}
		return true
	}
	work := func() {
		var s bodies.Scratch
		for more := true; more && j.enter(ctx); j.leave() {
			more = step(&s)
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	if workers > 0 {
		work()
	}
	wg.Wait()
	var s bodies.Scratch
	for step(&s) { // what a jobserver that broke left over
		continue
	}
}

// forward reports whether functions of an object are compiled first to last.
func forward(s *cli.Settings) bool {
	return s.Opt == 0 || s.FastCompile == "max" || s.Line.Has(cli.SplitCompile) && s.Split != 1
}

// semaOptions picks the settings that checks depend on.
func semaOptions(s *cli.Settings) sema.Options {
	_, num, _ := strings.Cut(s.Arch, "_")
	o := sema.Options{
		Arch:           target.Find("sm_" + num),
		CompileOnly:    s.Relocatable || s.Extensible,
		Debug:          s.Debug,
		LineInfo:       s.LineInfo,
		WarnDouble:     s.Line.Has(cli.WarnDouble),
		NoMulticast:    s.Line.Has(cli.SuppressMulticast),
		NoSparse:       s.Line.Has(cli.SuppressSparse),
		MinNCTAPerSM:   uint32(max(0, s.MinCTAs)),
		MaxRRegCount:   uint32(s.MaxRegs),
		Override:       s.Override,
		Relocatable:    s.Relocatable,
		InOrder:        s.Debug || s.FastCompile != "" || s.OldFastCompile,
		Forward:        forward(s),
		Verbose:        s.Verbose,
		RawTextures:    s.Line.Bool(cli.RawTextures, false),
		Patch:          s.ToolsPatch,
		ExtendedShared: s.Line.Bool(cli.ExtendedShared, false),
		Entries:        s.Entries,
	}
	for i, n := range s.MaxNTid {
		o.MaxNTid[i] = uint32(n)
	}
	for i := range o.MaxNTid {
		if len(s.MaxNTid) > 0 && i >= len(s.MaxNTid) {
			o.MaxNTid[i] = 1
		}
	}
	return o
}

// hasTensorMemory reports whether the module's own target has tcgen05.
func hasTensorMemory(m *sema.Module) bool {
	c := target.FindSM(m.Target.SM)
	return m.Target.Variant != target.Plain && c != nil && c.Has(target.TensorMemory)
}
