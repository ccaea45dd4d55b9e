package zoo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// Measuring takes three steps. ZOO_REQUESTS=dir go test -run Requests writes
// the reference's cubins and requests.jsonl there; on a machine with a GPU
// `gpurun worker < requests.jsonl`, started in that folder, leaves one dump a
// launch in it; ZOO_DUMPS=dir go test -run Pack writes them to the results.
// ZOO_DIR names another folder of kernels than the zoo itself.

func measured(t *testing.T) (string, []Kernel) {
	dir := os.Getenv("ZOO_DIR")
	if dir == "" {
		var err error
		if dir, err = Dir(); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, list
}

func dumpName(n int) string { return fmt.Sprintf("%03d.bin", n) }

func TestRequests(t *testing.T) {
	dir := os.Getenv("ZOO_REQUESTS")
	if dir == "" {
		t.Skip("ZOO_REQUESTS names no folder")
	}
	x := oracle.Find(t)
	var out []byte
	n := 0
	_, list := measured(t)
	for _, k := range list {
		cubin := k.File + ".cubin"
		if r := x.Ptxas("-arch=sm_90a", k.Path, "-o", filepath.Join(dir, cubin)); r.Exit != 0 {
			t.Fatal(r.Stderr)
		}
		for _, l := range k.Launches {
			b, err := json.Marshal(gpu.Request{Cubin: cubin, Launch: l, Guard: 256, Dump: dumpName(n)})
			if err != nil {
				t.Fatal(err)
			}
			out = append(append(out, b...), '\n')
			n++
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "requests.jsonl"), out, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPack(t *testing.T) {
	dir := os.Getenv("ZOO_DUMPS")
	if dir == "" {
		t.Skip("ZOO_DUMPS names no folder")
	}
	var text bytes.Buffer
	n := 0
	zooDir, list := measured(t)
	for _, k := range list {
		for i := range k.Launches {
			data, err := os.ReadFile(filepath.Join(dir, dumpName(n)))
			if err != nil {
				t.Fatal(err)
			}
			n++
			first := before(&k.Launches[i])
			for _, arg := range dumped(&k.Launches[i]) {
				old := first[arg]
				if len(data) < len(old) {
					t.Fatalf("%s: dump is too short", k.File)
				}
				if now := data[:len(old)]; !bytes.Equal(now, old) {
					fmt.Fprintf(&text, "%s\t%d\t%d\t%x\n", k.key(), i, arg, now)
				}
				data = data[len(old):]
			}
			if len(data) != 0 {
				t.Fatalf("%s: dump is too long", k.File)
			}
		}
	}
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if _, err := w.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(zooDir, resultFile), z.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// dumped lists the arguments in the order of a dump: buffers, then surfaces.
func dumped(l *launch.Launch) []int {
	var list, surfaces []int
	for n, a := range l.Args {
		switch {
		case a.Buf > 0:
			list = append(list, n)
		case a.Tex != nil && a.Tex.Surface:
			surfaces = append(surfaces, n)
		}
	}
	return append(list, surfaces...)
}

// TestWant checks that every launch has a measured result that changed
// something.
func TestWant(t *testing.T) {
	launches, total := 0, 0
	for _, k := range List(t) {
		if k.Want == nil {
			t.Errorf("%s: no measured results for this text", k.File)
			continue
		}
		for n := range k.Launches {
			old := before(&k.Launches[n])
			if k.Want[n].Compare(old) == "" {
				t.Errorf("%s: launch %d changes nothing", k.File, n)
			}
			if d := k.Want[n].Compare(k.Want[n]); d != "" {
				t.Error(d)
			}
			for _, b := range k.Want[n] {
				total += len(b)
			}
			launches++
		}
	}
	t.Logf("%d launches, %d bytes of buffers", launches, total)
}
