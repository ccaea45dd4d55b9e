package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// testCase is a command line and the files it finds.
type testCase struct {
	args  []string
	files map[string]string
}

// text is the programs of a case.
func (c *testCase) text() string {
	var b strings.Builder
	for _, name := range [...]string{"p.ptx", "q.ptx"} {
		if slices.Contains(c.args, name) {
			fmt.Fprintf(&b, "--- %s\n%s\n", name, c.files[name])
		}
	}
	return b.String()
}

// newCase makes the case of a seed.
func newCase(seed uint64) *testCase {
	r := &source{rand.New(rand.NewPCG(seed, 1))}
	c := &testCase{files: map[string]string{"opts.txt": "-v -O2", "opts2.txt": "-arch=sm_80\n-c # x", "opts3.txt": "-O1 -optf opts.txt\n"}}
	c.files["p.ptx"], c.files["q.ptx"] = program(r), program(r)
	c.args = r.line()
	return c
}

// source is where choices come from.
type source struct{ *rand.Rand }

// pick chooses one of some.
func (r *source) pick(list ...string) string { return list[r.IntN(len(list))] }

// number chooses one of some.
func (r *source) number(list ...int) int { return list[r.IntN(len(list))] }

// chance is true in so many of a hundred cases.
func (r *source) chance(percent int) bool { return r.IntN(100) < percent }

const (
	gpus   = "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f"
	noGPUs = "compute_90 compute_75 sm_50 sm_90b lto_80 sm_101 native all"
)

// rows are the options: how often of a hundred, and the spellings, each in
// words that go together.
var rows = []struct {
	percent int
	list    string // separated by |
}{
	{75, "-v|-v|-v|--verbose"},
	{30, "-O0|-O1|-O2|-O3|--opt-level=1|-O4|-O 2"},
	{12, "-g|--device-debug"},
	{12, "-lineinfo|--generate-line-info"},
	{18, "-c|--compile-only"},
	{3, "-ewp"},
	{15, "-maxrregcount=1|-maxrregcount=10|-maxrregcount=16|-maxrregcount=24|-maxrregcount=32|-maxrregcount=64|-maxrregcount=128|-maxrregcount=256|-maxrregcount=archmin|--maxrregcount 32|-maxrregcount=archmax"},
	{12, "-warn-spills|--warn-on-spills"},
	{12, "-warn-lmem-usage|--warn-on-local-memory-usage"},
	{12, "-warn-double-usage|--warn-on-double-precision-use"},
	{8, "-Werror|--warning-as-error"},
	{8, "-w|--disable-warnings"},
	{8, "-dlcm=cg|-dlcm=ca|-dlcm=cv|-dlcm=xx|--def-load-cache=cs|-dscm=wt|-flcm=cg|-fscm=cs"},
	{6, "-maxntid=128|-maxntid=256,2|--maxntid 64|-minnctapersm=2|-maxntid=2048|-override-directive-values"},
	{5, "-e k0|-e kernel_0,k1|--entry=a0|-e nosuch"},
	{5, "-split-compile=2|-split-compile=0|--split-compile 1|-jobserver"},
	{5, "-Ofc=max|--Ofast-compile=mid|-Ofc=min|-Ofc=0|-Ofc=foo"},
	{5, "-fmad=false|-fmad=true|-fmad=2|--fmad false"},
	{4, "-regUsageLevel=0|-regUsageLevel=10|-regUsageLevel=12"},
	{4, "-suppress-stack-size-warning|-suppress-double-demote-warning|-suppress-debug-info|-disable-optimizer-consts|-sp-bounds-check|-ret-end|-no-bb-merge|-annotate|-pic=true|-opt-fp-atomics|-device-stack-protector=true|-preserve-relocs|-astoolspatch|-make-errors-visible-at-exit|-legacy-bar-warp-wide-behavior|-g-tmem-access-check|-allow-expensive-optimizations=false|-suppress-sparse-mma-advisory-info|-func-maxrregcount=32"},
	{3, "--dump-callgraph|--list-arch|-list-gpu-code|--resource-usage|--dump|-foo|--opt-levl=2|-V|--version|-h|--list-version|-arch|-o|-maxrregcount|-maxrregcount=x|--verb|-O9|-m32|-ias|--fatbin|-arch=|-|--|-v=1"},
	{4, "-optf opts.txt|-optf nofile.txt|--options-file opts.txt|-optf=opts2.txt|-optf opts3.txt"},
}

// line makes a command line.
func (r *source) line() []string {
	var a []string
	switch {
	case r.chance(60):
		a = append(a, r.pick("-arch=", "-arch=", "--gpu-name=")+r.pick(strings.Fields(gpus)...))
	case r.chance(5):
		a = append(a, "-arch="+r.pick(strings.Fields(noGPUs)...))
	}
	for _, row := range rows {
		if r.chance(row.percent) {
			a = append(a, r.pick(strings.Split(row.list, "|")...))
		}
	}
	r.Shuffle(len(a), func(i, k int) { a[i], a[k] = a[k], a[i] })
	if r.chance(25) {
		a = append(a, r.pick("-o x.cubin", "-o x.cubin", "-o x.cubin", "-o=x.cubin", "--output-file x.cubin", "-o nodir/x", "-o /dev/null"))
	}
	at := len(a)
	if r.chance(30) {
		at = r.IntN(len(a) + 1)
	}
	return strings.Fields(strings.Join(slices.Insert(a, at, r.inputs()...), " "))
}

// inputs names the files of a command line: most often one that is there.
func (r *source) inputs() []string {
	one := r.pick("p.ptx", "q.ptx")
	switch x := r.IntN(100); {
	case x < 3:
		return []string{one, r.pick("p.ptx", "q.ptx")}
	case x < 5:
		return []string{"nofile.ptx"}
	case x < 6:
		return nil
	case x < 7:
		return []string{one, "nofile.ptx"}
	}
	return []string{one}
}
