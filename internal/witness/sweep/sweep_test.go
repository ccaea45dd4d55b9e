package sweep

import "testing"

func TestSample(t *testing.T) {
	t.Setenv("GOPTXAS_FULL", "")
	for _, c := range []struct {
		asked       string
		taken, size int
	}{{"", 4, 1}, {"1", 10, 5}} {
		t.Setenv("GOPTXAS_SWEEP", c.asked)
		taken := 0
		for n := range 10 {
			if Takes(n, 3) {
				taken++
			}
		}
		if size := Of(5, 1); taken != c.taken || size != c.size {
			t.Errorf("GOPTXAS_SWEEP=%q: %d of 10 taken, %d of 5; want %d and %d", c.asked, taken, size, c.taken, c.size)
		}
	}
}
