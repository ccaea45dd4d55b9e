package syntax

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// pieces are tokens that mutations put into a text.
var pieces = []string{
	";", ",", "{", "}", "[", "]", "(", ")", "<", ">", ":", "::", "@", "!", "-", "+", "~", "|", "||", "&", "&&", "=", "==",
	"?", "*", "/", "%", "%r1", "_", "$", "$x", "x", "0", "7", "08", "0x1F", "0x", "1.5", ".5", "1e3", "1e", "0f3F800000",
	"0f3F", "0d3FF0000000000000", "10U", "WARP_SZ", "\"a\"", "\"", "#", "# 7 \"q\"\n", "//", "/*", "*/", "/* x */", "\n",
	"\t", "\f", "\v", ".", "..", ".u32", ".x", ".b0", ".reg", ".param", ".align 8", ".v4", ".v2", ".global", ".shared",
	".visible", ".extern", ".weak", ".func", ".entry", ".pragma \"p\";", ".loc 1 2 3", ".file 1 \"f\"", ".target sm_90",
	".version 9.0", ".maxntid 4", ".noreturn", ".unified", ".ptr", ".attribute(.managed)", ".section", ".alias a, b;",
	".foo", ".foo::bar", ".1d", ".2", "@@DWARF", "call", "ret", "add", "mov.u32", "generic(", "function_name",
	"inlined_at", "texmode_raw", ".branchtargets", ".callprototype", "(.s64)", ".const[2]", "`", "'", "\\", "^",
	"<<", ">>", "!=", "->", "{}", "[]", "()", "<4>", "[4]", "= 3", "= {1, 2}",
}

// split cuts a text into tokens of the lexer, with the blanks before them.
func split(text []byte) [][]byte {
	l := lexer{text: text, openComment: -1}
	var list [][]byte
	for at := 0; ; at = l.end {
		l.next()
		if l.tok == tEOF || l.tok == tErr {
			return append(list, text[at:])
		}
		list = append(list, text[at:l.end])
	}
}

// mutate changes a text in one to three places.
func mutate(r *rand.Rand, text []byte) []byte {
	toks := split(text)
	for range 1 + r.IntN(3) {
		if len(toks) < 4 {
			break
		}
		i := r.IntN(len(toks))
		switch r.IntN(6) {
		case 0:
			toks = append(toks[:i:i], toks[i+1:]...)
		case 1:
			toks = append(toks[:i:i], append([][]byte{toks[i]}, toks[i:]...)...)
		case 2:
			j := r.IntN(len(toks))
			toks = append([][]byte(nil), toks...)
			toks[i], toks[j] = toks[j], toks[i]
		case 3:
			toks = append([][]byte(nil), toks...)
			toks[i] = []byte(" " + pieces[r.IntN(len(pieces))])
		default:
			sep := []string{" ", ""}[r.IntN(2)]
			toks = append(toks[:i:i], append([][]byte{[]byte(sep + pieces[r.IntN(len(pieces))])}, toks[i:]...)...)
		}
	}
	return bytes.Join(toks, nil)
}

// TestAgainstReference asks the reference about texts nobody has seen: its
// cases with tokens dropped, doubled, swapped and put in. Set
// GOPTXAS_MUTANTS for more of them, GOPTXAS_SEED for others, and
// GOPTXAS_RECORD to write the answers to a file for TestRecorded.
func TestAgainstReference(t *testing.T) {
	tools := oracle.Find(t)
	count := 150
	if n, err := strconv.Atoi(os.Getenv("GOPTXAS_MUTANTS")); err == nil {
		count = n
	}
	var seeds [][]byte
	for _, c := range append(cases.Accept(t), cases.Diag(t)...) {
		if len(c.Input) < 3000 {
			seeds = append(seeds, c.Input)
		}
	}
	seed := uint64(1)
	if n, err := strconv.Atoi(os.Getenv("GOPTXAS_SEED")); err == nil {
		seed = uint64(n)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	dir := t.TempDir()
	bad, faults, died := 0, 0, 0
	var record *recorder
	if name := os.Getenv("GOPTXAS_RECORD"); name != "" {
		record = newRecorder(t, name)
		defer record.close()
	}
	for range count {
		text := mutate(r, seeds[r.IntN(len(seeds))])
		if err := os.WriteFile(filepath.Join(dir, "in.ptx"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		res := tools.Run(dir, "ptxas", "-arch=sm_120a", "-c", "-o", "out.cubin", "in.ptx")
		if res.Exit < 0 || res.Exit > 128 && res.Exit != 255 {
			died++
			continue
		}
		if record != nil {
			record.add(text, res.Stderr)
		}
		got, want, ok := judge(text, res.Stderr)
		if want != "" {
			faults++
		}
		if !ok {
			t.Errorf("\n got %s\nwant %s\nreference said %s\n%s", got, want, res.Stderr, text)
			if bad++; bad >= 12 {
				break
			}
		}
	}
	t.Logf("%d texts, %d with a syntax error; the reference died of %d", count, faults, died)
}
