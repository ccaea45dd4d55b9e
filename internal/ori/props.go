package ori

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/ori/op"
)

func specialName(v int64) string { return op.Special(v).String() }

// propRow ties a number in Props to its name in the text form. Rows stand
// in the order they are printed.
type propRow struct {
	name string
	at   func(p *Props) *int32
}

var propRows = [...]propRow{
	{"param", func(p *Props) *int32 { return &p.ParamBytes }},
	{"base", func(p *Props) *int32 { return &p.ParamBase }},
	{"shared", func(p *Props) *int32 { return &p.SharedBytes }},
	{"local", func(p *Props) *int32 { return &p.LocalBytes }},
	{"spill", func(p *Props) *int32 { return &p.SpillBytes }},
	{"barriers", func(p *Props) *int32 { return &p.Barriers }},
	{"maxnreg", func(p *Props) *int32 { return &p.MaxNReg }},
	{"localnreg", func(p *Props) *int32 { return &p.LocalNReg }},
	{"minncta", func(p *Props) *int32 { return &p.MinNCTA }},
	{"reqx", func(p *Props) *int32 { return &p.ReqNTid[0] }},
	{"reqy", func(p *Props) *int32 { return &p.ReqNTid[1] }},
	{"reqz", func(p *Props) *int32 { return &p.ReqNTid[2] }},
	{"maxx", func(p *Props) *int32 { return &p.MaxNTid[0] }},
	{"maxy", func(p *Props) *int32 { return &p.MaxNTid[1] }},
	{"maxz", func(p *Props) *int32 { return &p.MaxNTid[2] }},
	{"clusterx", func(p *Props) *int32 { return &p.Cluster[0] }},
	{"clustery", func(p *Props) *int32 { return &p.Cluster[1] }},
	{"clusterz", func(p *Props) *int32 { return &p.Cluster[2] }},
	{"registers", func(p *Props) *int32 { return &p.Registers }},
	{"align", func(p *Props) *int32 { return &p.LocalAlign }},
	{"variables", func(p *Props) *int32 { return &p.Variables }},
	{"unnamed", func(p *Props) *int32 { return &p.Unnamed }},
	{"stores", func(p *Props) *int32 { return &p.SpillStores }},
	{"loads", func(p *Props) *int32 { return &p.SpillLoads }},
	{"tensor", func(p *Props) *int32 { return &p.Tensor }},
	{"own", func(p *Props) *int32 { return &p.Own }},
	{"copies", func(p *Props) *int32 { return &p.Copies }},
	{"copied", func(p *Props) *int32 { return &p.Copied }},
	{"untraded", func(p *Props) *int32 { return &p.Untraded }},
}

var propFlags = [...]struct {
	name string
	at   func(p *Props) *bool
}{
	{"calls", func(p *Props) *bool { return &p.HasCalls }},
	{"exit", func(p *Props) *bool { return &p.HasExit }},
	{"moves", func(p *Props) *bool { return &p.MovesStack }},
	{"pool", func(p *Props) *bool { return &p.Pool }},
	{"serial", func(p *Props) *bool { return &p.Serial }},
	{"ssa", func(p *Props) *bool { return &p.SSA }},
}

// append appends the props that are not zero.
func (p *Props) append(dst []byte) []byte {
	if *p == (Props{}) {
		return dst
	}
	dst = append(dst, "  props"...)
	for _, r := range propRows {
		if v := *r.at(p); v != 0 {
			dst = fmt.Appendf(dst, " %s=%d", r.name, v)
		}
	}
	for _, r := range propFlags {
		if *r.at(p) {
			dst = append(append(dst, ' '), r.name...)
		}
	}
	return append(dst, '\n')
}

// set reads one word of a props line.
func (p *Props) set(word string) error {
	name, value, ok := strings.Cut(word, "=")
	if !ok {
		for _, r := range propFlags {
			if r.name == name {
				*r.at(p) = true
				return nil
			}
		}
	}
	for _, r := range propRows {
		if ok && r.name == name {
			v, err := strconv.ParseInt(value, 10, 32)
			*r.at(p) = int32(v)
			return err
		}
	}
	return fmt.Errorf("unknown property %q", word)
}

// Threads is how many threads the blocks of a kernel have, or have at most, in 32 bits
// as the reference counts them; 0 where the source does not say.
func (p *Props) Threads() uint32 {
	size, n := p.ReqNTid, uint32(1)
	if size[0] == 0 {
		size = p.MaxNTid
	}
	if size[0] == 0 {
		return 0
	}
	for _, d := range size {
		n *= max(1, uint32(d))
	}
	return n
}
