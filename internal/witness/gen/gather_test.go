package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// gatherOps are the instructions for which threads of a warp gather: what one
// of them does with %x, in variant n, for the threads of a mask. own: the mask
// is of threads with equal lowest bits of their lanes only.
var gatherOps = []struct {
	name string
	sm   int // from this one on
	bar  bool
	text func(n int, mask string, own bool) string
}{
	{"shfl.idx", 75, false, shuffleText("idx", "7171")},
	{"shfl.up", 75, false, shuffleText("up", "7168")},
	{"shfl.down", 75, false, shuffleText("down", "7171")},
	{"shfl.bfly", 75, false, shuffleText("bfly", "7171")},
	{"vote.ballot", 75, false, voteText("vote.sync.ballot.b32 %y, %q, M;")},
	{"vote.all", 75, false, voteText("vote.sync.all.pred %q, %q, M;\nselp.u32 %y, 5, 9, %q;")},
	{"vote.any", 75, false, voteText("vote.sync.any.pred %q, %q, M;\nselp.u32 %y, 5, 9, %q;")},
	{"vote.uni", 75, false, voteText("vote.sync.uni.pred %q, !%q, M;\nselp.u32 %y, 5, 9, %q;")},
	{"match.any.b32", 75, false, plainText("and.b32 %y, %x, 3;\nmatch.any.sync.b32 %y, %y, M;")},
	{"match.any.b64", 75, false, plainText("and.b32 %y, %x, 3;\nmov.b64 %w, {%y, %y};\nmatch.any.sync.b64 %y, %w, M;")},
	{"match.all.b32", 75, false, plainText("and.b32 %y, %x, N;\nmatch.all.sync.b32 %y|%q, %y, M;\n@%q add.u32 %y, %y, 11;")},
	{"match.all.b64", 75, false, plainText("and.b32 %y, %x, N;\nmov.b64 %w, {7, %y};\nmatch.all.sync.b64 %y|%q, %w, M;\n@%q add.u32 %y, %y, 11;")},
	{"redux.add.u32", 80, false, plainText("redux.sync.add.u32 %y, %x, M;")},
	{"redux.add.s32", 80, false, plainText("redux.sync.add.s32 %y, %x, M;")},
	{"redux.min.u32", 80, false, plainText("redux.sync.min.u32 %y, %x, M;")},
	{"redux.min.s32", 80, false, plainText("redux.sync.min.s32 %y, %x, M;")},
	{"redux.max.u32", 80, false, plainText("redux.sync.max.u32 %y, %x, M;")},
	{"redux.max.s32", 80, false, plainText("redux.sync.max.s32 %y, %x, M;")},
	{"redux.and", 80, false, plainText("or.b32 %y, %x, 255;\nredux.sync.and.b32 %y, %y, M;")},
	{"redux.or", 80, false, plainText("and.b32 %y, %x, 17;\nredux.sync.or.b32 %y, %y, M;")},
	{"redux.xor", 80, false, plainText("redux.sync.xor.b32 %y, %x, M;")},
	{"elect", 90, false, plainText("elect.sync %y|%q, M;\n@%q add.u32 %y, %y, 100;")},
	{"warp", 75, false, exchangeText("bar.warp.sync M;")},
	{"barrier", 75, true, exchangeText("barrier.sync N;")},
	{"barrier.count", 75, true, exchangeText("barrier.sync N, %c;")},
	{"barrier.popc", 75, true, voteText("barrier.red.popc.u32 %y, N, %q;")},
	{"barrier.and", 75, true, voteText("barrier.red.and.pred %q, N, %q;\nselp.u32 %y, 5, 9, %q;")},
	{"barrier.or", 75, true, voteText("barrier.red.or.pred %q, N, %c, !%q;\nselp.u32 %y, 5, 9, %q;")},
	{"barrier.arrive", 75, true, plainText("mov.u32 %y, 3;\nsetp.lt.u32 %q, %t, 32;\n@%q bra P$;\nbarrier.sync N, %c;\nbra Q$;\nP$:\nbarrier.arrive N, %c;\nQ$:")},
}

