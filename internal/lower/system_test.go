package lower

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/front"
)

// lowered lowers the first kernel of a module and returns its text.
func lowered(text string) (out string, err error) { return loweredFor("sm_90a", text) }

// loweredFor does so for an architecture.
func loweredFor(arch, text string) (out string, err error) {
	x, err := front.Check("t.ptx", text, arch)
	if err != nil {
		return "", fmt.Errorf("front end: %w", err)
	}
	m := x.Module
	layout := &build.Layout{Shared: map[string]int64{}, Dynamic: map[string]int64{}, Const: map[string]int64{}}
	d, err := New(&ori.Module{}, m, x.Bodies[m.Kernels()[0]], target.Find(arch), layout, build.Options{})
	if err != nil {
		return "", err
	}
	d.Finish()
	return string(d.F.Append(nil)), nil
}

// kernel puts instructions into a kernel with registers for all.
func kernel(head, body string) string {
	return `.version 8.8
.target sm_90a
.address_size 64
` + head + `
.visible .entry k(.param .u64 pp, .param .align 4 .b8 st[12])
{
.reg .pred %p<40>; .reg .b16 %h<40>; .reg .b32 %r<600>; .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg .f64 %fd<40>; .reg .b128 %q<10>;
.shared .align 16 .b8 sm[64];
.local .align 16 .b8 lm[64];
` + body + `
ret;
}
`
}

