package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// Tensor memory: LDTM and STTM move registers of a warp; UTCHMMA and its kin,
// UTCCP and UTCSHIFT are orders of one thread that run beside the program in
// the order in which the block gives them, and UTCBAR tells a barrier when
// those before it are over (tcgen05.go has their order, docs/async.md the
// rules).

// tensorForm is what the word of such an instruction says.
type tensorForm struct {
	move    tmem.Move
	copy    tmem.Copy
	product tmem.Order

	place uint16 // row of the address, added to imm
	imm   int64
	from  uint16 // row of a descriptor
	regs  uint16 // first row of registers that are moved
	count int

	a, b, d, pair, extra uint16 // rows of a product
	keep                 predSrc
	two                  bool // of a pair of blocks
	aligned              bool
	multicast            bool
}

// uniforms lists the rows of the uniform registers that an instruction names,
// and the constants.
func uniforms(i *inst) (rows []uint16, imms []int64) {
	for n := range i.in.NArg() {
		o := i.in.Arg(n)
		switch {
		case o.Kind == sass.KindReg && o.File == sass.FileU && o.Role != sass.Write:
			lo, _ := srcRow(&o)
			rows = append(rows, lo)
		case o.Kind == sass.KindImm:
			imms = append(imms, o.Imm)
		}
	}
	return rows, imms
}

// prepTensorMove reads LDTM and STTM.
func prepTensorMove(i *inst, parts []string) error {
	t := &tensorForm{}
	rows, imms := uniforms(i)
	if slices.Contains(parts, "STAT") || len(rows) > 1 || len(imms) != 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	t.place, t.imm = rowZero, imms[0]
	if len(rows) == 1 {
		t.place = rows[0]
	}
	x := &t.move
	x.Repeat = 1
	for _, s := range parts {
		switch s {
		case "16dp64bit":
			x.Shape = tmem.S16x64
		case "16dp128bit":
			x.Shape = tmem.S16x128
		case "16dp256bit":
			x.Shape = tmem.S16x256
		case "16dp32bit_t0_t15":
			x.Shape = tmem.S16x32
		case "16dp32bit_t16_t31":
			x.Shape, x.Upper = tmem.S16x32, true
		case "PACK16BIT", "EXPAND16BIT":
			x.Pack = true
		default:
			n, err := strconv.Atoi(strings.TrimPrefix(s, "x"))
			if err != nil {
				return fmt.Errorf("%s is not known in the simulator", s)
			}
			x.Repeat = n
		}
	}
	t.count = x.Repeat * x.Shape.Regs()
	for n := range i.in.NArg() {
		if o := i.in.Arg(n); o.Kind == sass.KindReg && o.File == sass.FileR {
			t.regs = uint16(o.Reg)
			if o.Zero {
				t.regs = rowZero
			}
		}
	}
	i.tensor = t
	return nil
}

// tensorMove is the move of the running warp.
func (w *warp) tensorMove(i *inst, m uint32) (*tmem.Move, bool) {
	if m != ^uint32(0) {
		w.fail(lane(^m), "tensor memory is accessed with lanes missing")
		return nil, false
	}
	x := i.tensor.move
	x.At = tmem.Address(int64(w.r[i.tensor.place][0]) + i.tensor.imm)
	x.Warp = w.id % 4
	return &x, true
}

// LDTM: registers are written when the instruction's barrier is waited for,
// or any time before.
func ldtm(w *warp, i *inst, m uint32) {
	x, ok := w.tensorMove(i, m)
	if !ok {
		return
	}
	t := i.tensor
	w.later(i, func() {
		v := make([][32]uint32, t.count)
		for k := range v { // the other half of the lanes keeps its values
			v[k] = w.r[min(t.regs+uint16(k), rowZero)]
		}
		w.tensorError(x.Load(w.cta.memory(), v))
		for k := range v {
			if r := t.regs + uint16(k); r < rowZero {
				w.r[r] = v[k]
			}
		}
	})
}

