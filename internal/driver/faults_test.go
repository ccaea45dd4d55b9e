package driver

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

var (
	faultLine  = regexp.MustCompile(`^\s*(@!?[%\w]+\s+)?[a-z][\w.:]*\s[^/]*;\s*$`)
	faultToken = regexp.MustCompile(`\.[a-z]\w*(::\w+)*|%?[\w$]+|[^\s\w]`)
	faultTypes = []string{".u32", ".s64", ".f32", ".f16", ".b8", ".pred", ".rn", ".sat", ".ftz", ".global", ".shared", ".param", ".v2", ".wide", ".lo", ".sync", ".relaxed", ".gpu", ".x", ".to"}
)

// spoil changes one token of an instruction: a name, a register, a modifier
// more or less, an operand or any token gone.
func spoil(r *rand.Rand, line string, names []string) string {
	at := faultToken.FindAllStringIndex(line, -1)
	pick := func(ok func(s string) bool) []int {
		var list [][]int
		for _, a := range at {
			if ok(line[a[0]:a[1]]) {
				list = append(list, a)
			}
		}
		if len(list) == 0 {
			return at[r.IntN(len(at))]
		}
		return list[r.IntN(len(list))]
	}
	put := func(a []int, s string) string { return line[:a[0]] + s + line[a[1]:] }
	register := func(s string) bool { return s[0] == '%' && len(s) > 1 }
	modifier := func(s string) bool { return s[0] == '.' && len(s) > 1 }
	switch r.IntN(6) {
	case 0:
		return put(pick(register), "unknown")
	case 1:
		return put(pick(register), names[r.IntN(len(names))])
	case 2:
		return put(pick(modifier), "")
	case 3:
		a := pick(modifier)
		return put(a, line[a[0]:a[1]]+faultTypes[r.IntN(len(faultTypes))])
	case 4:
		if a := pick(register); a[0] > 1 {
			if comma := strings.LastIndexByte(line[:a[0]], ','); comma > 0 {
				return line[:comma] + line[a[1]:]
			}
		}
	}
	return put(at[r.IntN(len(at))], "")
}

// spoiled changes so many instructions of a text, or returns nil where it has
// too few.
func spoiled(r *rand.Rand, text []byte, faults int) []byte {
	lines := strings.Split(string(text), "\n")
	var at []int
	for i, l := range lines {
		if faultLine.MatchString(l) {
			at = append(at, i)
		}
	}
	names := regexp.MustCompile(`%[a-z]+\d+`).FindAllString(string(text), -1)
	if len(at) < 4 || len(names) == 0 {
		return nil
	}
	for range faults {
		i := at[r.IntN(len(at))]
		lines[i] = spoil(r, lines[i], names)
	}
	return []byte(strings.Join(lines, "\n"))
}

// said is what our compiler says of a text, and whether it takes it.
func said(text []byte, options ...string) (string, bool) {
	var log bytes.Buffer
	_, ok := CompileTexts(context.Background(), options, []Text{{"k.ptx", text}}, &log)
	return log.String(), ok
}

// TestFaults changes one and two instructions of kernels of the corpus and
// asks both compilers what they say. GOPTXAS_MUTANTS is how many texts of each
// kind, GOPTXAS_SEED chooses others.
func TestFaults(t *testing.T) {
	tools := oracle.Find(t)
	files := corpus.Find(t).Files
	number := func(name string, n int) int {
		if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return v
		}
		return n
	}
	count, dir := number("GOPTXAS_MUTANTS", 60), t.TempDir()
	for faults := 1; faults <= 2; faults++ {
		r := rand.New(rand.NewPCG(uint64(number("GOPTXAS_SEED", 1)), uint64(faults)))
		same, verdict, total := 0, 0, 0
		for total < count {
			f := &files[r.IntN(len(files))]
			text, err := f.Read()
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 14000 {
				continue
			}
			if text = spoiled(r, text, faults); text == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, "k.ptx"), text, 0o666); err != nil {
				t.Fatal(err)
			}
			arch := "-arch=" + archOf(text)
			ref := tools.Run(dir, "ptxas", arch, "-c", "-o", "out", "k.ptx")
			if ref.Exit != 0 && ref.Exit != 255 {
				continue // it died
			}
			total++
			log, ok := said(text, arch, "-c", "--parse-only")
			if ok && ref.Exit != 0 { // some faults are found later
				log, ok = said(text, arch, "-c")
			}
			if ok == (ref.Exit == 0) {
				verdict++
			}
			if ok && ref.Exit == 0 || log == ref.Stderr {
				same++
			} else {
				t.Logf("%s:\n got %swant %s%s", f.Name, log, ref.Stderr, namedLines(text, log+ref.Stderr))
			}
		}
		t.Logf("%d texts with %d faults: verdict equal in %.2f %%, every message in %.2f %%", total, faults, 100*float64(verdict)/float64(total), 100*float64(same)/float64(total))
		if same*100 < total*90 {
			t.Errorf("%d of %d", same, total)
		}
	}
}

var (
	archWord = regexp.MustCompile(`\.target\s+(sm_\d+[af]?)`)
	saidLine = regexp.MustCompile(`line (\d+)`)
)

// archOf is the GPU that a text names, or the least that is known.
func archOf(text []byte) string {
	if m := archWord.FindSubmatch(text); m != nil && len(m[1]) > 0 && string(m[1]) >= "sm_75" || m != nil && len(m[1]) > 5 {
		return string(m[1])
	}
	return "sm_75"
}

// namedLines shows the lines that messages name.
func namedLines(text []byte, messages string) string {
	lines := strings.Split(string(text), "\n")
	var out strings.Builder
	seen := map[string]bool{}
	for _, m := range saidLine.FindAllStringSubmatch(messages, 6) {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= len(lines) && !seen[m[1]] {
			seen[m[1]] = true
			out.WriteString(" " + m[1] + ": " + lines[n-1] + "\n")
		}
	}
	return out.String()
}
