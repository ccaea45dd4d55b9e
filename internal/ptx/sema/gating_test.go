package sema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// versions lists every PTX version, oldest first.
var versions = strings.Fields("1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 5.1 " +
	"6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0")

// gatedTargets are the targets that the table of directives was made with.
var gatedTargets = strings.Fields("sm_10 sm_13 sm_20 sm_30 sm_35 sm_50 sm_53 sm_60 sm_70 sm_75 sm_80 sm_89 sm_90 " +
	"sm_90a sm_100 sm_100a sm_103a sm_110a sm_120 sm_120a sm_121a")

// snippets gives a text for each row of the table of directives. What
// begins with a bang stands for the whole file below its header.
var snippets = map[string]string{
	".visible .entry":              ".visible .entry k2() { exit; }",
	".extern .func":                ".extern .func f();",
	".weak .entry":                 ".weak .entry k2() { exit; }",
	".weak .global":                ".weak .global .u32 g;",
	".common":                      ".common .global .u32 g;",
	".func":                        ".func f() { ret; }",
	".func .param return":          ".func (.param .b32 r) f(.param .b32 a) { ret; }",
	".func .noreturn":              ".func f() .noreturn { exit; }",
	".func .abi_preserve":          ".func f() .abi_preserve 8 { ret; }",
	".func .abi_preserve_control":  ".func f() .abi_preserve_control 8 { ret; }",
	".alias":                       ".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;",
	".maxnreg":                     ".entry k2() .maxnreg 64 { exit; }",
	".maxntid":                     ".entry k2() .maxntid 64 { exit; }",
	".reqntid":                     ".entry k2() .reqntid 64 { exit; }",
	".minnctapersm":                ".entry k2() .maxntid 64 .minnctapersm 2 { exit; }",
	".maxnctapersm":                ".entry k2() .maxntid 64 .maxnctapersm 2 { exit; }",
	".explicitcluster":             ".entry k2() .explicitcluster { exit; }",
	".reqnctapercluster":           ".entry k2() .reqnctapercluster 2 { exit; }",
	".maxclusterrank":              ".entry k2() .explicitcluster .maxclusterrank 4 { exit; }",
	".blocksareclusters":           ".entry k2() .reqntid 32 .reqnctapercluster 2 .blocksareclusters { exit; }",
	".pragma":                      ".pragma \"nounroll\";",
	".pragma in body":              ".entry k2() { .pragma \"nounroll\"; exit; }",
	".pragma used_bytes_mask":      ".entry k2() { .pragma \"used_bytes_mask 0xf\"; exit; }",
	".pragma enable_smem_spilling": ".entry k2() { .pragma \"enable_smem_spilling\"; exit; }",
	".pragma frequency":            ".entry k2() { .pragma \"frequency 3\"; exit; }",
	".file/.loc":                   ".file 1 \"a.cu\"\n.entry k2() { .loc 1 2 3\n exit; }",
	".file with time,size":         ".file 1 \"a.cu\", 3, 4",
	".loc function_name": ".file 1 \"a.cu\"\n.entry k2() { .reg .b32 r; .loc 1 2 3\n mov.b32 r, 1; .loc 1 3 4, function_name l, inlined_at 1 2 3\n exit; }\n" +
		".section .debug_str { l: .b8 1 }",
	".section":              ".section .debug_str { .b8 1 }",
	".attribute(.managed)":  ".global .attribute(.managed) .u32 g;",
	".attribute(.unified)":  ".global .attribute(.unified(1,2)) .u32 g;",
	".branchtargets":        ".entry k2() { T: .branchtargets L; L: exit; }",
	"brx.idx":               ".entry k2() { .reg .u32 r; T: .branchtargets L; brx.idx r, T; L: exit; }",
	".calltargets":          ".func f() { ret; }\n.entry k2() { T: .calltargets f; exit; }",
	".callprototype":        ".entry k2() { P: .callprototype _ (); exit; }",
	"call indirect":         ".func f() { ret; }\n.entry k2() { .reg .u64 a; mov.u64 a, f; P: .callprototype _ (); call a, (), P; exit; }",
	".texref":               ".global .texref t;",
	".samplerref":           ".global .samplerref t;",
	".surfref":              ".global .surfref t;",
	".texref param":         ".entry k2(.param .texref t) { exit; }",
	".tex space":            ".tex .u32 t;",
	".const[bank]":          ".const[2] .b32 c[];",
	".surf space":           ".surf .u32 t;",
	".reg .b128":            ".entry k2() { .reg .b128 q; exit; }",
	".global .b128":         ".global .b128 q;",
	".reg .f16":             ".entry k2() { .reg .f16 q; exit; }",
	".reg .f16x2":           ".entry k2() { .reg .f16x2 q; exit; }",
	".reg .pred vector":     ".entry k2() { .reg .pred q<4>; exit; }",
	".param in body":        ".entry k2() { .param .b32 q; exit; }",
	".param .ptr":           ".entry k2(.param .u64 .ptr .global .align 8 a) { exit; }",
	".param > 4096 bytes":   ".entry k2(.param .b8 a[4097]) { exit; }",
	".param > 4352 bytes":   ".entry k2(.param .b8 a[4353]) { exit; }",
	".local module":         ".local .u32 l;",
	".reg module":           ".reg .u32 l;",
	"generic() initialiser": ".global .u32 h;\n.global .u64 g = generic(h);",
	"mask() initialiser":    ".global .u32 h;\n.global .u8 g[4] = { 0xff(h), 0xff00(h), 0xff0000(h), 0xff000000(h) };",
	"function initialiser":  ".func f() { ret; }\n.global .u64 g = f;",
	".extern shared":        ".extern .shared .u32 s[];",
	".shared unsized":       ".shared .u32 s[];",
	"variadic":              ".func f(.param .b32 a, .param .b8 v[]) { ret; }",
	"octal/binary literals": ".global .u32 g[2] = { 017, 0b11 };",
	".align 128":            ".global .align 128 .b8 g[4];",
	"recursion":             ".func f() { call f; ret; }",
	"entry without parens":  ".entry k2 { exit; }",
	".ptr .param::?":        ".entry k2(.param .u64 .ptr a) { exit; }",
	"{_,r} in mov":          ".entry k2() { .reg .b32 r; .reg .b64 d; mov.b64 {_,r}, d; exit; }",
	"_ atom result":         ".entry k2() { .reg .u64 a; .reg .u32 r; atom.global.add.u32 _, [a], r; exit; }",
	"_ in ld vector":        ".entry k2() { .reg .u64 a; .reg .u32 r; ld.global.v2.u32 {_,r}, [a]; exit; }",
	"ret in entry":          ".entry k2() { ret; }",
	".uni on call":          ".func f() { ret; }\n.entry k2() { call.uni f; exit; }",
	"kernel address":        ".entry k3() { exit; }\n.entry k2() { .reg .u64 a; mov.u64 a, k3; exit; }",
	".version/.target only": " ",
	".address_size 64":      "!.address_size 64",
}

