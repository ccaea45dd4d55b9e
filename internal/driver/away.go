package driver

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
)

// ServerVariable names the environment variable with the address of a
// compile server.
const ServerVariable = "GOPTXAS_SERVER"

// Remote compiles texts in another process, with options that Portable
// accepts. An error means that nothing was decided and the work is to be done
// here.
type Remote func(ctx context.Context, server string, args []string, texts []Text) (cubin []byte, log string, ok bool, err error)

// portable are the options that mean the same in another process: they name
// no file and ask for nothing but code and messages.
var portable = [...]cli.ID{
	cli.GPUName, cli.Machine, cli.OptLevel, cli.FastCompileLevel, cli.AllowExpensive, cli.Fmad, cli.OptFloatAtomics, cli.RegisterUsageLevel,
	cli.DefLoadCache, cli.DefStoreCache, cli.ForceLoadCache, cli.ForceStoreCache, cli.DisableOptimizerConsts, cli.DontMergeBlocks, cli.ReturnAtEnd,
	cli.MaxRegCount, cli.MaxNTid, cli.MinNCTAPerSM, cli.OverrideDirectives, cli.CompileOnly, cli.Entry, cli.PositionIndependent,
	cli.DeviceDebug, cli.LineInfo, cli.SuppressDebugInfo, cli.MakeErrorsVisible,
	cli.Verbose, cli.DisableWarnings, cli.WarningAsError, cli.WarnDouble, cli.WarnLocal, cli.WarnSpills,
	cli.SuppressMulticast, cli.SuppressDoubleDemote, cli.SuppressSparse, cli.SuppressStackSize,
	cli.FastCompile, cli.BlocksAreClusters, cli.ForceRela, cli.ExtendedShared, cli.RawTextures, cli.NoUniforms, cli.Diagnostics,
}

// local are the options that stay with who asks.
var local = [...]cli.ID{cli.OutputFile, cli.OptionsFile, cli.SplitCompile, cli.Server}

// Portable returns the options of a line as words that another process
// understands in the same way; false where one of them means something only
// here.
func Portable(line *cli.Line) (args []string, ok bool) {
	var known [len(cli.Table)]bool
	for _, id := range local {
		known[id] = true
	}
	for _, id := range portable {
		known[id] = true
		if !line.Has(id) {
			continue
		}
		word, ok := spelled(&cli.Table[id], line.Value(id))
		if !ok {
			return nil, false
		}
		args = append(args, word)
	}
	for id := range cli.Table {
		if !known[id] && line.Has(cli.ID(id)) {
			return nil, false
		}
	}
	return args, true
}

// spelled writes an option in its long form.
func spelled(o *cli.Option, v *cli.Value) (string, bool) {
	text := v.Text
	switch o.Kind {
	case cli.Flag:
		return "--" + o.Long, true
	case cli.Word, cli.Choices:
		text = strings.Join(v.List, ",")
		if len(v.List) == 0 || strings.ContainsFunc(text, func(r rune) bool {
			return r != '_' && r != '$' && r != ',' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
		}) {
			return "", false
		}
	}
	return "--" + o.Long + "=" + text, text != ""
}

// IsPortable reports whether a word is an option that Portable writes. Who
// compiles for strangers takes no other.
func IsPortable(word string) bool {
	name, _, hasValue := strings.Cut(word, "=")
	for _, id := range portable {
		if o := &cli.Table[id]; name == "--"+o.Long {
			return hasValue == (o.Kind != cli.Flag)
		}
	}
	return false
}

// away compiles a line on a server where one is named; false means that it is
// to be compiled here.
func away(ctx context.Context, line *cli.Line, files []Source, w Env) (code int, done bool) {
	server := line.Text(cli.Server, os.Getenv(ServerVariable))
	if server == "" || w.Remote == nil {
		return 0, false
	}
	args, ok := Portable(line)
	if !ok || line.Has(cli.InputAsString) {
		return 0, false
	}
	if isTerminal(w.Stderr) && !line.Has(cli.Diagnostics) {
		args = append(args, "--"+cli.Table[cli.Diagnostics].Long+"=pretty")
	}
	texts := make([]Text, len(files))
	for n, f := range files {
		if f.Err != "" || line.Inputs[n] == "-" {
			return 0, false
		}
		texts[n] = Text{f.File.Name, f.File.Text}
	}
	cubin, log, ok, err := w.Remote(ctx, server, args, texts)
	if err != nil {
		return 0, false
	}
	if _, err := io.WriteString(w.Stderr, log); err != nil || !ok {
		return Failed, true
	}
	if cubin != nil {
		if err := writeOutput(ctx, line.Text(cli.OutputFile, "elf.o"), cubin); err != nil {
			newSink(line, w.Stderr).Say(diag.Fatal, err.Error())
			return Failed, true
		}
	}
	return 0, true
}
