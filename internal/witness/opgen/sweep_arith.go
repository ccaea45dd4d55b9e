package opgen

// arithmeticForms are the instructions between registers.
var arithmeticForms = [...]string{
	"<add|sub|mul|min|max|div|rem><@INT> #1,#2,<#3|7>", "<add|sub>.sat.s32 %r1,%r2,%r3", "<add|sub|min|max><.u16x2|.s16x2> %r1,%r2,%r3", "<min|max>.relu<.s32|.s16x2|.u32> %r1,%r2,%r3",
	"<mul|mad24|mul24|mad><.lo|.hi|.wide><|.sat><@INT> #1,#2,#3", "mul.wide<.u16|.s16> %r1,%h1,%h2", "mul.wide<.u32|.s32> %rd1,%r1,<%r2|3>",
	"mad<.lo|.hi><|.sat><@INT> #1,#2,#3,#4", "mad.wide<.u16|.s16> %r1,%h1,%h2,%r2", "mad.wide<.u32|.s32> %rd1,%r1,%r2,%rd2", "<mul24><.lo|.hi><.u32|.s32> #1,#2,#3", "mad24<.lo|.hi><|.sat><.u32|.s32> #1,#2,#3,#4",
	"<add|sub>.cc<.u32|.s32|.u64|.s64> #1,#2,#3", "<addc|subc><|.cc><.u32|.s32|.u64|.s64> #1,#2,#3", "mad<.lo|.hi>.cc<.u32|.s32|.u64|.s64> #1,#2,#3,#4", "madc<.lo|.hi><|.cc><.u32|.s32|.u64|.s64> #1,#2,#3,#4",
	"<abs|neg><.s16|.s32|.s64> #1,#2", "sad<@INT> #1,#2,#3,#4", "<popc|clz><.b32|.b64> %r1,#2", "brev<.b32|.b64> #1,#2", "bfind<|.shiftamt><.u32|.s32|.u64|.s64> %r1,#2", "fns.b32 %r1,%r2,%r3,%r4",
	"bfe<.u32|.s32|.u64|.s64> #1,#2,<%r3|5|32>,<%r4|0|9|40>", "bfi<.b32|.b64> #1,#2,#3,<%r4|5|32>,<%r5|0|9|40>", "szext<.clamp|.wrap><.u32|.s32> %r1,%r2,<%r3|8>", "bmsk<.clamp|.wrap>.b32 %r1,<%r2|4>,<%r3|8>",
	"dp4a<.u32|.s32><.u32|.s32> %r1,%r2,%r3,%r4", "dp2a<.lo|.hi><.u32|.s32><.u32|.s32> %r1,%r2,%r3,%r4",
	"<and|or|xor><@BITS> #1,#2,<#3|15>", "<and|or|xor>.pred %p1,%p2,<%p3|!%p3>", "<not|cnot><@BITS> #1,#2", "not.pred %p1,%p2", "lop3.b32 %r1,%r2,%r3,%r4,<0|0x96|0xe8|0xff>", "lop3<.or|.and>.b32 <%r1|_>^%p1,%r2,%r3,%r4,0x96,<%p2|!%p2>",
	"shl<@BITS> #1,#2,<%r3|5|70>", "shr<@INT> #1,#2,<%r3|5|70>", "shr<@BITS> #1,#2,%r3", "shf<.l|.r><.clamp|.wrap>.b32 %r1,%r2,%r3,<%r4|5|32|40>", "prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> %r1,%r2,%r3,<%r4|0x3214>",

	"<add|sub|mul><@RND><@FTZ><@SAT><@FLOAT> #1,#2,#3", "fma<@RND><@FTZ><|.sat|.relu|.oob|.oob.relu><@FLOAT> #1,#2,#3,#4", "mad<@RND><@FTZ><@SAT><.f32|.f64> #1,#2,#3,#4",
	"<min|max><@FTZ><|.NaN><|.xorsign.abs><@FLOAT> #1,#2,#3", "<abs|neg><@FTZ><@FLOAT> #1,#2", "copysign<.f32|.f64> #1,#2,#3", "testp<.finite|.infinite|.number|.notanumber|.normal|.subnormal><.f32|.f64> %p1,#2",
	"div<|.rn|.rz|.rm|.rp|.approx|.full><@FTZ><.f32|.f64> #1,#2,#3", "<rcp|sqrt|rsqrt><|.rn|.rz|.rm|.rp|.approx><@FTZ><.f32|.f64> #1,#2", "<sin|cos|lg2|ex2|tanh>.approx<@FTZ><.f32|.f16|.f16x2|.bf16|.bf16x2> #1,#2", "ex2.approx.ftz<.bf16|.bf16x2> #1,#2",
	"<add|mul>.f32 %r1,%r2,<1.5|0f40000000>", "<add|mul>.f64 %rd1,%rd2,<1.5|0d4000000000000000>",

	"setp<@CMPF><@FTZ><@INT> %p1<|^%p2>,#2,#3", "setp<@CMPF><@FTZ><@BITS> %p1,#2,#3", "setp<@CMPF><@FTZ><@FLOAT> %p1<|^%p2>,#2,#3", "setp<.eq|.lt|.geu><.and|.or|.xor><@FTZ><.u16|.s32|.b64|.f16|.f16x2|.bf16|.bf16x2|.f32|.f64> %p1<|^%p2>,#2,#3,<%p3|!%p3>",
	"set<@CMPF><@FTZ><.u32|.s32|.f32|.u16|.s16|.f16|.f16x2|.bf16|.bf16x2><.u16|.s16|.b16|.u32|.s32|.b32|.u64|.s64|.b64|.f16|.f16x2|.bf16|.bf16x2|.f32|.f64> ##1,#2,#3",
	"set<.eq|.lo|.gtu><.and|.or|.xor><@FTZ><.u32|.s32|.f32|.u16|.f16|.f16x2|.bf16|.bf16x2><.u16|.s16|.b16|.u32|.s32|.b32|.u64|.s64|.f16|.f16x2|.bf16|.bf16x2|.f32|.f64> ##1,#2,#3,%p1",
	"selp<@INT> #1,#2,#3,%p1", "selp<.b16|.b32|.b64|.f32|.f64> #1,#2,#3,%p1", "slct<@FTZ><.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64><.s32|.f32> ##1,##2,##3,%r4",

	"cvt<@RND><@FTZ><@SAT><@ANY><@ANY> ##1,#2", "cvt<@IRND><@FTZ><@SAT><@ANY><@ANY> ##1,#2", "cvt<.rn|.rz|.rna><|.relu><|.satfinite><.f16|.bf16|.tf32|.f16x2|.bf16x2>.f32 ##1,#2", "cvt<.rn|.rz><|.relu><|.satfinite><.f16x2|.bf16x2>.f32 %r1,%r2,%r3", "cvt<.satfinite|><.rn|.rz><|.relu><.f16|.bf16|.tf32>.f32 ##1,#2",
	"cvt.rn.satfinite<|.relu><.e4m3x2|.e5m2x2>.f32 %h1,%r1,%r2", "cvt.rn.satfinite<|.relu><.e4m3x2|.e5m2x2>.f16x2 %h1,%r1", "cvt.rn<|.relu>.f16x2<.e4m3x2|.e5m2x2> %r1,%h1", "cvt.rna<|.satfinite>.tf32.f32 %r1,%r2",
	"cvt.pack.sat<.u8|.s8|.u16|.s16|.u4|.s4|.u2|.s2>.s32<|.b32> %r1,%r2,%r3<|,%r4>",
	"cvt<@INT8><@INT8> %rd1,%rd2", "cvt<.u8|.s8><.u32|.s32|.f32> <%r1|%h1>,%r2", "cvt.rzi<.u8|.s8|.u16|.s16>.f32 %r1,%r2",
}

