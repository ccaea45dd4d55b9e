package driver

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// ours are the options whose behaviour is goptxas's own by design: its own
// extras, and files or texts in the reference's private formats.
var ours = [...]cli.ID{
	cli.ParseOnly, cli.PrintPTX, cli.Diagnostics, cli.Knob, cli.ListKnobs, cli.Phase,
	cli.OKey, cli.QueryControls, cli.LinkInfo,
}

// spellings returns command lines that say one option in many ways, right
// and wrong.
func spellings(id cli.ID) [][]string {
	o := &cli.Table[id]
	values := []string{"", "1", "x", "true", "0x10", "-1", "1.5", "99999999999", "a,b", "a=b"}
	values = append(values, o.Choices()[:min(2, len(o.Choices()))]...)
	names := []string{"--" + o.Long, "-" + o.Long}
	if o.Short != "" && o.Short != o.Long {
		names = append(names, "-"+o.Short, "--"+o.Short)
	}
	var lines [][]string
	for _, n := range names {
		lines = append(lines, []string{n}, []string{n, "k.ptx"}, []string{n + "x", "k.ptx"}, []string{n, n, "k.ptx"})
	}
	name := names[len(names)/2]
	for i, v := range values {
		lines = append(lines, []string{name + "=" + v, "k.ptx"})
		if o.Kind != cli.Flag {
			lines = append(lines, []string{name, v, "k.ptx"}, []string{name + "=" + v, name + "=" + values[(i+1)%len(values)], "k.ptx"})
		}
	}
	return lines
}

// mixes are the words that random command lines are made of.
var mixes = [...]string{
	"-v", "-w", "-Werror", "-g", "-lineinfo", "-c", "-ewp", "-astoolspatch", "-O0", "-O1", "-O3", "-O", "-Ofc=min", "-Ofc=max", "-Ofc=0",
	"-Ofc=bad", "-arch=sm_90", "-arch=sm_80", "-arch=compute_80", "-arch=lto_90", "-maxrregcount=3", "-maxrregcount=40", "-maxrregcount=999",
	"-maxrregcount=x", "-func-maxrregcount=3", "-func-maxrregcount=x", "-maxntid=64", "-maxntid=1,2,3,4", "-maxntid=4096", "-minnctapersm=2",
	"-minnctapersm=99", "-regUsageLevel=3", "-regUsageLevel=11", "-dlcm=ca", "-dlcm=zz", "-flcm=cg", "-dscm=wb", "-fscm=zz", "-suppress-debug-info",
	"-legacy-bar-warp-wide-behavior", "-g-tmem-access-check", "--blocks-are-clusters=true", "--disable-smem-reservation=false",
	"--compiler-stats-file=s", "--cuda-api-version=13.0", "--cuda-api-version=1", "-abi=no", "-po=a=b", "-e=k", "-e=nosuch", "-e=k1,k1",
	"--ptx-length=4", "-split-compile=-2", "-split-compile=2", "--jobserver", "-o=a", "-o=b", "-o=nodir/x", "--tool-name=t", "-override-directive-values",
	"-k=x", "--debug-info=x", "--apply-controls=none", "-optf=opt.txt", "-optf=opt3.txt", "-optf=none", "nofile.ptx", "k.ptx", "k2.ptx", "multi.ptx",
	"bad.ptx", "order.ptx", "-warn-double-usage", "dbl.ptx", "extcall.ptx", "-fmad=false", "-pic=true", "-sanitize=x", "-m32", "-fc", "-O=1", "-maxrregcount=24", "-maxrregcount=archmin",
	"-maxrregcount=archmax", "-arch=lto_100a", "-arch=compute_100f", "-arch=sm_120a", "-e=k1", "-e=b1,zeta", "-e=f1", "-V", "-h", "-version-ls",
}

func mixtures(n int) [][]string {
	r := rand.New(rand.NewPCG(13, 0))
	lines := make([][]string, n)
	for i := range lines {
		for range 2 + r.IntN(5) {
			lines[i] = append(lines[i], mixes[r.IntN(len(mixes))])
		}
		if r.IntN(4) > 0 {
			lines[i] = append(lines[i], "k.ptx")
		}
	}
	return lines
}

// TestAgainstReference compares command lines made from the option table,
// and random mixtures, with the reference itself.
func TestAgainstReference(t *testing.T) {
	x := oracle.Find(t)
	files, _ := cases.CLI(t)
	dir := folder(t, files)
	counts := readCounts(t, filepath.Join("..", "..", "testdata", "cli", "registers.txt"))
	lines := mixtures(600)
	for id := range cli.Table {
		if cli.Table[id].Group != cli.GroupOwn && !slices.Contains(ours[:], cli.ID(id)) {
			lines = append(lines, spellings(cli.ID(id))...)
		}
	}
	seen := map[string]bool{}
	total, same, refused, shown := 0, 0, 0, 0
	for _, args := range lines {
		key := strings.Join(args, "\x00")
		if seen[key] {
			continue
		}
		seen[key] = true
		ref := x.Run(dir, "ptxas", args...)
		c := cases.Case{Args: args, Exit: ref.Exit, Stdout: ref.Stdout, Stderr: ref.Stderr, New: newFiles(t, dir, files)}
		got := runSelf(t, dir, args...)
		o := compare(got, newFiles(t, dir, files), &c, counts)
		total++
		refused += count(ref.Exit == 0 && strings.Contains(got.Stderr, noCode))
		if o.exit && o.files && o.stderr && (got.Stdout == "") == (ref.Stdout == "") {
			same++
			continue
		}
		if shown++; shown <= 60 {
			t.Logf("%q: exit %d, %q\nreference: exit %d, %q, files %q", args, got.Exit, got.Stderr, ref.Exit, ref.Stderr, c.New)
		}
	}
	t.Logf("%d command lines beside the reference: %d equal (%.1f %%), %d refused",
		total, same, 100*float64(same)/float64(total), refused)
	if same*100 < total*99 {
		t.Errorf("fewer than 99 %% of the command lines are equal")
	}
}
