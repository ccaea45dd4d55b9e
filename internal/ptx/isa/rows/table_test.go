package rows

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

// versions are the PTX versions of the reference, oldest first.
var versions = strings.Fields("1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 5.1 6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0")

// testTargets are the targets whose acceptance the table of forms gives.
var testTargets = strings.Fields("sm_10 sm_11 sm_12 sm_13 sm_20 sm_21 sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100f sm_100a sm_103 sm_103f sm_103a sm_110 sm_110f sm_110a sm_120 sm_120f sm_120a sm_121 sm_121f sm_121a")

func smOf(name string) int { return testContext("9.0", name).SM }

// accepts tells whether the target list of a row names a target.
func accepts(list, target string) bool {
	for _, f := range strings.Fields(list) {
		if n, ok := strings.CutSuffix(f, "+"); ok && smOf(target) >= smOf(n) || f == target {
			return true
		}
	}
	return false
}

// firstTarget is the oldest target that accepts the row: versions were
// probed with it.
func firstTarget(list string) string {
	for _, t := range testTargets {
		if accepts(list, t) {
			return t
		}
	}
	return "sm_121a"
}

type tally map[string]int

func (t tally) log(tb testing.TB, limit int) {
	keys := make([]string, 0, len(t))
	for k := range t {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return t[keys[i]] > t[keys[j]] || t[keys[i]] == t[keys[j]] && keys[i] < keys[j] })
	for i, k := range keys {
		if i == limit {
			tb.Logf("… %d more", len(keys)-limit)
			return
		}
		tb.Logf("%5d %s", t[k], k)
	}
}

// differences reads testdata/differences.txt: lines "kind | form | reason"
// for what is known to differ. Tests fail on other differences, and on lines
// that no longer hold.
func differences(t *testing.T, kind string) map[string]bool {
	text, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		if len(parts) != 3 || parts[2] == "" {
			t.Fatalf("no reason in line %q", line)
		}
		if parts[0] == kind {
			out[parts[1]] = true
		}
	}
	return out
}

// reportDifferences compares what differs with what is known to.
func reportDifferences(t *testing.T, known map[string]bool, found map[string]string) {
	for form, why := range found {
		if !known[form] {
			t.Errorf("%s: %s", form, why)
		}
	}
	for form := range known {
		if _, ok := found[form]; !ok {
			t.Errorf("%s is listed in differences.txt and does not differ", form)
		}
	}
}

func TestGating(t *testing.T) {
	rows := 0
	found := map[string]string{}
	bad := func(form, kind, format string, args ...any) {
		found[form] = kind + ": " + fmt.Sprintf(format, args...)
	}
	for _, r := range cases.Table(t, "gating")[1:] {
		if r[1] == "(retired)" {
			continue
		}
		for len(r) < 6 {
			r = append(r, "")
		}
		rows++
		gatingRow(t, r, bad)
	}
	t.Logf("%d forms: first version, targets and messages equal in %.2f%%, %d differ", rows, 100*float64(rows-len(found))/float64(rows), len(found))
	reportDifferences(t, differences(t, "gating"), found)
}

// once drops repeated messages: the table of forms has each once.
func once(msgs []string) []string {
	var out []string
	for _, m := range msgs {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

func gatingRow(t *testing.T, r []string, bad func(form, kind, format string, args ...any)) {
	form, first, targets, versionError, targetError := r[0], r[1], r[2], r[3], r[4]
	best := firstTarget(targets)
	msgs, ok, parsed := checkForm(t, testContext("9.0", best), form)
	if !parsed {
		bad(form, "unparsed", "")
		return
	}
	if !ok {
		bad(form, "rejected", "%s: %s", best, strings.Join(msgs, " // "))
		return
	}
	for i, v := range versions {
		msgs, ok, _ := checkForm(t, testContext(v, best), form)
		if v == first {
			if i > 0 {
				msgs, _, _ := checkForm(t, testContext(versions[i-1], best), form)
				if got := strings.Join(once(msgs), " // "); got != versionError {
					bad(form, "version message", "got %q want %q", got, versionError)
					return
				}
			}
			if !ok {
				bad(form, "version late", "%s: %s", v, strings.Join(msgs, " // "))
				return
			}
		}
	}
	highest := ""
	for _, target := range testTargets {
		_, ok, _ := checkForm(t, testContext("9.0", target), form)
		if ok != accepts(targets, target) {
			bad(form, "target", "%s: got %v", target, ok)
			return
		}
		if !ok && strings.Trim(target[3:], "0123456789") == "" {
			highest = target
		}
	}
	if highest != "" {
		msgs, _, _ := checkForm(t, testContext("9.0", highest), form)
		if got := strings.Join(once(msgs), " // "); got != targetError {
			bad(form, "target message", "%s: got %q want %q", highest, got, targetError)
		}
	}
}

func TestRejects(t *testing.T) {
	var rows, rejected int
	found := map[string]string{}
	for _, r := range cases.Table(t, "rejects")[1:] {
		rows++
		msgs, ok, _ := checkForm(t, testContext("9.0", r[1]), r[0])
		if !ok {
			rejected++
		}
		if got := strings.Join(msgs, " // "); got != r[2] {
			found[r[0]] = fmt.Sprintf("got %q want %q", got, r[2])
		}
	}
	t.Logf("%d forms, %d rejected, %d with the same messages (%.1f%%)", rows, rejected, rows-len(found), 100*float64(rows-len(found))/float64(rows))
	reportDifferences(t, differences(t, "reject"), found)
}

// TestRetired: forms that old versions had.
func TestRetired(t *testing.T) {
	span := regexp.MustCompile(`(sm_\w+): ([0-9.]+)\.\.([0-9.]+)`)
	rows, fail := 0, 0
	for _, r := range cases.Table(t, "gating")[1:] {
		if r[1] != "(retired)" {
			continue
		}
		rows++
		for _, m := range span.FindAllStringSubmatch(r[2], -1) {
			inside := false
			for _, v := range versions {
				inside = inside || v == m[2]
				_, ok, _ := checkForm(t, testContext(v, m[1]), r[0])
				if inside && !ok {
					fail++
					t.Errorf("%s rejected with %s %s", r[0], m[1], v)
				}
				if v == m[3] {
					inside = false
				}
			}
		}
		if _, ok, _ := checkForm(t, testContext("9.0", "sm_90"), r[0]); ok {
			fail++
			t.Errorf("%s accepted with 9.0", r[0])
		}
	}
	t.Logf("%d retired forms, %d faults", rows, fail)
}
