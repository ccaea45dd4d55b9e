package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryRowHasItsFile(t *testing.T) {
	c := Find(t)
	families := map[string]int{}
	bytes := 0
	for i := range c.Files {
		f := &c.Files[i]
		st, err := os.Stat(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if int(st.Size()) != f.Bytes {
			t.Errorf("%s: %d bytes, manifest says %d", f.Name, st.Size(), f.Bytes)
		}
		families[f.Family]++
		bytes += f.Bytes
	}
	smoke := c.Smoke()
	for i := range smoke {
		if smoke[i].Kernel == "" {
			t.Errorf("%s has no row in the manifest", smoke[i].Name)
		}
	}
	t.Logf("%d files, %d bytes, families %v, %d in the smoke set", len(c.Files), bytes, families, len(smoke))
}

func TestEverySpreads(t *testing.T) {
	c := Corpus{Files: make([]File, 100)}
	if n := len(c.Every(7)); n != 7 {
		t.Errorf("Every(7) gave %d files", n)
	}
	if n := len(c.Every(1000)); n != 100 {
		t.Errorf("Every(1000) of 100 gave %d files", n)
	}
}

func TestManifestColumns(t *testing.T) {
	in := "hash,file,kernel,target,feats,ref_regs\nx,a/b.ptx,k,sm_90,bar mma,40\n"
	files, err := readManifest(strings.NewReader(in), map[string]string{"a": "root"})
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	f := files[0]
	if f.Family != "a" || f.Regs != 40 || len(f.Feats) != 2 || f.Path != filepath.Join("root", "a", "b.ptx") {
		t.Errorf("row read as %+v", f)
	}
	if _, err := readManifest(strings.NewReader("a,b\n1,2\n"), nil); err == nil {
		t.Error("a manifest without the columns was accepted")
	}
}
