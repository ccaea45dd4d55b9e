package sass

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// goldenArchs are the columns of the mask in golden.tsv.gz, bit 0 first.
var goldenArchs = [...]string{
	"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a",
	"sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a",
}

// goldenLine is a word that the reference compiler emitted, the text that
// the reference disassembler prints for it, and the architectures (a mask)
// where both were seen.
type goldenLine struct {
	archs uint64
	w     bits.Word
	text  string
}

func readGolden(tb testing.TB) []goldenLine {
	tb.Helper()
	var out []goldenLine
	for line := range strings.Lines(string(cases.Unzip(tb, "../../testdata/sass/golden.tsv.gz"))) {
		c := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		var l goldenLine
		for n, to := range []*uint64{&l.archs, &l.w.Lo, &l.w.Hi} {
			var err error
			if *to, err = strconv.ParseUint(c[n], 16, 64); err != nil {
				tb.Fatal(err)
			}
		}
		l.text = c[3]
		out = append(out, l)
	}
	return out
}

// misses counts failures by opcode and keeps an example of each.
type misses struct {
	n       map[string]int
	example map[string]string
}

func (m *misses) add(key, example string) {
	if m.n == nil {
		m.n, m.example = map[string]int{}, map[string]string{}
	}
	m.n[key]++
	m.example[key] = example
}

func (m *misses) log(tb testing.TB, what string, limit int) {
	keys := make([]string, 0, len(m.n))
	for k := range m.n {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if m.n[keys[i]] != m.n[keys[j]] {
			return m.n[keys[i]] > m.n[keys[j]]
		}
		return keys[i] < keys[j]
	})
	for n, k := range keys {
		if n == limit {
			tb.Logf("%s: … and %d more", what, len(keys)-limit)
			return
		}
		tb.Logf("%s: %4d × %s: %s", what, m.n[k], k, m.example[k])
	}
}

func missLimit() int {
	if n, err := strconv.Atoi(os.Getenv("SASS_MISSES")); err == nil {
		return n
	}
	return 10
}

// TestGolden checks every golden line of every architecture: the text is
// what the reference prints, the word comes back from Encode, and text and
// control together come back from Parse.
func TestGolden(t *testing.T) {
	lines := readGolden(t)
	for col, name := range goldenArchs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := target.Find(name)
			var texts, words, parses misses
			total, okText, okWord, okParse, okPlain := 0, 0, 0, 0, 0
			var buf []byte
			for n := range lines {
				l := &lines[n]
				if l.archs>>col&1 == 0 {
					continue
				}
				total++
				i := Decode(a, l.w)
				buf = i.AppendText(buf[:0], a, 0)
				key := fmt.Sprintf("%03x %s", l.w.Lo&0xfff, mnemonic(l.text))
				if string(buf) == l.text {
					okText++
				} else {
					texts.add(key, l.text+"  got  "+string(buf)+fmt.Sprintf("  %016x %016x", l.w.Hi, l.w.Lo))
				}
				if w, err := i.Encode(a); err == nil && w == l.w {
					okWord++
				} else {
					words.add(key, l.text)
				}
				back, err := Parse(a, string(buf), 0)
				plain := back
				plain.SetCtrl(i.Ctrl())
				if err == nil && plain == i {
					okPlain++
				}
				if err == nil {
					err = back.SetColumn(a, string(i.AppendColumn(nil, a)))
				}
				if err == nil && back == i {
					okParse++
				} else {
					parses.add(key, fmt.Sprintf("%s: %v: want %x %x got %x %x", buf, err, i.w.Hi, i.w.Lo, back.w.Hi, back.w.Lo))
				}
			}
			t.Logf("%d lines: text %.2f %%, word %.2f %%, text and column %.2f %% (text alone %.2f %%)", total,
				percent(okText, total), percent(okWord, total), percent(okParse, total), percent(okPlain, total))
			texts.log(t, "text", missLimit())
			words.log(t, "word", missLimit())
			parses.log(t, "parse", missLimit())
			if percent(okText, total) < 99.9 || okWord != total || okParse != total {
				t.Errorf("%s: below the bar", name)
			}
		})
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// mnemonic returns the first word of the text after its guard.
func mnemonic(text string) string {
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	return text[:strings.IndexAny(text, ".; ")]
}

// TestAlignment checks the widths of operands against what the reference
// compiler emits: a tuple of registers begins at a multiple of its
// alignment.
func TestAlignment(t *testing.T) {
	var bad misses
	tuples := 0
	for _, l := range readGolden(t) {
		for col, name := range goldenArchs {
			if l.archs>>col&1 == 0 {
				continue
			}
			a := target.Find(name)
			i := Decode(a, l.w)
			for n := range i.NArg() {
				o := i.Arg(n)
				if o.Kind != KindReg || o.Zero || o.Width < 2 {
					continue
				}
				tuples++
				if int(o.Reg)%o.Align() != 0 {
					bad.add(fmt.Sprintf("%s operand %d", i.Op(), n), fmt.Sprintf("%s: %s, width %d", name, l.text, o.Width))
				}
			}
			break // one architecture says it all
		}
	}
	t.Logf("%d tuples", tuples)
	bad.log(t, "alignment", missLimit())
	if len(bad.n) > 0 {
		t.Error("some tuples are not aligned")
	}
}
