package opgen

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Sizes of a kernel that runs a form on tensor memory: bytes of shared memory
// that are filled, words of tensor memory that are filled and read back, and
// registers of a load.
const (
	tensorShared  = 32 << 10
	tensorWords   = 128 * 512
	tensorRegs    = 128
	tensorIn      = tensorWords*4 + tensorShared
	tensorOut     = tensorWords*4 + 128*tensorRegs*4
	tensorScaleAt = 384
)

// TensorRun makes a kernel that runs a form with shared and tensor memory
// filled and stores all of tensor memory, and the registers of a load. Number
// n chooses types, sizes and layouts among those that the form allows. It is
// empty for forms that every such kernel has.
func TensorRun(f TensorForm, n int) (text string, l launch.Launch) {
	return tensorRun(f, n, false)
}

// TensorRunDeep does so for a product of depth 96, which sm_103 has: lines of 48
// bytes, most of which do not fit behind their start and go on elsewhere. It is
// empty for forms that have none.
func TensorRunDeep(f TensorForm, n int) (text string, l launch.Launch) {
	if !strings.HasPrefix(f.Text, "tcgen05.mma.cta_group") || !strings.Contains(f.Text, "kind::mxf4") {
		return "", l
	}
	return tensorRun(f, n, true)
}

func tensorRun(f TensorForm, n int, deep bool) (text string, l launch.Launch) {
	if strings.Contains(f.Text, "alloc") || strings.Contains(f.Text, ".rd1]") {
		return "", l
	}
	name := fmt.Sprintf("k%d", n)
	k := &tensorKernel{form: f, n: n, deep: deep, group: "cta_group::1", words: strings.FieldsFunc(strings.Fields(f.Text)[0], func(r rune) bool { return r == '.' })}
	l = launch.Launch{
		Kernel: name, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1},
		Args: []launch.Arg{{Buf: tensorIn, Fill: "f16", Seed: uint64(n) + 1}, {Buf: tensorOut, Fill: "zero"}},
	}
	cluster := ""
	if strings.Contains(f.Text, "cta_group::2") {
		k.group, k.pair = "cta_group::2", true
		cluster = "\n.explicitcluster\n.reqnctapercluster 2, 1, 1"
		l.Grid[0], l.Cluster = 2, [3]uint32{2, 1, 1}
		l.Args[1].Buf *= 2
	}
	fmt.Fprintf(&k.b, ".visible .entry %s(.param .u64 pin, .param .u64 pout)\n.reqntid 128%s\n{\n", name, cluster)
	k.open()
	k.run()
	k.close()
	return k.b.String(), l
}

// TensorModule is the head of a module of such kernels, which share their
// variables: descriptors have no room for more.
func TensorModule(arch string) string {
	return fmt.Sprintf(`.version 9.0
.target %s
.address_size 64
.shared .align 1024 .b8 sm[%d];
.shared .align 8 .b64 bar;
.shared .align 8 .b64 spare;
.shared .align 4 .b32 slot;
`, arch, tensorShared)
}

type tensorKernel struct {
	b     strings.Builder
	form  TensorForm
	n     int
	group string
	pair  bool
	deep  bool // a product of depth 96
	words []string
}

func (k *tensorKernel) has(s string) bool { return strings.Contains(k.form.Text, s) }

func (k *tensorKernel) line(format string, args ...any) { fmt.Fprintf(&k.b, format+"\n", args...) }

// meet lets all threads of the block, or of the pair, meet.
func (k *tensorKernel) meet() {
	if k.pair {
		k.line("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;")
		return
	}
	k.line("bar.sync 0;")
}

