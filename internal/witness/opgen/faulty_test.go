package opgen

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// compileBatch is how many forms are compiled as one kernel.
const compileBatch = 40

// faulty compiles forms, many at a time, and tells of each that does not
// compile what is said about it.
func faulty[F any](forms []F, arch string, text func([]F) string, tell func(f F, msg string)) {
	if len(forms) == 0 {
		return
	}
	if len(forms) <= compileBatch {
		msg := compile(text(forms), arch)
		if msg == "" {
			return
		}
		if len(forms) == 1 {
			tell(forms[0], strings.TrimSpace(msg))
			return
		}
	}
	n := len(forms) / 2
	faulty(forms[:n], arch, text, tell)
	faulty(forms[n:], arch, text, tell)
}

// failures are complaints by operation.
type failures map[string][]string

func (f failures) report(t *testing.T) {
	for _, o := range slices.Sorted(maps.Keys(f)) {
		t.Errorf("%s: %d do not compile", o, len(f[o]))
		for _, m := range f[o] {
			t.Log(m)
		}
	}
}

// some returns one form in every stride, or all with GOPTXAS_FULL.
func some(all []string, stride int) []string {
	if os.Getenv("GOPTXAS_FULL") != "" {
		return all
	}
	var list []string
	for n := 0; n < len(all); n += stride {
		list = append(list, all[n])
	}
	return list
}
