package scoreboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// regs declares the registers of the rule tests: single words a…, pairs,
// quads, predicates, uniform registers.
const regs = `
  reg r0 1/1 phys=0
  reg r1 1/1 phys=1
  reg r2 2/2 phys=2
  reg r3 1/1 phys=4
  reg r4 1/1 phys=5
  reg r5 4/4 phys=8
  reg r6 4/4 phys=12
  reg r7 2/2 phys=16
  reg p8 1/1 phys=0
  reg p9 1/1 phys=1
  reg u10 2/2 phys=4
  reg u11 1/1 phys=6
  reg u12 1/1 phys=7
  reg q13 1/1 phys=0
  reg k14 1/1 phys=0
  reg r15 1/1 phys=18
  reg r16 4/4 phys=20
  reg r17 4/4 phys=24
`

// assignedBlocks parses a function, assigns it and has it checked.
func assignedBlocks(t *testing.T, arch, blocks string) *ori.Func {
	t.Helper()
	m, err := ori.Parse("func f kernel {" + regs + blocks + "}\n")
	if err != nil {
		t.Fatal(err)
	}
	a := target.Find(arch)
	Assign(m.Funcs[0], a, Sectors{4, 3})
	if err := Check(m.Funcs[0], a); err != nil {
		t.Fatal(err)
	}
	return m.Funcs[0]
}

// assigned does so with one block and returns its instructions.
func assigned(t *testing.T, arch, body string) []*ori.Instr {
	t.Helper()
	f := assignedBlocks(t, arch, "  b0:\n"+body+"\n    EXIT\n")
	var list []*ori.Instr
	for i := range f.Blocks[0].Instrs {
		list = append(list, i)
	}
	return list
}

