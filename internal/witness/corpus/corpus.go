// Package corpus opens the collection of real PTX files that tests run over.
// The files are not part of the repository: GOPTXAS_CORPUS names the folder
// with manifest.csv, smoke/ and the .tar.xz archives, ../shared/corpus beside
// the module is the default, and tests are skipped with one line when neither
// exists. Archives are unpacked once into the user's cache folder, under a
// name made from their content.
package corpus

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// File is one PTX file and its row of the manifest.
type File struct {
	Name        string // family/name.ptx
	Path        string // where it lies on this machine
	Family      string // cudapy, inductor, jax
	Kernel      string
	Target      string // sm_90a, as the file asks
	Bytes       int
	Instrs      int
	Entries     int
	Regs        int      // registers the reference used
	SpillStores int      // bytes the reference spilled
	SpillLoads  int      // bytes the reference reloaded
	Seconds     float64  // the reference's compile time when it was recorded
	Args        []string // the reference's command line when it was recorded
	Feats       []string // instruction groups the file uses
}

// Read returns the text of the file.
func (f *File) Read() ([]byte, error) { return os.ReadFile(f.Path) }

// Corpus is the opened collection, in the order of the manifest.
type Corpus struct {
	Dir   string
	Files []File
}

var opened = sync.OnceValues(func() (*Corpus, error) { return open(Dir(), cacheDir()) })

// Dir returns the folder that holds, or would hold, the archives.
func Dir() string {
	if d := os.Getenv("GOPTXAS_CORPUS"); d != "" {
		return d
	}
	return filepath.Join(Root(), "..", "shared", "corpus")
}

// Root returns the module's root folder: the nearest one above the current
// folder that holds go.mod.
func Root() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

func cacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "goptxas", "corpus")
}

// Find opens the corpus, or skips the test with one line.
func Find(t testing.TB) *Corpus {
	t.Helper()
	c, err := opened()
	switch {
	case errors.Is(err, os.ErrNotExist):
		t.Skip("PTX corpus not found: set GOPTXAS_CORPUS to the folder with manifest.csv")
	case err != nil:
		t.Fatalf("corpus: %v", err)
	}
	return c
}

// Texts returns the text of every file.
func (c *Corpus) Texts(t testing.TB) [][]byte {
	t.Helper()
	texts := make([][]byte, len(c.Files))
	for i := range c.Files {
		b, err := c.Files[i].Read()
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = b
	}
	return texts
}

// Smoke returns the small representative set: the files that lie unpacked in
// smoke/, each with the row of the manifest it came from.
func (c *Corpus) Smoke() []File {
	names, _ := filepath.Glob(filepath.Join(c.Dir, "smoke", "*.ptx"))
	rows := map[string]*File{}
	for i := range c.Files {
		rows[strings.Replace(c.Files[i].Name, "/", "_", 1)] = &c.Files[i]
	}
	var list []File
	for _, p := range names {
		f := File{Name: "smoke/" + filepath.Base(p)}
		if row := rows[filepath.Base(p)]; row != nil {
			f = *row
		}
		f.Path = p
		list = append(list, f)
	}
	return list
}

// Every returns about n files spread evenly over the manifest.
func (c *Corpus) Every(n int) []File {
	if n <= 0 || n >= len(c.Files) {
		return c.Files
	}
	list := make([]File, n)
	for i := range list {
		list[i] = c.Files[i*len(c.Files)/n]
	}
	return list
}

func open(dir, cache string) (*Corpus, error) {
	manifest, err := os.Open(filepath.Join(dir, "manifest.csv"))
	if err != nil {
		return nil, err
	}
	defer manifest.Close()
	roots := map[string]string{}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar.xz"))
	if err != nil {
		return nil, err
	}
	for _, a := range archives {
		root, err := unpack(a, cache)
		if err != nil {
			return nil, err
		}
		roots[strings.TrimSuffix(filepath.Base(a), ".tar.xz")] = root
	}
	files, err := readManifest(manifest, roots)
	return &Corpus{dir, files}, err
}

func readManifest(r io.Reader, roots map[string]string) ([]File, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("manifest: %d rows, %v", len(rows), err)
	}
	col := map[string]int{}
	for i, name := range rows[0] {
		col[name] = i
	}
	for _, name := range []string{"file", "kernel", "target", "feats"} {
		if _, ok := col[name]; !ok {
			return nil, fmt.Errorf("manifest: no column %q", name)
		}
	}
	text := func(row []string, name string) string {
		if i, ok := col[name]; ok {
			return row[i]
		}
		return ""
	}
	num := func(row []string, name string) int { n, _ := strconv.Atoi(text(row, name)); return n }
	files := make([]File, 0, len(rows)-1)
	for _, row := range rows[1:] {
		f := File{
			Name: text(row, "file"), Kernel: text(row, "kernel"), Target: text(row, "target"),
			Bytes: num(row, "bytes"), Instrs: num(row, "instr"), Entries: num(row, "entries"),
			Regs: num(row, "ref_regs"), SpillStores: num(row, "ref_spill_st"), SpillLoads: num(row, "ref_spill_ld"),
			Args: strings.Fields(text(row, "ref_args")), Feats: strings.Fields(text(row, "feats")),
		}
		f.Seconds, _ = strconv.ParseFloat(text(row, "ref_s"), 64)
		f.Family, _, _ = strings.Cut(f.Name, "/")
		f.Path = filepath.Join(roots[f.Family], filepath.FromSlash(f.Name))
		files = append(files, f)
	}
	return files, nil
}

// unpack extracts an archive below cache unless that was done before, and
// returns the folder. A half-done folder never carries the final name, so
// several tests may do this at once.
func unpack(archive, cache string) (string, error) {
	sum, err := digest(archive)
	if err != nil {
		return "", err
	}
	root := filepath.Join(cache, strings.TrimSuffix(filepath.Base(archive), ".tar.xz")+"-"+sum)
	if _, err := os.Stat(root); err == nil {
		return root, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(cache, "unpack-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if out, err := exec.Command("tar", "-xJf", archive, "-C", tmp).CombinedOutput(); err != nil {
		return "", fmt.Errorf("tar -xJf %s: %v: %s", archive, err, out)
	}
	if err := os.Rename(tmp, root); err != nil {
		if _, err2 := os.Stat(root); err2 == nil {
			return root, nil // another test was faster
		}
		return "", err
	}
	return root, nil
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