// TestSystem lowers single instructions and looks for what they must become,
// in order. The facts come from the reference's code for the same text.
func TestSystem(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ld.global.v4.s8 {%r1,%r2,%r3,%r4}, [%rd1+8];", "LDG.E ; PRMT"},
		{"ld.acquire.gpu.global.u32 %r1, [%rd1];", "LDG.E.STRONG.GPU ; CCTL.IVALL"},
		{"st.release.sys.global.u64 [%rd1], %rd2;", "MEMBAR.ALL.SYS ; ERRBAR ; CGAERRBAR ; STG.E.64.STRONG.SYS"},
		{"ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];", "LDG.E.MMIO.SYS"},
		{"ld.shared::cluster.u32 %r1, [%r2];", "S2R ; LD.E"},
		{"ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", "R2UR ; R2UR ; LDG.E"},
		{"ld.param.v2.u32 {%r1,%r2}, [st+4];", "LDC ; LDC"},
		{"atom.shared.add.f32 %f1, [%r1], %f2;", "LDS ; FADD ; ATOMS.CAST.SPIN ; ISETP.EQ ; BRA"},
		{"atom.shared.min.s64 %rd1, [%r1], %rd2;", "LDS.64 ; ISETP.LT ; SEL ; ATOMS.CAST.SPIN.64"},
		{"atom.add.f64 %fd1, [%rd1], %fd2;", "ATOM.E.ADD.F64.RN.STRONG.GPU ; QSPC.E.S ; ATOMS.CAST.SPIN.64 ; QSPC.E.D ; ATOM.E.CAST.SPIN.64 ; LD.E.64 ; DADD ; ST.E.64"},
		{"atom.global.add.noftz.f16 %h1, [%rd1], %h2;", "LDG.E ; HADD2 ; PRMT ; ATOMG.E.CAS.STRONG.GPU"},
		{"red.global.add.v4.f32 [%rd1], {%f1,%f2,%f3,%f4};", "REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU"},
		{"atom.global.cas.b128 %q1, [%rd1], %q2, %q3;", "ATOMG.E.CAS.128.STRONG.GPU"},
		{"bar.sync %r1, %r2;", "SHF.L.U32 ; LOP3.LUT ; BAR.SYNC.DEFER_BLOCKING"},
		{"bar.sync %r1, 0;", "BAR.SYNC.DEFER_BLOCKING"},
		{"bar.sync 3, 0;", "BAR.SYNC.DEFER_BLOCKING"},
		{"bar.red.popc.u32 %r1, %r2, 0, %p1;", "BAR.RED.POPC.DEFER_BLOCKING ; B2R.RESULT"},
		{"bar.red.popc.u32 %r1, 1, %p1;", "BAR.RED.POPC.DEFER_BLOCKING ; B2R.RESULT"},
		{"barrier.cluster.arrive.aligned;", "ISETP.EQ ; BRA ; MEMBAR.ALL.GPU ; UCGABAR_ARV"},
		{"barrier.cluster.wait.aligned;", "UCGABAR_WAIT ; CCTL.IVALL ; BAR.SYNC.DEFER_BLOCKING"},
		{"vote.sync.ballot.b32 %r1, %p1, %r2;", "BSSY ; WARPSYNC.EXCLUSIVE ; VOTE.ANY ; BSYNC"},
		{"elect.sync %r1|%p1, -1;", "WARPSYNC.ALL ; ELECT ; MOV"},
		{"griddepcontrol.wait;", "ACQBULK"},
		{"griddepcontrol.launch_dependents;", "PREEXIT"},
		{"pmevent 3;", "PMTRIG 0x8"},
		{"createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5;", "0x14700000"},
		{"cp.async.cg.shared.global [%r1], [%rd1], 16;", "LDS ; LDS ; LDS ; LDGSTS.E.BYPASS.128"},
		{"cp.async.ca.shared.global [%r1], [%rd1], 8, %r2;", "LDGSTS.E.64.ZFILL"},
		{"cp.async.ca.shared.global [%r1], [%r2], 8;", "LDGSTS.E.64"},
		{"createpolicy.range.L2::evict_last.b64 %rd3, [%r1], 128, 256;", "MUFU.LG2"},
		{"prefetch.tensormap [%r1];", "UTMACCTL.PF"},
		{"tensormap.replace.tile.rank.global.b1024.b32 [%r1], 1;", "ST"},
		{"cp.async.wait_group 1;", "DEPBAR.LE SB0, 0x1"},
		{"cp.async.wait_group 98;", "DEPBAR.LE SB0, 0x3f"},
		{"mbarrier.init.shared.b64 [%r1], 4;", "FENCE.VIEW.ASYNC.S ; R2UR ; SYNCS.EXCH.64"},
		{"mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;", "SHF.L.U32 ; SYNCS.PHASECHK.TRANS64.TRYWAIT"},
		{"mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1], %r2;", "SYNCS.ARRIVE.TRANS64"},
		{"fence.proxy.async.shared::cta;", "MEMBAR.ALL.CTA ; FENCE.VIEW.ASYNC.S"},
		{"cvta.const.u64 %rd1, %rd2;", "c[0x0][0xd0]"},
		{"isspacep.shared::cluster %p1, %rd1;", "QSPC.E.D"},
		{"mapa.shared::cluster.u32 %r1, %r2, %r3;", "PRMT"},
		{"mov.u32 %r1, %warpid;", "SR_VIRTID"},
		{"mov.u64 %rd1, %clock64;", "CS2R"},
		{"mov.u32 %r1, %clusterid.x;", "I2FP ; FMUL ; F2I"},
		{"alloca.u64 %rd1, %rd2, 16;", "IADD3 ; LOP3.LUT"},
		{"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];", "R2UR ; TEX.LL"},
		{"suld.b.2d.b32.trap %r1, [%rd1, {%r2,%r3}];", "SULD.D.BA.2D.STRONG.SM.TRAP"},
		{"sured.b.add.1d.s32.clamp [%rd1, {%r2}], %r3;", "SURED.D.BA.1D.ADD.S32.STRONG.SYS"},
		{"multimem.red.global.add.f32 [%rd1], %f1;", "REDG.E.ADD.F32 ; .STRONG.SYS"},
		{"multimem.red.relaxed.gpu.global.add.f32 [%rd1], %f1;", "REDG.E.ADD.F32 ; .STRONG.GPU"},
		{"multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];", "LDGMC.E.ADD.F32x4.RN.STRONG.SYS"},
		{"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];", "STAS"},
		{"st.async.cluster.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r1], %rd2, [%r3];", "STAS.64"},
		{"T: .branchtargets L, M; brx.idx %r1, T; L: add.u32 %r1, %r1, 1; M:", "c[0x2] ; BRX"},
	} {
		got, err := lowered(kernel("", c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		rest := got
		for _, w := range strings.Split(c.want, " ; ") {
			_, after, found := strings.Cut(rest, w)
			if !found {
				t.Errorf("%s: no %s in order in\n%s", c.text, w, got)
				break
			}
			rest = after
		}
	}
}

// TestCalls looks at what becomes of calls.
func TestCalls(t *testing.T) {
	add := ".func (.param .b32 rv) f(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, 1; st.param.b32 [rv], %r1; ret; }\n"
	rec := ".func (.param .b32 rv) f(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r2, [b]; } st.param.b32 [rv], %r2; ret; }\n"
	sys := ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
	call := "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; } st.global.u32 [%rd1], %r2;"
	for _, c := range []struct{ name, head, body, has, not string }{
		{"in place", add, call, "IADD3", "CALL"},
		{"recursive", rec, call, "CALL.REL.NOINC", "IADD3"},
		{"guarded", add, "@%p1 call (%r2), g, (%r1);", "@~", "CALL"},
		{"system", sys, "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; call (c), vprintf, (a, b); }", "CALL.ABS.NOINC", "CALL.REL"},
		{"indirect", add, "mov.u64 %rd2, f; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (q), %rd2, (p), P; ld.param.b32 %r2, [q]; }", "CALL.REL.NOINC", "CALL.ABS"},
	} {
		if c.name == "guarded" {
			c.head = ".func (.reg .b32 r) g(.reg .b32 x) { add.u32 r, x, 7; ret; }\n"
		}
		got, err := lowered(kernel(c.head, c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(got, c.has) || strings.Contains(got, c.not) {
			t.Errorf("%s: want %s and no %s in\n%s", c.name, c.has, c.not, got)
		}
	}
}

// systemOps are the mnemonics that are not arithmetic and no matrix or
// tensor operation.
var systemOps = strings.Fields(`ld st ldu atom red cp mbarrier bar barrier fence membar createpolicy cvta isspacep mapa getctarank prefetch
prefetchu applypriority discard vote match redux elect activemask shfl nanosleep trap brkpt pmevent exit griddepcontrol setmaxnreg alloca
stacksave stackrestore tex tld4 txq suld sust sured suq multimem ret`)

// unknownForms begin the forms that are refused: they need descriptors the
// driver lays out, or samplers beside textures.
var unknownForms = []string{
	"createpolicy.range", "cvta.global.u32", "cvta.shared.u32",
	"txq.addr", "txq.array", "txq.channel", "txq.filter", "txq.force", "txq.norm", "txq.num", "suq.array", "suq.channel", "suq.memory",
	"tex.grad.cube", "tex.grad.acube", "tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4},[%rd1,%rd2,", "tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4},[%rd1,{%r5,%r6}],",
}

// TestForms lowers every form of the table of accepted forms that belongs
// here, for sm_90.
func TestForms(t *testing.T) {
	good, refused := 0, 0
	for _, r := range cases.Table(t, "gating")[1:] {
		op, _, _ := strings.Cut(strings.Fields(r[0])[0], ".")
		if !slices.Contains(systemOps, op) || r[1] == "(retired)" || !on90(r[2]) || strings.Contains(r[0], "bulk") || strings.Contains(r[0], "tensormap") {
			continue
		}
		_, err := lowered(kernel("", r[0]+";"))
		switch {
		case err == nil:
			good++
		case slices.ContainsFunc(unknownForms, func(p string) bool { return strings.HasPrefix(r[0], p) }):
			refused++
		case strings.HasPrefix(err.Error(), "front end"): // names or address sizes of another frame
			refused++
		default:
			t.Errorf("%s: %v", r[0], err)
		}
	}
	t.Logf("%d forms lowered, %d refused", good, refused)
}

// on90 tells whether a list of targets has sm_90.
func on90(list string) bool {
	for _, f := range strings.Fields(list) {
		n, plus := strings.CutSuffix(strings.TrimPrefix(f, "sm_"), "+")
		v := 0
		if _, err := fmt.Sscanf(n, "%d", &v); err == nil && (v == 90 || plus && v < 90) && !strings.HasSuffix(n, "f") {
			return true
		}
	}
	return false
}