// TestDistances assigns two dependent instructions and looks at the cycles
// between them: the numbers of the reference.
func TestDistances(t *testing.T) {
	tests := []struct {
		name, arch, first, second string
		want                      int
	}{
		{"alu to alu", "sm_90a", "IADD3 r0 = r1, r1, r1", "IADD3 r3 = r0, r1, r1", 4},
		{"alu to fma", "sm_90a", "IADD3 r0 = r1, r1, r1", "FADD r3 = r0, r1", 5},
		{"fma to fma", "sm_90a", "FADD r0 = r1, r1", "FFMA r3 = r0, r1, r1", 4},
		{"fma to alu", "sm_90a", "FADD r0 = r1, r1", "IADD3 r3 = r0, r1, r1", 5},
		{"alu to fp64", "sm_90a", "IADD3 r2[0] = r1, r1, r1", "DADD r7 = r2, r7", 6},
		{"fp64 to fp64", "sm_90a", "DADD r2 = r7, r7", "DADD r7 = r2, r7", 8},
		{"fp64 to alu", "sm_90a", "DADD r2 = r7, r7", "MOV r3 = r2[0]", 10},
		{"wide low to alu", "sm_90a", "IMAD.WIDE r2 = r1, r1, r7", "MOV r3 = r2[0]", 3},
		{"wide high to alu", "sm_90a", "IMAD.WIDE r2 = r1, r1, r7", "MOV r3 = r2[1]", 5},
		{"alu to address", "sm_90a", "IADD3 r0 = r1, r1, r1", "LDS r3 = [r0+0x0]", 5},
		{"alu to special function", "sm_90a", "IADD3 r0 = r1, r1, r1", "MUFU.RCP r3 = r0", 4},
		{"predicate to operand", "sm_90a", "ISETP.GE.AND p8 = r0, r1, pt", "SEL r3 = r0, r1, p8", 4},
		{"predicate to guard", "sm_90a", "ISETP.GE.AND p8 = r0, r1, pt", "@p8 MOV r3 = r0", 13},
		{"fp64 predicate to guard", "sm_90a", "DSETP.GE.AND p8 = r2, r7, pt", "@p8 MOV r3 = r0", 14},
		{"uniform to uniform", "sm_90a", "UIADD3 u11 = u12, u12, urz", "UIADD3 u12 = u11, u11, urz", 4},
		{"uniform to vector", "sm_90a", "UIADD3 u11 = u12, u12, urz", "MOV r0 = u11", 6},
		{"vote to the scale of a product", "sm_90a", "VOTEU.ANY q13 = p8", "HGMMA.64x8x16.F32 r5 = gdesc[u10]+0x0, r5, q13", 5},
		{"test to the scale of a product", "sm_90a", "UISETP.NE.U32.AND q13 = u11, urz, upt", "HGMMA.64x8x16.F32 r5 = gdesc[u10]+0x0, r5, q13", 11},
		{"ULDC to vector", "sm_90a", "ULDC u11 = c[0x0][0x10]", "MOV r0 = u11", 2},
		{"R2UR to vector", "sm_90a", "R2UR u11 = r0", "MOV r1 = u11", 13},
		{"matrix to alu", "sm_90a", "HMMA.16816.F32 r5 = r6, r2, r5", "MOV r0 = r5[3]", 24},
		{"matrix to matrix C", "sm_90a", "HMMA.16816.F32 r5 = r6, r2, rz", "HMMA.16816.F32 r6 = r6, r2, r5", 24},
		{"overwrite after matrix read", "sm_90a", "HMMA.16816.F32 r5 = r6, r2, r5", "MOV r2[0] = r0", 7},
		{"overwrite by a load", "sm_90a", "IADD3 r0 = r1, r1, r1", "LDS r1 = [r3+0x0]", 2},
		{"load over a result", "sm_90a", "IADD3 r0 = r1, r1, r1", "LDS r0 = [r3+0x0]", 6},
		{"uniform read, then ULDC", "sm_90a", "UIADD3 u11 = u12, u12, urz", "ULDC u12 = c[0x0][0x10]", 3},
		{"alu to memory, sm_75", "sm_75", "IADD3 r0 = r1, r1, r1", "LDS r3 = [r0+0x0]", 8},
		{"matrix to alu, sm_120", "sm_120a", "HMMA.16816.F32 r5 = r6, r2, r5", "MOV r0 = r5[3]", 26},
		{"barrier to shared memory", "sm_90a", "BAR.SYNC 0x0", "LDS r3 = [r0+0x0]", 6},
		{"barrier to its result", "sm_90a", "BAR.RED.POPC 0x0, pt", "B2R.RESULT r3", 6},
		{"barrier to its result, sm_75", "sm_75", "BAR.RED.POPC 0x0, pt", "B2R.RESULT r3", 5},
		{"two barriers", "sm_90a", "BAR.SYNC 0x0", "BAR.SYNC 0x0", 8},
	}
	for _, x := range tests {
		list := assigned(t, x.arch, "    "+x.first+"\n    "+x.second)
		got := 0
		for _, i := range list {
			if strings.HasPrefix(string(trim(i)), x.second[:4]) && i != list[0] {
				break
			}
			got += int(i.Sched.Stall)
		}
		if got != x.want {
			t.Errorf("%s: %s; %s: %d cycles, want %d", x.name, x.first, x.second, got, x.want)
		}
	}
	t.Logf("%d pairs", len(tests))
}

// trim returns the text of i.
func trim(i *ori.Instr) []byte {
	return []byte(strings.TrimSpace(string(i.Block().Func().AppendInstr(nil, i))))
}

// TestBarReads checks that what a block's barrier reads is not overwritten
// before it has read it.
func TestBarReads(t *testing.T) {
	for _, arch := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"} {
		list := assigned(t, arch, "    BAR.SYNC r0\n    MOV r0 = r1\n    BAR.SYNC 0x1, r3\n    MOV r3 = r1")
		for k := 0; k < 4; k += 2 {
			if b := list[k].Sched.RdBar; b < 0 || list[k+1].Sched.Wait>>b&1 == 0 {
				t.Errorf("%s: barrier %d announces its reads with %d, the next waits for %06b", arch, k, b, list[k+1].Sched.Wait)
			}
		}
	}
}

