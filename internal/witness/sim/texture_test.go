package sim

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestTextures runs the reference's code for the kernels with textures and
// surfaces. What a texture unit does was measured on an H200; the others are
// held to the same.
func TestTextures(t *testing.T) {
	x := oracle.Find(t)
	for _, arch := range []string{"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100", "sm_120"} {
		if testing.Short() && arch != "sm_90a" {
			continue
		}
		good := 0
		list := zoo.Textures(t)
		for n := range list {
			k := &list[n]
			if k.Want == nil {
				t.Errorf("%s: no measured results", k.File)
			}
			text := k.Text
			if len(arch) == len("sm_75") && arch < "sm_90" {
				text = oldTarget(text, arch)
			}
			b, err := x.CubinOf([]byte(text), "-arch="+arch)
			if err != nil {
				t.Errorf("%s: %v", k.File, err)
				continue
			}
			if ok, _ := runZoo(t, k, b); ok {
				good++
			}
		}
		t.Logf("%s: %d of %d files as on the H200", arch, good, len(list))
	}
}
