package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/gen"
	"github.com/goptxas/goptxas/internal/witness/gen/pipe"
	"github.com/goptxas/goptxas/internal/witness/hazard"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// mode is one way to compile.
type mode struct {
	arch string
	args []string
}

// modes are taken in turn.
var modes = [...]mode{
	{"sm_90a", nil},
	{"sm_90a", []string{"-O0"}},
	{"sm_90a", []string{"-O1"}},
	{"sm_90a", []string{"--maxrregcount=24"}},
	{"sm_90a", []string{"--knob", "InlineCopies=0"}},
	{"sm_100a", nil},
	{"sm_120", nil},
	{"sm_90a", []string{"--knob", "SerialSchedule=true"}},
	{"sm_75", nil},
	{"sm_80", nil},
	{"sm_89", []string{"-O2"}},
	{"sm_75", []string{"-O1"}},
	{"sm_100a", []string{"-O2"}},
	{"sm_120a", []string{"-O1"}},
	{"sm_86", []string{"--maxrregcount=24"}},
	{"sm_100a", []string{"-Ofc=max"}},
}

// steps bounds the interpreter and the simulator.
const steps = 1_000_000

// programs compares the interpreter with our code, compiled with some options
// if there are any.
type programs struct {
	args []string
	only string // kind of programs; else all in turn

	turned bool     // knobs are turned, too
	with   []string // options added to those of each mode
}

// mode is how the program of a seed is compiled.
func (j programs) mode(seed uint64) mode {
	m := modes[seed*0x9e3779b97f4a7c15>>60]
	if len(j.args) > 0 {
		m = mode{"sm_90a", j.args}
	}
	m.args = append(slices.Clip(m.args), j.with...)
	if j.turned {
		m.args = append(slices.Clip(m.args), turn(rand.New(rand.NewPCG(seed, 0x6b6e6f62)))...)
	}
	return m
}

// turn sets a few numeric knobs to little, to much or to nothing: a choice that a
// knob makes is right with any of its values.
func turn(r *rand.Rand) (args []string) {
	table := knobs.New().Table()
	for range 1 + r.IntN(8) {
		k := table[r.IntN(len(table))]
		usual, err := strconv.Atoi(k.Default)
		if k.Kind != knobs.Int || err != nil {
			continue
		}
		v := [...]int{0, 1, 2, usual / 3, usual * 3, usual + 1, 100_000}[r.IntN(7)]
		args = append(args, "--knob", fmt.Sprintf("%s=%d", k.Name, v))
	}
	return args
}

// late are the GPUs with the instructions of sm_100.
var late = [...]string{"sm_100a", "sm_103a", "sm_110a", "sm_120a"}

// kind is a kind of programs.
type kind struct {
	name  string
	of    uint64    // so many of 64
	style gen.Style // nil: of gen/pipe
}

// kinds are taken in turn.
var kinds = [...]kind{
	{"large", 1, gen.New},
	{"wide", 1, gen.NewWide},
	{"pipe", 2, nil},
	{"reads", 3, nil},            // loops that load what they work on
	{"turns", 5, nil},            // loops that wait for all that they copied
	{"tensor", 9, gen.NewTensor}, // copies and products beside other work
	{"crowd", 4, gen.NewCrowd},   // stores, spilled values and barriers
	{"pairs", 3, gen.NewPairs},   // of floats
	{"weave", 8, gen.NewWeave},   // of constants, rings and loops in loops
	{"small", 28, gen.NewSmall},
}

// kindOf says what program a seed has.
func (j programs) kindOf(seed uint64) (style gen.Style, name string) {
	k := seed % 64
	for _, x := range kinds {
		if j.only == x.name || j.only == "" && k < x.of {
			return x.style, x.name
		}
		k -= x.of
	}
	panic("no programs " + j.only)
}

func (j programs) do(seed uint64) (result, fault, text string) {
	m := j.mode(seed)
	style, kind := j.kindOf(seed)
	switch kind {
	case "pipe":
		return tiles(seed, m)
	case "turns":
		return turns(seed, m)
	case "reads":
		return reads(seed, m)
	case "tensor", "crowd", "pairs", "weave":
		kind += "-"
	default:
		kind = ""
	}
	p := style(seed)
	if p.Target != "" {
		m.arch = late[seed/64%uint64(len(late))]
	}
	when := []sim.Async{{}}
	if kind != "" {
		when = timings(seed)[1:] // so small that it is done at once sooner or later
	}
	return judge(p, kind, m, when, seed, gen.Shrink)
}

// judge says what comes of a program, and shrinks one on which witnesses differ.
func judge[P interface{ Text() string }](p P, kind string, m mode, when []sim.Async, seed uint64, shrink func(P, func(P) bool) P) (result, fault, text string) {
	why, err := differs(p.Text(), m, when, seed)
	switch {
	case err != nil:
		return kind + "refused", err.Error(), ""
	case why == "":
		return kind + "agree", "", ""
	}
	q := shrink(p, func(q P) bool {
		d, err := differs(q.Text(), m, when, seed)
		if err != nil || d == "" {
			return false
		}
		why = d
		return true
	})
	return "fault", fmt.Sprintf("// seed %d, %s %v: %s", seed, m.arch, m.args, why), q.Text()
}