// shuffleText shuffles inside quads.
func shuffleText(mode, clamp string) func(int, string, bool) string {
	return func(n int, mask string, own bool) string {
		by := fmt.Sprintf("mov.u32 %%b, %d;", 1+n%2)
		if own {
			by = "mov.u32 %b, 2;"
			if mode == "idx" {
				by = fmt.Sprintf("and.b32 %%b, %%l, 1;\nadd.u32 %%b, %%b, %d;", 2*(n%2))
			}
		}
		return fmt.Sprintf("%s\nshfl.sync.%s.b32 %%y|%%q, %%x, %%b, %s, %s;\n@%%q add.u32 %%y, %%y, 1000;\n", by, mode, clamp, mask)
	}
}

func plainText(text string) func(int, string, bool) string {
	return func(n int, mask string, _ bool) string {
		t := strings.ReplaceAll(text, "$", fmt.Sprint("_", n))
		return strings.ReplaceAll(strings.ReplaceAll(t, " M;", " "+mask+";"), " N", fmt.Sprint(" ", 1)) + "\n"
	}
}

func voteText(text string) func(int, string, bool) string {
	return func(n int, mask string, own bool) string {
		return fmt.Sprintf("and.b32 %%y, %%x, %d;\nsetp.ne.u32 %%q, %%y, 0;\n", 1+2*(n%3)) + plainText(text)(n, mask, own)
	}
}

// exchangeText looks at a neighbour's word.
func exchangeText(sync string) func(int, string, bool) string {
	s := plainText("st.shared.u32 [%s], %x;\n" + sync + "\nmov.u32 %y, X;\nxor.b32 %y, %s, %y;\nld.shared.u32 %y, [%y];\n" + sync)
	return func(n int, mask string, own bool) string {
		by := 4 << (n % 2)
		if own {
			by = 8
		}
		return strings.ReplaceAll(s(n, mask, own), "X", fmt.Sprint(by))
	}
}

