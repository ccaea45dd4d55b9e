package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const searchText = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %a;
	.reg .f32 %f<9>;
	ld.param.u64 %a, [p];
	ld.global.f32 %f0, [%a];
	ld.global.f32 %f1, [%a+4];
	ld.global.f32 %f2, [%a+8];
	fma.rn.f32 %f3, %f0, %f1, %f2;
	sqrt.approx.f32 %f4, %f3;
	ex2.approx.f32 %f5, %f1;
	add.f32 %f6, %f4, %f5;
	st.global.f32 [%a], %f6;
	ret;
}
`

// wideText has room for several orders: sums of many products of what it loads.
func wideText() string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<99>;\nld.param.u64 %a, [p];\n")
	for n := range 24 {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%a+%d];\nex2.approx.f32 %%f%d, %%f%d;\n", n, 128*n, n+24, n)
	}
	for n := range 24 {
		fmt.Fprintf(&b, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\nst.global.f32 [%%a+%d], %%f%d;\n", n+48, n, 47-n, (n+7)%24, 128*n+64, n+48)
	}
	return b.String() + "ret;\n}\n"
}

// searchRun compiles the text with options about searching.
func searchRun(t *testing.T, args ...string) (cubin []byte, log string, ok bool) {
	t.Helper()
	return searchIn(t, searchText, args...)
}

func searchIn(t *testing.T, text string, args ...string) (cubin []byte, log string, ok bool) {
	t.Helper()
	var b bytes.Buffer
	r := Request{Args: append([]string{"-arch=sm_90a"}, args...), Texts: []Text{{"k.ptx", []byte(text)}}, Log: &b}
	cubin, ok = r.Compile(context.Background())
	return cubin, b.String(), ok
}

// TestSearch: a number of candidates gives the same file every time, and a
// report.
func TestSearch(t *testing.T) {
	one, log, ok := searchRun(t, "--search-candidates=8", "--search-seed=5")
	if !ok || !strings.Contains(log, "Search for 'k': 8 candidates, 0 refused") {
		t.Fatalf("%v: %s", ok, log)
	}
	two, _, _ := searchRun(t, "--search-candidates=8", "--search-seed=5")
	if !bytes.Equal(one, two) {
		t.Error("the same search gave two files")
	}
}

// TestSearchWith: a command's costs decide, what has other results is refused,
// and what was found is kept.
func TestSearchWith(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell script")
	}
	folder := t.TempDir()
	script, log := filepath.Join(folder, "cost.sh"), filepath.Join(folder, "log")
	// the costs of the usual code and of four candidates, of which the fastest is wrong
	text := "test -s \"$1\" || exit 1\necho x >>" + log + "\nset -- $(wc -l <" + log + ")\n" +
		"case $1 in 1) echo 100 a;; 2) echo 90 a;; 3) echo 10 b;; 4) exit 3;; *) echo 80 a;; esac\n"
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"--search-candidates=60", "--search-with=sh " + script, "--cache=" + filepath.Join(folder, "cache")}
	_, said, ok := searchIn(t, wideText(), args...)
	if !ok || !strings.Contains(said, "Search for 'k': 60 candidates, ") || strings.Contains(said, ", 0 refused") || !strings.Contains(said, "80.0 % of the usual code's measured time") {
		t.Fatalf("%v: %s", ok, said)
	}
	asked := func() int {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), "x")
	}
	n := asked()
	if n < 5 || n > 50 { // many settings change nothing
		t.Errorf("the command was asked about %d codes", n)
	}
	if buildID() == "" {
		return
	}
	if searchIn(t, wideText(), args...); asked() != n {
		t.Errorf("what was found is looked for again: %d instead of %d codes", asked(), n)
	}
}

// TestSearchOptions: values that are none are refused.
func TestSearchOptions(t *testing.T) {
	for _, args := range [][]string{
		{"--search=x"},
		{"--search=0"},
		{"--search=1", "--search-candidates=0"},
		{"--search=1", "--search-seed=-1"},
		{"--search=1", "--search-with=false"},
	} {
		if _, log, ok := searchRun(t, args...); ok || !strings.Contains(strings.ToLower(log), "search") {
			t.Errorf("%q: %v %s", args, ok, log)
		}
	}
}

// TestSearchAbreast: candidates that are compiled side by side give the file
// that they give one after the other.
func TestSearchAbreast(t *testing.T) {
	was := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(was)
	one, _, ok := searchRun(t, "--search-candidates=40")
	runtime.GOMAXPROCS(max(4, was))
	many, _, also := searchRun(t, "--search-candidates=40")
	if !ok || !also || !bytes.Equal(one, many) {
		t.Errorf("compiled %v and %v, the same file: %v", ok, also, bytes.Equal(one, many))
	}
}
