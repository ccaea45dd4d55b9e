package cubin

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// rebuild lifts the facts of a file and builds it anew; "" when the bytes
// are the same.
func rebuild(b []byte) string {
	f, err := Read(b)
	if err != nil {
		return err.Error()
	}
	m, err := lift(f)
	if err != nil {
		return err.Error()
	}
	g, err := Build(m)
	if err != nil {
		return err.Error()
	}
	w, err := g.Write()
	if err != nil {
		return err.Error()
	}
	if f.Kind == KindReloc {
		if b, err = trueCIEs(f); err != nil {
			return err.Error()
		}
	}
	if !bytes.Equal(w, b) {
		return "differs at " + firstDifference(w, b)
	}
	return ""
}

// trueCIEs writes an object of the reference with one mistake repaired: from
// sm_90 on its references to CIEs count the room of a rule that is no longer
// written, and so point behind the CIE they mean.
func trueCIEs(f *File) ([]byte, error) {
	if s := f.Find(".rela.debug_frame"); s != nil && f.isNew() {
		c := s.Content.(*Relocs)
		for i := range c.List {
			if r := &c.List[i]; r.Sym != nil && r.Sym.Name == ".debug_frame" {
				r.Addend = int64(cieBefore(f.Find(".debug_frame").Data(), r.Off))
			}
		}
	}
	return f.Write()
}

// cieBefore finds the CIE in front of the FDE whose reference stands at off.
func cieBefore(b []byte, off uint64) uint64 {
	const head = 12
	cie := uint64(0)
	for at := uint64(0); at+head < off; at += head + le.Uint64(b[at+4:]) {
		if le.Uint64(b[at+head:]) == 1<<64-1 {
			cie = at
		}
	}
	return cie
}

// buildable tells the samples whose kinds Build makes: executable files and
// objects without capsules, without -g and without texture references.
func buildable(name string) bool {
	for _, s := range [...]string{"-g", "sm_100", "sm_110", "sm_120", "tex."} {
		if strings.Contains(name, s) {
			return false
		}
	}
	return true
}

func TestBuildSamples(t *testing.T) {
	count := tally{}
	for _, s := range cases.Cubins(t) {
		if !buildable(s.Name) {
			continue
		}
		_, config, _ := strings.Cut(s.Name, ".")
		why := rebuild(s.Data)
		count.add(config, why == "")
		if why != "" {
			t.Errorf("%s: %s", s.Name, why)
		}
	}
	t.Logf("equal to the reference: %s", count)
}

// TestCapsuleFlag: the low byte of the flags is 2 in files that have capsules,
// which the reference's have from sm_100 on and ours have not.
func TestCapsuleFlag(t *testing.T) {
	for _, s := range cases.Cubins(t) {
		f, err := Read(s.Data)
		if err != nil {
			t.Fatal(err)
		}
		has := func(prefix string) bool {
			return slices.ContainsFunc(f.Sections, func(s *Section) bool { return strings.HasPrefix(s.Name, prefix) })
		}
		if capsules := has(".nv.capmerc"); has(".text") && (f.FlagsLow == 2) != capsules {
			t.Errorf("%s: flags %d, capsules %v", s.Name, f.FlagsLow, capsules)
		}
	}
	for _, sm := range []string{"sm_90a", "sm_100a", "sm_103f", "sm_120"} {
		f, err := Build(&Module{Arch: target.Find(sm), PTXSM: 90})
		if err != nil {
			t.Fatal(err)
		}
		if f.FlagsLow != 4 {
			t.Errorf("%s: flags %d of a file without capsules", sm, f.FlagsLow)
		}
	}
}

// TestBuildCorpus builds the files of real kernels from their facts.
func TestBuildCorpus(t *testing.T) {
	tools, c := oracle.Find(t), corpus.Find(t)
	count := tally{}
	for i, f := range c.Smoke() {
		full := os.Getenv("GOPTXAS_FULL") != ""
		if !full && (f.Bytes > 40000 || i%4 != 1) {
			continue
		}
		ptx, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, arch := range [...]string{"sm_90a", "sm_80", "sm_75", "sm_89"} {
			for _, flag := range [...]string{"", "-c"} {
				b := compile(tools, retarget(ptx, arch), arch, flag)
				if b == nil {
					continue
				}
				why := rebuild(b)
				count.add(arch+flag, why == "")
				if why != "" && flag == "" {
					t.Errorf("%s %s: %s", f.Name, arch, why)
				} else if why != "" {
					t.Logf("%s %s %s: %s", f.Name, arch, flag, why)
				}
			}
		}
	}
	t.Logf("equal to the reference: %s", count)
	objects := [2]int{}
	for kind, v := range count {
		if strings.HasSuffix(kind, "-c") {
			objects[0] += v[0]
			objects[1] += v[1]
		}
	}
	if objects[0]*4 < objects[1]*3 { // 272 of 325 over the whole smoke set
		t.Errorf("only %d of %d objects are equal to the reference's", objects[0], objects[1])
	}
}
