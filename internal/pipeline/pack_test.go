package pipeline

import (
	"reflect"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// filled sets every field below v to something else than zero, but for
// those that are not kept.
func filled(t *testing.T, v reflect.Value, name string, n *int64) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(t, v.Elem(), name, n)
	case reflect.Struct:
		for k := range v.NumField() {
			f, at := v.Field(k), v.Type().Field(k)
			if name == "" && slices.Contains([]string{"Debug", "Shared", "Time", "Made", "Filed", "Heap", "Fast", "Spared", "Price", "Warps", "Ahead", "Occupancy", "Latency"}, at.Name) { // kernels with the first, which alone asks for the second, are not kept; the others are of each run
				continue
			}
			if !f.CanSet() {
				f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
			}
			filled(t, f, name+"."+at.Name, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for k := range 2 {
			filled(t, v.Index(k), name, n)
		}
	case reflect.Array:
		for k := range v.Len() {
			filled(t, v.Index(k), name, n)
		}
	case reflect.String:
		v.SetString(string(rune('a' + *n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-(*n % 100) - 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n%100) + 1)
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	default:
		t.Fatalf("%s: a %s", name, v.Kind())
	}
}

// TestPack keeps a kernel all of whose fields are set and finds it again,
// and finds nothing in any part of what was kept.
func TestPack(t *testing.T) {
	m := &sema.Module{Funcs: []sema.Func{{Name: "other"}, {Name: "f", HasBody: true}}}
	k := &link.Kernel{}
	n := int64(0)
	filled(t, reflect.ValueOf(k).Elem(), "", &n)
	for s := range k.Subs {
		k.Subs[s].Func = 1
	}
	for s := range k.Placed {
		k.Placed[s] = 1
	}
	p := &packer{}
	p.kernel(m, k)
	u := &unpacker{data: p.data}
	if got := u.kernel(m); u.bad || len(u.data) > 0 || !reflect.DeepEqual(got, k) {
		t.Errorf("got  %+v\nwant %+v", got, k)
	}
	for n := range p.data {
		u := &unpacker{data: p.data[:n]}
		if u.kernel(m); !u.bad {
			t.Fatalf("%d bytes of %d are a kernel", n, len(p.data))
		}
	}
}
