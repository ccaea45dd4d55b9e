package table

// Templates are the instructions of plain arithmetic: a word of the kinds of
// its registers follows each. Small letters are registers of a kind as file
// has them, destination first; in place of a source, i is a register r or a
// constant, s a shift amount, o the offset of fns, v a constant below 32, j a register d or a constant, g an f or a float
// constant, k an e or one, n a constant of 16 bits or an h, z a divisor made
// odd first (32 bits), y one of 64 bits.
//
// Left out is what the witnesses need not agree on. Fields of 64 bits have
// constant places: the reference's code for others does not take the low
// byte of the register, as the documents have it. Constant places are below
// 32, since others it takes by the remainder. So is the base of fns, which is
// undefined from 32 on; its offset is never the least number, with which the
// reference finds bit 0.
var Templates = [...]string{
	"add.u32 rri", "add.s32 rri", "sub.u32 rri", "sub.s32 rir", "mul.lo.u32 rri", "mul.lo.s32 rri", "mul.hi.u32 rri", "mul.hi.s32 rri",
	"mad.lo.u32 rrii", "mad.lo.s32 rrri", "mad.hi.u32 rrri", "mad.hi.s32 rrir", "mul.wide.u32 dri", "mul.wide.s32 dri", "mad.wide.u32 drid", "mad.wide.s32 drrd",
	"add.sat.s32 rri", "sub.sat.s32 rri", "mul24.lo.u32 rri", "mul24.hi.s32 rrr", "mad24.lo.s32 rrrr", "sad.u32 rrri", "sad.s32 rrrr",
	"min.u32 rri", "min.s32 rri", "max.u32 rri", "max.s32 rri", "abs.s32 rr", "neg.s32 rr",
	"and.b32 rri", "or.b32 rri", "xor.b32 rri", "not.b32 rr", "cnot.b32 rr", "shl.b32 rrs", "shr.u32 rrs", "shr.s32 rrs", "shl.b32 rri", "shr.u32 rrr", "shr.s32 rrr",
	"popc.b32 rr", "clz.b32 rr", "brev.b32 rr", "bfind.u32 rr", "bfind.s32 rr", "bfind.shiftamt.u32 rr", "popc.b64 rd", "clz.b64 rd",
	"bfe.u32 rrvv", "bfe.s32 rrvv", "bfe.u32 rrrr", "bfi.b32 rrrvv", "bfi.b32 rrirr", "prmt.b32 rrri", "prmt.b32 rrir",
	"shf.l.wrap.b32 rrrs", "shf.r.wrap.b32 rrrs", "shf.l.clamp.b32 rrrr", "shf.r.clamp.b32 rrri", "fns.b32 rrvo",
	"dp4a.u32.u32 rrrr", "dp4a.s32.s32 rrri", "dp4a.s32.u32 rrrr", "dp2a.lo.s32.u32 rrrr", "dp2a.hi.u32.u32 rrrr",
	"bmsk.clamp.b32 rrs", "bmsk.wrap.b32 rrr", "szext.clamp.s32 rrs", "szext.wrap.u32 rrs",
	"div.u32 rrz", "div.s32 rrz", "rem.u32 rrz", "rem.s32 rrz",
	"div.u64 ddy", "div.s64 ddy", "rem.u64 ddy", "rem.s64 ddy",
	"add.u64 ddj", "add.s64 ddj", "sub.s64 ddj", "mul.lo.u64 ddj", "mul.lo.s64 ddj", "mul.hi.u64 ddd", "mul.hi.s64 ddj", "mad.lo.s64 dddj",
	"min.u64 ddj", "min.s64 ddj", "max.u64 ddj", "max.s64 ddj", "abs.s64 dd", "neg.s64 dd", "sad.u64 dddd",
	"and.b64 ddj", "or.b64 ddj", "xor.b64 ddj", "not.b64 dd", "shl.b64 dds", "shr.u64 dds", "shr.s64 dds", "shl.b64 ddr", "shr.u64 ddr", "shr.s64 ddr",
	"brev.b64 dd", "bfe.u64 ddvv", "bfe.s64 ddvv", "bfi.b64 dddvv", "bfind.u64 rd", "bfind.s64 rd", "cnot.b64 dd",
	"add.u16 hhn", "sub.s16 hhn", "mul.lo.u16 hhn", "mul.hi.s16 hhh", "mul.hi.u16 hhn", "mad.lo.s16 hhhn", "mul.wide.u16 rhn", "mul.wide.s16 rhh",
	"min.s16 hhn", "max.u16 hhn", "abs.s16 hh", "neg.s16 hh", "and.b16 hhn", "or.b16 hhn", "xor.b16 hhh", "not.b16 hh", "shl.b16 hhs", "shr.u16 hhs", "shr.s16 hhs",
	"cvt.u32.u16 rh", "cvt.s32.s16 rh", "cvt.u16.u32 hr", "cvt.s16.s32 hr", "cvt.u64.u32 dr", "cvt.s64.s32 dr", "cvt.u32.u64 rd", "cvt.s32.s64 rd", "cvt.u64.u16 dh", "cvt.s64.s16 dh",
	"cvt.u32.u8 rr", "cvt.s32.s8 rr", "cvt.sat.s8.s32 rr", "cvt.sat.u8.s32 rr", "cvt.sat.u16.s32 rr", "cvt.sat.s32.s64 rd", "cvt.sat.u32.s32 rr", "cvt.sat.u32.u64 rd",
	"add.s16x2 xxx", "min.s16x2 xxx", "max.u16x2 xxx", "max.s16x2 xxx",
	"add.rn.f32 ffg", "sub.rn.f32 ffg", "mul.rn.f32 ffg", "fma.rn.f32 fffg", "add.rz.f32 ffg", "add.rm.f32 fff", "mul.rp.f32 ffg", "fma.rz.f32 ffff", "fma.rm.f32 ffgf",
	"add.rn.ftz.f32 ffg", "mul.rn.ftz.f32 ffg", "fma.rn.ftz.f32 ffff", "add.rn.sat.f32 ffg", "fma.rn.sat.f32 ffff", "min.f32 ffg", "max.f32 ffg", "min.NaN.f32 fff", "max.ftz.f32 fff",
	"abs.f32 ff", "neg.f32 ff", "abs.ftz.f32 ff", "copysign.f32 fff", "div.rn.f32 ffg", "rcp.rn.f32 ff", "sqrt.rn.f32 ff", "div.rz.f32 fff", "rcp.rp.f32 ff", "sqrt.rm.f32 ff",
	"div.rn.ftz.f32 ffg", "sqrt.rn.ftz.f32 ff",
	"add.rn.f64 eek", "sub.rn.f64 eek", "mul.rn.f64 eek", "fma.rn.f64 eeek", "add.rp.f64 eee", "fma.rz.f64 eeee", "min.f64 eek", "max.f64 eee", "abs.f64 ee", "neg.f64 ee",
	"div.rn.f64 eee", "rcp.rn.f64 ee", "sqrt.rn.f64 ee", "copysign.f64 eee",
	"cvt.rn.f32.f64 fe", "cvt.f64.f32 ef", "cvt.rz.f32.f64 fe", "cvt.rn.f32.s32 fr", "cvt.rn.f32.u32 fr", "cvt.rp.f32.u32 fr", "cvt.rn.f32.u64 fd", "cvt.rm.f32.s64 fd", "cvt.rn.f64.s32 er", "cvt.rn.f64.u64 ed",
	"cvt.rni.s32.f32 rf", "cvt.rzi.u32.f32 rf", "cvt.rmi.s64.f32 df", "cvt.rpi.u64.f32 df", "cvt.rzi.s32.f64 re", "cvt.rni.u32.f64 re", "cvt.rzi.s64.f64 de", "cvt.rzi.s16.f32 hf",
	"cvt.rni.f32.f32 ff", "cvt.rmi.f32.f32 ff", "cvt.rpi.f64.f64 ee", "cvt.sat.f32.f32 ff", "cvt.rn.f32.s16 fh",
	"add.rn.f16x2 xxx", "sub.rn.f16x2 xxx", "mul.rn.f16x2 xxx", "fma.rn.f16x2 xxxx", "min.f16x2 xxx", "max.f16x2 xxx", "neg.f16x2 xx", "abs.f16x2 xx",
	"add.rn.f16 hhh", "mul.rn.f16 hhh", "fma.rn.f16 hhhh", "fma.rn.relu.f16 hhhh", "cvt.f32.f16 fh", "cvt.rn.f16.f32 hf", "cvt.rn.f16x2.f32 xff", "cvt.rn.bf16.f32 hf", "cvt.rn.bf16x2.f32 xff",
	"fma.rn.bf16 hhhh", "fma.rn.bf16x2 xxxx",
	"mov.b32 rf", "mov.b32 fr", "mov.b64 de", "mov.b64 ed", "mov.b32 rx", "mov.b32 xr", "mov.u32 ri", "mov.u64 dj",
	"selp.b32 rrip", "selp.b64 dddp", "selp.f32 ffgp", "selp.b16 hhnp", "slct.u32.s32 rrrr", "slct.b32.f32 rrif",
	"setp.lt.s32 pri", "setp.ge.u32 pri", "setp.eq.u32 pri", "setp.ne.s32 pri", "setp.lt.u32 prr", "setp.gt.s64 pdj", "setp.le.u64 pdd", "setp.eq.u64 pdd", "setp.lt.s16 phn", "setp.hi.u16 phh",
	"setp.lt.and.s32 prip", "setp.ne.xor.u32 prip", "setp.gt.or.u64 pddp", "setp.lt.f32 pfg", "setp.geu.f32 pff", "setp.nan.f32 pff", "setp.eq.ftz.f32 pfg", "setp.gt.f64 pek", "setp.leu.and.f64 peep",
	"setp.lt.f16 phh", "setp.num.or.f32 pffp",
	"and.pred ppp", "or.pred ppp", "xor.pred ppp", "not.pred pp",
	"set.lt.u32.s32 rri", "set.ge.f32.f32 fff", "set.gt.u32.f32 rff", "set.eq.s32.u64 rdd",
	"testp.finite.f32 pf", "testp.subnormal.f32 pf", "testp.notanumber.f64 pe",
	"vadd.s32.s32.s32 rrr", "vabsdiff.u32.u32.u32 rrr", "vmax.s32.s32.s32 rrr",
}