// reads judges loops that load what they work on.
func reads(seed uint64, m mode) (result, fault, text string) {
	return judge(pipe.NewReads(seed), "reads-", m, []sim.Async{{}}, seed, pipe.Shrink[*pipe.Reads])
}

// turns judges a loop that waits for all that it copied, half of them
// for older GPUs where they have the copies.
func turns(seed uint64, m mode) (result, fault, text string) {
	p := pipe.NewTurns(seed)
	if p.How != "bulk" && len(m.args) == 0 && seed/64%2 == 0 {
		m.arch = [...]string{"sm_80", "sm_86", "sm_89", "sm_90"}[seed/128%4]
	}
	return judge(p, "turns-", m, timings(seed), seed, pipe.Shrink[*pipe.Turns])
}

// tiles judges a pipe.
func tiles(seed uint64, m mode) (result, fault, text string) {
	p := pipe.New(seed)
	switch {
	case p.Group && m.arch != "sm_90a": // the one that has warp-group products
		m = modes[0]
	case p.Cluster && m.arch == "sm_120": // where a routine of the driver copies to several blocks
		m.arch = "sm_100a"
	case p.Map && m.arch == "sm_120": // which cannot make maps
		m.arch = "sm_120a"
	}
	if slices.Contains(m.args, "--maxrregcount=24") {
		m.args = []string{fmt.Sprintf("--maxrregcount=%d", p.Registers())}
	}
	kind := "pipe-"
	switch {
	case p.Hopper():
		kind = "hopper-"
	case !p.Beside():
		kind = "" // it only loads and adds
	}
	return judge(p, kind, m, timings(seed), seed, pipe.Shrink[*pipe.Pipe])
}

// timings are those of asynchronous work: at once, late, and by a seed.
func timings(seed uint64) []sim.Async {
	return []sim.Async{{}, {When: sim.AsLate}, {When: sim.BySeed, Seed: seed}}
}

// differs says how the results of a program differ, with each timing of
// asynchronous work; an error is a program that some witness does not take.
func differs(text string, m mode, timings []sim.Async, paths uint64) (string, error) {
	list, err := launch.Parse(text)
	if err != nil {
		return "", err
	}
	as := "sm_90a"
	if strings.Contains(text, ".target sm_100\n") {
		as = "sm_100a"
	}
	v, err := ptxvm.Load("random.ptx", text, as)
	if old := forOlder(text, m.arch); old != "" { // products of older GPUs add in their own way
		if u, err := ptxvm.Load("random.ptx", old, m.arch); err == nil {
			v, text = u, old
		} else {
			m.arch = as
		}
	}
	if err != nil {
		return "", err
	}
	want, err := v.Run(&list[0], ptxvm.Options{Undefined: true, MaxSteps: steps})
	if err != nil {
		return "", err
	}
	cubin, err := cubinOf(text, m)
	if err != nil {
		if s := err.Error(); strings.Contains(s, "internal compiler error") || strings.Contains(s, "is wrong") {
			return s, nil
		}
		return "", err
	}
	if r, err := hazard.CheckCubin(target.Find(m.arch), cubin, 1); err != nil || len(r.Found) > 0 {
		return fmt.Sprint("waits: ", r.Found, err), nil
	}
	module, err := sim.Load(cubin)
	if err != nil {
		return "", err
	}
	for _, when := range timings {
		got, err := simulate(module, &list[0], when, paths)
		switch {
		case errors.Is(err, errLacks):
			return "", err
		case err != nil:
			return err.Error(), nil
		}
		for k := range want {
			if !bytes.Equal(want[k], got[k]) {
				return fmt.Sprintf("argument %d differs", k), nil
			}
		}
	}
	return "", nil
}

// forOlder makes a text for a GPU before sm_90, or nothing if m is for another.
func forOlder(text, arch string) string {
	if len(arch) != len("sm_90") || arch >= "sm_90" {
		return ""
	}
	return targeted.ReplaceAllString(text, ".target "+arch+"\n")
}

var targeted = regexp.MustCompile(`\.target sm_\w+\n`)

// cubinOf compiles a text for the GPU of a mode.
func cubinOf(text string, m mode) ([]byte, error) {
	text = strings.Replace(text, ".target sm_90a", ".target "+m.arch, 1)
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "random.ptx", Text: []byte(text)}}, goptxas.Options{Arch: m.arch, Args: m.args})
	if err != nil {
		return nil, err
	}
	return out.Cubin, nil
}

// errLacks is an instruction that the simulator does not know.
var errLacks = errors.New("the simulator lacks an instruction")

func simulate(m *sim.Module, l *launch.Launch, when sim.Async, paths uint64) ([][]byte, error) {
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	if len(k.Missing()) > 0 {
		return nil, errLacks
	}
	c, err := k.Prepare(l, nil)
	if err != nil {
		return nil, err
	}
	c.Launch.MaxSteps, c.Launch.Async, c.Launch.Timed = 8*steps, when, when.When != sim.AtOnce
	c.Launch.Paths = paths
	st, err := k.Run(&c.Launch)
	if err != nil {
		return nil, err
	}
	if st.Behind > 0 {
		return nil, errors.New("lanes are left behind at a convergence barrier")
	}
	if len(st.Races) > 0 {
		return nil, errors.New(st.Races[0].String())
	}
	if len(st.Reports) > 0 {
		return nil, errors.New(st.Reports[0].String())
	}
	return c.Buffers, nil
}
