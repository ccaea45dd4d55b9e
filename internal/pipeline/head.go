package pipeline

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/src"
)

// Head says where a dump comes from.
type Head struct {
	Phase  string
	Step   int // of the phases that ran: this one and all before it
	Target string
	Text   string // name of the text
	Sum    uint64 // of its bytes; 0: unknown
}

// headOf is the head of a dump.
func headOf(u *unit, e *phase.Event) string {
	h := fmt.Sprintf("phase=%s step=%d target=%s", e.Phase, e.Step+1, u.o.Arch.Name)
	if t := u.f.Module.Source; t != nil {
		h += fmt.Sprintf(" sum=%016x text=%s", Sum(t), t.Name)
	}
	return h
}

// Sum is a checksum of a text.
func Sum(t *src.File) uint64 {
	h := fnv.New64a()
	h.Write(t.Text)
	return h.Sum64()
}

// ReadHead reads the head of a dump; what is missing stays zero.
func ReadHead(s string) (h Head, err error) {
	for s != "" {
		var word string
		if text, ok := strings.CutPrefix(s, "text="); ok { // the last: names have spaces
			h.Text = text
			break
		}
		word, s, _ = strings.Cut(s, " ")
		switch k, v, _ := strings.Cut(word, "="); k {
		case "phase":
			h.Phase = v
		case "target":
			h.Target = v
		case "step":
			h.Step, err = strconv.Atoi(v)
		case "sum":
			h.Sum, err = strconv.ParseUint(v, 16, 64)
		}
		if err != nil {
			return h, fmt.Errorf("%s: %w", word, err)
		}
	}
	return h, nil
}
