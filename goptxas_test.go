package goptxas

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

const kernel = `.version 9.0
.target sm_75
.address_size 64
.visible .entry k() { ret; }
`

func TestCheckOnly(t *testing.T) {
	out, err := Compile(context.Background(), []Input{{"k.ptx", []byte(kernel)}}, Options{Arch: "compute_80"})
	if err != nil || out.Cubin != nil || out.Log != "" {
		t.Errorf("checking a valid kernel gave %+v, %v", out, err)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		opts Options
		want string
	}{
		{"garbage", Options{}, "ptxas k.ptx, line 1; fatal   : Missing .version directive at start of file 'k.ptx'"},
		{kernel, Options{Arch: "sm_1"}, "ptxas fatal   : Value 'sm_1' is not defined for option 'gpu-name'"},
		{kernel, Options{Args: []string{"--bogus"}}, "ptxas fatal   : Unknown option '-bogus'"},
	} {
		_, err := Compile(context.Background(), []Input{{"k.ptx", []byte(c.text)}}, c.opts)
		var e *Error
		if !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.opts, err, c.want)
		}
	}
	if _, err := Compile(context.Background(), nil, Options{}); err == nil {
		t.Error("no input was accepted")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compile(ctx, []Input{{"k.ptx", []byte(kernel)}}, Options{Arch: "compute_80"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled compilation gave %v", err)
	}
}

// TestManyAtOnce compiles for two targets on many goroutines: messages must
// not mix.
func TestManyAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			name := strings.Repeat("x", i+1)
			arch := []string{"compute_75", "compute_90"}[i%2]
			_, err := Compile(context.Background(), []Input{{name, []byte("bad")}}, Options{Arch: arch})
			if want := "ptxas " + name + ", line 1; fatal   : Missing .version directive at start of file '" + name + "'"; err == nil || err.Error() != want {
				t.Errorf("goroutine %d: %v, want %s", i, err, want)
			}
		})
	}
	wg.Wait()
}
