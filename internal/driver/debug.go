package driver

import (
	"goptxas/internal/driver/cli"
	"goptxas/internal/engine/diag"
	"goptxas/internal/ptx/sema"
)

// judgeTarget honours ".target …, debug", which asks for what --device-debug
// asks for: code that follows the text step by step. It returns false if the
// command line wants something else.
func (j *Job) judgeTarget(m *sema.Module) bool {
	if !m.Debug || j.Settings.Debug {
		return true
	}
	s := *j.Settings
	if s.Line.Num(cli.OptLevel, 0) != 0 {
		j.Sink.Say(diag.Fatal, "Optimized debugging not supported")
		return false
	}
	s.Opt = 0
	if s.Line.Has(cli.RegisterUsageLevel) {
		j.warnf("Conflicting options '--device-debug' and '--register-usage-level' specified, ignoring '--register-usage-level' option")
		s.RegUsage = 5
	}
	if s.Hurry {
		j.warnf("Conflicting options '--device-debug' and '--fast-compile' specified, ignoring '--fast-compile' option")
		s.Hurry = false
	}
	if s.FastCompile != "" {
		j.warnf("Conflicting options '--device-debug' and '--Ofast-compile=<min,mid,max>' specified, ignoring '--Ofast-compile=<min,mid,max>' option")
		s.FastCompile = ""
	}
	j.Settings = &s
	return true
}