// TestBarriers looks at who sets and who waits for barriers.
func TestBarriers(t *testing.T) {
	list := assigned(t, "sm_90a", `    LDG.E r0 = desc[u10], [r2.64+0x0]
    LDG.E r1 = desc[u10], [r2.64+0x4]
    IADD3 r3 = r15, r15, r15
    IADD3 r4 = r0, r3, rz
    IADD3 r4 = r1, r4, rz
    MOV r2[0] = r4`)
	a, b := list[0].Sched, list[1].Sched
	if a.WrBar < 0 || b.WrBar < 0 || a.WrBar == b.WrBar {
		t.Errorf("loads with different consumers set barriers %d and %d", a.WrBar, b.WrBar)
	}
	if list[2].Sched.Wait != 0 {
		t.Errorf("an unrelated instruction waits for %06b", list[2].Sched.Wait)
	}
	if list[3].Sched.Wait != 1<<a.WrBar || list[4].Sched.Wait != 1<<b.WrBar {
		t.Errorf("consumers wait for %06b and %06b", list[3].Sched.Wait, list[4].Sched.Wait)
	}
	if a.RdBar >= 0 || b.RdBar >= 0 {
		t.Error("waiting for the result covers the address: no read barrier is needed")
	}
}

func TestReadBarrier(t *testing.T) {
	list := assigned(t, "sm_90a", `    STG.E desc[u10], [r2.64+0x0], r0
    MOV r0 = r1
    STG.E desc[u10], [r2.64+0x0], r0`)
	if b := list[0].Sched.RdBar; b < 0 || list[1].Sched.Wait != 1<<b {
		t.Errorf("stored register overwritten: read barrier %d, wait %06b", b, list[1].Sched.Wait)
	}
	if list[2].Sched.RdBar >= 0 {
		t.Error("nothing overwrites the last store's registers")
	}
	if list[0].Sched.WrBar >= 0 {
		t.Error("a store has no result")
	}
}

// TestQueue overwrites what a store reads by a later load of the same queue.
func TestQueue(t *testing.T) {
	list := assigned(t, "sm_90a", `    STS [r0+0x0], r1
    LDS r1 = [r3+0x0]
    IADD3 r1 = r1, r1, r1`)
	if list[0].Sched.RdBar >= 0 || list[0].Sched.Stall != 4 || list[1].Sched.Wait != 0 {
		t.Errorf("store and load: %+v %+v", list[0].Sched, list[1].Sched)
	}
	if list[2].Sched.Wait != 1<<list[1].Sched.WrBar {
		t.Errorf("the sum waits for %06b", list[2].Sched.Wait)
	}
}

// TestQueueOverwrites: a load may take a register that an earlier one still
// reads as an address, but arithmetic waits until that was read.
func TestQueueOverwrites(t *testing.T) {
	l := assigned(t, "sm_90", `    LDG.E r2[0] = desc[u10], [r2.64+0x0]
    LDG.E r2[1] = desc[u10], [r7.64+0x0]
    IADD3 r0 = r2[0], r2[1], rz`)
	if l[1].Sched.Wait != 0 {
		t.Errorf("the second load waits for %06b", l[1].Sched.Wait)
	}
	l = assigned(t, "sm_90", `    LDG.E r0 = desc[u10], [r2.64+0x0]
    IADD3 r2[1] = r3, r4, rz
    IADD3 r1 = r2[1], r0, rz`)
	if l[1].Sched.Wait == 0 {
		t.Error("the address is overwritten before it is read")
	}
}

// TestAcquire: the cache is told to forget only when every load before has
// its result, whoever reads that.
func TestAcquire(t *testing.T) {
	for _, first := range []string{"LDG.E.STRONG.GPU r0 = desc[u10], [r2.64+0x0]", "ATOMG.E.ADD.STRONG.GPU pt, rz = desc[u10], [r2.64+0x0], r3"} {
		l := assigned(t, "sm_90", "    "+first+"\n    CCTL.IVALL")
		if b := l[0].Sched.WrBar; b < 0 || l[1].Sched.Wait>>b&1 == 0 {
			t.Errorf("%s sets %d, CCTL waits for %06b", first, b, l[1].Sched.Wait)
		}
	}
}

