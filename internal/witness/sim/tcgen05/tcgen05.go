package tcgen05

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// Tensor memory: LDTM and STTM move registers of a warp; UTCHMMA and its kin,
// UTCCP and UTCSHIFT are orders of one thread that run beside the program in
// the order in which the block gives them, and UTCBAR tells a barrier when
// those before it are over (machine/tensormem.go has their order, docs/async.md the
// rules).

// PrepTensorMove reads LDTM and STTM.
func PrepTensorMove(i *machine.Inst, parts []string) error {
	t := &code.TensorForm{}
	rows, imms := code.Uniforms(&i.Inst)
	if len(rows) > 1 || len(imms) != 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	t.Place, t.Imm = code.RowZero, imms[0]
	if len(rows) == 1 {
		t.Place = rows[0]
	}
	x := &t.Move
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
		case "STAT", "MIN", "MAX", "MINABS", "MAXABS", "F32", "S32", "NAN":
			t.Stat = append(t.Stat, s)
		default:
			n, err := strconv.Atoi(strings.TrimPrefix(s, "x"))
			if err != nil {
				return fmt.Errorf("%s is not known in the simulator", s)
			}
			x.Repeat = n
		}
	}
	t.Count, t.Best = x.Repeat*x.Shape.Regs(), i.D[0]
	for n := range i.In.NArg() {
		if o := i.In.Arg(n); o.Kind == sass.KindReg && o.File == sass.FileR {
			t.Regs = uint16(o.Reg)
			if o.Zero {
				t.Regs = code.RowZero
			}
		}
	}
	i.Tensor = t
	return nil
}

// tensorMove is the move of the running warp.
func tensorMove(w *machine.Warp, i *machine.Inst, m uint32) (*tmem.Move, bool) {
	if m != ^uint32(0) {
		w.Fail(machine.Lane(^m), "tensor memory is accessed with lanes missing")
		return nil, false
	}
	x := i.Tensor.Move
	x.At = tmem.Address(int64(w.R[i.Tensor.Place][0]) + i.Tensor.Imm)
	x.Warp = w.ID % 4
	return &x, true
}

// LDTM: registers are written when the instruction's barrier is waited for,
// or any time before.
func Ldtm(w *machine.Warp, i *machine.Inst, m uint32) {
	x, ok := tensorMove(w, i, m)
	if !ok {
		return
	}
	t := i.Tensor
	w.Later(i, func() {
		v := make([][32]uint32, t.Count)
		for k := range v { // the other half of the lanes keeps its values
			v[k] = w.R[min(t.Regs+uint16(k), code.RowZero)]
		}
		w.TensorError(x.Load(w.TensorMemory(), v))
		if len(t.Stat) > 0 {
			stat(w, t, v)
		}
		for k := range v {
			if r := t.Regs + uint16(k); r < code.RowZero {
				w.R[r] = v[k]
			}
		}
	})
}

// STTM: the registers are read now, and tensor memory is written until a
// FENCE.VIEW.ASYNC.T is over.
func Sttm(w *machine.Warp, i *machine.Inst, m uint32) {
	x, ok := tensorMove(w, i, m)
	if !ok {
		return
	}
	t := i.Tensor
	v := make([][32]uint32, t.Count)
	for k := range v {
		v[k] = w.R[min(t.Regs+uint16(k), code.RowZero)]
	}
	w.TensorStore(func() { w.TensorError(x.Store(w.TensorMemory(), v)) })
}

// PrepTensorCopy reads UTCCP and UTCSHIFT.
func PrepTensorCopy(i *machine.Inst, parts []string) error {
	rows, imms := code.Uniforms(&i.Inst)
	t := &code.TensorForm{Place: code.RowZero, Two: slices.Contains(parts, "2CTA")}
	if len(imms) == 1 {
		t.Imm = imms[0]
	}
	shift := i.Op == sass.OpUTCSHIFT
	if n := len(rows); !shift {
		if n == 0 {
			return fmt.Errorf("this form has no meaning in the simulator")
		}
		t.From, rows = rows[n-1], rows[:n-1]
	}
	if len(rows) > 0 {
		t.Place = rows[0]
	}
	t.Copy.Shape = [...]tmem.CopyShape{tmem.C128x256, tmem.C4x256, tmem.C128x128, tmem.C64x128Even, tmem.C64x128Low, tmem.C32x128}[code.Pick(
		parts, 0, "", "4dp256bit", "128dp128bit", "2x64dp128bit_lw02_lw13", "2x64dp128bit_lw01_lw23", "4x32dp128bit")]
	t.Copy.Narrow = [...]int{0, 4, 6}[code.Pick(parts, 0, "", "U4x16P64", "U6x16P32")]
	i.Tensor, i.Full = t, true
	return nil
}

// UTCCP: a copy from shared memory, of a pair for both blocks from their own.
func Utccp(w *machine.Warp, i *machine.Inst, _ uint32) {
	t := i.Tensor
	x := t.Copy
	x.At = tmem.Address(int64(w.R[t.Place][0]) + t.Imm)
	x.From = tmem.Descriptor(w.Uniform64(t.From))
	w.OrderTensor(func() {
		for _, b := range w.TensorBlocks(t.Two) {
			w.TensorError(x.Run(b.Mem, b.Shared))
		}
	})
}

