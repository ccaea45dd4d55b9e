package lower

import (
	"regexp"
	"strings"
	"testing"
)

// TestSpecialPlaces holds where machines keep special registers in bank 0
// and what they need of the cluster's size.
func TestSpecialPlaces(t *testing.T) {
	const moved = "CS2R.32 ? = SR_CgaSize; IMAD ? = ?, -0xa0, rz; "
	tests := []struct{ arch, reg, want string }{
		{"sm_80", "%envreg2", "LDC ? = c[0x0][0x90]"},
		{"sm_90", "%envreg2", "LDC ? = c[0x0][0x48]"},
		{"sm_90", "%envreg31", "LDC ? = c[0x0][0xbc]"},
		{"sm_100", "%envreg2", moved + "LDC ? = c[0x0][?+0x258]"},
		{"sm_120", "%envreg15", moved + "LDC ? = c[0x0][?+0x28c]"},
		{"sm_120", "%envreg16", "LDC ? = c[0x0][0xd0]"},
		{"sm_121", "%envreg31", "LDC ? = c[0x0][0x10c]"},
		{"sm_90", "%reserved_smem_offset_0", "? = rz"},
		{"sm_100", "%reserved_smem_offset_0", "? = 0x40"},
		{"sm_80", "%reserved_smem_offset_1", "LDC ? = c[0x0][0x124]"},
		{"sm_100", "%reserved_smem_offset_1", moved + "LDC ? = c[0x0][?+0x27c]"},
		{"sm_100", "%reserved_smem_offset_end", moved + "LDC ? = c[0x0][?+0x278]"},
		{"sm_100", "%dynamic_smem_size", moved + "LDC ? = c[0x0][?+0x2ac]"},
		{"sm_103", "%cluster_nctaid.y", moved + "LDC ? = c[0x0][?+0x2a4]"},
		{"sm_103", "%nclusterid.z", moved + "LDC ? = c[0x0][?+0x2c8]"},
		{"sm_120", "%cluster_nctarank", moved + "LDC ? = c[0x0][?+0x2cc]"},
		{"sm_120", "%clusterid.x", moved + "LDC ? = c[0x0][?+0x2b0]"},
		{"sm_120", "%cluster_ctaid.z", moved + "LDC ? = c[0x0][?+0x2b8]"},
		{"sm_120", "%cluster_ctaid.z", moved + "LDC ? = c[0x0][?+0x2a8]"},
		{"sm_100", "%aggr_smem_size", moved + "LDC ? = c[0x0][?+0x2bc]"},
		{"sm_100", "%total_smem_size", "LDC ? = c[0x0][0x16c]"},
	}
	for _, c := range tests {
		text := strings.Replace(kernel("", "mov.u32 %r1, "+c.reg+";\nst.global.u32 [%rd1], %r1;"), "sm_90a", c.arch, 1)
		got, err := loweredFor(c.arch, text)
		if err != nil {
			t.Errorf("%s %s: %v", c.arch, c.reg, err)
			continue
		}
		if !strings.Contains(nameless(got), c.want) {
			t.Errorf("%s %s: no %q in\n%s", c.arch, c.reg, c.want, got)
		}
	}
	for _, arch := range []string{"sm_90", "sm_100", "sm_120"} {
		body := "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;"
		got, err := loweredFor(arch, strings.Replace(kernel("", body), "sm_90a", arch, 1))
		want := "LDC ? = c[0x0][0x36c]"
		if arch == "sm_90" {
			want = "LDC ? = c[0x0][0x140]"
		}
		if err != nil || !strings.Contains(nameless(got), want) {
			t.Errorf("%s: barrier.cluster: %v, no %q in\n%s", arch, err, want, got)
		}
	}
	t.Logf("%d registers", len(tests))
}

// TestHandles holds how machines are told the handle of a texture or surface:
// before sm_90 as a place in bank 0, from sm_100 on with nothing beside it.
func TestHandles(t *testing.T) {
	const (
		tex   = "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6}];"
		store = "sust.b.2d.b32.trap [%rd2, {%r1, %r2}], %r3;"
		size  = "txq.width.b32 %r1, [%rd2];"
		table = "txq.num_mipmap_levels.b32 %r1, [%rd2];"
	)
	tests := []struct{ arch, text, want, not string }{
		{"sm_90", tex, ", 0x0, 2D", "nowhere"},
		{"sm_100", tex, ", 2D", "0x0, 2D"},
		{"sm_103", store, "SUST.D.BA.2D.STRONG.SM.TRAP", ", 0x0 ;"},
		{"sm_100", size, "TEX_HEADER_DIMENSION", "nowhere"},
		{"sm_100", table, "c[0x0][0x150]", "nowhere"},
		{"sm_75", table, "c[0x0][0x70]", "nowhere"},
		{"sm_75", store, "SUST.D.BA.2D.STRONG.CTA.TRAP", "nowhere"},
		{"sm_80", tex, "TEX.SCR", "R2UR"},
		{"sm_120", tex, ", 2D", "TEX.LL"},
		{"sm_80", "tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6, %f7, %f7}], {%f1, %f2, %f3, %f3}, {%f1, %f2, %f3, %f3};", "", ""},
	}
	for _, c := range tests {
		got, err := loweredFor(c.arch, strings.Replace(kernel("", c.text), "sm_90a", c.arch, 1))
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s %s: compiled", c.arch, c.text)
		case c.want != "" && (err != nil || !strings.Contains(got, c.want) || strings.Contains(got, c.not)):
			t.Errorf("%s %s: %v, no %q in\n%s", c.arch, c.text, err, c.want, got)
		}
	}
	t.Logf("%d accesses", len(tests))
}

// nameless joins the instructions of a dump, a question mark for each
// register and without what follows the semicolon.
func nameless(dump string) string {
	var out []string
	for _, line := range strings.Split(dump, "\n") {
		line, _, _ = strings.Cut(line, " ;")
		out = append(out, registers.ReplaceAllString(strings.TrimSpace(line), "?"))
	}
	return strings.Join(out, "; ")
}

var registers = regexp.MustCompile(`\br\d+\b(\[\d+\])?`)
