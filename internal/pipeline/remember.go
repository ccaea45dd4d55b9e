package pipeline

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/engine/store"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// A kernel that was compiled before need not be compiled again. What its
// code depends on is its own text, whatever stands outside of kernels in the
// module (variables, functions, directives), the options, and this compiler;
// a hash of these is its name in a cache. Other kernels do not matter, so that
// a changed module finds those that stayed. What the module decides about a
// kernel from elsewhere, where addresses of names lie, is kept with its code
// and compared.

// newMemory hashes what all kernels of m have in common. The version stands
// for this compiler.
func newMemory(m *sema.Module, o *Options) *memory {
	if o.Cache == nil || o.Version == "" || o.Limits != nil || o.Debug || o.Layout.Object || o.Layout.Keep || len(o.Phases) > 0 || o.Knobs != nil && o.Knobs.Changed() {
		return nil
	}
	x := &memory{m: m, cache: o.Cache, names: link.NewKernelNames(m), whole: map[int32]extent{}}
	if !x.names.Twice(m) {
		x.names = nil
	}
	byDecl := map[[2]int32]int32{}
	for n := range m.Funcs {
		if f := &m.Funcs[n]; f.Entry {
			byDecl[[2]int32{f.File, f.Decl()}] = int32(n)
		}
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", "kernel", o.Version)
	fmt.Fprintf(h, "%s %+v %s\n", o.Arch.Name, o.plain(), o.Search.key())
	opts := m.Opts
	opts.Arch = nil // named above
	opts.Entries, opts.Verbose = nil, false
	fmt.Fprintf(h, "%+v\n", opts)
	if len(o.Layout.Refs) > 0 { // all kernels have the words of all references, behind the longest parameters
		fmt.Fprintf(h, "%d\n", o.Layout.RefParams)
	}
	for n, t := range m.Files {
		fmt.Fprintf(h, "file %d\n", n)
		x.parts = append(x.parts, x.outside(h, int32(n), t, byDecl))
	}
	h.Sum(x.base[:0])
	return x
}

// plain returns the options without what changes no code: a field that is
// not named here is a part of the key.
func (o *Options) plain() Options {
	c := *o
	c.Arch, c.Knobs, c.Layout = nil, nil, nil // named, at its defaults, made from the text
	c.Trace, c.Create, c.Slot, c.Repro, c.Heap, c.Limiter, c.Pool = nil, nil, nil, nil, nil, nil, nil
	c.Cache, c.Version, c.Host, c.known = nil, "", nil, nil
	c.Follow, c.Limits, c.Resume, c.worker = nil, nil, nil, 0 // none is kept of what was read from a dump
	c.Search = nil                                            // named beside it
	return c
}

// outside hashes the statements of a file that are no kernels, and returns
// their places.
func (x *memory) outside(h hash.Hash, file int32, t *syntax.Tree, kernels map[[2]int32]int32) (parts []extent) {
	for n := range t.Stmts {
		s := &t.Stmts[n]
		e := extent{s.Pos, min(s.End+1, src.Pos(len(t.File.Text)))}
		if s.Kind == syntax.StmtFunc && t.Funcs[s.Index].Kind == isa.WEntry {
			if fn, ok := kernels[[2]int32{file, s.Index}]; ok {
				x.whole[fn] = e
			}
			continue
		}
		parts = append(parts, e)
		fmt.Fprintf(h, "%d ", e.to-e.from)
		h.Write(t.File.Text[e.from:e.to])
	}
	return parts
}

// key names a kernel, if it can be kept.
func (x *memory) key(fn int32) (k store.Key, ok bool) {
	if x == nil {
		return k, false
	}
	f := &x.m.Funcs[fn]
	e, known := x.whole[fn]
	if !known || !f.Entry {
		return k, false
	}
	h := sha256.New()
	h.Write(x.base[:])
	text := x.m.Files[f.File].File.Text[e.from:e.to]
	fmt.Fprintf(h, "%d %q %+v %q %d ", f.File, f.Name, f.Launch, f.Pragmas, len(text))
	h.Write(text)
	for _, g := range x.named(fn, text) {
		at := x.whole[g]
		fmt.Fprintf(h, " %q %d", x.m.Funcs[g].Name, at.to-at.from)
	}
	h.Sum(k[:0])
	return k, true
}

// named returns the other kernels that a text names.
func (x *memory) named(fn int32, text []byte) (list []int32) {
	if x.names == nil {
		return nil
	}
	x.names.Each(text, func(g int32) bool {
		if g != fn && !slices.Contains(list, g) {
			list = append(list, g)
		}
		return true
	})
	slices.Sort(list)
	return list
}

// find returns a kernel from the cache.
func (x *memory) find(fn int32, k store.Key, slot func(string) (int64, bool)) *link.Kernel {
	data, ok := x.cache.Get(k)
	if !ok {
		return nil
	}
	u := &unpacker{data: data}
	slots := u.slots()
	c := u.kernel(x.m)
	if u.bad || len(u.data) > 0 {
		return nil
	}
	for _, s := range slots {
		if at, ok := slot(s.name); at != s.at || ok != s.ok {
			return nil
		}
	}
	for n := range c.Code.Lines {
		l := &c.Code.Lines[n]
		if l.Pos, ok = x.place(fn, l.Pos); !ok {
			return nil
		}
	}
	return c
}

// keep puts a kernel into the cache, with what it asked.
func (x *memory) keep(fn int32, k store.Key, c *link.Kernel, asked []slotAnswer) {
	code := *c.Code
	code.Lines = slices.Clone(code.Lines)
	for n := range code.Lines {
		l := &code.Lines[n]
		var ok bool
		if l.Pos, ok = x.number(fn, l.Pos); !ok {
			return
		}
	}
	own := *c
	own.Code = &code
	p := &packer{}
	p.slots(asked)
	p.kernel(x.m, &own)
	x.cache.Put(k, p.data)
}

// Positions are kept such that they mean the same when other kernels have
// moved the text: from the start of the kernel's own statement, or with all
// statements outside of kernels put together.

// number turns a position into such a number: below zero outside of the
// kernel, and zero where there is none.
func (x *memory) number(fn, pos int32) (int32, bool) {
	if pos <= 0 {
		return 0, pos == 0
	}
	p, file := src.Pos(pos), x.m.Funcs[fn].File
	if e := x.whole[fn]; p >= e.from && p < e.to {
		return int32(p-e.from) + 1, true
	}
	sum := int32(0)
	for _, e := range x.parts[file] {
		if p >= e.from && p < e.to {
			return -(sum + int32(p-e.from) + 1), true
		}
		sum += int32(e.to - e.from)
	}
	return 0, false
}

// place is the way back.
func (x *memory) place(fn, n int32) (int32, bool) {
	if n == 0 {
		return 0, true
	}
	if e := x.whole[fn]; n > 0 {
		return int32(e.from) + n - 1, n <= int32(e.to-e.from)
	}
	left := -n - 1
	for _, e := range x.parts[x.m.Funcs[fn].File] {
		if size := int32(e.to - e.from); left < size {
			return int32(e.from) + left, true
		} else {
			left -= size
		}
	}
	return 0, false
}

// remembered compiles a function, or finds it among those compiled before.
func (x *memory) remembered(fn int32, o *Options, compile func() (*link.Kernel, error)) (*link.Kernel, error) {
	k, ok := x.key(fn)
	if !ok {
		return compile()
	}
	slot := o.Slot
	if c := x.find(fn, k, slot); c != nil {
		return c, nil
	}
	var asked []slotAnswer
	o.Slot = func(name string) (int64, bool) {
		at, ok := slot(name)
		asked = append(asked, slotAnswer{name, at, ok})
		return at, ok
	}
	c, err := compile()
	o.Slot = slot
	if err == nil {
		x.keep(fn, k, c, asked)
	}
	return c, err
}