// videoForms are the video instructions; of the selectors all are tried once
// in each place.
var videoForms = [...]string{
	"<vadd|vsub|vabsdiff|vmin|vmax><.u32|.s32><.u32|.s32><.u32|.s32><@SAT> %r1,%r2,%r3",
	"<vadd|vsub|vabsdiff|vmin|vmax><.u32|.s32><.u32|.s32><.u32|.s32><@SAT><.add|.min|.max> %r1,%r2,%r3,%r4",
	"<vadd|vsub|vabsdiff|vmin|vmax>.s32<.u32|.s32><.u32|.s32><@SAT> %r1<.b0|.b1|.b2|.b3|.h0|.h1>,%r2<|.b1|.h1>,%r3<|.b3|.h0>,%r4",
	"<vadd|vsub|vmin|vmax>.u32.u32.s32 %r1,%r2<.b0|.b1|.b2|.b3|.h0|.h1>,%r3<.b0|.b1|.b2|.b3|.h0|.h1>",
	"<vshl|vshr><.u32|.s32><.u32|.s32>.u32<@SAT><.clamp|.wrap> %r1,%r2,%r3", "<vshl|vshr><.u32|.s32><.u32|.s32>.u32<@SAT><.clamp|.wrap><.add|.min|.max> %r1,%r2,%r3,%r4", "<vshl|vshr>.u32.u32.u32<.clamp|.wrap> %r1<.b0|.h1>,%r2<|.b1|.h1>,%r3<|.b3>,%r4",
	"vmad<.u32|.s32><.u32|.s32><.u32|.s32><@SAT><|.shr7|.shr15> %r1,%r2<|.b1|.h0>,%r3<|.b2|.h1>,%r4", "vmad<.u32|.s32><.u32|.s32><.u32|.s32>.po<@SAT><|.shr7> %r1,%r2,%r3,%r4", "vmad.s32.s32.s32 %r1,<-%r2|%r2>,%r3,<-%r4|%r4>",
	"vset<.u32|.s32><.u32|.s32><.eq|.ne|.lt|.le|.gt|.ge> %r1,%r2<|.b1|.h1>,%r3", "vset.u32.u32<.lt|.ge><.add|.min|.max> %r1,%r2,%r3,%r4", "vset.s32.s32.gt %r1<.b2|.h0>,%r2,%r3,%r4",
	"<vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2|vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4><.u32|.s32><.u32|.s32><.u32|.s32><|.sat|.add> %r1,%r2,%r3,%r4",
	"<vadd2|vsub2|vavrg2|vmin2>.s32.s32.s32<|.sat> %r1<.h0|.h1|.h10>,%r2<.h10|.h32|.h02>,%r3<|.h13>,%r4", "<vadd4|vsub4|vabsdiff4|vmax4>.u32.u32.s32<|.sat> %r1<.b0|.b3|.b10|.b310|.b3210>,%r2<.b3210|.b7654|.b0246>,%r3<|.b1357>,%r4",
	"<vset2|vset4><.u32|.s32><.u32|.s32><.eq|.ne|.lt|.le|.gt|.ge><|.add> %r1,%r2,%r3,%r4", "vset4.u32.u32.lt %r1.b20,%r2.b3210,%r3.b4567,%r4", "vset2.s32.s32.ge %r1.h1,%r2.h10,%r3.h32,%r4",
}
