package build

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/ori"
)

// setUsed finds the pragma that says which bytes of the next load are used.
// at is the first pragma that stands behind the instruction before; the first
// behind this one is returned.
func (l *Builder) setUsed(n, at int) int {
	l.used = 0
	for ; at < len(l.Body.Pragmas) && int(l.Body.Pragmas[at].At) <= n; at++ {
		if arg, ok := strings.CutPrefix(l.Body.Pragmas[at].Text, "used_bytes_mask "); ok {
			mask, err := strconv.ParseUint(arg, 0, 32)
			if err == nil {
				l.used = uint32(mask)
			}
		}
	}
	return at
}

// UseBytes notes which of the bytes of this load are used, if the text says.
func (l *Builder) UseBytes(size int) {
	if l.used != 0 {
		l.F.UseBytes(int32(l.In.Pos), ori.UsedBytes{Size: uint8(size), Mask: l.used})
	}
}
