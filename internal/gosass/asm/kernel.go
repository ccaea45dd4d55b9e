package asm

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Kernels written by hand look like this:
//
//	.arch sm_90a
//	.kernel add
//	.param u64 out
//	.param u32 n
//	.shared 64 16
//		LDC R1, c[0x0][0x28] ; [B------:R-:W-:Y:S05]
//		...
//		EXIT ; [B------:R-:W-:Y:S05]
//	.end
//
// Registers, barriers, exits and the rest of what the driver wants to know
// are read off the code; .regs, .barriers, .frame, .maxntid and .reqntid
// say more.

// kernelDraft is a kernel being read.
type kernelDraft struct {
	cubin.Kernel
	at    int
	regs  int
	bars  int
	lines []srcLine
}

// paramSizes are the types .param knows.
var paramSizes = [...]struct {
	name string
	size uint32
}{{"u8", 1}, {"b8", 1}, {"u16", 2}, {"f16", 2}, {"b16", 2}, {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b32", 4}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b64", 8}, {"b128", 16}}

func assembleKernels(name string, lines []srcLine, a *target.Arch) (*cubin.File, error) {
	m := &cubin.Module{Arch: a, Tool: cubin.TKInfo{Tool: "gosass", Version: "gosass", Branch: "goptxas"}}
	var cur *kernelDraft
	for _, l := range lines {
		w := strings.Fields(l.text)
		var err error
		switch {
		case w[0] == ".arch" && len(w) == 2 && cur == nil:
			err = setArch(m, w[1])
		case w[0] == ".kernel" && len(w) == 2 && cur == nil:
			cur = &kernelDraft{Kernel: cubin.Kernel{Name: w[1], Bind: cubin.BindGlobal}, at: l.no}
		case w[0] == ".end" && cur != nil:
			if m.Arch == nil {
				err = fmt.Errorf("no architecture: give -arch or .arch")
				break
			}
			err = cur.finish(name, m)
			cur = nil
		case cur == nil:
			err = fmt.Errorf("%q stands outside a kernel", l.text)
		case strings.HasPrefix(w[0], ".") && !strings.HasSuffix(l.text, ":") && !strings.HasPrefix(w[0], ".inst"):
			err = cur.directive(w)
		default:
			cur.lines = append(cur.lines, l)
		}
		if _, placed := err.(*asmError); err != nil && !placed {
			err = &asmError{name, l.no, err.Error()}
		}
		if err != nil {
			return nil, err
		}
	}
	if cur != nil {
		return nil, &asmError{name, cur.at, "kernel " + cur.Name + " has no .end"}
	}
	m.PTXSM = m.Arch.SM
	m.Tool.Options = "-arch " + m.Arch.Name + " "
	return cubin.Build(m)
}

func setArch(m *cubin.Module, name string) error {
	a := target.Find(name)
	switch {
	case a == nil:
		return fmt.Errorf("unknown architecture %q", name)
	case m.Arch != nil && m.Arch != a:
		return fmt.Errorf("the source is for %s, not for %s", name, m.Arch.Name)
	}
	m.Arch = a
	return nil
}

func (k *kernelDraft) directive(w []string) error {
	if w[0] == ".param" {
		return k.param(w)
	}
	var v [3]uint64
	for i, x := range w[1:] {
		n, err := strconv.ParseUint(x, 0, 31)
		if err != nil || i >= len(v) {
			return fmt.Errorf("%s: bad number %q", w[0], x)
		}
		v[i] = n
	}
	switch w[0] {
	case ".regs":
		k.regs = int(v[0])
	case ".barriers":
		k.bars = int(v[0])
	case ".frame":
		k.Frame, k.MinStack = uint32(v[0]), uint32(v[0])
	case ".shared":
		k.Shared = cubin.Shared{Size: v[0], Align: max(v[1], 4), Used: true}
	case ".maxntid":
		k.Attrs = append(k.Attrs, cubin.Words(cubin.AttrMaxThreads, atLeastOne(v)...))
	case ".reqntid":
		k.Attrs = append(k.Attrs, cubin.Words(cubin.AttrReqNTid, atLeastOne(v)...))
	default:
		return fmt.Errorf("unknown directive %s", w[0])
	}
	return nil
}

func atLeastOne(v [3]uint64) []uint32 {
	return []uint32{uint32(max(v[0], 1)), uint32(max(v[1], 1)), uint32(max(v[2], 1))}
}