// TestLongStall: a NOP that continues a long stall does not wait for a load from
// tensor memory, one that stands in the program does.
func TestLongStall(t *testing.T) {
	list := assigned(t, "sm_100a", `    LDTM r0 = tmem[u11]+0x0
    R2UR u12 = r4
    UIMAD.WIDE u10 = u12, 0x80, urz
    NOP`)
	if len(list) != 6 || !list[2].Sched.Pad || list[2].Sched.Wait != 0 {
		for _, i := range list {
			t.Log(i.Op, i.Sched)
		}
		t.Fatal("no stall is continued")
	}
	if b := list[0].Sched.WrBar; b < 0 || list[4].Sched.Pad || list[4].Sched.Wait != 1<<b {
		t.Errorf("the load sets %d, the NOP of the program waits for %06b", b, list[4].Sched.Wait)
	}
	back, err := ori.ParseSched(list[2].Sched.String())
	if err != nil || back != list[2].Sched {
		t.Errorf("%s is read as %s (%v)", list[2].Sched, back, err)
	}
}

// TestSharing gives loads with one consumer one barrier.
func TestSharing(t *testing.T) {
	list := assigned(t, "sm_90a", `    LDG.E r0 = desc[u10], [r2.64+0x0]
    LDG.E r1 = desc[u10], [r2.64+0x4]
    FADD r4 = r0, r1`)
	if list[0].Sched.WrBar != list[1].Sched.WrBar {
		t.Errorf("barriers %d and %d for one consumer", list[0].Sched.WrBar, list[1].Sched.WrBar)
	}
}

// TestManyLoads has more loads than barriers. They leave two to whoever does
// not wait as long.
func TestManyLoads(t *testing.T) {
	var body strings.Builder
	for n := range 8 {
		fmt.Fprintf(&body, "    LDG.E r%d[%d] = desc[u10], [r2.64+0x0]\n", 5+n/4, n%4)
	}
	for n := range 8 {
		fmt.Fprintf(&body, "    FADD r0 = r0, r%d[%d]\n", 5+n/4, n%4)
	}
	list := assigned(t, "sm_90a", body.String())
	used := map[int8]bool{}
	for _, i := range list[:8] {
		if i.Sched.WrBar < 0 {
			t.Fatal("a load without a barrier")
		}
		used[i.Sched.WrBar] = true
	}
	if len(used) != 4 {
		t.Errorf("%d barriers used", len(used))
	}
}

// TestControl checks what holds of every instruction: encodable fields and
// yields as the reference sets them.
func TestControl(t *testing.T) {
	list := assigned(t, "sm_90a", `    IADD3 r0 = r1, r1, r1
    IADD3 r3 = r0, r0, r0
    IADD3 r4 = r1, r1, r1
    FADD r1 = r4, r4
    HMMA.16816.F32 r5 = r6, r2, r5
    MOV r0 = r5[0]`)
	if !list[0].Sched.Yield || list[0].Sched.Stall != 4 {
		t.Errorf("stall of four: %+v", list[0].Sched)
	}
	nops := 0
	for _, i := range list {
		if i.Op == op.NOP {
			nops++
		}
	}
	if nops != 1 {
		t.Errorf("24 cycles take one NOP behind a stall of 15, have %d", nops)
	}
}

// TestReuse keeps an operand that the next instruction reads in the same
// place, and only then.
func TestReuse(t *testing.T) {
	list := assigned(t, "sm_90a", `    FFMA r0 = r1, r3, r5[0]
    FFMA r4 = r1, r15, r5[1]
    FFMA r1 = r1, r3, r5[2]
    FFMA r5[3] = r3, r1, r5[2]`)
	reuse := func(i *ori.Instr, k int) bool { return i.Srcs()[k].Flags&ori.Reuse != 0 }
	if !reuse(list[0], 0) || reuse(list[0], 1) || reuse(list[0], 2) {
		t.Errorf("first: %s", trim(list[0]))
	}
	if !reuse(list[1], 0) {
		t.Errorf("second: %s", trim(list[1]))
	}
	if reuse(list[2], 0) {
		t.Errorf("third overwrites what it would keep: %s", trim(list[2]))
	}
}