// STTM: the registers are read now, and tensor memory is written until a
// FENCE.VIEW.ASYNC.T is over.
func sttm(w *warp, i *inst, m uint32) {
	x, ok := w.tensorMove(i, m)
	if !ok {
		return
	}
	t := i.tensor
	v := make([][32]uint32, t.count)
	for k := range v {
		v[k] = w.r[min(t.regs+uint16(k), rowZero)]
	}
	w.tensorStore(func() { w.tensorError(x.Store(w.cta.memory(), v)) })
}

// prepTensorCopy reads UTCCP and UTCSHIFT.
func prepTensorCopy(i *inst, parts []string) error {
	rows, imms := uniforms(i)
	t := &tensorForm{place: rowZero, two: slices.Contains(parts, "2CTA")}
	if len(imms) == 1 {
		t.imm = imms[0]
	}
	shift := i.op == sass.OpUTCSHIFT
	if n := len(rows); !shift {
		if n == 0 {
			return fmt.Errorf("this form has no meaning in the simulator")
		}
		t.from, rows = rows[n-1], rows[:n-1]
	}
	if len(rows) > 0 {
		t.place = rows[0]
	}
	t.copy.Shape = [...]tmem.CopyShape{tmem.C128x256, tmem.C4x256, tmem.C128x128, tmem.C64x128Even, tmem.C64x128Low, tmem.C32x128}[pick(
		parts, 0, "", "4dp256bit", "128dp128bit", "2x64dp128bit_lw02_lw13", "2x64dp128bit_lw01_lw23", "4x32dp128bit")]
	t.copy.Narrow = [...]int{0, 4, 6}[pick(parts, 0, "", "U4x16P64", "U6x16P32")]
	i.tensor, i.full = t, true
	return nil
}

// UTCCP: a copy from shared memory, of a pair for both blocks from their own.
func utccp(w *warp, i *inst, _ uint32) {
	t := i.tensor
	x := t.copy
	x.At = tmem.Address(int64(w.r[t.place][0]) + t.imm)
	x.From = tmem.Descriptor(w.uniform64(t.from))
	w.orderTensor(func() {
		for _, b := range w.tensorBlocks(t.two) {
			w.tensorError(x.Run(b.Mem, b.Shared))
		}
	})
}

// UTCSHIFT: lanes move down.
func utcshift(w *warp, i *inst, _ uint32) {
	t := i.tensor
	at := tmem.Address(int64(w.r[t.place][0]) + t.imm)
	w.orderTensor(func() {
		for _, b := range w.tensorBlocks(t.two) {
			w.tensorError(tmem.Shift(b.Mem, at))
		}
	})
}

func (w *warp) uniform64(row uint16) uint64 {
	return uint64(w.r[row][0]) | uint64(w.r[behind(row, 1)][0])<<32
}

// prepTensorProduct reads UTCHMMA, UTCIMMA, UTCQMMA and UTCOMMA: where A is a
// place the second lowest digit of the operation is 9 or f, and of UTCQMMA d
// and f have scales.
func prepTensorProduct(i *inst, parts []string) error {
	rows, imms := uniforms(i)
	w := i.in.Word()
	t := &tensorForm{two: slices.Contains(parts, "2CTA"), extra: rowZero}
	o := &t.product
	o.Pair, o.WS, o.ShiftRows = t.two, slices.Contains(parts, "WS"), slices.Contains(parts, "ASHIFT")
	op := w.Field(8, 4)
	o.Inside = op == 9 || op == 15
	o.Block = 32
	switch i.op {
	case sass.OpUTCHMMA:
		o.Kind = tmem.F16
	case sass.OpUTCIMMA:
		o.Kind = tmem.I8
	case sass.OpUTCQMMA:
		if o.Kind = tmem.F8F6F4; op == 13 || op == 15 {
			o.Kind = tmem.MXF8F6F4
		}
	case sass.OpUTCOMMA:
		o.Kind = tmem.MXF4
		if slices.Contains(parts, "4X") || slices.Contains(parts, "BLOCK16") {
			o.Block = 16
		}
	}
	if len(rows) < 4 || i.nps != 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	t.a, t.b, t.d, t.pair = rows[0], rows[1], rows[2], rows[3]
	if len(rows) > 4 {
		t.extra = rows[4]
	}
	t.keep = i.ps[0]
	if len(imms) > 0 {
		o.Minus = int(imms[0])
	}
	i.tensor, i.full = t, true
	return nil
}

