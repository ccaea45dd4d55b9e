package goptxas

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

const typed = `.version 8.0
.target sm_80
.address_size 64
.visible .entry a(.param .u64 p)
{
	.reg .b64 %a;
	.reg .f32 %f<4>;
	ld.param.u64 %a, [p];
	ld.global.f32 %f0, [%a];
	mul.f32 %f1, %f0, %f0;
	add.f32 %f2, %f1, %f0;
	st.global.f32 [%a+4], %f2;
	ret;
}
.visible .entry b() { ret; }
`

// TestTypedOptions compares every typed option with the words of the command
// line: same bytes and messages, and other ones than without it where it
// changes anything for this text.
func TestTypedOptions(t *testing.T) {
	compile := func(o Options) (*Output, error) {
		o.Arch = "sm_90"
		return Compile(context.Background(), []Input{{"k.ptx", []byte(typed)}}, o)
	}
	plain, err := compile(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		args string
		same bool // as without
	}{
		{Options{Level: O0}, "-O0", false},
		{Options{Level: O3}, "-O3", true},
		{Options{Haste: HasteMax}, "-Ofc=max", false},
		{Options{MaxRegisters: 32}, "-maxrregcount=32", false},
		{Options{MaxThreads: [3]int{128}}, "--maxntid=128,1,1", false},
		{Options{MaxThreads: [3]int{128}, MinBlocks: 4}, "--maxntid=128,1,1 --minnctapersm=4", false},
		{Options{Entries: []string{"b"}}, "--entry=b", false},
		{Options{NoFMA: true}, "--fmad=false", false},
		{Options{LoadCache: "cg"}, "-dlcm=cg", false},
		{Options{StoreCache: "cs"}, "-dscm=cs", false},
		{Options{Relocatable: true}, "-c", false},
		{Options{LineInfo: true}, "-lineinfo", false},
		{Options{Debug: true}, "-g", false},
		{Options{Workers: -1}, "--split-compile=0", true},
		{Options{TimeLimit: time.Hour}, "--time-limit=3600", true},
		{Options{MemoryLimit: 1 << 40}, "--memory-limit=1048576", true},
		{Options{NoWarnings: true}, "-w", true},
		{Options{WarningsAsErrors: true}, "-Werror", true},
	} {
		got, err := compile(c.o)
		want, werr := compile(Options{Args: strings.Fields(c.args)})
		if err != nil || werr != nil {
			t.Errorf("%s: %v, %v", c.args, err, werr)
			continue
		}
		if !bytes.Equal(got.Cubin, want.Cubin) || got.Log != want.Log {
			t.Errorf("%s: not as with its words", c.args)
		}
		if bytes.Equal(got.Cubin, plain.Cubin) != c.same {
			t.Errorf("%s: same as without is %v", c.args, !c.same)
		}
	}
	if _, err := compile(Options{Level: 9}); err == nil {
		t.Error("a level 9 was accepted")
	}
	if out, err := compile(Options{CheckOnly: true}); err != nil || out.Cubin != nil {
		t.Errorf("only checked: %v", err)
	}
}

// TestKernelFacts compares what is handed over with the report.
func TestKernelFacts(t *testing.T) {
	var names []string
	out, err := CompileKernel(context.Background(), []Input{{"k.ptx", []byte(typed)}}, Options{Arch: "sm_90", Verbose: true}, func(k *Kernel) {
		names = append(names, k.Name)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 2 || len(out.Kernels) != 2 || out.Kernels[0].Name != "a" || out.Kernels[0].Registers < 8 || len(out.Kernels[0].Code) == 0 {
		t.Errorf("%v, %+v", names, out.Kernels)
	}
	used := 0
	for _, m := range out.Messages {
		if strings.HasPrefix(m.Text, "Used ") && m.Severity == Info {
			used++
		}
	}
	if used != 2 {
		t.Errorf("%+v", out.Messages)
	}
}

// TestCancelWithin ends a compilation inside of a phase that takes long: the
// caller goes on at once, and hears nothing more.
func TestCancelWithin(t *testing.T) {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<100>;\nld.param.u64 %a, [p];\n")
	for i := range 40000 {
		s.WriteString("fma.rn.f32 %f" + digits(int64(i%99+1)) + ", %f" + digits(int64(i*7%99+1)) + ", %f" + digits(int64(i*13%99+1)) + ", %f" + digits(int64(i*29%99+1)) + ";\n")
	}
	s.WriteString("st.global.f32 [%a], %f1;\nret;\n}\n")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond) // far less than the compilation takes
	defer cancel()
	begun, over := time.Now(), false
	_, err := CompileKernel(ctx, []Input{{"k.ptx", []byte(s.String())}}, Options{Arch: "sm_90"}, func(*Kernel) {
		if over {
			t.Error("a kernel was handed over after the end")
		}
	})
	over = true
	if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}