// TestKeptMatrix keeps a matrix that the next product reads too: the first
// one where the machine can, and the second one everywhere.
func TestKeptMatrix(t *testing.T) {
	reuse := func(i *ori.Instr, k int) bool { return i.Srcs()[k].Flags&ori.Reuse != 0 }
	for arch, first := range map[string]bool{"sm_90a": true, "sm_100a": true, "sm_120a": false, "sm_121a": false} {
		for k, text := range []string{
			"    HMMA.16816.F32 r5 = r6, r2, r5\n    HMMA.16816.F32 r16 = r6, r7, r16",
			"    HMMA.16816.F32 r5 = r6, r2, r5\n    HMMA.16816.F32 r16 = r17, r2, r16",
		} {
			list := assigned(t, arch, text)
			if want := k == 1 || first; reuse(list[0], k) != want || reuse(list[0], 1-k) {
				t.Errorf("%s: source %d is kept: %v, want %v: %s", arch, k, !want, want, trim(list[0]))
			}
		}
	}
}

// loopText is a loop that loads what its next turn reads.
const loopText = `  b0: -> b1
    LDG.E r0 = desc[u10], [r2.64+0x0]
  b1: -> b1, b2
    FADD r1 = r1, r0
    LDG.E r0 = desc[u10], [r2.64+0x4]
    ISETP.GE.AND p8 = r3, r4, pt
    @p8 BRA b1
  b2:
    STG.E desc[u10], [r2.64+0x0], r0
    EXIT
`

// TestLoop carries a load over the back edge: the wait stands in the block
// that reads it, on every path.
func TestLoop(t *testing.T) {
	f := assignedBlocks(t, "sm_90a", loopText)
	add := f.Blocks[1].First()
	for _, b := range f.Blocks[:2] {
		for i := range b.Instrs {
			if i.Op == op.LDG && (i.Sched.WrBar < 0 || add.Sched.Wait>>i.Sched.WrBar&1 == 0) {
				t.Errorf("FADD waits for %06b, not for %s", add.Sched.Wait, trim(i))
			}
		}
	}
	if f.Blocks[2].First().Sched.Wait == 0 {
		t.Error("the store does not wait for the load")
	}
	add.Sched.Wait = 0
	if Check(f, target.Find("sm_90a")) == nil {
		t.Error("the checker does not see a load read on the back edge")
	}
}

// TestPendingBlocks: what a block leaves pending, and what a loop leaves to its
// next round, shares no barrier with a load that is waited for later.
func TestPendingBlocks(t *testing.T) {
	f := assignedBlocks(t, "sm_90a", `  b0: -> b2, b1
    LDS r0 = [r2+0x0]
    IADD3 r3 = r15, r15, r15
    @p8 BRA b2
  b1: -> b2
    LDS r1 = [r2+0x4]
  b2:
    FADD r4 = r4, r0
    FADD r5 = r4, r1
    STS [r2+0x0], r5
    EXIT
`)
	a, b := f.Blocks[0].First().Sched.WrBar, f.Blocks[1].First().Sched.WrBar
	if a == b {
		t.Errorf("the first sum waits for barrier %d, which a load behind the branch sets too", a)
	}
	f = assignedBlocks(t, "sm_90a", `  b0: -> b1
    LDS r0 = [r2+0x0]
    IADD3 r1 = r0, r3, rz
  b1: -> b1, b2
    LDS r4 = [r2+0x4]
    IADD3 r1 = r3, r15, rz
    IADD3 r5 = r15, r15, rz
    IADD3 r5 = r15, r5, rz
    FADD r4 = r4, r5
    STS [r1+0x0], r4
    ISETP.GE.AND p8 = r3, r4, pt
    @p8 BRA b1
  b2:
    EXIT
`)
	load := f.Blocks[1].First()
	if w := load.Next().Sched.Wait; w>>load.Sched.WrBar&1 != 0 {
		t.Errorf("the address of the last round's store waits for %06b, and the load before it sets %d", w, load.Sched.WrBar)
	}
}

// TestCallDrains lets nothing pend at a call.
func TestCallDrains(t *testing.T) {
	list := assigned(t, "sm_90a", `    LDG.E r0 = desc[u10], [r2.64+0x0]
    ISETP.GE.AND p8 = r3, r4, pt
    CALL.REL.NOINC &f`)
	call := list[2]
	if call.Sched.Wait>>list[0].Sched.WrBar&1 == 0 || list[1].Sched.Stall < 13 {
		t.Errorf("pending at a call: wait %06b, stall before %d", call.Sched.Wait, list[1].Sched.Stall)
	}
}

