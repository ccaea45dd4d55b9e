package driver

import (
	"bytes"
	"context"
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

// searchRun compiles the text with options about searching.
func searchRun(t *testing.T, args ...string) (cubin []byte, log string, ok bool) {
	t.Helper()
	var b bytes.Buffer
	r := Request{Args: append([]string{"-arch=sm_90a"}, args...), Texts: []Text{{"k.ptx", []byte(searchText)}}, Log: &b}
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
	args := []string{"--search-candidates=4", "--search-with=sh " + script, "--cache=" + filepath.Join(folder, "cache")}
	_, said, ok := searchRun(t, args...)
	if !ok || !strings.Contains(said, "Search for 'k': 4 candidates, 2 refused, 80.0 % of the usual code's measured time") {
		t.Fatalf("%v: %s", ok, said)
	}
	if buildID() == "" {
		return
	}
	searchRun(t, args...)
	if b, err := os.ReadFile(log); err != nil || strings.Count(string(b), "x") != 5 {
		t.Errorf("what was found is looked for again: %q, %v", b, err)
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