// param reads .param TYPE [name] or .param SIZE ALIGN [name].
func (k *kernelDraft) param(w []string) error {
	if len(w) < 2 {
		return fmt.Errorf("want .param TYPE")
	}
	size, align := uint32(0), uint32(0)
	for _, t := range paramSizes {
		if t.name == w[1] {
			size, align = t.size, t.size
		}
	}
	if size == 0 {
		n, err := strconv.ParseUint(w[1], 0, 16)
		if err != nil || n == 0 {
			return fmt.Errorf(".param: unknown type %q", w[1])
		}
		size, align = uint32(n), 1
		if len(w) > 2 {
			if n, err = strconv.ParseUint(w[2], 0, 8); err != nil || n == 0 {
				return fmt.Errorf(".param: bad alignment %q", w[2])
			}
			align = uint32(n)
		}
	}
	off := uint32(0)
	if n := len(k.Params); n > 0 {
		off = uint32(k.Params[n-1].Offset) + k.Params[n-1].Size
	}
	off = (off + align - 1) / align * align
	if off+size > 0xffff {
		return fmt.Errorf(".param: too many bytes of parameters")
	}
	k.Params = append(k.Params, cubin.Param{Offset: uint16(off), Size: size})
	return nil
}

const textAlign = 128

// finish assembles the code and reads the resources off it.
func (k *kernelDraft) finish(name string, m *cubin.Module) error {
	code, err := assembleCode(name, k.lines, m.Arch)
	if err != nil {
		return err
	}
	if len(code) == 0 {
		return &asmError{name, k.at, "kernel " + k.Name + " has no code"}
	}
	if k.Code, err = padCode(code, m.Arch); err != nil {
		return &asmError{name, k.at, err.Error()}
	}
	k.scan(code, m.Arch)
	isNew := m.Arch.Has(target.NewFiles)
	if m.Arch.SharedReserved > 0 && k.Shared.Used {
		k.Shared.Size += uint64(m.Arch.SharedReserved)
		k.Fixes = append(k.Fixes, cubin.Fix{State: cubin.Resolved})
	}
	last := uint32(0)
	if n := len(k.Exits); n > 0 {
		last = k.Exits[n-1]
	}
	k.Frames = []dwarf.Frame{dwarf.KernelFrame(uint64(len(k.Code)), dwarf.Plain(last, uint64(k.Frame), isNew))}
	if k.bars > 0 {
		k.Attrs = append(k.Attrs, cubin.Byte(cubin.AttrNumBarriers, uint8(k.bars)))
	}
	m.Kernels = append(m.Kernels, k.Kernel)
	return nil
}

// padCode adds the branch to itself that ends a function and NOPs up to the
// alignment of code.
func padCode(code []byte, a *target.Arch) ([]byte, error) {
	add := func(text string) error {
		i, err := sass.Parse(a, text, uint64(len(code)))
		if err != nil {
			return err
		}
		i.SetCtrl(sass.Ctrl{WrBar: sass.NoBar, RdBar: sass.NoBar})
		w := i.Word()
		code = binary.LittleEndian.AppendUint64(code, w.Lo)
		code = binary.LittleEndian.AppendUint64(code, w.Hi)
		return nil
	}
	if err := add("BRA 0x" + strconv.FormatUint(uint64(len(code)), 16) + ";"); err != nil {
		return nil, err
	}
	for len(code)%textAlign != 0 {
		if err := add("NOP;"); err != nil {
			return nil, err
		}
	}
	return code, nil
}

// scan reads resources off the code.
func (k *kernelDraft) scan(code []byte, a *target.Arch) {
	top, crs := 1, false
	for pc := 0; pc+sass.WordBytes <= len(code); pc += sass.WordBytes {
		i := sass.Decode(a, bits.Word{Lo: binary.LittleEndian.Uint64(code[pc:]), Hi: binary.LittleEndian.Uint64(code[pc+8:])})
		top = max(top, topRegister(&i))
		switch i.Op() {
		case sass.OpEXIT:
			k.Exits = append(k.Exits, uint32(pc))
		case sass.OpBSSY, sass.OpCALL, sass.OpRET:
			crs = true
		case sass.OpBAR:
			k.bars = max(k.bars, barriersOf(&i))
		}
	}
	// Two more than the highest register: what the reference counts.
	k.Regs = uint16(max(top+1+2, k.regs))
	if crs {
		k.Attrs = append(k.Attrs, cubin.Words(cubin.AttrCRSStackSize, 0))
	}
}

// topRegister is the highest general register an instruction names.
func topRegister(i *sass.Inst) int {
	top := 0
	for n := range i.NArg() {
		if o := i.Arg(n); o.Kind == sass.KindReg && o.File == sass.FileR && !o.Zero {
			top = max(top, int(o.Reg)+max(int(o.Width), 1)-1)
		}
	}
	return top
}

// barriersOf is the number of barriers that a BAR needs: one more than its
// number, or all when that is in a register.
func barriersOf(i *sass.Inst) int {
	for n := range i.NArg() {
		switch o := i.Arg(n); {
		case o.Kind == sass.KindImm:
			return int(o.Imm&15) + 1
		case o.Kind == sass.KindReg && o.File == sass.FileR:
			return 16
		}
	}
	return 1
}
