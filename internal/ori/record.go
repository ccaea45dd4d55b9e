package ori

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// The record form: a snapshot of a module in sections, each starting at a
// multiple of 16 bytes.
//
//	head      magic, version, number of sections
//	section   kind, number of records, bytes, then the records
//
// Strings live in one section and are named by offset and length. Numbers
// are little-endian. A reader skips sections of a kind it does not know.

const (
	recordMagic   = 0x4f524931 // "ORI1"
	recordVersion = 3
	recordAlign   = 16
)

// The sections.
const (
	secStrings = iota + 1
	secSymbols
	secFuncs
	secRegs
	secBlocks
	secInstrs
	secOperands
	secHead
)

// keptBlock marks, in the number of a block's instructions, one that must
// stay a block, rolledBlock the header of a loop that keeps its turns.
const (
	keptBlock   = 1 << 31
	rolledBlock = 1 << 30
)

var errRecords = errors.New("damaged records")

// errNoRecords is the error of bytes that are not in the record form.
var errNoRecords = errors.New("not a snapshot")

// AppendRecords appends the record form of m.
func (m *Module) AppendRecords(dst []byte) []byte {
	w := &recordWriter{m: m}
	for n := range m.Symbols {
		w.str(&w.symbols, m.Symbols[n].Name)
	}
	for _, f := range m.Funcs {
		w.function(f)
	}
	start := len(dst)
	dst = le32(dst, recordMagic, recordVersion, secHead, 0)
	for _, s := range [...]struct {
		kind, n int
		b       []byte
	}{
		{secStrings, len(w.strings), w.strings},
		{secSymbols, len(m.Symbols), w.symbols},
		{secFuncs, len(m.Funcs), w.funcs},
		{secRegs, w.nregs, w.regs},
		{secBlocks, w.nblocks, w.blocks},
		{secInstrs, w.ninstrs, w.instrs},
		{secOperands, w.nops, w.ops},
		{secHead, len(m.Head), []byte(m.Head)},
	} {
		dst = le32(dst, uint32(s.kind), uint32(s.n), uint32(len(s.b)), 0)
		dst = append(dst, s.b...)
		for (len(dst)-start)%recordAlign != 0 {
			dst = append(dst, 0)
		}
	}
	return dst
}

