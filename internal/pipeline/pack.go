package pipeline

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// The form of a kernel in a cache: its fields one after the other, numbers
// as varints, lists behind their length. Functions are named, not numbered.
// Only the same compiler reads it back.

type packer struct{ data []byte }

func (p *packer) int(v int64) { p.data = binary.AppendVarint(p.data, v) }

func (p *packer) text(s string) { p.int(int64(len(s))); p.data = append(p.data, s...) }

func (p *packer) bytes(b []byte) { p.int(int64(len(b))); p.data = append(p.data, b...) }

func (p *packer) bool(b bool) {
	if b {
		p.int(1)
	} else {
		p.int(0)
	}
}

func (p *packer) float(f float64) { p.int(int64(math.Float64bits(f))) }

func (p *packer) words(l []uint32) { packList(p, l, func(v uint32) { p.int(int64(v)) }) }

func (p *packer) texts(l []string) { packList(p, l, p.text) }

func packList[T any](p *packer, l []T, one func(T)) {
	p.int(int64(len(l)))
	for _, x := range l {
		one(x)
	}
}

type unpacker struct {
	data []byte
	bad  bool
}

func (u *unpacker) int() int64 {
	v, n := binary.Varint(u.data)
	if n <= 0 {
		u.bad, u.data = true, nil
		return 0
	}
	u.data = u.data[n:]
	return v
}

func (u *unpacker) bytes() []byte {
	n := u.int()
	if n < 0 || n > int64(len(u.data)) {
		u.bad, u.data = true, nil
		return nil
	}
	b := u.data[:n]
	u.data = u.data[n:]
	if n == 0 {
		return nil
	}
	return slices.Clone(b)
}

func (u *unpacker) text() string { return string(u.bytes()) }

func (u *unpacker) bool() bool { return u.int() != 0 }

func (u *unpacker) float() float64 { return math.Float64frombits(uint64(u.int())) }

func (u *unpacker) words() []uint32 { return unpackList(u, func() uint32 { return uint32(u.int()) }) }

func (u *unpacker) texts() []string { return unpackList(u, u.text) }

func unpackList[T any](u *unpacker, one func() T) []T {
	n := u.int()
	if n < 0 || n > int64(len(u.data)) { // each takes a byte at least
		u.bad, u.data = true, nil
		return nil
	}
	var l []T
	for range n {
		l = append(l, one())
	}
	return l
}

func (p *packer) slots(l []slotAnswer) {
	packList(p, l, func(s slotAnswer) {
		p.text(s.name)
		p.int(s.at)
		p.bool(s.ok)
	})
}

func (u *unpacker) slots() []slotAnswer {
	return unpackList(u, func() slotAnswer { return slotAnswer{u.text(), u.int(), u.bool()} })
}

func (p *packer) kernel(m *sema.Module, k *link.Kernel) {
	p.code(k.Code)
	p.props(&k.Props)
	p.result(&k.Spills)
	p.int(int64(k.MaxRegs))
	p.int(int64(k.Frame))
	p.int(int64(k.Stack))
	packList(p, k.Subs, func(s link.Sub) {
		p.text(m.Funcs[s.Func].Name)
		p.int(int64(s.Offset))
		p.int(int64(s.Size))
		p.int(int64(s.Frame))
		p.result(&s.Spills)
		p.bytes(s.Unwind)
	})
	packList(p, k.Placed, func(fn int32) { p.text(m.Funcs[fn].Name) })
	p.bool(k.Endless)
	p.int(int64(k.Bank0))
	p.int(int64(k.Counted))
	p.bytes(k.Unwind)
	p.int(int64(k.Framed.Behind))
	p.int(int64(k.Framed.Size))
	p.bytes(k.Bank2)
	p.texts(k.Calls)
	p.int(int64(k.Class))
	p.int(int64(k.Maps))
	packList(p, k.Refs, func(r cubin.RefWord) {
		p.text(r.Name)
		p.text(r.Sampler)
	})
	packList(p, k.Locs, func(l build.Line) {
		p.int(int64(l.File))
		p.int(int64(l.Line))
		p.text(l.Func)
		p.int(int64(l.Off))
		p.int(int64(l.Of))
	})
	p.texts(k.Indirect)
	p.int(int64(k.Uniform))
	packList(p, k.Injected, func(x ori.Injected) {
		p.int(int64(x.Pos))
		p.bool(x.Wait)
	})
}

func (u *unpacker) kernel(m *sema.Module) *link.Kernel {
	k := &link.Kernel{Code: u.code(), Props: u.props(), Spills: u.result(), MaxRegs: uint16(u.int()), Frame: int32(u.int()), Stack: int32(u.int())}
	k.Subs = unpackList(u, func() link.Sub {
		s := link.Sub{Func: u.function(m)}
		s.Offset, s.Size, s.Frame, s.Spills = uint64(u.int()), uint64(u.int()), int32(u.int()), u.result()
		s.Unwind = u.bytes()
		return s
	})
	k.Placed, k.Endless = unpackList(u, func() int32 { return u.function(m) }), u.bool()
	k.Bank0, k.Counted, k.Unwind = int(u.int()), int(u.int()), u.bytes()
	k.Framed = link.FrameMade{Behind: uint32(u.int()), Size: uint64(u.int())}
	k.Bank2, k.Calls, k.Class, k.Maps = u.bytes(), u.texts(), uint8(u.int()), uint8(u.int())
	k.Refs = unpackList(u, func() cubin.RefWord { return cubin.RefWord{Name: u.text(), Sampler: u.text()} })
	k.Locs = unpackList(u, func() build.Line {
		return build.Line{File: uint32(u.int()), Line: uint32(u.int()), Func: u.text(), Off: uint64(u.int()), Of: int32(u.int())}
	})
	k.Indirect = u.texts()
	k.Uniform = int(u.int())
	k.Injected = unpackList(u, func() ori.Injected { return ori.Injected{Pos: int32(u.int()), Wait: u.bool()} })
	return k
}

