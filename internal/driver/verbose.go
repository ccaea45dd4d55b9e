package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/engine/stats"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// reportCode prints the -v report: the module's memory, then every kernel in
// the reference's order.
func (j *Job) reportCode(m *sema.Module, arch *target.Arch, out *pipeline.Output) {
	if !j.Settings.Verbose || j.unwritten() {
		return
	}
	j.Sink.Say(diag.Info, moduleLine(out.Global, j.moduleBanks(out), arch))
	code := codeOf(out)
	for _, fn := range j.reportOrder(m, out) {
		if k := j.calledWith(m, fn, code); k != nil {
			switch {
			case apart(m, j.Settings):
				k = withStack(m, k, fn, out)
			case !m.Opts.Relocatable && !j.Settings.Extensible:
				k = withPointed(m, k, fn)
			}
			j.reportKernel(m, arch, fn, k)
			continue
		}
		f := FunctionFrame{Name: m.Funcs[fn].Name}
		if sub := subOf(out, fn); sub != nil {
			f = functionFrame(m, sub)
		}
		b := Block{Name: f.Name, Frame: f.Frame}
		j.reportBlock(arch, &b, 0)
	}
}

// codeOf finds the code of functions that are compiled by themselves.
func codeOf(out *pipeline.Output) map[int32]*link.Kernel {
	code := make(map[int32]*link.Kernel, len(out.Funcs))
	for n, fn := range out.Funcs {
		code[fn] = out.Kernels[n]
	}
	return code
}

// calledWith returns the code of a function; in a program that may be extended
// with that of what it calls, which is told of beside it.
func (j *Job) calledWith(m *sema.Module, fn int32, code map[int32]*link.Kernel) *link.Kernel {
	k := code[fn]
	if k != nil && j.Settings.Extensible && !j.Settings.Debug && !apart(m, j.Settings) {
		k = withCalled(m, k, fn, code)
	}
	return k
}

// unwritten reports whether there is no folder for the output, so that nothing
// is told of it.
func (j *Job) unwritten() bool {
	st, err := os.Stat(filepath.Dir(j.Settings.Line.Text(cli.OutputFile, "elf.o")))
	return err != nil || !st.IsDir()
}

// reportOrder says in which order functions are reported.
func (j *Job) reportOrder(m *sema.Module, out *pipeline.Output) []int32 {
	p := pointersOf(m)
	switch {
	case m.Opts.Relocatable || j.Settings.ToolsPatch:
		if forward(j.Settings) {
			return p.First(firstToLast(m, out.Funcs), p.Has)
		}
		return calleesFirst(m, out.Funcs)
	case j.Settings.Extensible && j.Settings.Debug:
		return p.First(firstToLast(m, out.Funcs), p.Has)
	case !apart(m, j.Settings):
		return p.First(m.Kernels(), p.Comes)
	}
	list := slices.Clone(out.Funcs)
	add := func(fn int32) {
		if !slices.Contains(list, fn) {
			list = append(list, fn)
		}
	}
	for n, k := range out.Kernels {
		if k == nil {
			continue
		}
		k = withPointed(m, k, out.Funcs[n])
		for n := range k.Subs {
			add(k.Subs[n].Func)
		}
		for _, fn := range k.Placed {
			add(fn)
		}
	}
	switch {
	case j.Settings.Debug:
		return p.First(firstToLast(m, list), p.Has)
	case j.Settings.FastCompile == "max":
		return p.First(byKernel(m, list, true), p.Has)
	}
	return byKernel(m, list, false)
}

// apart reports whether the functions of a program are compiled by themselves,
// for a debugger or to save time.
func apart(m *sema.Module, s *cli.Settings) bool {
	return !m.Opts.Relocatable && (s.Debug && !s.Extensible || s.FastCompile != "" || s.OldFastCompile)
}

// subOf finds the code of a function in that of a kernel.
func subOf(out *pipeline.Output, fn int32) *link.Sub {
	for _, k := range out.Kernels {
		if k == nil {
			continue
		}
		for n := range k.Subs {
			if k.Subs[n].Func == fn {
				return &k.Subs[n]
			}
		}
	}
	return nil
}

// moduleBanks are the constant banks that all kernels share. Nobody is told of
// the addresses in bank 4 where functions are compiled by themselves.
func (j *Job) moduleBanks(out *pipeline.Output) []Bank {
	banks := []Bank{{3, out.Consts[3]}, {4, out.Consts[4]}}
	if j.Settings.Debug || j.Settings.FastCompile != "" {
		return banks[:1]
	}
	return banks
}