// UTCSHIFT: lanes move down.
func Utcshift(w *machine.Warp, i *machine.Inst, _ uint32) {
	t := i.Tensor
	at := tmem.Address(int64(w.R[t.Place][0]) + t.Imm)
	w.OrderTensor(func() {
		for _, b := range w.TensorBlocks(t.Two) {
			w.TensorError(tmem.Shift(b.Mem, at))
		}
	})
}

// PrepTensorProduct reads UTCHMMA, UTCIMMA, UTCQMMA and UTCOMMA: where A is a
// place the second lowest digit of the operation is 9 or f, and of UTCQMMA d
// and f have scales.
func PrepTensorProduct(i *machine.Inst, parts []string) error {
	rows, imms := code.Uniforms(&i.Inst)
	w := i.In.Word()
	t := &code.TensorForm{Two: slices.Contains(parts, "2CTA"), Extra: code.RowZero}
	o := &t.Product
	o.Pair, o.WS, o.ShiftRows = t.Two, slices.Contains(parts, "WS"), slices.Contains(parts, "ASHIFT")
	op := w.Field(8, 4)
	o.Inside = op == 9 || op == 15
	o.Block = 32
	switch i.Op {
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
	if len(rows) < 4 || i.NPS != 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	t.A, t.B, t.D, t.Pair = rows[0], rows[1], rows[2], rows[3]
	if len(rows) > 4 {
		t.Extra = rows[4]
	}
	t.Keep = i.PS[0]
	if len(imms) > 0 {
		o.Minus = int(imms[0])
	}
	i.Tensor, i.Full = t, true
	return nil
}

// UTCHMMA and its kin: products.
func Utcmma(w *machine.Warp, i *machine.Inst, _ uint32) {
	t := i.Tensor
	o := t.Product
	if o.Inside {
		o.APlace = tmem.Address(w.R[t.A][0])
	} else {
		o.A = tmem.Descriptor(w.Uniform64(t.A))
	}
	o.B, o.D = tmem.Descriptor(w.Uniform64(t.B)), tmem.Address(w.R[t.D][0])
	o.Meta, o.I = tmem.Address(w.R[t.Pair][0]), w.R[code.Behind(t.Pair, 1)][0]
	o.Keep = w.Pred(t.Keep)&1 != 0
	if o.Kind == tmem.F16 && o.I>>7&7 == 2 { // one operation does both
		o.Kind = tmem.TF32
	}
	switch {
	case o.Kind >= tmem.MXF8F6F4:
		o.ScaleA, o.ScaleB = tmem.Address(w.R[t.Extra][0]), tmem.Address(w.R[code.Behind(t.Extra, 1)][0])
	case t.Extra == code.RowZero:
	case o.WS:
		o.Zero = w.Uniform64(t.Extra)
	default:
		n := uint16(4)
		if t.Two {
			n = 8
		}
		for k := range n {
			o.Off[k] = w.R[t.Extra+k][0]
		}
	}
	w.OrderTensor(func() { w.TensorError(o.Run(w.TensorBlocks(t.Two))) })
}

// PrepTensorBar reads UTCBAR.
func PrepTensorBar(i *machine.Inst, parts []string) error {
	rows, _ := code.Uniforms(&i.Inst)
	if len(rows) < 3 || slices.Contains(parts, "A0TX") {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.Tensor = &code.TensorForm{Place: rows[0], Extra: rows[2], Multicast: slices.Contains(parts, "MULTICAST")}
	i.Full = true
	return nil
}

// UTCBAR: barriers are told when the orders before it are over.
func Utcbar(w *machine.Warp, i *machine.Inst, _ uint32) {
	t := i.Tensor
	at := uint64(w.R[t.Place][0])
	if !t.Multicast {
		w.TensorCommit(at)
		return
	}
	const off = 1<<machine.RankShift - 1
	mask := w.R[t.Extra][0]
	for rank := range uint64(16) {
		if mask>>rank&1 != 0 {
			w.TensorCommit(at&off | rank<<machine.RankShift)
		}
	}
}

// PrepTensorAtom reads UTCATOMSWS.
func PrepTensorAtom(i *machine.Inst, parts []string) error {
	rows, _ := code.Uniforms(&i.Inst)
	if len(rows) != 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.Sub = uint8(code.Pick(parts, 3, "FIND_AND_SET", "AND", "OR"))
	if i.Sub > 2 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.Tensor = &code.TensorForm{Place: rows[0], Two: slices.Contains(parts, "2CTA"), Aligned: slices.Contains(parts, "ALIGN")}
	i.Full = true
	return nil
}

// UTCATOMSWS: finds and takes units of columns, or changes which are taken.
func Utcatomsws(w *machine.Warp, i *machine.Inst, _ uint32) {
	t := i.Tensor
	v := w.R[t.Place][0]
	for n, m := range w.TensorMemories(t.Two) {
		old := m.Held()
		switch i.Sub {
		case 0:
			first, ok := m.Find(int(v), t.Aligned)
			w.Fill(i.D[0], uint32(first))
			p := uint32(0)
			if ok {
				p = ^uint32(0)
			}
			w.Setp(i.PD[0], ^uint32(0), p)
			continue
		case 1:
			m.Hold(old & v)
		case 2:
			m.Hold(old | v)
		}
		if n == 0 {
			w.Fill(i.D[0], old)
		}
	}
}