// archFor returns an architecture that the target compiles for.
func archFor(tgt string) string {
	if target.Find(tgt) != nil {
		return tgt
	}
	return "sm_75"
}

// messages returns what the front end says about a snippet, without the
// complaint that the version does not know the target.
func messages(snippet, version, tgt string) string {
	text := fmt.Sprintf(".version %s\n.target %s\n%s\n", version, tgt, strings.TrimPrefix(snippet, "!"))
	got := check([]byte(text), []string{"-arch=" + archFor(tgt)})
	var list []string
	for line := range strings.Lines(got.stderr) {
		_, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.Contains(line, "warning :") || strings.Contains(line, "info    :") ||
			strings.Contains(what, "does not support .target") || strings.HasPrefix(what, "Ptx assembly aborted") {
			continue
		}
		list = append(list, what)
	}
	return strings.Join(list, "; ")
}

// TestDirectiveGating reproduces the table of directives: the first version
// that takes each, what older ones say, and the targets that have it.
func TestDirectiveGating(t *testing.T) {
	rows := cases.Table(t, "gating-directives")[1:]
	checked := 0
	for _, row := range rows {
		for len(row) < 5 {
			row = append(row, "")
		}
		name, first, targets := row[0], row[1], row[2]
		snippet, ok := snippets[name]
		if !ok {
			t.Errorf("no snippet for %q", name)
			continue
		}
		checked++
		gateVersions(t, name, snippet, first, row[3])
		gateTargets(t, name, snippet, targets, row[4])
	}
	t.Logf("%d rows of %d", checked, len(rows))
}