// TestDummies counts the loads before asynchronous copies, which are never done
// and so keep nobody waiting.
func TestDummies(t *testing.T) {
	f := assignedBlocks(t, "sm_90a", `  b0: -> b1
    LDGSTS.E [r0+0x0], desc[u10], [r2.64+0x0]
    LDGSTS.E [r0+0x4], desc[u10], [r2.64+0x4]
  b1: -> b1, b2
    LDGSTS.E [r0+0x4], desc[u10], [r2.64+0x4]
    BAR.SYNC 0x0
    @p8 BRA b1
  b2:
    EXIT
`)
	var runs []string
	for _, b := range f.Blocks {
		run := ""
		for i := range b.Instrs {
			run += i.Op.String() + " "
			if i.Op == op.LDS && i.Sched.Stall != 1 {
				t.Errorf("a load that is never done stalls for %d cycles", i.Sched.Stall)
			}
		}
		runs = append(runs, run)
	}
	want := []string{"LDS LDS LDS LDGSTS LDGSTS ", "LDS LDS LDS LDGSTS BAR BRA ", "EXIT "}
	for n := range want {
		if runs[n] != want[n] {
			t.Errorf("block %d: %s, want %s", n, runs[n], want[n])
		}
	}
}

// TestDummyDistances: copies and fences keep away from what touched shared
// memory before them, as in the reference's code.
func TestDummyDistances(t *testing.T) {
	const (
		cp    = "LDGSTS.E [r0+0x0], desc[u10], [r2.64+0x0]\n"
		fence = "MEMBAR.SC.GPU\n"
		bar   = "BAR.SYNC 0x0\n"
		sts   = "STS [r0+0x0], r1\n"
		ldg   = "LDG.E r1 = desc[u10], [r2.64+0x0]\n"
	)
	names := map[op.Op]string{op.LDGSTS: "c", op.MEMBAR: "f", op.BAR: "b", op.STS: "s", op.LDS: ".", op.LDG: "g"}
	for _, c := range []struct{ body, sm80, sm90 string }{
		{cp, "c", "...c"},
		{fence + cp, "fc", "....fc"},
		{cp + fence + fence, "cff", "...c.ff"},
		{cp + sts + fence, "cs....f", "...cs....f"},
		{cp + sts + cp, "cs...c", "...cs...c"},
		{bar + cp + fence, "b...c.f", "b...c.f"},
		{cp + bar + fence + cp, "cb....fc", "...cb....fc"},
		{cp + ldg + cp, "cgc", "...cgc"},
		{bar + fence, "bf", "bf"},
	} {
		for arch, want := range map[string]string{"sm_80": c.sm80, "sm_90a": c.sm90, "sm_100a": c.sm90, "sm_120a": c.sm90} {
			got := ""
			for _, i := range assigned(t, arch, c.body) {
				got += names[i.Op]
			}
			if got != want {
				t.Errorf("%s: %s%s, want %s", arch, c.body, got, want)
			}
		}
	}
}

// TestFenceWaits: what a fence does not hold back does not wait for it.
func TestFenceWaits(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1 phys=4
reg r1 1/1 phys=5
b0:
MEMBAR.ALL.CTA
FENCE.VIEW.ASYNC.S
IADD3 r0 = r0, 0x1, rz
IADD3 r1 = r1, 0x1, rz
STS [r0+0x0], r1
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	a := target.Find("sm_90a")
	Assign(f, a, Sectors{4, 3})
	if err := Check(f, a); err != nil {
		t.Fatal(err)
	}
	var fence *ori.Instr
	for i := range f.Blocks[0].Instrs {
		switch i.Op {
		case op.FENCE:
			fence = i
			if i.Sched.Wait == 0 {
				t.Error("the fence does not wait for the one before it")
			}
		case op.IADD3:
			if i.Sched.Wait != 0 {
				t.Errorf("arithmetic waits:\n%s", f)
			}
		case op.STS:
			if i.Sched.Wait>>fence.Sched.WrBar&1 == 0 {
				t.Errorf("a store does not wait:\n%s", f)
			}
			i.Sched.Wait = 0
		}
	}
	if Check(f, a) == nil {
		t.Error("a store that does not wait for a fence is not reported")
	}
}