// open fills memory.
func (k *tensorKernel) open() {
	k.line(".reg .b32 %%r<140>; .reg .b32 %%q<300>; .reg .b64 %%rd<5>; .reg .b64 %%w<20>; .reg .pred %%p<2>; .reg .pred %%u<8>; .reg .b16 %%h<2>;")
	k.line("mov.u32 %%q1, %%tid.x; setp.lt.u32 %%u1, %%q1, 32; setp.eq.u32 %%u2, %%q1, 0; mov.u32 %%q9, %%ctaid.x; setp.eq.u32 %%u4, %%q9, 0;")
	k.line("ld.param.u64 %%w1, [pin]; ld.param.u64 %%w2, [pout]; mul.wide.u32 %%w3, %%q9, %d; add.u64 %%w2, %%w2, %%w3;", tensorOut)
	k.line("mov.u32 %%q2, sm; mad.lo.u32 %%q3, %%q1, 16, %%q2; mul.wide.u32 %%w4, %%q1, 16; add.u64 %%w4, %%w4, %%w1;")
	for at := 0; at < tensorShared; at += 2048 {
		k.line("ld.global.v4.b32 {%%q10,%%q11,%%q12,%%q13}, [%%w4+%d]; st.shared.v4.b32 [%%q3+%d], {%%q10,%%q11,%%q12,%%q13};", tensorWords*4+at, at)
	}
	k.line("mov.u32 %%q4, bar; mov.u32 %%q5, slot; mov.u32 %%q6, spare;")
	k.line("@%%u2 mbarrier.init.shared.b64 [%%q4], 1; @%%u2 mbarrier.init.shared.b64 [%%q6], 1;")
	k.line("@%%u1 tcgen05.alloc.%s.sync.aligned.shared::cta.b32 [%%q5], 512;", k.group)
	k.line("@%%u1 tcgen05.relinquish_alloc_permit.%s.sync.aligned;", k.group)
	k.line("fence.proxy.async.shared::cta; tcgen05.fence::before_thread_sync;")
	k.meet()
	k.line("tcgen05.fence::after_thread_sync; ld.shared.b32 %%q7, [%%q5]; shr.u32 %%q8, %%q1, 5; shl.b32 %%q8, %%q8, 21; add.u32 %%q8, %%q8, %%q7;")
	k.line("mul.wide.u32 %%w5, %%q1, 2048; add.u64 %%w6, %%w5, %%w1; add.u64 %%w7, %%w5, %%w2;")
	for at := 0; at < 512; at += 128 {
		for c := 0; c < 128; c += 4 {
			k.line("ld.global.v4.b32 %s, [%%w6+%d];", k.regs(c, 4), (at+c)*4)
			for x := range 4 {
				if at+c >= tensorScaleAt && k.has("block_scale") {
					k.line("and.b32 %%q%d, %%q%d, 0x03030303; or.b32 %%q%d, %%q%d, 0x78787878;", 100+c+x, 100+c+x, 100+c+x, 100+c+x)
				}
			}
		}
		k.line("tcgen05.st.sync.aligned.32x32b.x128.b32 [%%q8+%d], %s;", at, k.regs(0, 128))
	}
	k.line("tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync;")
	k.meet()
	k.line("tcgen05.fence::after_thread_sync;")
}

func (k *tensorKernel) regs(first, n int) string {
	return strings.ReplaceAll(numbered(100+first, n), "%r", "%q")
}

// run does the form: a move by all warps, something else by one thread.
func (k *tensorKernel) run() {
	switch {
	case k.words[1] == "ld" || k.words[1] == "st":
		k.line("mov.b32 %%r1, %%q8; mul.wide.u32 %%w8, %%q1, %d; add.u64 %%w9, %%w8, %%w1;", tensorRegs*4)
		for x := range tensorRegs {
			k.line("ld.global.b32 %%r%d, [%%w9+%d];", 10+x, 4*x)
		}
		k.line("%s", k.form.Text)
		k.line("tcgen05.wait::ld.sync.aligned; tcgen05.wait::st.sync.aligned;")
		k.line("add.u64 %%w9, %%w8, %%w2;")
		for x := range tensorRegs {
			k.line("st.global.b32 [%%w9+%d], %%r%d;", tensorWords*4+4*x, 10+x)
		}
		k.meet()
		return
	case k.words[1] == "mma":
		k.line("add.u32 %%r1, %%q7, 0; add.u32 %%r2, %%q7, 256; mov.b32 %%r3, %#x; mov.b32 %%r4, 0x00ff0102; add.u32 %%r5, %%q7, 320;", k.descriptor())
		k.line("add.u32 %%r6, %%q7, %d; add.u32 %%r7, %%q7, %d; mov.b32 %%r8, 0x100;", tensorScaleAt, tensorScaleAt+16)
	default:
		k.line("mov.b32 %%r1, %%q7; mov.b32 %%r3, %%q6; mov.b16 %%h1, 1;")
		if k.pair {
			k.line("mov.b16 %%h1, 3;")
		}
	}
	k.matrices()
	k.line("setp.ne.u32 %%p1, %%q7, %d;", []int{^0 & 0xffff, 0}[k.n%2])
	k.line("@!%%u2 bra DONE; @!%%u4 bra DONE; %s", k.form.Text)
	if k.pair {
		k.line("mov.b16 %%h1, 3; tcgen05.commit.%s.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%%q4], %%h1;", k.group)
	} else {
		k.line("tcgen05.commit.%s.mbarrier::arrive::one.shared::cluster.b64 [%%q4];", k.group)
	}
	k.line("DONE: bar.warp.sync 0xffffffff;")
	k.line("LOOP: mbarrier.try_wait.parity.shared.b64 %%u3, [%%q4], 0; @!%%u3 bra LOOP; tcgen05.fence::after_thread_sync;")
	if k.words[1] == "commit" && (!k.pair || k.has("multicast")) {
		k.line("MORE: mbarrier.try_wait.parity.shared.b64 %%u3, [%%q6], 0; @!%%u3 bra MORE; tcgen05.fence::after_thread_sync;")
	}
}

// matrices sets the descriptors of A and B, and of columns that are zero.
func (k *tensorKernel) matrices() {
	mode := []uint64{0, 2, 4, 6}[k.n/2%4]
	if k.has("kind::tf32") && k.across() {
		mode = 1
	}
	span := map[uint64]uint64{0: 16, 1: 128, 2: 128, 4: 64, 6: 32}[mode]
	desc := mode<<61 | 1<<46 | span*8>>4<<32 | 8<<16
	if k.deep {
		k.apart()
		return
	}
	if mode == 0 {
		desc = 1<<46 | 16<<32 | 8<<16
	}
	k.line("and.b32 %%q20, %%q2, 0x3ffff; shr.u32 %%q20, %%q20, 4; cvt.u64.u32 %%w10, %%q20; or.b64 %%rd1, %%w10, %#x; add.u64 %%rd2, %%rd1, %d;", desc, tensorShared/2>>4)
	k.line("mov.b64 %%rd3, %#x;", uint64(2)<<56|uint64(3)<<48|uint64(2)<<40|1<<39|5<<32|0x01020100)
}