// UTCHMMA and its kin: products.
func utcmma(w *warp, i *inst, _ uint32) {
	t := i.tensor
	o := t.product
	if o.Inside {
		o.APlace = tmem.Address(w.r[t.a][0])
	} else {
		o.A = tmem.Descriptor(w.uniform64(t.a))
	}
	o.B, o.D = tmem.Descriptor(w.uniform64(t.b)), tmem.Address(w.r[t.d][0])
	o.Meta, o.I = tmem.Address(w.r[t.pair][0]), w.r[behind(t.pair, 1)][0]
	o.Keep = w.pred(t.keep)&1 != 0
	if o.Kind == tmem.F16 && o.I>>7&7 == 2 { // one operation does both
		o.Kind = tmem.TF32
	}
	switch {
	case o.Kind >= tmem.MXF8F6F4:
		o.ScaleA, o.ScaleB = tmem.Address(w.r[t.extra][0]), tmem.Address(w.r[behind(t.extra, 1)][0])
	case t.extra == rowZero:
	case o.WS:
		o.Zero = w.uniform64(t.extra)
	default:
		n := uint16(4)
		if t.two {
			n = 8
		}
		for k := range n {
			o.Off[k] = w.r[t.extra+k][0]
		}
	}
	w.orderTensor(func() { w.tensorError(o.Run(w.tensorBlocks(t.two))) })
}

// prepTensorBar reads UTCBAR.
func prepTensorBar(i *inst, parts []string) error {
	rows, _ := uniforms(i)
	if len(rows) < 3 || slices.Contains(parts, "A0TX") {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.tensor = &tensorForm{place: rows[0], extra: rows[2], multicast: slices.Contains(parts, "MULTICAST")}
	i.full = true
	return nil
}

// UTCBAR: barriers are told when the orders before it are over.
func utcbar(w *warp, i *inst, _ uint32) {
	t := i.tensor
	at := uint64(w.r[t.place][0])
	if !t.multicast {
		w.tensorCommit(at)
		return
	}
	const off = 1<<rankShift - 1
	mask := w.r[t.extra][0]
	for rank := range uint64(16) {
		if mask>>rank&1 != 0 {
			w.tensorCommit(at&off | rank<<rankShift)
		}
	}
}

// prepTensorAtom reads UTCATOMSWS.
func prepTensorAtom(i *inst, parts []string) error {
	rows, _ := uniforms(i)
	if len(rows) != 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.sub = uint8(pick(parts, 3, "FIND_AND_SET", "AND", "OR"))
	if i.sub > 2 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.tensor = &tensorForm{place: rows[0], two: slices.Contains(parts, "2CTA"), aligned: slices.Contains(parts, "ALIGN")}
	i.full = true
	return nil
}

// UTCATOMSWS: finds and takes units of columns, or changes which are taken.
func utcatomsws(w *warp, i *inst, _ uint32) {
	t := i.tensor
	v := w.r[t.place][0]
	var blocks []*cta
	if blocks = w.pairOf(t.two); blocks == nil {
		return
	}
	for n, b := range blocks {
		m := b.memory()
		old := m.Held()
		switch i.sub {
		case 0:
			first, ok := m.Find(int(v), t.aligned)
			w.fill(i.d[0], uint32(first))
			p := uint32(0)
			if ok {
				p = ^uint32(0)
			}
			w.setp(i.pd[0], ^uint32(0), p)
			continue
		case 1:
			m.Hold(old & v)
		case 2:
			m.Hold(old | v)
		}
		if n == 0 {
			w.fill(i.d[0], old)
		}
	}
}