// gatherShapes say where the instructions stand. OP is one; MASK, EXIT and the
// size of the block belong to the shape.
var gatherShapes = []struct {
	name  string
	masks [2]string // of even and of odd lanes
	block int
	once  bool // barriers cannot do it
	text  string
	open  bool // the simulator may not do with the reference's code what a machine does: it waits for ever at a BSYNC, or takes a guarded BRA.DIV for another jump
}{
	{"arms", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\nE1\nbra B;\nA:\nadd.u32 %x, %x, 17;\nO1\nB:", false},
	{"chain", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\nE1\nE2\nE3\nbra B;\nA:\nO1\nadd.u32 %x, %x, 17;\nO2\nO3\nB:", false},
	{"nested", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\n@%h bra C;\nE1\nbra B;\nC:\nE1\nbra B;\nA:\n@%h bra D;\nO1\nbra B;\nD:\nadd.u32 %x, %x, 9;\nO1\nB:\nE2", false},
	{"uneven", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\n@%h bra C;\nE1\nbra B;\nC:\nE1\nbra B;\nA:\n@%h bra D;\nO1\nD:\n@!%h bra F;\nO1\nF:\nB:\nE2", true},
	{"loop", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\nmov.u32 %i, 0;\nL:\nE1\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 3;\n@%q bra L;\nbra B;\nA:\nO1\nO1\nO1\nB:", false},
	{"one by one", [2]string{"-1", "-1"}, 64, false, "@%o bra S1;\nE1\nS1:\n@!%o bra S2;\nO1\nS2:", true},
	{"call", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\nE1\nbra B;\nA:\nCALL\nB:", false},
	{"calls", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\nCALL\nadd.u32 %x, %x, 1;\nbra B;\nA:\nCALL\nB:", false},
	{"own masks", [2]string{"0x55555555", "0xaaaaaaaa"}, 64, true, "@%o bra A;\nE1\nE2\nbra B;\nA:\nO1\nB:", false},
	{"halves", [2]string{"%m", "%m"}, 64, true, "@%o bra A;\nE1\nE2\nbra B;\nA:\nO1\nO2\nB:", true},
	{"half then all", [2]string{"%m", "%m"}, 64, true, "@%o bra A;\nE1\nmov.u32 %m, -1;\nE2\nbra B;\nA:\nO1\nmov.u32 %m, -1;\nO2\nB:", true},
	{"mask and constant", [2]string{"%v", "-1"}, 64, true, "mov.u32 %v, %m;\nsub.u32 %v, 0, 1;\n@%h sub.u32 %v, 0, 1;\n@%o bra A;\nE1\nbra B;\nA:\nO1\nB:", false},
	{"small block", [2]string{"-1", "-1"}, 20, true, "@%o bra A;\nE1\nbra B;\nA:\nO1\nB:", false},
	{"exited", [2]string{"-1", "-1"}, 64, true, "setp.ge.u32 %q, %l, 24;\n@%q bra END;\n@%o bra A;\nE1\nbra B;\nA:\nO1\nB:", false},
	{"behind", [2]string{"-1", "-1"}, 64, false, "@%o bra A;\nE1\nA:\nE2\n@!%o bra B;\nE3\nB:", true},
	{"behind the loop", [2]string{"-1", "-1"}, 64, false, "and.b32 %i, %l, 1;\nL:\nE1\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 3;\n@%q bra L;\n@!%o bra B;\nO1\nB:", true},
	{"other turns", [2]string{"-1", "-1"}, 64, false, "mov.u32 %i, 0;\nL:\nand.b32 %y, %l, 1;\nxor.b32 %y, %y, %i;\nand.b32 %y, %y, 1;\nsetp.ne.u32 %q, %y, 0;\n@%q bra C;\nE1\nC:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 4;\n@%q bra L;", true},
	{"skipped", [2]string{"-1", "-1"}, 64, true, "@%o bra A;\nE1\nA:", true},
	{"skipped once", [2]string{"-1", "-1"}, 64, true, "@%o bra A;\nE1\nE2\nbra B;\nA:\nE1\nB:", true},
	{"skipped by some", [2]string{"%m", "%m"}, 64, true, "@%o bra A;\nE1\nA:", true},
	{"left the loop", [2]string{"-1", "-1"}, 64, true, "and.b32 %i, %l, 1;\nL:\nE1\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 3;\n@%q bra L;", true},
}

// parts are the shapes at whose ends only threads with equal lowest bits of
// their lanes are left.
func parts(shape string) bool {
	return strings.HasPrefix(shape, "own") || strings.HasPrefix(shape, "skipped") || strings.HasPrefix(shape, "left")
}

// gatherText is a kernel of one instruction and one shape.
func gatherText(arch string, o, s int) string {
	x, shape := &gatherOps[o], &gatherShapes[s]
	labels := 0
	op := func(n, side int) string {
		labels++
		t := x.text(n, shape.masks[side], parts(shape.name))
		t = strings.NewReplacer("P_", fmt.Sprint("P", labels, "_"), "Q_", fmt.Sprint("Q", labels, "_")).Replace(t)
		return t + "mad.lo.u32 %x, %x, 3, %y;\n"
	}
	var body strings.Builder
	for line := range strings.Lines(shape.text + "\n") {
		switch w := strings.TrimSpace(line); {
		case len(w) == 2 && (w[0] == 'E' || w[0] == 'O') && w[1] < '9':
			body.WriteString(op(int(w[1]-'0'), map[byte]int{'E': 0, 'O': 1}[w[0]]))
		case w == "CALL":
			body.WriteString("{\n.param .b32 a0; .param .b32 a1; .param .b32 a2;\nst.param.b32 [a0], %x;\nst.param.b32 [a2], %s;\ncall (a1), f, (a0, a2);\nld.param.b32 %x, [a1];\n}\n")
		default:
			body.WriteString(line)
		}
	}
	regs := ".reg .pred %o, %h, %q; .reg .b32 %x, %y, %b, %l, %m, %v, %i, %s, %t, %c; .reg .b64 %w, %a;\nmov.u32 %t, %tid.x;\nmov.u32 %l, %laneid;\nmov.u32 %c, %ntid.x;\n"
	f := fmt.Sprintf(".func (.param .b32 r) f(.param .b32 p, .param .b32 q)\n{\n%sld.param.b32 %%x, [p];\nld.param.b32 %%s, [q];\n%sst.param.b32 [r], %%x;\nret;\n}\n", regs, op(1, 0))
	if !strings.Contains(shape.text, "CALL") {
		f = ""
	}
	return fmt.Sprintf("//: run k grid=1 block=%d\n//: buf 256 bits 3\n.version 8.8\n.target %s\n.address_size 64\n.shared .align 4 .b32 sh[64];\n%s.visible .entry k(.param .u64 p)\n{\n%s"+
		"ld.param.u64 %%a, [p];\nmad.wide.u32 %%a, %%t, 4, %%a;\nld.global.u32 %%x, [%%a];\nmov.u32 %%s, sh;\nmad.lo.u32 %%s, %%t, 4, %%s;\n"+
		"and.b32 %%y, %%l, 1;\nsetp.ne.u32 %%o, %%y, 0;\nand.b32 %%y, %%l, 4;\nsetp.ne.u32 %%h, %%y, 0;\nsetp.lt.u32 %%q, %%l, 16;\nselp.b32 %%m, 0xffff, 0xffff0000, %%q;\n%sst.global.u32 [%%a], %%x;\nEND:\nret;\n}\n",
		shape.block, arch, f, regs, body.String())
}

// gatherSteps is far more than any of them needs.
const gatherSteps = 100_000

// gatherRun runs a cubin in the simulator.
func gatherRun(text string, cubin []byte, timed bool) ([][]byte, error) {
	list, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	return simulate(&list[0], cubin, gatherSteps, timed)
}

// gathering is an instruction in a shape for a target.
type gathering struct {
	shape, op  int
	name, arch string
	text       string
	want       [][]byte // what the interpreter says
}

// eachGathering runs do for all of them, or for those that GOPTXAS_GATHER names.
func eachGathering(t *testing.T, do func(m *gathering)) {
	only := os.Getenv("GOPTXAS_GATHER")
	for s := range gatherShapes {
		for o := range gatherOps {
			x := &gatherOps[o]
			if x.bar && gatherShapes[s].once || x.name == "barrier.arrive" && gatherShapes[s].name != "arms" {
				continue
			}
			name := gatherShapes[s].name + "/" + x.name
			if !strings.Contains(name, only) {
				continue
			}
			for _, arch := range []string{"sm_75", "sm_80", "sm_90a", "sm_100", "sm_120"} {
				if target.Find(arch).SM < x.sm {
					continue
				}
				m := &gathering{shape: s, op: o, name: name, arch: arch, text: gatherText(arch, o, s)}
				var err error
				if m.want, err = gatherWant(m.text, arch); err != nil {
					t.Errorf("%s %s: interpreter: %v", name, arch, err)
					continue
				}
				do(m)
			}
		}
	}
}

// allGatherings reports whether samples are not enough.
func allGatherings() bool {
	return os.Getenv("GOPTXAS_GATHER") != "" || os.Getenv("GOPTXAS_FULL") != ""
}

// TestGather: threads of a warp that come to the same instruction in different
// places do it together: interpreter and our code agree.
func TestGather(t *testing.T) {
	modes := [][]string{{"-O0"}, {"-O3"}, {"-O3", "-maxrregcount=24"}, {"-g"}}
	ran := 0
	eachGathering(t, func(m *gathering) {
		for n, mode := range modes {
			if !allGatherings() && (m.shape+m.op+n)%4 != target.Find(m.arch).SM/5%4 {
				continue
			}
			ran++
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(m.text)}}, goptxas.Options{Arch: m.arch, Args: mode})
			if err != nil {
				t.Errorf("%s %s %v: %v", m.name, m.arch, mode, err)
				continue
			}
			got, err := gatherRun(m.text, out.Cubin, m.arch == "sm_90a")
			if err != nil || !bytes.Equal(m.want[0], got[0]) {
				t.Errorf("%s %s %v: differs (%v)", m.name, m.arch, mode, err)
			}
		}
	})
	t.Logf("%d runs", ran)
}

// unexplained is where the reference's code leaves something else in the
// simulator from sm_90 on, and nobody knows which of the two is wrong.
const unexplained = "loop/barrier.popc"

// TestGatherReference: the reference's code in the simulator does the same, but
// in shapes that are open.
func TestGatherReference(t *testing.T) {
	tools := oracle.Find(t)
	agreed, open := 0, 0
	eachGathering(t, func(m *gathering) {
		if !allGatherings() && (m.shape+m.op)%3 != 0 {
			return
		}
		got, err := gatherReference(tools, t.TempDir(), m.text, m.arch)
		switch {
		case err == nil && bytes.Equal(m.want[0], got[0]):
			agreed++
		case !errors.Is(err, errRefused) && (gatherShapes[m.shape].open || m.name == unexplained && target.Find(m.arch).SM >= 90):
			open++
		default:
			t.Errorf("%s %s: differs (%v)", m.name, m.arch, err)
		}
	})
	t.Logf("%d agree, %d open", agreed, open)
}

// TestGatherZoo runs the kernels that are for machines too.
func TestGatherZoo(t *testing.T) {
	runs := 0
	for _, k := range zoo.Gatherings(t) {
		p, err := ptxvm.Load(k.File, k.Text, "sm_90")
		if err != nil {
			t.Fatal(err)
		}
		want := gatherOrders(t, p, &k)
		for _, mode := range [][]string{{"-O0"}, {"-O1"}, {"-O3"}, {"-O3", "-maxrregcount=24"}, {"-O3", "--knob", "SerialSchedule=true"}} {
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a", Args: mode})
			if err != nil {
				t.Errorf("%s %v: %v", k.File, mode, err)
				continue
			}
			m, err := sim.Load(out.Cubin)
			if err != nil {
				t.Fatal(err)
			}
			for n := range k.Launches {
				l := &k.Launches[n]
				got, bad := started(m, l, gatherSteps, true)
				for _, w := range want[n] {
					if bad != nil || !bytes.Equal(w, got[0]) {
						t.Errorf("%s %s %v: differs (%v)", k.File, l.Kernel, mode, bad)
					}
					runs++
				}
			}
		}
	}
	t.Logf("%d runs", runs)
	if runs < 900 {
		t.Error("too few")
	}
}

// gatherOrders is what the interpreter leaves for each launch, in two orders of
// threads.
func gatherOrders(t *testing.T, p *ptxvm.Program, k *zoo.Kernel) [][2][]byte {
	all := make([][2][]byte, len(k.Launches))
	for n := range k.Launches {
		for order := range all[n] {
			out, err := p.Run(&k.Launches[n], ptxvm.Options{MaxSteps: gatherSteps, Undefined: true, Races: true, Schedule: uint64(order)})
			if err != nil {
				t.Fatalf("%s %s: %v", k.File, k.Launches[n].Kernel, err)
			}
			all[n][order] = out[0]
		}
	}
	return all
}

func gatherWant(text, arch string) ([][]byte, error) {
	list, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	p, err := ptxvm.Load("k.ptx", text, arch)
	if err != nil {
		return nil, err
	}
	return p.Run(&list[0], ptxvm.Options{MaxSteps: gatherSteps})
}

func gatherReference(x *oracle.Tools, dir, text, arch string) ([][]byte, error) {
	in, out := filepath.Join(dir, "p.ptx"), filepath.Join(dir, "p.cubin")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		return nil, err
	}
	if r := x.Ptxas("-arch="+arch, in, "-o", out); r.Exit != 0 {
		return nil, fmt.Errorf("%w: %s", errRefused, r.Stderr)
	}
	cubin, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return gatherRun(text, cubin, false)
}
