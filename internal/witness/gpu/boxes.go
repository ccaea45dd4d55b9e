package gpu

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"unsafe"

	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// encoder is the part of the driver that makes tensor maps.
type encoder struct {
	tiled  func(out unsafe.Pointer, typ, rank uint32, addr uintptr, dim, stride, box, step unsafe.Pointer, interleave, swizzle, l2, fill uint32) int32
	im2col func(out unsafe.Pointer, typ, rank uint32, addr uintptr, dim, stride, lower, upper unsafe.Pointer, channels, pixels uint32, step unsafe.Pointer, interleave, swizzle, l2, fill uint32) int32
}

// boxBytes is the shared memory of the kernels that copy boxes.
const boxBytes = 16 << 10

// boxSource is how many bytes of the tensor's memory hold their own number:
// words of 16 bits count from zero.
const boxSource = 128 << 10

// driverType is the driver's number of a type of elements, which counts
// floats in another order than PTX does.
var driverType = [...]uint32{
	tensor.U8: 0, tensor.U16: 1, tensor.U32: 2, tensor.S32: 3, tensor.U64: 4, tensor.S64: 5, tensor.F16: 6, tensor.F32: 7,
	tensor.F64: 8, tensor.BF16: 9, tensor.F32Ftz: 10, tensor.TF32: 11, tensor.TF32Ftz: 12,
}

// Boxes makes each map with the driver, copies its box with the kernels of
// the cubin (BoxKernels), writes down what came of it, and tells of each. A
// copy that faults is the last one: the context is broken then.
func Boxes(cubin []byte, list []*tensor.Measured, tell func(*tensor.Measured) error) error {
	d, err := Open()
	if err != nil {
		return err
	}
	lib, err := openLibrary()
	if err != nil {
		return err
	}
	var e encoder
	bind(lib, []symbol{{&e.tiled, "cuTensorMapEncodeTiled"}, {&e.im2col, "cuTensorMapEncodeIm2col"}})
	m, err := d.Load(cubin)
	if err != nil {
		return err
	}
	mem, err := d.Alloc(1 << 20)
	if err != nil {
		return err
	}
	out, err := d.Alloc(boxBytes + 16)
	if err != nil {
		return err
	}
	for _, x := range list {
		if err := e.box(m, mem, out, x); err != nil {
			return fmt.Errorf("%+v: %w", *x, err)
		}
		if err := tell(x); err != nil {
			return err
		}
	}
	return nil
}

// encode makes the map of a case; the driver's answer is written down.
func (e *encoder) encode(x *tensor.Measured, addr uintptr) []byte {
	raw := make([]byte, tensor.Size+64)
	at := 64 - int(uintptr(unsafe.Pointer(&raw[0]))&63)
	b := raw[at:][:tensor.Size]
	p := unsafe.Pointer(&b[0])
	dim, stride, step := unsafe.Pointer(&x.Dim[0]), unsafe.Pointer(&x.Stride[0]), unsafe.Pointer(&x.Step[0])
	typ, rank := driverType[x.Type], uint32(len(x.Dim))
	il, sw, l2, fill := uint32(x.Interleave), uint32(x.Swizzle), uint32(x.L2), uint32(x.Fill)
	if x.Im2col {
		x.Code = e.im2col(p, typ, rank, addr, dim, stride, unsafe.Pointer(&x.Lower[0]), unsafe.Pointer(&x.Upper[0]), x.Channels, x.Pixels, step, il, sw, l2, fill)
	} else {
		x.Code = e.tiled(p, typ, rank, addr, dim, stride, unsafe.Pointer(&x.Box[0]), step, il, sw, l2, fill)
	}
	m := append([]byte(nil), b...)
	binary.LittleEndian.PutUint64(m, binary.LittleEndian.Uint64(m)-uint64(addr))
	x.Map = hex.EncodeToString(m)
	return b
}