// Uniforms are the instructions on what all threads of a block share.
var Uniforms = [...]string{
	"add.u32 uui", "sub.u32 uui", "mul.lo.u32 uui", "mad.lo.u32 uuui", "and.b32 uui", "or.b32 uui", "xor.b32 uuu", "shl.b32 uus", "shr.u32 uus", "not.b32 uu",
	"min.u32 uui", "max.s32 uui", "popc.b32 uu", "setp.lt.u32 qui", "setp.eq.u32 quu", "setp.ge.s32 qui", "selp.b32 uuuq", "and.pred qqq", "prmt.b32 uuui", "lop3.b32 uuuul",
}

// Customs are plain instructions of real programs, as templates has them. Sums
// without a rounding mode may be fused with products without one: there are
// none of these.
var Customs = [...]string{
	"add.f32 ffg", "sub.f32 ffg", "add.ftz.f32 ffg", "sub.ftz.f32 ffg", "add.sat.f32 fff", "sub.ftz.sat.f32 fff", "add.f64 eek", "sub.f64 eek",
	"add.f16 hhh", "sub.f16 hhh", "add.sat.f16 hhh", "add.f16x2 xxx", "sub.f16x2 xxx", "add.bf16 hhh", "sub.bf16 hhh", "add.rn.bf16 hhh", "sub.bf16x2 xxx", "sub.rn.bf16x2 xxx",
	"max.NaN.bf16 hhh", "min.NaN.bf16 hhh", "min.NaN.f16 hhh", "max.NaN.f16x2 xxx", "min.bf16x2 xxx",
	"mov.u16 hn", "mov.s16 hh", "mov.b16 hh", "mov.f32 fg", "mov.f64 ek", "mov.s32 ri", "mov.s64 dj", "mov.pred pp",
	"cvt.f32.bf16 fh", "cvt.ftz.sat.f32.f32 ff", "cvt.rni.ftz.s32.f32 rf", "cvt.rn.f32.s64 fd", "cvt.rzi.f32.f32 ff", "cvt.rzi.s32.f32 rf", "cvt.rzi.u32.f32 rf",
	"cvt.rmi.ftz.f32.f32 ff", "cvt.rpi.ftz.f32.f32 ff", "cvt.rn.f64.u32 er", "cvt.rn.f64.s64 ed", "cvt.rn.f16.s16 hh", "cvt.rn.f16.u16 hh", "cvt.rn.f16.s32 hr", "cvt.rzi.s16.f16 hh", "cvt.rzi.u16.f16 hh",
	"cvt.rzi.s16.bf16 hh", "cvt.rn.bf16.s32 hr", "cvt.rn.bf16.u16 hh", "cvt.f64.f16 eh", "cvt.rn.f16.f64 he", "cvt.s16.s8 hh", "cvt.u16.u8 hh", "cvt.s8.s32 rr", "cvt.sat.u8.u64 rd", "cvt.sat.s16.u32 hr",
	"cvt.sat.s64.u64 dd", "cvt.sat.u64.s16 dh", "cvt.sat.s8.u16 hh", "cvt.sat.u8.s16 hh", "cvt.rzi.sat.u8.f32 rf", "cvt.rni.sat.s8.f32 rf", "cvt.rmi.u8.f16 rh", "cvt.rzi.f64.f64 ee", "cvt.rzi.s32.f16 rh", "cvt.rpi.u16.bf16 hh", "cvt.rni.s64.f16 dh",
	"prmt.b32.f4e rrrr", "prmt.b32.b4e rrri", "prmt.b32.rc8 rrrr", "prmt.b32.ecl rrrr", "prmt.b32.ecr rrri", "prmt.b32.rc16 rrrr",
	"shl.b16 hhr", "shr.s16 hhr", "shf.l.clamp.b32 rrri", "shf.r.clamp.b32 rrrr",
	"mul.wide.s16 rhh", "mad.wide.u16 rhhr", "mad.wide.s16 rhnr", "mul.lo.s16 hhn", "sub.u16 hhn", "max.s16 hhn", "min.u16 hhn", "rem.s16 hhN", "div.u16 hhN", "div.s16 hhN", "rem.u16 hhN",
}

