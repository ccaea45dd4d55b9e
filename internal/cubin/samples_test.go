package cubin

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

var update = flag.Bool("update", false, "compile the samples again with the reference compiler")

const (
	sampleDir  = "../../testdata/cubin"
	samplePack = sampleDir + "/samples.tar.gz"
)

// sampleConfigs are the command lines the samples are kept for.
var sampleConfigs = [...]struct{ arch, flags string }{
	{"sm_90a", ""},
	{"sm_90a", "-lineinfo"},
	{"sm_90a", "-c"},
	{"sm_80", ""},
	{"sm_80", "-c"},
	{"sm_75", "-lineinfo"},
	{"sm_89", "-g -O0"},
	{"sm_100a", ""},
	{"sm_120a", "-lineinfo"},
	{"sm_110a", "-c"},
}

// probes returns the PTX files of testdata by name, in order.
func probes(t testing.TB) []txtar.File {
	a, err := txtar.ParseFile(filepath.Join(sampleDir, "probes.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return a.Files
}

// compile runs the reference on a PTX text; nil when it refuses.
func compile(tools *oracle.Tools, ptx, arch, flags string) []byte {
	b, err := tools.CubinOf([]byte(ptx), append(strings.Fields(flags), "-arch", arch)...)
	if err != nil {
		return nil
	}
	return b
}

func header(arch string) string {
	return ".version 9.0\n.target " + arch + "\n.address_size 64\n"
}

// pack compiles every probe for every configuration.
func pack(t *testing.T) {
	tools := oracle.Find(t)
	var buf bytes.Buffer
	zw, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	tw := tar.NewWriter(zw)
	for _, c := range sampleConfigs {
		for _, p := range probes(t) {
			b := compile(tools, header(c.arch)+string(p.Data), c.arch, c.flags)
			if b == nil {
				continue
			}
			name := strings.TrimSuffix(p.Name, ".ptx") + "." + c.arch + strings.ReplaceAll(c.flags, " ", "")
			if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(b))}); err != nil {
				t.Fatal(err)
			}
			if _, err := tw.Write(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(samplePack, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", buf.Len())
}

// tally counts results by kind and prints them in order.
type tally map[string][2]int

func (c tally) add(kind string, ok bool) {
	v := c[kind]
	v[1]++
	if ok {
		v[0]++
	}
	c[kind] = v
}

func (c tally) String() string {
	var keys []string
	sum := [2]int{}
	for k, v := range c {
		keys = append(keys, k)
		sum[0] += v[0]
		sum[1] += v[1]
	}
	sort.Strings(keys)
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", sum[0], sum[1])
	for _, k := range keys {
		fmt.Fprintf(&b, "; %s %d/%d", k, c[k][0], c[k][1])
	}
	return b.String()
}
