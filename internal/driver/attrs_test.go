package driver

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestOptionRecords: options and directives that leave a record in the file.
func TestOptionRecords(t *testing.T) {
	const head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) "
	for _, c := range []struct {
		directive string
		options   []string
		section   string
		id        cubin.AttrID
	}{
		{"", []string{"--make-errors-visible-at-exit"}, ".nv.info", cubin.AttrErrbarAtExit},
		{"", []string{"-g"}, ".nv.info", cubin.AttrErrbarAtExit},
		{"", []string{"--blocks-are-clusters=true"}, ".nv.info.k", cubin.AttrBlocksAreClusters},
		{".explicitcluster ", nil, ".nv.info.k", cubin.AttrExplicitCluster},
		{".maxclusterrank 4 ", nil, ".nv.info.k", cubin.AttrMaxClusterRank},
	} {
		for _, with := range []bool{false, true} {
			text, options := head+"{ ret; }\n", []string{"-arch", "sm_90a"}
			if with {
				text, options = head+c.directive+"{ ret; }\n", append(options, c.options...)
			}
			var log bytes.Buffer
			b, ok := CompileTexts(context.Background(), options, []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
			if !ok {
				t.Fatal(log.String())
			}
			f, err := cubin.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Find(c.section).Content.(*cubin.Info).Get(c.id) != nil; got != with {
				t.Errorf("%s%v: record %#x in %s: %v", c.directive, c.options, c.id, c.section, got)
			}
		}
	}
}

// TestStackRecord: code in which threads part and come together has a record
// about the stack of such places, other code has none.
func TestStackRecord(t *testing.T) {
	const head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .b64 %d<2>; .reg .b32 %r<3>; .reg .pred %p;\n"
	for _, c := range []struct {
		body string
		want bool
	}{
		{"ret; }\n", false},
		{"ld.param.b64 %d1, [a]; mov.b32 %r1, %tid.x; setp.gt.s32 %p, %r1, 5; @%p bra L; W: ld.volatile.global.b32 %r2, [%d1]; setp.ne.s32 %p, %r2, %r1; @%p bra W; L: bar.sync 0; st.global.b32 [%d1], %r1; ret; }\n", true},
	} {
		var log bytes.Buffer
		b, ok := CompileTexts(context.Background(), []string{"-arch", "sm_90"}, []Text{{Name: "k.ptx", Text: []byte(head + c.body)}}, &log)
		if !ok {
			t.Fatal(log.String())
		}
		f, err := cubin.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Find(".nv.info.k").Content.(*cubin.Info).Get(cubin.AttrCRSStackSize) != nil; got != c.want {
			t.Errorf("%s: %v", c.body, got)
		}
	}
}

// TestMbarrierRecords: checkers learn what each instruction does with an
// mbarrier. The reference's file has the same uses in the same order.
func TestMbarrierRecords(t *testing.T) {
	const text = `.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 q)
{
 .reg .b64 %rd<8>; .reg .pred %p<3>; .reg .b32 %r<8>;
 .shared .align 8 .b64 bar[4];
 ld.param.u64 %rd3, [p]; ld.param.u32 %r1, [q];
 mbarrier.init.shared.b64 [bar], 4;
 mbarrier.init.shared.b64 [bar+8], %r1;
 bar.sync 0;
 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;
 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;
 mbarrier.arrive.shared.b64 %rd4, [bar];
 mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 2;
 mbarrier.arrive.expect_tx.shared.b64 %rd6, [bar], 64;
 mbarrier.arrive_drop.shared.b64 %rd6, [bar];
 mbarrier.arrive_drop.noComplete.shared.b64 %rd6, [bar], 2;
 mbarrier.test_wait.shared.b64 %p1, [bar], %rd4;
 @%p1 st.global.u32 [%rd3], %r1;
 mbarrier.test_wait.parity.shared.b64 %p1, [bar], %r1;
L: mbarrier.try_wait.parity.shared.b64 %p1, [bar+8], %r1;
 @!%p1 bra L;
L2: mbarrier.try_wait.shared.b64 %p1, [bar], %rd4, %r1;
 @!%p1 bra L2;
 cp.async.mbarrier.arrive.shared.b64 [bar];
 mbarrier.inval.shared.b64 [bar];
 ret;
}
`
	want := []uint8{0, 0, 11, 12, 1, 2, 3, 4, 5, 6, 10, 9, 7, 8}
	var log bytes.Buffer
	b, ok := CompileTexts(context.Background(), []string{"-arch", "sm_90a"}, []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
	if !ok {
		t.Fatal(log.String())
	}
	uses, count := mbarrierRecords(t, b)
	if !bytes.Equal(uses, want) || count != 2 {
		t.Errorf("uses %v of %d mbarriers, want %v of 2", uses, count, want)
	}
	tools := oracle.Find(t)
	r, err := tools.CubinOf([]byte(text), "-arch=sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	// slow ways of the reference's waits stand behind the code and repeat a use
	theirs, count := mbarrierRecords(t, r)
	if len(theirs) < len(want) || !bytes.Equal(theirs[:len(want)], want) || count != 2 {
		t.Errorf("the reference: uses %v of %d", theirs, count)
	}
}

func mbarrierRecords(t *testing.T, file []byte) (uses []uint8, count uint16) {
	t.Helper()
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	info := f.Find(".nv.info.k").Content.(*cubin.Info)
	list, n := info.Get(cubin.AttrMbarrierOffsets), info.Get(cubin.AttrNumMbarriers)
	if list == nil || n == nil {
		t.Fatal("no records of mbarriers")
	}
	for k := 3; k < len(list.Words); k += 4 {
		uses = append(uses, uint8(list.Words[k]))
	}
	return uses, n.Value
}

// TestUsedBytes: the file says which bytes of a load nobody uses, because
// nobody reads the words or because the text says so; smaller loads take the
// place of those that are mostly unused.
func TestUsedBytes(t *testing.T) {
	const text = `.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
 .reg .b64 %rd<9>; .reg .b32 %r<20>;
 ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
 ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];
 .pragma "used_bytes_mask 0xff0f";
 ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd1+32];
 .pragma "used_bytes_mask 0x3";
 ld.global.u32 %r13, [%rd1+64];
 ld.global.v2.u32 {%r14, %r15}, [%rd1+72];
 st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r5};
 st.global.v4.u32 [%rd2+16], {%r7, %r9, %r10, %r11};
 st.global.v4.u32 [%rd2+32], {%r12, %r13, %r15, %r15};
 ret;
}
`
	want := []uint32{0x3, 0xfff, 0xff0f}
	var log bytes.Buffer
	b, ok := CompileTexts(context.Background(), []string{"-arch", "sm_90a"}, []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
	if !ok {
		t.Fatal(log.String())
	}
	if got := usedBytes(t, b); !slices.Equal(got, want) {
		t.Errorf("used bytes %#x, want %#x", got, want)
	}
	r, err := oracle.Find(t).CubinOf([]byte(text), "-arch=sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	if got := usedBytes(t, r); !slices.Equal(got, want) {
		t.Errorf("the reference: %#x", got)
	}
}

// usedBytes are the masks of kernel k's loads that read more than is used,
// in order.
func usedBytes(t *testing.T, file []byte) (masks []uint32) {
	t.Helper()
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	a := f.Find(".nv.info.k").Content.(*cubin.Info).Get(cubin.AttrUnusedLoadBytes)
	if a == nil {
		return nil
	}
	for k := 1; k < len(a.Words); k += 2 {
		masks = append(masks, a.Words[k])
	}
	slices.Sort(masks)
	return masks
}