// Compares are the types of comparisons with the kinds of their registers and
// their relations.
var Compares = [...]struct {
	Typ  string
	Kind byte
	Rel  string
}{
	{"b16", 'h', bitRel},
	{"s16", 'h', wholeRel},
	{"u16", 'h', unsignedRel},
	{"b32", 'r', bitRel},
	{"s32", 'r', wholeRel},
	{"u32", 'r', unsignedRel},
	{"b64", 'd', bitRel},
	{"s64", 'd', wholeRel},
	{"u64", 'd', unsignedRel},
	{"f16", 'h', FloatRel},
	{"bf16", 'h', FloatRel},
	{"f32", 'f', FloatRel},
	{"f64", 'e', FloatRel},
	{"f16x2", 'x', FloatRel},
	{"bf16x2", 'x', FloatRel},
}

const (
	bitRel      = "eq ne"
	wholeRel    = "eq ne lt le gt ge"
	unsignedRel = wholeRel + " lo ls hi hs"
	FloatRel    = wholeRel + " equ neu ltu leu gtu geu num nan"
)

// Pairs are instructions that came with sm_100: sums and products of
// two floats at once, extremes of three, sums with a half.
var Pairs = [...]string{
	"add.rn.f32x2 ddd", "add.rz.f32x2 ddd", "add.rn.ftz.f32x2 ddd", "sub.rn.f32x2 ddd", "sub.rm.f32x2 ddd",
	"mul.rn.f32x2 ddd", "mul.rp.f32x2 ddd", "fma.rn.f32x2 dddd", "fma.rn.ftz.f32x2 dddd", "fma.rz.f32x2 dddd",
	"min.f32 fffg", "max.f32 ffff", "max.NaN.f32 ffff", "min.ftz.f32 fffg",
	"add.rn.f32.f16 fhf", "sub.rn.f32.bf16 fhf", "fma.rn.f32.f16 fhhf", "fma.rn.f32.bf16 fhhf",
}

