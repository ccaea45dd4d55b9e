package matrix

import (
	"bufio"
	"compress/gzip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// TestMeasuredSums compares sums with those of an H200: 158 kernels of one
// product each, of a warp or a warp group, with exponents that are wide, near
// each other, the same, tiny and huge. testdata/sums.tsv.gz has twelve sums of
// each: unit, formats of both factors and of the sum, factors, addend, sum.
func TestMeasuredSums(t *testing.T) {
	f, err := os.Open("testdata/sums.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]fp.Format{}
	for x := range fp.NumFormats {
		formats[x.String()] = x
	}
	n, wrong := 0, 0
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		x := strings.Split(lines.Text(), "\t")
		if len(x) != 8 {
			t.Fatalf("%q", lines.Text())
		}
		fa, fb, fc := formats[x[1]], formats[x[2]], formats[x[3]]
		d := DotOf(90, FloatElem(fa), FloatElem(fc))
		c, want := hex(t, x[6], 0), hex(t, x[7], 0)
		got := d.Add(fa, fb, fc, hex(t, x[4], fa.Width()/4), hex(t, x[5], fb.Width()/4), c[0])
		if n++; got != want[0] {
			if wrong++; wrong < 10 {
				t.Errorf("%s: %x", lines.Text(), got)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d sums are the machine's", n-wrong, n)
	if n != 158*12 {
		t.Errorf("%d sums", n)
	}
}

// hex reads numbers of so many digits each; 0: one of all.
func hex(t *testing.T, s string, digits int) (list []uint64) {
	t.Helper()
	if digits == 0 {
		digits = len(s)
	}
	for ; s != ""; s = s[digits:] {
		x, err := strconv.ParseUint(s[:digits], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}