// box runs one case.
func (e *encoder) box(m *Module, mem, out *Memory, x *tensor.Measured) error {
	first := make([]byte, mem.Size)
	for k := range first {
		first[k] = 0xff
	}
	if !x.Store {
		for k := 0; k < boxSource; k += 2 {
			binary.LittleEndian.PutUint16(first[k:], uint16(k/2))
		}
	}
	if err := mem.Write(0, first); err != nil {
		return err
	}
	b := e.encode(x, mem.Addr)
	if x.Code != 0 {
		x.Map = ""
		return nil
	}
	f, err := m.Function(x.Kernel())
	if err != nil {
		return err
	}
	var at [5]int32
	copy(at[:], x.At)
	off := uint64(0)
	for k, o := range x.Off {
		off |= uint64(uint16(o)) << (16 * k)
	}
	addr, bytes := uint64(out.Addr), x.Told
	args := []unsafe.Pointer{unsafe.Pointer(&b[0]), unsafe.Pointer(&addr), unsafe.Pointer(&bytes), unsafe.Pointer(&off)}
	for k := range at {
		args = append(args, unsafe.Pointer(&at[k]))
	}
	if err := f.Launch([3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, args); err != nil {
		return err
	}
	left := make([]byte, boxBytes+16)
	if err := out.Read(0, left); err != nil {
		return err
	}
	x.Done, x.Bar = left[boxBytes] != 0, binary.LittleEndian.Uint64(left[boxBytes+8:])
	left = left[:boxBytes]
	if x.Store {
		left = make([]byte, 2*boxBytes)
		if err := mem.Read(0, left); err != nil {
			return err
		}
	}
	untouched := byte(0xee)
	if x.Store {
		untouched = 0xff
	}
	end := len(left)
	for end > 0 && left[end-1] == untouched {
		end--
	}
	x.Left = left[:end]
	return nil
}

// BoxKernels is the PTX of the kernels that copy boxes of each number of
// dimensions: into shared memory, all of which is then shown, or out of it.
func BoxKernels() string {
	text := ".version 8.6\n.target sm_90a\n.address_size 64\n"
	for _, x := range tensor.MeasuredKinds() {
		text += boxKernel(x)
	}
	return text
}

func boxKernel(x *tensor.Measured) string {
	coords, offs := "%c0", ""
	for k := 1; k < len(x.Dim); k++ {
		coords += fmt.Sprintf(",%%c%d", k)
	}
	mode := "tile"
	if x.Im2col {
		mode, offs = "im2col", ",{%o0"
		for k := 1; k < len(x.Dim)-2; k++ {
			offs += fmt.Sprintf(",%%o%d", k)
		}
		offs += "}"
	}
	move := fmt.Sprintf("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%%bar],%%n;\ncp.async.bulk.tensor.%dd.shared::cluster.global.%s.mbarrier::complete_tx::bytes [%%buf],[%%map,{%s}],[%%bar]%s;",
		len(x.Dim), mode, coords, offs)
	wait := "L: mbarrier.test_wait.parity.shared::cta.b64 %p1,[%bar],0;\nadd.u32 %i,%i,1;\nsetp.lt.u32 %p2,%i,200000;\nnot.pred %p3,%p1;\nand.pred %p2,%p2,%p3;\n@%p2 bra L;"
	if x.Store {
		if x.Im2col {
			mode = "im2col_no_offs"
		}
		move = fmt.Sprintf("cp.async.bulk.tensor.%dd.global.shared::cta.%s.bulk_group [%%map,{%s}],[%%buf];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;", len(x.Dim), mode, coords)
		wait = "setp.eq.u32 %p1,%t,%t;"
	}
	fill := "mov.u32 %v,0xeeeeeeee;"
	if x.Store { // halves count from zero
		fill = "shl.b32 %v,%i,1;\nadd.u32 %w,%v,1;\nshl.b32 %w,%w,16;\nor.b32 %v,%v,%w;"
	}
	return fmt.Sprintf(`.visible .entry %s(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 bytes, .param .u64 off,
 .param .u32 a0, .param .u32 a1, .param .u32 a2, .param .u32 a3, .param .u32 a4)
{
.reg .b32 %%t,%%i,%%v,%%w,%%n,%%c<5>,%%buf,%%bar,%%a;
.reg .b64 %%map,%%out,%%x,%%off;
.reg .b16 %%o<4>;
.reg .pred %%p<4>;
.shared .align 1024 .b8 data[%d];
.shared .align 8 .b64 told;
mov.u32 %%t,%%tid.x;
mov.u64 %%map,map;
cvta.param.u64 %%map,%%map;
ld.param.u64 %%out,[out];
cvta.to.global.u64 %%out,%%out;
ld.param.u32 %%n,[bytes];
ld.param.u64 %%off,[off];
mov.b64 {%%o0,%%o1,%%o2,%%o3},%%off;
ld.param.u32 %%c0,[a0];
ld.param.u32 %%c1,[a1];
ld.param.u32 %%c2,[a2];
ld.param.u32 %%c3,[a3];
ld.param.u32 %%c4,[a4];
mov.u32 %%buf,data;
mov.u32 %%bar,told;
mov.u32 %%i,%%t;
F: %s
shl.b32 %%a,%%i,2;
add.u32 %%a,%%a,%%buf;
st.shared.u32 [%%a],%%v;
add.u32 %%i,%%i,32;
setp.lt.u32 %%p0,%%i,%d;
@%%p0 bra F;
setp.ne.u32 %%p0,%%t,0;
@%%p0 bra M;
mbarrier.init.shared::cta.b64 [%%bar],1;
M: fence.proxy.async;
bar.sync 0;
mov.u32 %%i,0;
@%%p0 bra W;
%s
W: bar.sync 0;
%s
bar.sync 0;
mov.u32 %%i,%%t;
C: shl.b32 %%a,%%i,2;
cvt.u64.u32 %%x,%%a;
add.u64 %%x,%%x,%%out;
add.u32 %%a,%%a,%%buf;
ld.shared.u32 %%v,[%%a];
st.global.u32 [%%x],%%v;
add.u32 %%i,%%i,32;
setp.lt.u32 %%p2,%%i,%d;
@%%p2 bra C;
@%%p0 bra E;
selp.b32 %%v,1,0,%%p1;
st.global.u32 [%%out+%d],%%v;
ld.shared.u64 %%x,[%%bar];
st.global.u64 [%%out+%d],%%x;
E: ret;
}
`, x.Kernel(), boxBytes, fill, boxBytes/4, move, wait, boxBytes/4, boxBytes, boxBytes+8)
}
