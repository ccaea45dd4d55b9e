package sema_test

import (
	"bytes"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// outcome is what the front end says about one input.
type outcome struct {
	exit   int
	stderr string
}

// options reads the few options that the front end knows.
func options(args []string) (sema.Options, diag.Options) {
	o := sema.Options{Arch: target.Find("sm_75")}
	var d diag.Options
	for _, a := range args {
		a = "-" + strings.TrimLeft(a, "-")
		key, val, _ := strings.Cut(a, "=")
		switch key {
		case "-arch", "-gpu-name":
			if num, ok := strings.CutPrefix(val, "compute_"); ok {
				o.ArchName, val = val, "sm_"+num
			}
			o.Arch = target.Find(val)
		case "-c", "-compile-only":
			o.CompileOnly = true
		case "-g", "-device-debug":
			o.Debug = true
		case "-lineinfo", "-generate-line-info":
			o.LineInfo = true
		case "-warn-double-usage":
			o.WarnDouble = true
		case "-suppress-async-bulk-multicast-advisory-warning":
			o.NoMulticast = true
		case "-suppress-sparse-mma-advisory-info":
			o.NoSparse = true
		case "-w", "-disable-warnings":
			d.NoWarnings = true
		case "-Werror", "-warning-as-error":
			d.WarningsAreErrors = true
		}
	}
	return o, d
}

// check runs the whole front end over one text.
func check(text []byte, args []string) outcome {
	o, d := options(args)
	var out bytes.Buffer
	sink := diag.NewSink(&out, d)
	m := declare.Module([]*syntax.Tree{syntax.Scan(&src.File{Name: "in.ptx", Text: text})}, o, sink)
	var s bodies.Scratch
	for _, f := range m.Bodies() {
		bodies.Check(m, f, &s)
	}
	bodies.End(m, sink)
	if sink.Errors() > 0 {
		sink.Say(diag.Fatal, "Ptx assembly aborted due to errors")
		return outcome{255, out.String()}
	}
	if !whole.Module(m, sink) || !whole.Kernels(m, sink) {
		return outcome{255, out.String()}
	}
	return outcome{0, out.String()}
}
