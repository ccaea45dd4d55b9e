//go:build race || scratch

package pool

import (
	"fmt"
	"reflect"
)

// checked says that every use of a Scratch is looked at.
const checked = true

// mustBePlain panics if v could hold a pointer.
func mustBePlain(v any) {
	if t := reflect.TypeOf(v); !isPlain(t) {
		panic(fmt.Sprintf("pool: scratch memory for %v, which has pointers", t))
	}
}

func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		for n := range t.NumField() {
			if !isPlain(t.Field(n).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128
}
