package opgen

// memoryForms are loads, stores, caches and addresses. A register of 64 bits
// is an address in any space.
var memoryForms = [...]string{
	// all modifiers with one type
	"ld<@LDSEM><@SPACE><|.nc><@LDCOP><@L1><@PREF>.b32 %r1,[%rd30]",
	"ld<@LDSEM><@SPACE><|.nc><@L1>.L2::cache_hint<@PREF>.b32 %r1,[%rd30],%rd31",
	"st<@STSEM><@SPACE><@STCOP><@L1>.b32 [%rd30],%r1",
	"st<@STSEM><@SPACE><@L1>.L2::cache_hint.b32 [%rd30],%r1,%rd31",
	// all types and vectors with one modifier
	"ld<@LDSEM><@SPACE><@VEC><@MEM> #1,[%rd30]",
	"ld<.global|.global.nc|.global.L1::evict_last|.global.L2::128B|.global.L1::no_allocate.L2::256B><@VEC><@MEM> #1,[%rd30]",
	"ld.global<|.nc>.L1::evict_first.L2::cache_hint<@VEC><@MEM> #1,[%rd30],%rd31",
	"ld<.global|.global.nc><.cg|.cs|.lu|.cv><@VEC><@MEM> #1,[%rd30]",
	"ldu<|.global><@VEC><@MEM> #1,[%rd30]",
	"st<@STSEM><@SPACE><@VEC><@MEM> [%rd30],#1",
	"st.global<.cg|.cs|.wt|.L1::evict_last|.L1::no_allocate><@VEC><@MEM> [%rd30],#1",
	"st.global.L2::cache_hint<@VEC><@MEM> [%rd30],#1,%rd31",
	// registers wider than the type
	"ld<|.global|.shared|.local|.const|.param><.b8|.u8|.s8|.b16|.u16|.s16> %r1,[%rd30]",
	"ld<|.global|.shared|.local|.const|.param><.b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32|.f32> %rd1,[%rd30]",
	"ld<.global|.shared><.v2|.v4><.b8|.s8|.u16|.s16> {%r1,%r2},[%rd30]",
	"ld.global.v4<.u8|.s8|.s16> {%r1,%r2,%r3,%r4},[%rd30]",
	"st<|.global|.shared|.local><.b8|.u8|.s8|.b16|.u16|.s16> [%rd30],%r1",
	"st<|.global|.shared|.local><.b8|.s8|.u16|.b32|.f32> [%rd30],%rd1",
	// offsets, variables, addresses of 32 bits, elements left out, constants
	"ld<.global|.shared|.local|.const|> .u32 %r1,[%rd30+<4|-4|8388607|-8388608|8388608|16777216>]",
	"ld<.global|.shared|.local|.const|>.u32 %r1,[%rd30+<4|-4|8388607|-8388608|8388608|16777216>]",
	"st<.global|.shared|.local|>.u32 [%rd30+<4|-4|8388607|-8388608|8388608|16777216>],%r1",
	"ld<.shared|.shared::cta|.shared::cluster|.local|.const|.param>.u32 %r1,[%r30+<0|4|-8>]",
	"st<.shared|.shared::cta|.shared::cluster|.local>.u32 [%r30+<0|4|-8>],%r1",
	"ld<.global|>.u32 %r1,[gv+<0|4|512>]", "ld.shared.u32 %r1,[sv+<0|4|512>]", "ld.const.u32 %r1,[cv+<0|4|512>]",
	"ld.local.u32 %r1,[lv+<0|4|12>]", "ld.param.u32 %r1,[par2]", "ld.param<.u64|.b64|.v2.b32> #1,[par]",
	"st<.global|>.u32 [gv+<0|4|512>],%r1", "st.shared.u32 [sv+<0|4|512>],%r1", "st.local.u32 [lv+<0|4|12>],%r1",
	"ld.global.v2.u32 {%r1,_},[%rd30]", "ld.global.v4.f32 {_,_,%r1,_},[%rd30]",
	"st.global<.u32|.s32|.b32|.u16|.b8> [%rd30],<0|7>", "st.global.v2.b32 [%rd30],{0,%r1}", "st.global<.f32|.f64> [%rd30],0d3FF0000000000000",
	"ld<.global|.shared|.local>.u32 %r1,gv[3]",
	// asynchronous stores
	"st.async<|.weak|.relaxed.cluster><|.shared::cluster>.mbarrier::complete_tx::bytes<|.v2|.v4><.b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64> [%r120],#1,[%r121]",
	"st.bulk<|.weak>.shared::cta [%rd30],%rd1,0",

	"prefetch<|.global|.local|.const|.param><.L1|.L2|.L2::evict_last|.L2::evict_normal|.tensormap> [%rd30]",
	"prefetchu<.L1|.L2> [%rd30]",
	"applypriority<|.global><.L2::evict_normal|.L2::evict_last> [%rd30],<128|64>",
	"discard<|.global|.local><.L2|.L1> [%rd30],<128|64>",
	"createpolicy.fractional<@EVICT><|.L2::evict_unchanged|.L2::evict_first|.L2::evict_last>.b64 %rd1<|,1.0|,0.5|,0.0625|,%r1>",
	"createpolicy.range<|.global><@EVICT><|.L2::evict_unchanged|.L2::evict_first|.L2::evict_last>.b64 %rd1,[%rd30],<%r1|4096>,<%r2|65536>",
	"createpolicy.cvt.L2.b64 %rd1,%rd2",

	"cvta<|.to><@SPACE>.u64 %rd1,%rd2", "cvta<@SPACE>.u64 %rd1,<gv|sv|cv|lv|par|gv+8|sv+4>",
	"isspacep<@SPACE> %p1,%rd2", "isspacep<.shared|.local|.global|.const> %p1,%r2",
	"istypep<.texref|.samplerref|.surfref> %p1,%rd1",
	"mapa<|.shared::cluster><.u32 %r1,%r2|.u64 %rd1,%rd2|.u32 %r1,sv|.u64 %rd1,sv>,<%r3|1>",
	"getctarank<|.shared::cluster><.u32 %r1,%r2|.u64 %r1,%rd2|.u32 %r1,sv>",
	"mov<.u64|.b64> %rd1,<gv|sv|cv|lv|par|gv+16|fn|tx|sf>", "mov<.u32|.b32> %r1,<sv|cv|lv|sv+16>",
	"alloca<.u32 %r1,%r2|.u64 %rd1,%rd2|.u64 %rd1,64><|,8|,32>",
	"stacksave<.u32 %r1|.u64 %rd1>", "stackrestore<.u32 %r1|.u64 %rd1>",

	"cp.async<.ca|.cg><.shared|.shared::cta><|.global><|.L2::64B|.L2::128B|.L2::256B> [%r120],[%rd30],<4|8|16><|,%r1|,3|,%p1>",
	"cp.async<.ca|.cg>.shared.global.L2::cache_hint<|.L2::128B> [%r120],[%rd30],<4|8|16>,<|%r1,|%p1,>%rd31",
	"cp.async.commit_group", "cp.async.wait_all", "cp.async.wait_group <0|1|7>",
	"cp.async.mbarrier.arrive<|.noinc><|.shared|.shared::cta>.b64 [<%r120|%rd30>]",
}

