// Command cmdlines runs fresh command lines through the reference compiler and
// ours, and counts those on which they differ: in the exit code, in what they
// print or in the files they write.
//
//	go build ./cmd/goptxas && go run ./internal/witness/cmdlines -ours ./goptxas -first 340000 -n 500
//
// Programs and options are random, by seed: kernels with variables of all
// kinds, calls, textures, barriers and now and then a fault, and the options
// that hosts pass, some of them wrong. Not compared are numbers of registers
// and of spilled bytes, and frames of functions that spill: those are the code's.
// A function that spills with the reference and not with us is no difference; the
// opposite is one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

func main() {
	ours := flag.String("ours", "goptxas", "our compiler")
	first := flag.Uint64("first", 0, "first seed")
	n := flag.Uint64("n", 500, "how many")
	show := flag.Bool("show", false, "show the programs and both answers of those that differ")
	flag.Parse()
	tools, ok := oracle.Installed()
	if !ok {
		fail(errors.New("reference tools not installed: run `make oracle` or set GOPTXAS_ORACLE"))
	}
	path, err := filepath.Abs(*ours)
	if err != nil {
		fail(err)
	}
	if err := compare(&pair{ref: tools.Path("ptxas"), ours: path}, *first, *n, *show); err != nil {
		fail(err)
	}
}

// compare runs the cases of some seeds and reports.
func compare(p *pair, first, n uint64, show bool) (err error) {
	if p.dir, err = os.MkdirTemp("", "cmdlines"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.dir)) }()
	t := &tally{kinds: map[string][]uint64{}}
	for seed := first; seed < first+n; seed++ {
		c := newCase(seed)
		a, b, err := p.run(c)
		if err != nil {
			return err
		}
		if kind := differ(c.args, a, b); t.add(seed, kind) && show {
			fmt.Printf("=== %d %s: %s\n%s--- reference\n%s%s--- ours\n%s%s\n", seed, kind, strings.Join(c.args, " "), c.text(), a.out, a.err, b.out, b.err)
		}
	}
	t.report(os.Stdout)
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "cmdlines:", err)
	os.Exit(2)
}

// tally counts command lines and keeps the seeds that differ, by what is
// different.
type tally struct {
	n, bad int
	kinds  map[string][]uint64
}

func (t *tally) add(seed uint64, kind string) bool {
	t.n++
	if kind == "" {
		return false
	}
	t.bad++
	t.kinds[kind] = append(t.kinds[kind], seed)
	return true
}

func (t *tally) report(w io.Writer) {
	kinds := make([]string, 0, len(t.kinds))
	for k := range t.kinds {
		kinds = append(kinds, k)
	}
	sort.Slice(kinds, func(a, b int) bool {
		x, y := kinds[a], kinds[b]
		return len(t.kinds[x]) > len(t.kinds[y]) || len(t.kinds[x]) == len(t.kinds[y]) && x < y
	})
	for _, k := range kinds {
		fmt.Fprintf(w, "%d %v %s\n", len(t.kinds[k]), t.kinds[k], k)
	}
	fmt.Fprintf(w, "%d command lines, %d differ, %.2f %% agree\n", t.n, t.bad, 100*float64(t.n-t.bad)/float64(max(1, t.n)))
}

// limit is how long a compiler may take.
const limit = time.Minute
