package opgen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// sweepHead declares what the forms of a sweep name. The thread bound is what
// setmaxnreg asks for.
const sweepHead = `.version 9.0
.target %s
.address_size 64
.global .align 16 .b8 gv[1024];
.shared .align 16 .b8 sv[1024];
.const .align 16 .b8 cv[1024];
.global .texref tx; .global .surfref sf;
.func fn() { ret; }
.visible .entry k(.param .b64 par, .param .b32 par2) .maxntid 128
{
.local .align 16 .b8 lv[64];
.reg .pred %%p<100>; .reg .b16 %%h<100>; .reg .b32 %%r<200>; .reg .b64 %%rd<100>; .reg .b128 %%q<100>;
LBL:
`

func sweepText(forms []string, arch, tail string) (text string, first int) {
	head := fmt.Sprintf(sweepHead, arch) + typedRegisters() + "\n"
	return head + strings.Join(forms, ";\n") + ";\n" + tail + "}\n", strings.Count(head, "\n") + 1
}

// sweepFile is a file of forms that is complete.
func sweepFile(forms []string, arch string) string {
	text, _ := sweepText(forms, arch, "ret;\n")
	return text
}

var sweepError = regexp.MustCompile(`line (\d+); (?:error|fatal)\s*: (.*)$`)

// verdicts reads the first complaint about each form out of messages.
func verdicts(messages string, first, n int) []string {
	out := make([]string, n)
	for line := range strings.Lines(messages) {
		m := sweepError.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		at, _ := strconv.Atoi(m[1])
		if at -= first; at >= 0 && at < n && out[at] == "" {
			out[at] = m[2]
		}
	}
	return out
}

// ourVerdicts asks our front end about forms.
func ourVerdicts(forms []string, arch string) []string {
	text, first := sweepText(forms, arch, "ret;\n")
	x, _ := front.Check("op.ptx", text, arch) // the messages are what is asked
	return verdicts(x.Messages, first, len(forms))
}

// referenceVerdicts asks the reference about forms; one that makes it crash
// is left out.
func referenceVerdicts(t *testing.T, tools *oracle.Tools, forms []string, arch string) []string {
	text, first := sweepText(forms, arch, "zzz;\n")
	file := filepath.Join(t.TempDir(), "in.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	res := tools.Ptxas("-arch="+arch, "-o", file+".out", file)
	if res.Exit < 0 {
		if len(forms) == 1 {
			return []string{"crash"}
		}
		n := len(forms) / 2
		return append(referenceVerdicts(t, tools, forms[:n], arch), referenceVerdicts(t, tools, forms[n:], arch)...)
	}
	for line := range strings.Lines(res.Stderr) {
		if m := sweepError.FindStringSubmatch(strings.TrimSpace(line)); m != nil && strings.Contains(line, "fatal") {
			if at, _ := strconv.Atoi(m[1]); at >= first && at-first < len(forms) {
				n := at - first
				out := verdicts(res.Stderr, first, n+1)
				return append(out, referenceVerdicts(t, tools, forms[n+1:], arch)...)
			}
		}
	}
	return verdicts(res.Stderr, first, len(forms))
}

// referenceAlone asks the reference about a form in a text that has nothing else.
func referenceAlone(t *testing.T, tools *oracle.Tools, form, arch string) string {
	text, first := sweepText([]string{form}, arch, "ret;\n")
	file := filepath.Join(t.TempDir(), "in.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return verdicts(tools.Ptxas("-arch="+arch, "-o", file+".out", file).Stderr, first, 1)[0]
}

const sweepChunk = 4000

// swept is what the front end says of the whole sweep for an architecture.
type swept struct {
	taken []string        // forms it takes
	rows  map[string]bool // operations of the table that they are
	total int
}

func sweepForms(arch string) swept {
	all := Sweep()
	s := swept{rows: map[string]bool{}, total: len(all)}
	for part := range slices.Chunk(all, sweepChunk) {
		text, first := sweepText(part, arch, "ret;\n")
		x, _ := front.Check("op.ptx", text, arch) // the messages are what is asked
		for n, v := range verdicts(x.Messages, first, len(part)) {
			if v == "" {
				s.taken = append(s.taken, part[n])
			}
		}
		for _, b := range x.Bodies {
			for n := range b.Instrs {
				if r := b.Instrs[n].Row; r != nil {
					s.rows[r.Name] = true
				}
			}
		}
	}
	return s
}

// sweep90 is asked once for all tests.
var sweep90 = sync.OnceValue(func() swept { return sweepForms("sm_90a") })

// refused are forms that the reference takes though the ISA has none, with
// code that computes something else; docs/differences.md says so.
var refused = regexp.MustCompile(`^fma\.(rz|rm|rp)\S*\.bf16`)

// TestSweepFrontEnd: of every spelling of the sweep our front end takes
// those that the reference takes.
func TestSweepFrontEnd(t *testing.T) {
	tools := oracle.Find(t)
	const arch = "sm_90a"
	all := Sweep()
	list := some(all, 10)
	taken, crashed, listed, wrong := 0, 0, 0, 0
	for at := 0; at < len(list); at += sweepChunk {
		part := list[at:min(at+sweepChunk, len(list))]
		ours, theirs := ourVerdicts(part, arch), referenceVerdicts(t, tools, part, arch)
		for n := range part {
			switch {
			case theirs[n] == "crash":
				crashed++
			case refused.MatchString(part[n]) && ours[n] != "":
				listed++
			case (ours[n] == "") != (theirs[n] == ""):
				if wrong++; wrong < 200 {
					t.Errorf("%s: ours %q, the reference %q", part[n], ours[n], theirs[n])
				}
			case ours[n] == "":
				taken++
			}
		}
	}
	t.Logf("%d of %d spellings asked, %d taken by both, %d make the reference crash, %d are listed differences, %d differ", len(list), len(all), taken, crashed, listed, wrong)
}

// uncompiled are forms that the front end takes as the reference's does and
// that have no code: the reference crashes on the first and misreads the
// second.
var uncompiled = regexp.MustCompile(`^st\S*\.param\S* \[%rd|^tex\S* \S*\[%rd1,%rd2,`)

// TestSweep compiles every spelling of the sweep that the front end takes.
func TestSweep(t *testing.T) {
	arch := "sm_90a"
	if a := os.Getenv("SWEEP_ARCH"); a != "" {
		arch = a
	}
	s := sweep90()
	if arch != "sm_90a" {
		s = sweepForms(arch)
	}
	list := some(s.taken, 23)
	failed := failures{}
	n, bad, listed := len(list), 0, 0
	text := func(part []string) string { return sweepFile(part, arch) }
	faulty(list, arch, text, func(f, msg string) {
		switch {
		case strings.HasPrefix(msg, "front end"): // a 32-bit address in a 64-bit space is refused for the whole file
			n--
		case uncompiled.MatchString(f):
			listed++
		default:
			op, _, _ := strings.Cut(f, ".")
			failed[op] = append(failed[op], f+": "+msg)
			bad++
		}
	})
	t.Logf("%s: %d spellings, %d are instructions, %d of them compiled here: %d done, %d not, %d not and listed", arch, s.total, len(s.taken), n, n-bad-listed, bad, listed)
	failed.report(t)
}