// atomicForms are atomics and reductions.
var atomicForms = [...]string{
	"atom<@AMOSEM><@SCOPE><|.global|.shared|.shared::cta|.shared::cluster><.exch|.add|.inc|.dec|.min|.max|.and|.or|.xor><|.noftz><@ATOMT> #1,[%rd30],#2",
	"atom<@AMOSEM><@SCOPE><|.global|.shared|.shared::cta|.shared::cluster>.cas<.b16|.b32|.u32|.s32|.b64|.u64|.s64|.b128> #1,[%rd30],#2,#4",
	"red<@AMOSEM><@SCOPE><|.global|.shared|.shared::cta|.shared::cluster><.add|.inc|.dec|.min|.max|.and|.or|.xor><|.noftz><@ATOMT> [%rd30],#1",
	"atom<|.relaxed.gpu><|.global|.shared><.exch|.add|.min|.max|.and><|.noftz><|.L2::cache_hint><|.v2|.v4|.v8><@ATOMT> #1,[%rd30],#2<|,%rd31>",
	"red<|.release.sys><|.global|.shared><.add|.min|.max|.or><|.noftz><|.L2::cache_hint><|.v2|.v4|.v8><@ATOMT> [%rd30],#2<|,%rd31>",
	"atom.global.cas<.b32|.b64|.b128>.L2::cache_hint #1,[%rd30],#2,#4,%rd31", "atom.global.L2::cache_hint.cas<.b32|.b64> #1,[%rd30],#2,#4,%rd31",
	"atom<.global|.shared|><.add.u32|.exch.b32|.min.s32> <%r1|_>,[%rd30],<%r2|1>", "atom<.global|.shared|>.add<.f32|.f64|.noftz.f16x2> _,[%rd30],#1",
	"atom<.global|.shared|>.cas.b32 <%r1|_>,[%rd30],<%r2|0>,<%r3|1>",
	"atom.shared.add.u32 %r1,[<sv|sv+8|%r30|%r30+16>],%r2", "red.shared.add.u32 [<sv|sv+8|%r30|%r30+16>],<1|%r2>",
	"atom.global.add.u32 %r1,[<gv|gv+8|%rd30+16|%rd30+-8388608>],%r2",
	"red.async<|.relaxed.cluster><|.shared::cluster>.mbarrier::complete_tx::bytes<.inc|.dec|.min|.max|.add|.and|.or|.xor><.u32|.s32|.u64|.s64|.b32> [%r120],#1,[%r121]",
	"multimem.ld_reduce<|.weak|.relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys|.acquire.cta|.acquire.gpu|.acquire.sys><|.global><.min|.max|.add|.and|.or|.xor><@ATOMT> #1,[%rd30]",
	"multimem.ld_reduce.relaxed.gpu.global<.min|.max|.add><|.acc::f32><.v2|.v4|.v8><.f16|.bf16|.f16x2|.bf16x2|.f32> #1,[%rd30]",
	"multimem.ld_reduce.global.add.acc::f32<.f16x2|.bf16x2> #1,[%rd30]",
	"multimem.st<|.weak|.relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys|.release.cta|.release.gpu|.release.sys><|.global><|.v2|.v4|.v8><@ATOMT> [%rd30],#1",
	"multimem.red<|.relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys|.release.cta|.release.gpu|.release.sys><|.global><.min|.max|.add|.and|.or|.xor><|.v2|.v4|.v8><@ATOMT> [%rd30],#1",
}