// Weaves are instructions in which constants meet; beside the letters of
// Templates C, D and E are divisors of 32, 64 and 16 bits, S a distance that may
// be longer than the word, and G a float of the pool.
var Weaves = [...]string{
	"div.s32 rrC", "rem.s32 rrC", "div.u32 rrC", "rem.u32 rrC", "div.s32 rrC", "rem.s32 rrC", "div.s64 ddD", "rem.s64 ddD", "div.u64 ddD", "rem.u64 ddD",
	"div.s16 hhE", "rem.s16 hhE", "div.u16 hhE", "rem.u16 hhE",
	"shf.l.wrap.b32 rrrS", "shf.r.wrap.b32 rrrS", "shf.l.clamp.b32 rrrS", "shf.r.clamp.b32 rrrS", "shf.l.wrap.b32 rrrr", "shf.r.clamp.b32 rriS", "shf.l.clamp.b32 rirS",
	"shl.b32 rrS", "shr.u32 rrS", "shr.s32 rrS", "shl.b64 ddS", "shr.u64 ddS", "shr.s64 ddS", "shl.b16 hhS", "shr.s16 hhS", "shr.u16 hhS",
	"prmt.b32 rrrc", "prmt.b32 rrcc", "prmt.b32 rcrc", "prmt.b32 rrrr", "prmt.b32.f4e rrrr", "prmt.b32.rc8 rrir", "prmt.b32 rrrc", "prmt.b32 rrrc",
	"lop3.b32 rrrrl", "lop3.b32 rrcrl", "bfi.b32 rrrvv", "bfi.b32 rrrrr", "bfe.s32 rrvv", "bfe.u32 rrrr",
	"cvt.rzi.s32.f32 rf", "cvt.rni.u32.f32 rf", "cvt.rzi.s64.f32 df", "cvt.rmi.u64.f32 df", "cvt.rzi.s16.f32 hf", "cvt.rzi.u16.f32 hf", "cvt.rzi.ftz.u32.f32 rf", "cvt.sat.f32.f32 ff", "cvt.ftz.sat.f32.f32 ff",
	"cvt.rzi.sat.u8.f32 rf", "cvt.rni.sat.s8.f32 rf", "cvt.sat.s8.s32 rr", "cvt.sat.u8.s32 rr", "cvt.sat.u16.s32 rr", "cvt.sat.s16.u32 hr", "cvt.sat.s32.s64 rd", "cvt.sat.u32.s64 rd", "cvt.s64.s8 dr", "cvt.u64.u8 dr",
	"cvt.rn.f32.s32 fr", "cvt.rz.f32.u32 fr", "cvt.rp.f32.s64 fd", "cvt.rn.f16.f32 hf", "cvt.rn.bf16.f32 hf", "cvt.rz.f16.f32 hf", "cvt.rn.relu.bf16.f32 hf", "cvt.rn.f16x2.f32 xff", "cvt.rn.relu.f16x2.f32 xff", "cvt.rn.bf16x2.f32 xff", "cvt.f32.f16 fh", "cvt.rni.f32.f32 ff",
	"cvt.rn.satfinite.e4m3x2.f32 hff", "cvt.rn.satfinite.e5m2x2.f32 hff", "cvt.rn.f16x2.e4m3x2 xh", "cvt.rn.satfinite.relu.e4m3x2.f16x2 hx",
	"selp.b32 rcip", "selp.b32 rccp", "selp.b32 rrip", "selp.f32 fggp", "selp.b16 hnnp", "selp.b64 ddjp", "slct.b32.s32 riir", "slct.f32.f32 fggf",
	"setp.lt.s32 pri", "setp.ge.u32 prc", "setp.eq.s32 pri", "setp.ne.and.b32 prip", "setp.lt.f32 pfg", "setp.geu.or.f32 pfgp", "setp.eq.s64 pdj", "setp.gt.u16 phn",
	"and.pred ppp", "or.pred ppp", "xor.pred ppp", "not.pred pp", "mov.pred pp",
	"mov.b32 ri", "mov.b32 rc", "mov.b64 dj", "mov.b16 hn", "mov.f32 fg", "mov.b32 rf", "mov.b32 fr", "mov.b32 rx", "mov.b32 xr",
	"add.u32 rri", "sub.u32 rri", "mad.lo.u32 rrii", "mul.lo.s32 rrc", "mul.wide.s32 drc", "mad.wide.u32 drcd", "mul.hi.s32 rrc", "and.b32 rrc", "or.b32 rrc", "xor.b32 rrc", "min.s32 rrc", "max.u32 rrc", "sub.s32 rcr",
	"add.f32 ffg", "sub.f32 ffg", "mul.rn.f32 ffg", "fma.rn.f32 fffg", "fma.rn.f32 fgff", "min.f32 ffg", "max.f32 ffg", "div.rn.f32 fgf", "rcp.rn.f32 ff", "neg.f32 ff", "abs.f32 ff",
	"fma.rn.f16x2 xxxx", "add.f16x2 xxx", "min.f16x2 xxx", "fma.rn.bf16x2 xxxx", "add.f16 hhh", "add.u64 ddj", "and.b64 ddj", "add.u16 hhn", "dp4a.s32.s32 rrcr",
}

// Divisors are constants to divide by.
var Divisors = [...]int64{
	1, -1, 2, -2, 3, -3, 4, 5, -5, 6, 7, -7, 8, -8, 9, 10, -10, 11, 12, 13, 14, 15, 16, 24, 25, 27, 28, 60, 63, 64, 65, 97, 100, 125, 127, 128, 255, 256, 257, 365, 641, 1000, 1024, 3600, 6700417, 7 << 28,
	10000, 32767, -32768, 65535, 65536, 1000000, 1000000007, 1 << 30, 0x7fffffff, -0x80000000, 0x7ffffffe, -0x7fffffff, 0xcccccccd, 0xfffffffe, 1 << 31,
}