func le32(dst []byte, list ...uint32) []byte {
	for _, v := range list {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return dst
}

type recordWriter struct {
	m                                                  *Module
	strings, symbols, funcs, regs, blocks, instrs, ops []byte
	nregs, nblocks, ninstrs, nops                      int
}

// str writes where a string lies.
func (w *recordWriter) str(to *[]byte, s string) {
	*to = le32(*to, uint32(len(w.strings)), uint32(len(s)))
	w.strings = append(w.strings, s...)
}

func (w *recordWriter) function(f *Func) {
	w.str(&w.funcs, f.Name)
	flags := uint32(0)
	if f.Kernel {
		flags |= 1
	}
	w.funcs = le32(w.funcs, flags, uint32(len(f.Regs)), uint32(len(f.Blocks)), uint32(f.nextBlock), uint32(f.nextInstr))
	for _, r := range propRows {
		w.funcs = le32(w.funcs, uint32(*r.at(&f.Props)))
	}
	for _, r := range propFlags {
		v := uint32(0)
		if *r.at(&f.Props) {
			v = 1
		}
		w.funcs = le32(w.funcs, v)
	}
	for n := range f.Regs {
		r := &f.Regs[n]
		fixed := uint32(0)
		if r.Fixed {
			fixed = 1
		}
		if r.Var {
			fixed |= 2
		}
		w.regs = le32(w.regs, uint32(r.Class)|uint32(r.Width)<<8|uint32(r.Align)<<16|fixed<<24, uint32(uint16(r.Phys))|uint32(uint16(r.Lo))<<16, uint32(uint16(r.Hi)))
		w.nregs++
	}
	for _, b := range f.Blocks {
		w.block(b)
	}
}

func (w *recordWriter) block(b *Block) {
	n := uint32(b.n)
	if b.Kept {
		n |= keptBlock
	}
	if b.Rolled {
		n |= rolledBlock
	}
	w.blocks = le32(w.blocks, uint32(b.ID), n, uint32(len(b.Succs)))
	for _, s := range b.Succs {
		w.blocks = le32(w.blocks, uint32(s.ID))
	}
	w.nblocks++
	for i := b.first; i != nil; i = i.next {
		s := i.Sched
		flags := uint32(0)
		if s.Yield {
			flags |= 1 << 7
		}
		if s.Pad {
			flags |= 1 << 6
		}
		w.instrs = le32(w.instrs, uint32(i.ID), uint32(i.Op)|uint32(i.NDst)<<16|uint32(len(i.Args))<<24, uint32(i.Line), uint32(i.Loc),
			uint32(s.Stall)|flags|uint32(uint8(s.WrBar))<<8|uint32(uint8(s.RdBar))<<16|uint32(s.Wait)<<24)
		for n := 0; n < len(i.Mods); n += 2 {
			w.instrs = le32(w.instrs, uint32(i.Mods[n])|uint32(i.Mods[n+1])<<16)
		}
		w.instrs = le32(w.instrs, uint32(len(i.Old)))
		w.ninstrs++
		w.operand(i.Guard)
		for _, o := range i.Args {
			w.operand(o)
		}
		for _, o := range i.Old {
			w.operand(o)
		}
	}
}

func (w *recordWriter) operand(o Operand) {
	w.ops = le32(w.ops, uint32(o.Kind)|uint32(o.Flags)<<8|uint32(o.Class)<<16|uint32(o.Sub)<<24, uint32(o.N), uint32(o.Reg), uint32(o.Imm), uint32(uint64(o.Imm)>>32))
	w.nops++
}

// ReadRecords reads what AppendRecords wrote. Any bytes are safe to read.
func ReadRecords(b []byte) (*Module, error) {
	r := &recordReader{}
	if err := r.sections(b); err != nil {
		return nil, err
	}
	m := &Module{Head: string(r.sec[secHead].b)}
	syms := r.sec[secSymbols]
	for range syms.n {
		m.Symbols = append(m.Symbols, r.symbol(&syms))
	}
	funcs := r.sec[secFuncs]
	for range funcs.n {
		r.function(m, &funcs)
		if r.bad {
			break
		}
	}
	if r.bad {
		return nil, errRecords
	}
	for _, f := range m.Funcs {
		if err := f.checkNumbers(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Read reads a dump, in the record or the text form.
func Read(b []byte) (*Module, error) {
	m, err := ReadRecords(b)
	if errors.Is(err, errNoRecords) {
		return Parse(string(b))
	}
	return m, err
}

// cursor walks over the words of a section.
type cursor struct {
	b []byte
	n uint32
}

type recordReader struct {
	sec [secHead + 1]cursor
	bad bool
}

func (r *recordReader) sections(b []byte) error {
	if len(b) < recordAlign || binary.LittleEndian.Uint32(b) != recordMagic {
		return errNoRecords
	}
	if v := binary.LittleEndian.Uint32(b[4:]); v != recordVersion {
		return fmt.Errorf("snapshot of version %d, this is %d", v, recordVersion)
	}
	at := recordAlign
	for at+recordAlign <= len(b) {
		kind, n, size := binary.LittleEndian.Uint32(b[at:]), binary.LittleEndian.Uint32(b[at+4:]), int(binary.LittleEndian.Uint32(b[at+8:]))
		at += recordAlign
		if size < 0 || size > len(b)-at {
			return errRecords
		}
		if kind >= secStrings && kind <= secHead {
			r.sec[kind] = cursor{b[at : at+size], n}
		}
		at += (size + recordAlign - 1) / recordAlign * recordAlign
	}
	return nil
}

func (r *recordReader) u32(c *cursor) uint32 {
	if len(c.b) < 4 {
		r.bad = true
		return 0
	}
	v := binary.LittleEndian.Uint32(c.b)
	c.b = c.b[4:]
	return v
}

func (r *recordReader) str(c *cursor) string {
	off, n := r.u32(c), r.u32(c)
	s := r.sec[secStrings].b
	if uint64(off)+uint64(n) > uint64(len(s)) {
		r.bad = true
		return ""
	}
	return string(s[off : off+n])
}

func (r *recordReader) symbol(c *cursor) Symbol {
	name := r.str(c)
	return Symbol{Name: name, Routine: routineOf(name)}
}

func (r *recordReader) function(m *Module, c *cursor) {
	name := r.str(c)
	f := m.NewRoutine(name, routineOf(name))
	f.Kernel = r.u32(c)&1 != 0
	nregs, nblocks := r.u32(c), r.u32(c)
	f.nextBlock, f.nextInstr = int32(r.u32(c)), int32(r.u32(c))
	for _, p := range propRows {
		*p.at(&f.Props) = int32(r.u32(c))
	}
	for _, p := range propFlags {
		*p.at(&f.Props) = r.u32(c) != 0
	}
	for n := uint32(0); n < nregs && !r.bad; n++ {
		s := &r.sec[secRegs]
		a, p, h := r.u32(s), r.u32(s), r.u32(s)
		f.Regs = append(f.Regs, RegInfo{
			Class: Class(a), Width: uint8(a >> 8), Align: uint8(a >> 16), Fixed: a>>24&1 != 0, Var: a>>25&1 != 0,
			Phys: int16(p), Lo: int16(p >> 16), Hi: int16(h),
		})
	}
	succs := make([][]uint32, 0, 16)
	for n := uint32(0); n < nblocks && !r.bad; n++ {
		succs = append(succs, r.block(f))
	}
	byID := map[int32]*Block{}
	for _, b := range f.Blocks {
		byID[b.ID] = b
	}
	for n, list := range succs {
		for _, s := range list {
			if t := byID[int32(s)]; t != nil {
				f.Blocks[n].AddEdge(t)
			} else {
				r.bad = true
			}
		}
	}
	f.countPhis()
}

func (r *recordReader) block(f *Func) (succs []uint32) {
	c := &r.sec[secBlocks]
	id, n, k := r.u32(c), r.u32(c), r.u32(c)
	next := f.nextBlock
	b := f.NewBlock()
	f.nextBlock = next
	b.ID = int32(id)
	b.Kept, b.Rolled = n&keptBlock != 0, n&rolledBlock != 0
	n &^= keptBlock | rolledBlock
	for ; k > 0 && !r.bad; k-- {
		succs = append(succs, r.u32(c))
	}
	for ; n > 0 && !r.bad; n-- {
		r.instr(f, b)
	}
	return succs
}

func (r *recordReader) instr(f *Func, b *Block) {
	c := &r.sec[secInstrs]
	id, o, line, loc, s := r.u32(c), r.u32(c), r.u32(c), r.u32(c), r.u32(c)
	next := f.nextInstr
	i := f.NewInstr(op.Op(o), op.Mods{}, nil, nil)
	f.nextInstr = next
	i.ID, i.Line, i.Loc = int32(id), int32(line), int32(loc)
	i.Sched = Sched{Stall: uint8(s & 0x3f), Pad: s>>6&1 != 0, Yield: s>>7&1 != 0, WrBar: int8(s >> 8), RdBar: int8(s >> 16), Wait: uint8(s >> 24)}
	for n := 0; n < len(i.Mods); n += 2 {
		v := r.u32(c)
		i.Mods[n], i.Mods[n+1] = op.Mod(v), op.Mod(v>>16)
	}
	olds := r.u32(c)
	i.Guard = r.operand()
	args := make([]Operand, 0, o>>24)
	for n := o >> 24; n > 0 && !r.bad; n-- {
		args = append(args, r.operand())
	}
	nd := min(int(o>>16&0xff), len(args))
	f.SetArgs(i, args[:nd], args[nd:])
	for ; olds > 0 && !r.bad; olds-- {
		i.Old = append(i.Old, r.operand())
	}
	b.Append(i)
}

func (r *recordReader) operand() Operand {
	c := &r.sec[secOperands]
	a, n, reg, lo, hi := r.u32(c), r.u32(c), r.u32(c), r.u32(c), r.u32(c)
	return Operand{
		Kind: Kind(a), Flags: Flags(a >> 8), Class: Class(a >> 16), Sub: uint8(a >> 24), N: uint8(n),
		Reg: Reg(int32(reg)), Imm: int64(uint64(hi)<<32 | uint64(lo)),
	}
}

// checkNumbers makes sure that nothing in a function read from bytes names
// something that does not exist, so that the rest of the compiler need not.
func (f *Func) checkNumbers() error {
	if f.nextBlock < 0 || f.nextInstr < 0 || int64(f.nextBlock) > 1<<26 || int64(f.nextInstr) > 1<<28 {
		return errRecords
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !i.Op.Known() || !i.Mods.Known() {
				return errRecords
			}
			for _, o := range slices.Concat([]Operand{i.Guard}, i.Args, i.Old) {
				switch {
				case o.Kind > KTmem || o.Class >= NumClasses:
					return errRecords
				case o.Kind == KSymbol && (o.Reg < 0 || int(o.Reg) >= len(f.Module.Symbols) || o.Sub > uint8(PartRef)):
					return errRecords
				case o.Kind == KTarget && (o.Reg < 0 || int(o.Reg) >= len(f.Module.Funcs)):
					return errRecords
				}
			}
		}
	}
	return f.Verify(Built)
}
