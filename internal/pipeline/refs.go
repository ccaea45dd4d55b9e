package pipeline

import (
	"slices"

	"goptxas/internal/cubin"
	"goptxas/internal/ptx/isa"
	"goptxas/internal/ptx/sema"
)

// Names of what a sampler's fields can say, by value: addressing modes and
// filters.
var (
	addressModes = []string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"}
	filterModes  = []string{"nearest", "linear"}
)

// reference declares a texture, sampler or surface that is bound by name.
func reference(v *sema.Var) cubin.Ref {
	r := cubin.Ref{Name: v.Name, Type: cubin.SymTexture, Init: ^uint32(0)}
	switch v.Shape.Type {
	case isa.Samplerref:
		r.Type = cubin.SymSampler
	case isa.Surfref:
		r.Type = cubin.SymSurface
	}
	for _, f := range v.Fields {
		at, names := 0, addressModes
		switch f.Name {
		case "addr_mode_0":
		case "addr_mode_1":
			at = 8
		case "addr_mode_2":
			at = 16
		case "filter_mode":
			at, names = 24, filterModes
		case "force_unnormalized_coords":
			r.HasForce, r.Force = true, uint32(f.Value)
			continue
		default:
			continue
		}
		value := uint32(f.Value)
		if n := slices.Index(names, f.Word); n >= 0 {
			value = uint32(n)
		}
		r.Init = r.Init&^(0xff<<at) | value&0xff<<at
	}
	return r
}

// slots is what references take behind the parameters of a kernel, with the
// room that makes their words whole.
func slots(f *sema.Func, refs []string) uint32 {
	if len(refs) == 0 {
		return 0
	}
	return uint32(-f.ParamLen&3) + uint32(4*len(refs))
}