// function finds a function of the module by its name.
func (u *unpacker) function(m *sema.Module) int32 {
	name := u.text()
	for n := range m.Funcs {
		if m.Funcs[n].Name == name && m.Funcs[n].HasBody {
			return int32(n)
		}
	}
	u.bad = true
	return 0
}

func (p *packer) code(c *emit.Code) {
	p.bytes(c.Text)
	p.int(int64(c.Size))
	packList(p, c.Lines, func(l emit.Line) {
		p.int(int64(l.Offset))
		p.int(int64(l.Loc))
		p.int(int64(l.Pos))
	})
	packList(p, c.Starts, p.int)
	p.words(c.Exits)
	p.words(c.Calls)
	p.words(c.WarpWide)
	p.words(c.Mbarriers)
	p.words(c.Unused)
	p.bool(c.Converges)
	packList(p, c.Coops, func(x emit.Coop) {
		p.int(int64(x.Offset))
		p.int(int64(x.Mask))
	})
	packList(p, c.Tables, func(t emit.Table) {
		p.int(t.Offset)
		p.words(t.Entries)
	})
	packList(p, c.Relocs, p.reloc)
	packList(p, c.Resolved, func(r emit.Resolved) {
		p.reloc(r.Reloc)
		p.int(r.Place)
	})
}

func (p *packer) reloc(r emit.Reloc) {
	p.int(int64(r.Offset))
	p.int(int64(r.Kind))
	p.text(r.Symbol)
	p.int(r.Addend)
}

func (u *unpacker) code() *emit.Code {
	c := &emit.Code{Text: u.bytes(), Size: int(u.int())}
	c.Lines = unpackList(u, func() emit.Line { return emit.Line{Offset: uint32(u.int()), Loc: int32(u.int()), Pos: int32(u.int())} })
	c.Starts = unpackList(u, u.int)
	c.Exits, c.Calls, c.WarpWide, c.Mbarriers, c.Unused = u.words(), u.words(), u.words(), u.words(), u.words()
	c.Converges = u.bool()
	c.Coops = unpackList(u, func() emit.Coop { return emit.Coop{Offset: uint32(u.int()), Mask: uint32(u.int())} })
	c.Tables = unpackList(u, func() emit.Table { return emit.Table{Offset: u.int(), Entries: u.words()} })
	c.Relocs = unpackList(u, u.reloc)
	c.Resolved = unpackList(u, func() emit.Resolved { return emit.Resolved{Reloc: u.reloc(), Place: u.int()} })
	return c
}

func (u *unpacker) reloc() emit.Reloc {
	return emit.Reloc{Offset: uint32(u.int()), Kind: emit.RelocKind(u.int()), Symbol: u.text(), Addend: u.int()}
}

// fields returns the numbers of p, and its marks.
func fields(p *ori.Props) ([]*int32, []*bool) {
	return []*int32{
			&p.ParamBytes, &p.ParamBase, &p.SharedBytes, &p.LocalBytes, &p.Variables, &p.Own, &p.Unnamed, &p.LocalAlign, &p.SpillBytes, &p.SpillStores, &p.SpillLoads, &p.Barriers, &p.MaxNReg, &p.LocalNReg, &p.MinNCTA,
			&p.ReqNTid[0], &p.ReqNTid[1], &p.ReqNTid[2], &p.MaxNTid[0], &p.MaxNTid[1], &p.MaxNTid[2],
			&p.Cluster[0], &p.Cluster[1], &p.Cluster[2], &p.Registers, &p.Tensor, &p.Copies, &p.Copied, &p.Untraded,
		},
		[]*bool{&p.HasCalls, &p.MovesStack, &p.HasExit, &p.Pool, &p.Serial, &p.SSA}
}

func (p *packer) props(x *ori.Props) {
	numbers, marks := fields(x)
	for _, n := range numbers {
		p.int(int64(*n))
	}
	for _, b := range marks {
		p.bool(*b)
	}
}

func (u *unpacker) props() (x ori.Props) {
	numbers, marks := fields(&x)
	for _, n := range numbers {
		*n = int32(u.int())
	}
	for _, b := range marks {
		*b = u.bool()
	}
	return x
}

func (p *packer) result(r *ra.Result) {
	for _, v := range [...]int{r.Registers, int(r.SpillBytes), r.Stores, r.Loads, r.Moves} {
		p.int(int64(v))
	}
	p.float(r.Weight)
}

func (u *unpacker) result() ra.Result {
	return ra.Result{
		Registers: int(u.int()), SpillBytes: int32(u.int()), Stores: int(u.int()), Loads: int(u.int()), Moves: int(u.int()), Weight: u.float(),
	}
}

// slotAnswer is where the address of a name lay when the kernel was compiled.
type slotAnswer struct {
	name string
	at   int64
	ok   bool
}
