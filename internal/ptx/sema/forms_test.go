package sema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

// formTargets are the targets whose acceptance the table of forms gives.
var formTargets = strings.Fields("sm_10 sm_11 sm_12 sm_13 sm_20 sm_21 sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 " +
	"sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100f sm_100a sm_103 " +
	"sm_103f sm_103a sm_110 sm_110f sm_110a sm_120 sm_120f sm_120a sm_121 sm_121f sm_121a")

// formParts are declarations that forms refer to; each is only written when
// the form names it and the version has it, as when the table was made.
var formParts = []struct{ name, module, body, since string }{
	{"%p", "", ".reg .pred %p<64>;", ""},
	{"%h", "", ".reg .b16 %h<64>;", ""},
	{"%r", "", ".reg .b32 %r<1024>;", ""},
	{"%rd", "", ".reg .b64 %rd<256>;", ""},
	{"%q", "", ".reg .b128 %q<64>;", ""},
	{"%f", "", ".reg .f32 %f<256>;", ""},
	{"%fd", "", ".reg .f64 %fd<64>;", ""},
	{"%s", "", ".reg .s32 %s<64>;", ""},
	{"%u", "", ".reg .u32 %u<64>;", ""},
	{"%ud", "", ".reg .u64 %ud<64>;", ""},
	{"%sd", "", ".reg .s64 %sd<64>;", ""},
	{"%uh", "", ".reg .u16 %uh<64>;", ""},
	{"%sh", "", ".reg .s16 %sh<64>;", ""},
	{"%ub", "", ".reg .u8 %ub<64>;", ""},
	{"%bb", "", ".reg .b8 %bb<64>;", ""},
	{"%hf", "", ".reg .f16 %hf<64>;", ""},
	{"%hx", "", ".reg .f16x2 %hx<64>;", ""},
	{"gv", ".global .b8 gv[64];", "", ""},
	{"sv", ".shared .b8 sv[64];", "", ""},
	{"cv", ".const .b8 cv[64];", "", ""},
	{"lv", "", ".local .b8 lv[64];", ""},
	{"ga", ".global .b32 ga[64];", "", ""},
	{"sa", ".shared .b32 sa[64];", "", ""},
	{"tx", ".global .texref tx;", "", ""},
	{"sf", ".global .surfref sf;", "", ""},
	{"fn", ".func fn() { ret; }", "", ""},
	{"LBL", "", "", ""},
	{"TBL", "", "TBL: .branchtargets LBL;", "6.0"},
}