// reportKernel prints the part of the report about one kernel.
func (j *Job) reportKernel(m *sema.Module, arch *target.Arch, fn int32, k *link.Kernel) {
	f, b := &m.Funcs[fn], block(m, fn, k)
	b.Usage.Textures, b.Usage.Surfaces, b.Usage.Samplers = references(m, k.Refs, arch.Has(target.RefsOnce))
	if apart(m, j.Settings) {
		b.Callee = nil
		if !k.Endless {
			b.Usage.CumulativeStack = int(k.Stack)
		}
	}
	switch {
	case m.Opts.Relocatable:
		b.Usage.Shared = objectShared(m, f)
	case j.Settings.Extensible:
		b.Usage.Shared = extensibleShared(m, fn, j.Settings.Debug || j.Settings.FastCompile != "" || j.Settings.OldFastCompile)
	}
	if m.Opts.Relocatable || j.Settings.Extensible { // the linker knows
		b.Usage.CumulativeStack = 0
	}
	if arch.Has(target.BanksReported) && !m.Opts.Relocatable && !j.Settings.Debug && j.Settings.FastCompile == "" {
		b.Usage.Consts[1].Bytes += pointersOf(m).counted(m, fn)
	}
	j.reportBlock(arch, &b, len(k.Code.Text))
}

// reportBlock prints a part of the report about code of so many bytes.
func (j *Job) reportBlock(arch *target.Arch, b *Block, size int) {
	for _, text := range b.lines(arch) {
		j.Sink.SayWith(diag.Info, text, b.facts(text, size))
	}
}

// warnCode tells what there is to say about the code of kernels, in the
// reference's order.
func (j *Job) warnCode(m *sema.Module, out *pipeline.Output) {
	code, order, endless := codeOf(out), j.reportOrder(m, out), j.warnsOfEndless(m)
	if endless && !j.Settings.Extensible {
		defer j.warnEndless(m, order, code)
	}
	for n, fn := range order {
		if k := code[fn]; k != nil {
			j.advise(m, &m.Funcs[fn], k)
		}
		if endless && j.Settings.Extensible {
			j.warnEndless(m, order[n:n+1], code)
		}
		if !j.warnsOfFrames() {
			continue
		}
		if k := j.calledWith(m, fn, code); k != nil {
			j.warnFrames(m, fn, k)
		} else if sub := subOf(out, fn); sub != nil {
			j.warnFrame(functionFrame(m, sub))
		}
	}
}

// untraded says why warps do not trade registers.
var untraded = [...]string{
	ori.UntradedDebug:   "(C7505) Potential Performance Loss: 'setmaxnreg' ignored to allow debugging.",
	ori.UntradedUnits:   "(C7504) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility across compilation units.",
	ori.UntradedCalls:   "(C7506) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility into 'extern' call.",
	ori.UntradedUnknown: "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.",
}

// advise tells about code that is slower than the source asks for.
func (j *Job) advise(m *sema.Module, f *sema.Func, k *link.Kernel) {
	if why := k.Props.Untraded; why != 0 {
		j.Sink.Say(diag.Info, untraded[why])
	}
	if k.Uniform > 0 {
		j.warnf("(C7601) Uniform registers were disallowed, but the compiler required (%d) uniform registers for correct code generation.", k.Uniform)
	}
	for _, x := range k.Injected {
		_, line := m.Files[f.File].File.Line(src.Pos(x.Pos))
		text := "(C7519) warpgroup.arrive is injected in around line %d by compiler to allow use of registers in GMMA in function '%s'"
		if x.Wait {
			text = "(C7517) warpgroup.wait is injected in around line %d by compiler to allow use of registers defined by GMMA in function '%s'"
		}
		j.Sink.Say(diag.Info, fmt.Sprintf(text, line, f.Name))
	}
	if k.Props.Serial {
		j.Sink.Say(diag.Info, fmt.Sprintf("(C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function '%s'", f.Name))
	}
}

// warnsOfEndless reports whether the linker or a debugger wants to know how much
// stack there must be.
func (j *Job) warnsOfEndless(m *sema.Module) bool {
	s := j.Settings
	switch {
	case s.Line.Has(cli.SuppressStackSize):
		return false
	case s.Extensible:
		return !s.Debug && s.FastCompile == "" && !s.OldFastCompile
	}
	return !m.Opts.Relocatable && (s.Debug || s.FastCompile != "")
}

