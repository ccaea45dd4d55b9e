package link

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
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

// Slots is what references take behind the parameters of a kernel, with the
// room in front of their words.
func Slots(a *target.Arch, l *build.Layout, f *sema.Func, refs []cubin.RefWord) uint32 {
	if len(refs) == 0 {
		return 0
	}
	return uint32(l.RefsAt(a, f)-int64(f.ParamLen)) + uint32(4*len(refs))
}

// shareRefs gives every kernel that comes to a reference the words of all of
// them, where a function that a debugger steps into finds them whoever calls it.
func shareRefs(m *sema.Module, l *build.Layout, file *cubin.Module) {
	for i := range file.Refs {
		l.Refs = append(l.Refs, build.Ref{Name: file.Refs[i].Name})
	}
	for i := range m.Funcs {
		if m.Funcs[i].Entry {
			l.RefParams = max(l.RefParams, int64(m.Funcs[i].ParamLen))
		}
	}
}

// RefWords says what the words behind the parameters of a kernel receive.
func RefWords(refs []build.Ref) []cubin.RefWord {
	var list []cubin.RefWord
	for _, r := range refs {
		list = append(list, cubin.RefWord(r))
	}
	return list
}

// relocated are the symbols that the code of an object leaves to the linker,
// references among them.
func relocated(list []emit.Reloc) []cubin.RefWord {
	var out []cubin.RefWord
	for _, r := range list {
		out = append(out, cubin.RefWord{Name: r.Symbol})
	}
	return out
}

// banks says in which bank the numbers of textures and surfaces stand that
// are bound by name; from sm_90 on of both where there is one.
func banks(m *sema.Module, refs []cubin.RefWord, isNew bool) []cubin.Attr {
	textures, surfaces := false, false
	for _, r := range refs {
		for n := range m.Vars {
			if v := &m.Vars[n]; v.Name == r.Name && v.Shape.Type.IsOpaque() {
				surfaces = surfaces || isNew || v.Shape.Type == isa.Surfref
				textures = textures || isNew || v.Shape.Type != isa.Surfref
			}
		}
	}
	var list []cubin.Attr
	if textures {
		list = append(list, cubin.Byte(cubin.AttrTextureBank, 0))
	}
	if surfaces {
		list = append(list, cubin.Byte(cubin.AttrSurfaceBank, 0))
	}
	return list
}