// apart sets the descriptors of a product of depth 96: A begins 0, 48, 80 or 96
// bytes behind the start of a line and goes on four kilobytes below, B begins at
// another place and its swizzle may do so, too.
func (k *tensorKernel) apart() {
	const kilobytes4 = 4096 >> 4
	starts := []int{0, 3, 5, 6}
	k.line("and.b32 %%q20, %%q2, 0x3ffff; shr.u32 %%q20, %%q20, 4; cvt.u64.u32 %%w10, %%q20;")
	for r := 1; r <= 2; r++ {
		at := (r - 1) * 4 * kilobytes4
		desc := uint64(2)<<61 | 1<<46 | 1<<52 | 1024>>4<<32
		if r == 2 {
			desc |= uint64(k.n%8) << 49
		}
		k.line("add.u64 %%w11, %%w10, %d; shl.b64 %%w11, %%w11, 16; add.u64 %%rd%d, %%w10, %d; or.b64 %%rd%d, %%rd%d, %%w11; or.b64 %%rd%d, %%rd%d, %#x;",
			at+kilobytes4, r, at+starts[(k.n+r)%4], r, r, r, r, desc)
	}
}

// across says whether B lies across.
func (k *tensorKernel) across() bool { return k.n%3 == 1 && !k.has("mxf4") }

// descriptor is the instruction descriptor of a product.
func (k *tensorKernel) descriptor() uint32 {
	n := uint32(k.n)
	m := []uint32{128, 64}[n%2]
	sparse := strings.HasPrefix(k.form.Text, "tcgen05.mma.sp") || k.has(".ws.sp")
	switch {
	case k.has(".ws") && !sparse:
		m = []uint32{128, 64, 32}[n%3]
	case k.pair && !sparse:
		m *= 2
	case k.pair:
		m = 256
	}
	if (sparse || k.has("block_scale") || k.has("ashift")) && !k.pair {
		m = 128
	}
	d := m>>4<<24 | 64>>3<<17
	if sparse {
		d |= 1 << 2
	}
	if k.across() {
		d |= 1 << 16
	}
	narrow := []uint32{0, 1, 3, 4, 5}
	if k.across() {
		narrow = narrow[:2]
	}
	types := func(list []uint32) uint32 { return list[n%uint32(len(list))]<<7 | list[n/3%uint32(len(list))]<<10 }
	switch {
	case k.has("block_scale"):
		return k.scaled(d, types, narrow)
	case k.has("kind::i8"):
		return d | 2<<4 | types([]uint32{0, 1}) | n&1<<3
	case k.has("kind::tf32"):
		return d | 1<<4 | 2<<7 | 2<<10 | n&3<<13
	case k.has("kind::f8f6f4"):
		return d | 1<<4 | types(narrow) | n&3<<13
	}
	half := n & 1
	if n%5 == 0 && half == 0 {
		return d | n&3<<13 // sums of f16
	}
	return d | 1<<4 | half<<7 | half<<10 | n&3<<13
}

// scaled is the descriptor of a product with scales.
func (k *tensorKernel) scaled(d uint32, types func([]uint32) uint32, narrow []uint32) uint32 {
	n := uint32(k.n)
	if k.has("mxf8f6f4") {
		return d | types(narrow) | 1<<23 | n&3<<4 | n>>1&3<<29
	}
	d |= 1<<7 | 1<<10
	if k.deep {
		d |= 1 << 31
		if k.has("4X") || k.has("block16") {
			return d | n&1*2<<4 | n>>1&1*2<<29
		}
		return d | 1<<23 | n&3<<4 | n>>2&3<<29
	}
	if k.has("4X") || k.has("block16") {
		if k.has("4X") && n&1 != 0 {
			return d | 1<<23
		}
		return d
	}
	return d | 1<<23 | n&1*2<<4 | n>>1&1*2<<29
}

// close stores all of tensor memory and gives it back.
func (k *tensorKernel) close() {
	for at := 0; at < 512; at += 128 {
		k.line("tcgen05.ld.sync.aligned.32x32b.x128.b32 %s, [%%q8+%d]; tcgen05.wait::ld.sync.aligned;", k.regs(0, 128), at)
		for c := 0; c < 128; c += 4 {
			k.line("st.global.v4.b32 [%%w7+%d], %s;", (at+c)*4, k.regs(c, 4))
		}
	}
	k.line("tcgen05.fence::before_thread_sync;")
	k.meet()
	k.line("tcgen05.fence::after_thread_sync; @%%u1 tcgen05.dealloc.%s.sync.aligned.b32 %%q7, 512; ret;\n}", k.group)
}