// warnEndless warns about kernels whose calls may nest without end, once for each
// function that they call and that leads there; in an extensible program once.
func (j *Job) warnEndless(m *sema.Module, list []int32, code map[int32]*link.Kernel) {
	p, load, extensible := pointersOf(m), link.Bodies(m), j.Settings.Extensible
	for _, fn := range list {
		k := code[fn]
		if !m.Funcs[fn].Entry || k == nil || !k.Endless && len(p.Taken) == 0 {
			continue
		}
		n := p.endless(fn, load, extensible)
		switch {
		case k.Endless && len(p.Taken) == 0:
			n = max(n, 1)
		case k.Endless && extensible:
			n = 1
		}
		if extensible {
			n = min(n, 1)
		}
		for range n {
			j.warnf("Stack size for entry function '%s' cannot be statically determined", m.Funcs[fn].Name)
		}
	}
}

// warnFrames warns about stack frames and spills of a kernel where that was
// asked for.
func (j *Job) warnFrames(m *sema.Module, fn int32, k *link.Kernel) {
	if !j.warnsOfFrames() {
		return
	}
	b := block(m, fn, k)
	if apart(m, j.Settings) {
		b.Callee = nil
	}
	for _, f := range append(b.Callee, FunctionFrame{b.Name, b.Frame}) {
		j.warnFrame(f)
	}
}

// warnsOfFrames reports whether somebody asked for warnings about frames.
func (j *Job) warnsOfFrames() bool {
	return j.Settings.Line.Has(cli.WarnLocal) || j.Settings.Line.Has(cli.WarnSpills)
}

// warnFrame warns about one stack frame.
func (j *Job) warnFrame(f FunctionFrame) {
	if j.Settings.Line.Has(cli.WarnLocal) && f.Frame.Stack > 0 {
		j.warnf("Local memory used for function '%s', size of stack frame: %d bytes", f.Name, f.Frame.Stack)
	}
	if j.Settings.Line.Has(cli.WarnSpills) && f.Frame.SpillStores+f.Frame.SpillLoads > 0 {
		j.warnf("Registers are spilled to local memory in function '%s', %d bytes spill stores, %d bytes spill loads", f.Name, f.Frame.SpillStores, f.Frame.SpillLoads)
	}
}

// block collects what the report says about one kernel.
func block(m *sema.Module, fn int32, k *link.Kernel) Block {
	f := &m.Funcs[fn]
	p := &k.Props
	b := Block{
		Name: f.Name, Entry: f.Entry, Time: k.Time,
		Frame: Frame{Stack: int(k.Frame), SpillStores: 4 * k.Spills.Stores, SpillLoads: 4 * k.Spills.Loads},
		Usage: Usage{
			Registers: int(p.Registers), Barriers: int(p.Barriers), CumulativeStack: int(k.Frame), Shared: int(p.SharedBytes),
			Consts: []Bank{{0, k.Bank0}, {2, k.Counted}},
		},
	}
	if !m.Opts.Relocatable {
		b.Callee = callees(m, k)
	}
	return b
}

// references counts the textures, surfaces and samplers that a kernel names:
// each once, or each word that has one.
func references(m *sema.Module, refs []cubin.RefWord, once bool) (textures, surfaces, samplers int) {
	seen := map[string]bool{"": true}
	for _, r := range refs {
		for _, name := range [...]string{r.Name, r.Sampler} {
			at := slices.IndexFunc(m.Vars, func(v sema.Var) bool { return v.Name == name })
			if seen[name] || at < 0 {
				continue
			}
			seen[name] = once
			switch m.Vars[at].Shape.Type {
			case isa.Texref:
				textures++
			case isa.Surfref:
				surfaces++
			case isa.Samplerref:
				samplers++
			}
		}
	}
	return textures, surfaces, samplers
}

// heapBytes tells how many bytes of memory the process holds for its heap.
// Package runtime/metrics would tell it without a pause, but works at every
// start for those who never ask.
func heapBytes() int64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapInuse)
}

// recordCode adds the stages behind the front end to the statistics. The
// memory of a stage is what the process held at its end.
func (j *Job) recordCode(m *sema.Module, out *pipeline.Output) {
	for _, x := range [...]struct {
		stage stats.Stage
		cost  pipeline.Cost
	}{{stats.Setup, out.Setup}, {stats.DebugInfo, out.Debug}, {stats.ELF, out.ELF}} {
		j.rec.AddTime(x.stage, x.cost.Time)
		j.rec.AddPeak(x.stage, x.cost.Heap)
		j.rec.ProcessPeak(x.cost.Heap)
	}
	for n, fn := range out.Funcs {
		if k := out.Kernels[n]; k != nil {
			u := j.rec.Unit(m.Funcs[fn].Name)
			u.AddTime(stats.DAGgen, k.Made)
			u.AddTime(stats.OCG, k.Time-k.Made)
			u.Count(stats.ELF, k.Filed)
			for _, s := range [...]stats.Stage{stats.DAGgen, stats.OCG} {
				u.AddPeak(s, k.Heap)
			}
			u.ProcessPeak(k.Heap)
		}
	}
}