func gateVersions(t *testing.T, name, snippet, first, complaint string) {
	if first == "never" {
		return
	}
	if lo, hi, ok := strings.Cut(first, ".."); ok {
		hi, tgt, _ := strings.Cut(hi, " on ")
		for i, v := range versions {
			in := i >= index(versions, lo) && i <= index(versions, hi)
			if got := messages(snippet, v, tgt); (got == "") != in && i >= index(versions, "1.0") {
				if in || i > index(versions, hi) {
					t.Errorf("%s at %s: %q", name, v, got)
				}
			}
		}
		return
	}
	at := index(versions, first)
	tgt := "sm_100"
	if got := messages(snippet, versions[at], targetAt(first)); got != "" && messages(snippet, versions[at], tgt) != "" {
		t.Errorf("%s at %s: %q", name, first, got)
	}
	if at > 0 && complaint != "" {
		got := messages(snippet, versions[at-1], tgt)
		if alt := messages(snippet, versions[at-1], targetAt(versions[at-1])); got != complaint && alt != complaint {
			t.Errorf("%s at %s:\n got %q\nwant %q", name, versions[at-1], got, complaint)
		}
	}
}

func index(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}

// targetAt returns a new target that a version knows.
func targetAt(version string) string {
	best := "sm_10"
	for _, r := range []struct{ v, t string }{
		{"1.2", "sm_13"},
		{"2.0", "sm_20"},
		{"3.0", "sm_30"},
		{"3.1", "sm_35"},
		{"4.0", "sm_50"},
		{"5.0", "sm_60"},
		{"5.1", "sm_70"},
		{"6.3", "sm_75"},
		{"7.0", "sm_80"},
		{"7.8", "sm_90"},
		{"8.6", "sm_100"},
	} {
		if index(versions, version) >= index(versions, r.v) {
			best = r.t
		}
	}
	return best
}

// gateTargets: every target without the feature refuses it, and one of them
// in the words of the table, which was made with one of them.
func gateTargets(t *testing.T, name, snippet, targets, complaint string) {
	said := targets == "all"
	var last string
	for _, tgt := range gatedTargets {
		in := targets == "all" || index(strings.Fields(targets), tgt) >= 0
		got := messages(snippet, "9.0", tgt)
		switch {
		case in && got != "":
			t.Errorf("%s on %s: %q", name, tgt, got)
		case !in && got == "":
			t.Errorf("%s on %s: accepted, want %q", name, tgt, complaint)
		case !in:
			last = got
			said = said || got == complaint
		}
	}
	if !said {
		t.Errorf("%s:\n got %q\nwant %q", name, last, complaint)
	}
}

// TestTargets reproduces the table of .target names.
func TestTargets(t *testing.T) {
	rows := cases.Table(t, "targets")[1:]
	runs := 0
	for _, row := range rows {
		for len(row) < 4 {
			row = append(row, "")
		}
		name, first, archs := row[0], row[1], row[2]
		if first == "-" {
			got := messages(".entry k() { exit; }", "9.0", name)
			if got != row[3] {
				t.Errorf("%s: %q, want %q", name, got, row[3])
			}
			runs++
			continue
		}
		for i, v := range versions {
			got := check(fmt.Appendf(nil, ".version %s\n.target %s\n", v, name), []string{"-arch=sm_121a"})
			known := !strings.Contains(got.stderr, "does not support .target "+name)
			if known != (i >= index(versions, first)) {
				t.Errorf("%s at %s: %s", name, v, got.stderr)
			}
			runs++
		}
		for _, a := range target.Archs {
			got := check(fmt.Appendf(nil, ".version 9.0\n.target %s\n", name), []string{"-arch=" + a.Name})
			in := archs == "all" || index(strings.Fields(archs), a.Name) >= 0
			if (got.exit == 0) != in {
				t.Errorf("%s for %s: %s", name, a.Name, got.stderr)
			}
			if why := strings.TrimPrefix(strings.TrimSpace(got.stderr), "ptxas fatal   : "); !in &&
				!strings.Contains(row[3], strings.ReplaceAll(why, "'"+a.Name+"'", "'ARCH'")) && !strings.Contains(row[3], why) {
				t.Errorf("%s for %s: %q is none of %q", name, a.Name, why, row[3])
			}
			runs++
		}
	}
	t.Logf("%d targets, %d runs", len(rows), runs)
}
