package link

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/call"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
)

// Bodies returns a function that checks the bodies of called functions,
// each once.
func Bodies(m *sema.Module) func(int32) *sema.Body {
	known := map[int32]*sema.Body{}
	return func(fn int32) *sema.Body {
		b := known[fn]
		if b == nil {
			b = bodies.Of(m, fn, new(bodies.Scratch))
			known[fn] = b
		}
		return b
	}
}

// externals declares what kernels have addresses of in slots, routines of
// the driver that they call and kernels that they name, and notes who needs
// which: the places of the slots depend on it.
func externals(m *sema.Module, l *build.Layout, kernels []int32, file *cubin.Module, workers int) {
	any := NewKernelNames(m).Twice(m)
	for n := range m.Funcs {
		any = any || !m.Funcs[n].HasBody && m.Funcs[n].Alias < 0 || m.Funcs[n].HasRoutines()
	}
	if !any {
		return
	}
	var next atomic.Int64
	look := func() {
		load := Bodies(m)
		var own bodies.Scratch // kernels are many; none is kept
		for n := int(next.Add(1)) - 1; n < len(kernels); n = int(next.Add(1)) - 1 {
			file.Kernels[n].Calls = call.NewPlan(m, bodies.Of(m, kernels[n], &own), l, load).Systems
		}
	}
	var wg sync.WaitGroup
	for range min(workers, len(kernels)) - 1 {
		wg.Go(look)
	}
	look()
	wg.Wait()
	var known []string
	for n := range kernels {
		for _, name := range file.Kernels[n].Calls {
			if !slices.Contains(known, name) {
				known = append(known, name)
				isKernel := slices.ContainsFunc(m.Funcs, func(f sema.Func) bool { return f.Entry && f.Name == name })
				file.Decls = append(file.Decls, cubin.Decl{Name: name, Space: cubin.SpaceFunc, Bind: cubin.BindGlobal, Kernel: isKernel})
			}
		}
	}
}

// KernelNames finds the names of kernels in texts. Most words are told apart
// from them by their first byte and their length.
type KernelNames struct {
	funcs    map[string]int32
	first    [256]bool
	min, max int
}

func NewKernelNames(m *sema.Module) *KernelNames {
	x := &KernelNames{funcs: map[string]int32{}, min: math.MaxInt}
	for n := range m.Funcs {
		if name := m.Funcs[n].Name; m.Funcs[n].Entry && name != "" {
			x.funcs[name] = int32(n)
			x.first[name[0]] = true
			x.min, x.max = min(x.min, len(name)), max(x.max, len(name))
		}
	}
	return x
}

// Each calls yield with every kernel that a text names, as often as it does,
// while that returns true.
func (x *KernelNames) Each(text []byte, yield func(fn int32) bool) {
	for at := 0; at < len(text); {
		if !isWordByte[text[at]] {
			at++
			continue
		}
		end := at + 1
		for end < len(text) && isWordByte[text[end]] {
			end++
		}
		if n := end - at; n >= x.min && n <= x.max && x.first[text[at]] {
			if fn, ok := x.funcs[string(text[at:end])]; ok && !yield(fn) {
				return
			}
		}
		at = end
	}
}

// Twice reports whether the text may name a kernel elsewhere than where it
// is defined, which saves reading all bodies twice.
func (x *KernelNames) Twice(m *sema.Module) (found bool) {
	seen := make([]bool, len(m.Funcs))
	for n := range m.Files {
		x.Each(m.Files[n].File.Text, func(fn int32) bool {
			found = found || seen[fn]
			seen[fn] = true
			return !found
		})
	}
	return found
}

// isWordByte tells the bytes that names may hold.
var isWordByte = [256]bool{
	'_': true, '$': true, '%': true,
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true,
	'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
}
