//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"reflect"
	"testing"
)

// The memory that C code reads holds no pointer into Go's heap: the collector does not follow it there, and an
// assignment would tell it of memory that may have been freed ("marked free object in span"). The table of buffers is
// in the arena itself.
func TestContextPointsToNoHeap(t *testing.T) {
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			switch f.Type.Kind() {
			case reflect.Struct:
				look(f.Type)
			case reflect.Array:
				if f.Type.Elem().Kind() != reflect.Uint64 {
					t.Errorf("%s is an array of %s", f.Name, f.Type.Elem())
				}
			case reflect.Uint64, reflect.Uintptr:
			default:
				if f.Name != "buffer" {
					t.Errorf("%s is a %s", f.Name, f.Type)
				}
			}
		}
	}
	look(reflect.TypeFor[context]())
}