// names returns the words of a form without trailing digits.
func names(form string) map[string]bool {
	set := map[string]bool{}
	word := func(r rune) bool {
		return r == '%' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	for _, w := range strings.FieldsFunc(form, func(r rune) bool { return !word(r) }) {
		set[strings.TrimRight(w, "0123456789")] = true
	}
	return set
}

// judgeForm returns what the front end says about one instruction by
// itself.
func judgeForm(form, version, tgt string) (messages string, ok bool) {
	var head, body []string
	used := names(form)
	params := ""
	switch old := index(versions, version) < index(versions, "1.4"); {
	case used["par"]:
		params = "(.param .b64 par, .param .b32 par2)"
	case used["pa"] && old:
		body = append(body, ".param .b64 pa;")
	case used["pa"]:
		params = "(.param .b64 pa)"
	}
	for _, p := range formParts {
		if used[p.name] && index(versions, version) >= index(versions, p.since) {
			head, body = append(head, p.module), append(body, p.body)
		}
	}
	text := fmt.Sprintf(".version %s\n.target %s\n%s .entry k%s { %s\n%s;\nLBL: exit; }\n",
		version, tgt, strings.Join(head, " "), params, strings.Join(body, " "), strings.TrimSuffix(form, ";"))
	got := check([]byte(text), []string{"-arch=" + strings.Replace(archFor(tgt), "sm_", "compute_", 1), "-suppress-async-bulk-multicast-advisory-warning"})
	var list []string
	for line := range strings.Lines(got.stderr) {
		rest, here := strings.CutPrefix(strings.TrimSpace(line), "ptxas in.ptx, line 4; ")
		if !here || strings.HasPrefix(rest, "warning") || strings.HasPrefix(rest, "info") {
			continue
		}
		list = append(list, strings.TrimPrefix(strings.TrimPrefix(rest, "error   : "), "fatal   : "))
	}
	return strings.Join(list, " // "), len(list) == 0
}

// once drops repeated messages: the table of forms holds each of them once.
func once(messages string) string {
	var list []string
	for _, m := range strings.Split(messages, " // ") {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return strings.Join(list, " // ")
}

func smNumber(name string) (n int) {
	_, _ = fmt.Sscanf(name, "sm_%d", &n)
	return n
}

// accepts tells whether the target list of a row names a target.
func accepts(list, tgt string) bool {
	for _, f := range strings.Fields(list) {
		if n, ok := strings.CutSuffix(f, "+"); ok && smNumber(tgt) >= smNumber(n) || f == tgt {
			return true
		}
	}
	return false
}

// TestForms runs the table of instruction forms through the real parser:
// accepted from the first version on the oldest target, refused in the same
// words one version and one target earlier.
func TestForms(t *testing.T) {
	rows := cases.Table(t, "gating")[1:]
	n, accepted, versionsSame, targetsSame := 0, 0, 0, 0
	found := map[string]string{}
	for _, r := range rows {
		for len(r) < 6 {
			r = append(r, "")
		}
		if r[1] == "(retired)" || strings.Contains(r[2], ":") || r[2] == "" {
			continue
		}
		n++
		ok, v, tg := formRow(t, r)
		accepted += b2i(ok)
		versionsSame += b2i(v)
		targetsSame += b2i(tg)
		switch {
		case !ok:
			found[r[0]] = "refused"
		case !v:
			found[r[0]] = "version message"
		case !tg:
			found[r[0]] = "target message"
		}
	}
	compareListed(t, "form", found)
	t.Logf("%d forms: %d accepted, %d with the version message, %d with the target message, %d differ somewhere",
		n, accepted, versionsSame, targetsSame, len(found))
}

func formRow(t *testing.T, r []string) (ok, version, tgt bool) {
	form, first, targets := r[0], r[1], r[2]
	oldest, refusing := "", ""
	for _, x := range formTargets {
		switch {
		case accepts(targets, x):
			if oldest == "" {
				oldest = x
			}
		case strings.Trim(x[3:], "0123456789") == "":
			refusing = x
		}
	}
	at := index(versions, first)
	got, ok := judgeForm(form, "9.0", oldest)
	if ok {
		got, ok = judgeForm(form, first, oldest)
	}
	if !ok && testing.Verbose() {
		t.Logf("refused: %s at %s on %s: %s", form, first, oldest, got)
	}
	version, tgt = true, true
	if at > 0 {
		got, _ := judgeForm(form, versions[at-1], oldest)
		if version = once(got) == r[3]; !version && testing.Verbose() {
			t.Logf("version: %s at %s:\n got %q\nwant %q", form, versions[at-1], got, r[3])
		}
	}
	if refusing != "" {
		got, _ := judgeForm(form, "9.0", refusing)
		if tgt = once(got) == r[4]; !tgt && testing.Verbose() {
			t.Logf("target: %s on %s:\n got %q\nwant %q", form, refusing, got, r[4])
		}
	}
	return ok, version, tgt
}

// TestRejectedForms runs the forms that every target refuses.
func TestRejectedForms(t *testing.T) {
	rows := cases.Table(t, "rejects")[1:]
	refused, same := 0, 0
	found := map[string]string{}
	for _, r := range rows {
		got, ok := judgeForm(r[0], "9.0", r[1])
		refused += b2i(!ok)
		same += b2i(got == r[2])
		switch {
		case ok:
			found[r[0]] = "accepted"
		case got != r[2]:
			found[r[0]] = "message"
		}
		if testing.Verbose() && got != r[2] {
			t.Logf("%s on %s:\n got %q\nwant %q", r[0], r[1], got, r[2])
		}
	}
	compareListed(t, "reject", found)
	t.Logf("%d forms: %d refused, %d in the same words (%.1f%%)", len(rows), refused, same,
		100*float64(same)/float64(len(rows)))
}
