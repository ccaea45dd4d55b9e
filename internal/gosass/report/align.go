package report

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
)

// maxAlign bounds the table of an alignment: longer functions are cut where
// they begin and end alike, and told apart in the middle.
const maxAlign = 4000

// Align prints the functions of two files that differ, instruction beside
// instruction: those that are the same, those that stand on one side alone
// (< and >), and those whose registers or control differ (|).
func Align(a, b *cubin.File) ([]byte, error) {
	x, err := dis.Analyse(a)
	if err != nil {
		return nil, err
	}
	y, err := dis.Analyse(b)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	for _, f := range x {
		for _, g := range y {
			if f.Name == g.Name && !sameLines(f.Lines, g.Lines) {
				fmt.Fprintf(&out, "\n%s\n", f.Name)
				align(&out, f.Lines, g.Lines)
			}
		}
	}
	return []byte(out.String()), nil
}

func sameLines(a, b []dis.Line) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text || a[i].Ctrl != b[i].Ctrl {
			return false
		}
	}
	return true
}

// align walks both lists along the longest common run of operations.
func align(out *strings.Builder, a, b []dis.Line) {
	side := func(l *dis.Line) string { return fmt.Sprintf("%04x %-44s %s", l.Addr, l.Text, l.Ctrl) }
	both := func(l, r *dis.Line) {
		mark := " "
		if l.Text != r.Text || l.Ctrl != r.Ctrl {
			mark = "|"
		}
		fmt.Fprintf(out, "%-72s %s %s\n", side(l), mark, side(r))
	}
	n := 0
	for n < len(a) && n < len(b) && a[n].Op == b[n].Op {
		both(&a[n], &b[n])
		n++
	}
	a, b = a[n:], b[n:]
	end := 0
	for end < len(a) && end < len(b) && a[len(a)-1-end].Op == b[len(b)-1-end].Op {
		end++
	}
	ma, mb := a[:len(a)-end], b[:len(b)-end]
	i, j := 0, 0
	if len(ma) <= maxAlign && len(mb) <= maxAlign {
		table := common(ma, mb)
		for i < len(ma) && j < len(mb) {
			switch {
			case ma[i].Op == mb[j].Op:
				both(&ma[i], &mb[j])
				i++
				j++
			case table[i+1][j] >= table[i][j+1]:
				fmt.Fprintf(out, "%-72s <\n", side(&ma[i]))
				i++
			default:
				fmt.Fprintf(out, "%-72s > %s\n", "", side(&mb[j]))
				j++
			}
		}
	}
	for ; i < len(ma); i++ {
		fmt.Fprintf(out, "%-72s <\n", side(&ma[i]))
	}
	for ; j < len(mb); j++ {
		fmt.Fprintf(out, "%-72s > %s\n", "", side(&mb[j]))
	}
	for k := end; k > 0; k-- {
		both(&a[len(a)-k], &b[len(b)-k])
	}
}

// common returns, for every pair of places, how many operations can still be
// paired behind them.
func common(a, b []dis.Line) [][]uint16 {
	t := make([][]uint16, len(a)+1)
	for i := range t {
		t[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].Op == b[j].Op {
				t[i][j] = t[i+1][j+1] + 1
			} else {
				t[i][j] = max(t[i+1][j], t[i][j+1])
			}
		}
	}
	return t
}
