package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/target"
)

// Settings are the options after all rules between them were applied: what
// the compiler is asked to do.
type Settings struct {
	Arch    string // sm_90a, compute_90, …: as typed
	Virtual bool   // compute_* and lto_*: check, generate nothing

	Opt            int
	FastCompile    string // "", min, mid, max
	OldFastCompile bool   // --fast-compile
	RegUsage       int    // 0 to 10
	Split          int    // threads; 0: one for each CPU
	Jobserver      bool

	Relocatable bool // -c
	Extensible  bool // -ewp
	ToolsPatch  bool
	Entries     []string
	HostFile    string // --nv-host, where Hosted
	Hosted      bool

	Debug, LineInfo, SuppressDebug bool

	MaxRegs     int // 0: not given
	FuncMaxRegs int // 0: not given
	MaxNTid     []int
	MinCTAs     int // 0: not given
	Override    bool

	DefLoad, DefStore, ForceLoad, ForceStore string
	FMA                                      bool
	Verbose, NoWarnings, WarningsAreErrors   bool
	Knobs                                    *knobs.Set
	Line                                     *Line // everything else
}

// Limits of the register count options: the ABI needs 24, the hardware has
// 255, and archmin stands for 32 on every supported GPU.
const (
	minRegs     = 24
	maxRegs     = 255
	archMinRegs = 32
)

// Reporter takes the messages of checks in the order they are found.
type Reporter func(sev diag.Severity, text string)

// Check applies the rules between options, in the reference's order. What
// stops the run at once is returned as a Fault; other messages go to report,
// and whoever counts errors looks after reading the inputs.
func Check(l *Line, report Reporter) (*Settings, *Fault) {
	c := checker{l: l, report: report, s: &Settings{Line: l}}
	for _, step := range steps {
		if f := step(&c); f != nil {
			return c.s, f
		}
	}
	return c.s, nil
}

type checker struct {
	l      *Line
	s      *Settings
	report Reporter
}

// steps are the checks in the order their messages appear.
var steps = [...]func(*checker) *Fault{
	(*checker).architecture,
	(*checker).basics,
	(*checker).hostFile,
	(*checker).registerUsage,
	(*checker).fastCompileName,
	(*checker).apiVersion,
	(*checker).linking,
	(*checker).threads,
	(*checker).cloning,
	(*checker).fastCompileLevel,
	(*checker).lineInfo,
	(*checker).sharedReservation,
	(*checker).toolsPatch,
	(*checker).debugLevel,
	(*checker).caches,
	(*checker).workarounds,
	(*checker).clusters,
	(*checker).memberMasks,
	(*checker).registers,
	(*checker).launchBounds,
	(*checker).scrambled,
	(*checker).lateWorkaround,
	(*checker).descriptions,
}

func (c *checker) warnf(format string, args ...any) {
	c.report(diag.Warning, fmt.Sprintf(format, args...))
}

func (c *checker) errorf(format string, args ...any) {
	c.report(diag.Error, fmt.Sprintf(format, args...))
}

// architecture: link-time code cannot be specific to one chip.
func (c *checker) architecture() *Fault {
	s := c.s
	s.Arch = c.l.Text(GPUName, target.Default)
	s.Virtual = !strings.HasPrefix(s.Arch, "sm_")
	if strings.HasPrefix(s.Arch, "lto_") && strings.HasSuffix(s.Arch, "a") {
		return Faultf("Unsupported gpu architecture '%s'", s.Arch)
	}
	return nil
}

func (c *checker) basics() *Fault {
	l, s := c.l, c.s
	s.Opt = l.Num(OptLevel, 3)
	if s.Opt < 0 || s.Opt > 3 {
		s.Opt = 3 // any other number gives the code of level 3
	}
	s.Entries = l.List(Entry)
	s.Debug, s.LineInfo, s.SuppressDebug = l.Has(DeviceDebug), l.Has(LineInfo), l.Has(SuppressDebugInfo)
	s.Override = l.Has(OverrideDirectives)
	s.FMA = l.Bool(Fmad, true)
	s.Verbose, s.NoWarnings = l.Has(Verbose), l.Has(DisableWarnings)
	s.WarningsAreErrors = l.Has(WarningAsError) && !s.NoWarnings
	return nil
}

// hostFile: only a program that is linked holds the host's file.
func (c *checker) hostFile() *Fault {
	if c.l.Has(NVHost) && (c.l.Has(CompileOnly) || c.l.Has(ExtensibleWholeProgram)) {
		c.warnf("Command line option '--nv-host' not supported for '--extensible-whole-program or --compile-only', will be ignored")
		return nil
	}
	c.s.HostFile, c.s.Hosted = c.l.Text(NVHost, ""), c.l.Has(NVHost)
	return nil
}

// workarounds: options named after faults of GPUs, whatever their value; none
// changes code for the supported ones.
func (c *checker) workarounds() *Fault {
	if c.l.Has(Bug1729687) {
		c.foreign(Bug1729687)
	}
	if c.l.Has(Bug4575628) && !c.has(target.Clusters) {
		c.warnf("Command line option '--sw4575628' not supported for '%s', will be ignored", c.s.Arch)
	}
	if c.l.Has(Bug200387803) {
		c.warnf("'--sw200387803' is a deprecated option, It will be removed in future release and is not recommended")
	}
	return nil
}

func (c *checker) lateWorkaround() *Fault {
	if c.l.Has(Bug200764156) {
		c.foreign(Bug200764156)
	}
	return nil
}

// foreign warns of an option that no supported GPU knows.
func (c *checker) foreign(id ID) {
	name := Table[id].Long
	c.warnf("Conflicting options -arch=%s and --%s specified, ignoring --%s option", c.s.Arch, name, name)
}

// descriptions: texts that describe instructions have a form of the
// reference's own, so that every one is of the wrong form to us.
func (c *checker) descriptions() *Fault {
	switch {
	case c.l.Has(DescFile) && c.l.Has(DescString):
		return Faultf("Conflicting options ext-desc-file and ext-desc-string specified")
	case c.l.Has(DescFile):
		f, err := os.Open(c.l.Text(DescFile, ""))
		if err != nil {
			return Faultf("Could not open input file '%s'", c.l.Text(DescFile, ""))
		}
		f.Close()
	case !c.l.Has(DescString):
		return nil
	}
	return Faultf("Parsing error near 'template initialization': failed")
}

func (c *checker) memberMasks() *Fault {
	if c.l.Has(PrintMemberMasks) && !c.has(target.MaskReport) {
		c.warnf("Command line option '--print-potentially-overlapping-membermasks' not supported for '%s', will be ignored", c.s.Arch)
	}
	return nil
}

func (c *checker) registerUsage() *Fault {
	c.s.RegUsage = c.l.Num(RegisterUsageLevel, 5)
	switch n := c.s.RegUsage; {
	case n < 0 || n > 10:
		c.warnf("Value of RegUsageLevel (%d) is out of valid range {0..10}, option will be ignored", n)
		c.s.RegUsage = 5
	case c.l.Has(RegisterUsageLevel) && c.l.Num(OptLevel, 3) == 0:
		c.warnf("Conflicting options '-O0' and '--register-usage-level' specified, ignoring '--register-usage-level' option")
		c.s.RegUsage = 5
	}
	return nil
}

func (c *checker) fastCompileName() *Fault {
	switch v := c.l.Text(FastCompileLevel, "0"); v {
	case "0":
	case "min", "mid", "max":
		c.s.FastCompile = v
	default:
		return Faultf("Invalid value for --Ofast-compile/-Ofc (%s), is not 'max', 'mid', 'min', or '0'", v)
	}
	return nil
}

// cloning: a quick compilation and one for a debugger clone nothing.
func (c *checker) cloning() *Fault {
	if c.l.Text(Cloning, "no") == "no" {
		return nil
	}
	if fc := c.s.FastCompile; fc != "" {
		return Faultf("Conflicting options -cloning=yes and --Ofast-compile=%s specified", fc)
	}
	if c.l.Has(DeviceDebug) {
		return Faultf("Conflicting options -cloning=yes and -g specified")
	}
	return nil
}

func (c *checker) apiVersion() *Fault {
	if v := c.l.Text(CUDAAPIVersion, "13.0"); v != "13.0" {
		return Faultf("Invalid value '%s' for option '--cuda-api-version'", v)
	}
	if v := c.l.Text(ABICompile, "yes"); v != "yes" {
		c.errorf("Invalid value '%s' for option -abi.", v)
	}
	return nil
}

func (c *checker) linking() *Fault {
	s := c.s
	s.Relocatable, s.Extensible, s.ToolsPatch = c.l.Has(CompileOnly), c.l.Has(ExtensibleWholeProgram), c.l.Has(ToolsPatch)
	s.OldFastCompile = c.l.Has(FastCompile)
	if s.Relocatable && s.OldFastCompile {
		c.warnf("Conflicting options '--compile-only' and '--fast-compile' specified, ignoring '--fast-compile' option")
		s.OldFastCompile = false
	}
	if s.Relocatable && s.Extensible {
		c.warnf("Conflicting options '--compile-only' and '--extensible-whole-program' specified, ignoring '--extensible-whole-program' option")
		s.Extensible = false
	}
	return nil
}

func (c *checker) threads() *Fault {
	c.s.Split = c.l.Num(SplitCompile, 1)
	if c.s.Split < 0 {
		return Faultf("Invalid value '%d' for option '--split-compile'", c.s.Split)
	}
	if c.s.OldFastCompile && c.s.Extensible {
		c.warnf("Conflicting options '--fast-compile' and '--extensible-whole-program' specified, ignoring '--extensible-whole-program' option")
		c.s.Extensible = false
	}
	if c.s.OldFastCompile && c.s.Split != 1 {
		c.warnf("Conflicting options '--fast-compile' and '--split-compile' specified, ignoring '--split-compile' option")
		c.s.Split = 1
	}
	c.s.Jobserver = c.l.Has(Jobserver) && c.s.Split != 1
	return nil
}

// fastCompileLevel: max stands on -O0, the milder levels on -O1.
func (c *checker) fastCompileLevel() *Fault {
	level := c.l.Num(OptLevel, 0)
	switch fc := c.s.FastCompile; {
	case fc == "" || !c.l.Has(OptLevel):
	case fc == "max" && level != 0:
		return Faultf("Conflicting options -opt-level=<1,2,3> and --Ofast-compile=max specified")
	case fc != "max" && level != 1:
		return Faultf("Conflicting options -opt-level=<0,2,3> and --Ofast-compile=%s specified", fc)
	}
	return nil
}

func (c *checker) lineInfo() *Fault {
	if c.s.Debug && c.s.LineInfo {
		c.warnf("Conflicting options --device-debug and --generate-line-info specified, ignoring --generate-line-info option")
		c.s.LineInfo = false
	}
	return nil
}

func (c *checker) sharedReservation() *Fault {
	if c.l.Has(DisableSmemReservation) && !c.has(target.Clusters) {
		c.warnf("Option 'disable-smem-reservation' not supported for gpu architecture '%s', will be ignored", c.s.Arch)
	}
	return nil
}

func (c *checker) toolsPatch() *Fault {
	switch {
	case !c.s.ToolsPatch:
	case c.s.Relocatable:
		return Faultf("Conflicting options '--compile-only' and --compile-as-tools-patch specified")
	case c.s.OldFastCompile:
		return Faultf("Conflicting options '--fast-compile' and --compile-as-tools-patch specified")
	case c.s.Extensible:
		return Faultf("Conflicting options '--extensible-whole-program' and --compile-as-tools-patch specified")
	case c.l.Has(Sanitize):
		c.warnf("Conflicting options '--sanitize' and '--compile-as-tools-patch' specified, ignoring '--sanitize' option")
	}
	return nil
}

func (c *checker) debugLevel() *Fault {
	s := c.s
	if !s.Debug {
		return nil
	}
	if f := s.ForDebug(c.l, c.warnf); f != nil {
		return f
	}
	if c.l.Text(ABICompile, "yes") != "yes" {
		c.warnf("Program compiled without abi might not work properly under debugger")
	}
	return nil
}

// ForDebug sets what code for a debugger needs and warns of every option that
// asks for something else.
func (s *Settings) ForDebug(l *Line, warnf func(format string, args ...any)) *Fault {
	if l.Num(OptLevel, 0) != 0 {
		return Faultf("Optimized debugging not supported")
	}
	s.Opt = 0
	ignore := func(option string) {
		warnf("Conflicting options '--device-debug' and '%s' specified, ignoring '%s' option", option, option)
	}
	if l.Has(RegisterUsageLevel) {
		ignore("--register-usage-level")
		s.RegUsage = 5
	}
	if s.OldFastCompile {
		ignore("--fast-compile")
		s.OldFastCompile = false
	}
	if s.FastCompile != "" {
		ignore("--Ofast-compile=<min,mid,max>")
		s.FastCompile = ""
	}
	return nil
}

// caches checks the four cache options: all values first, then the pairs.
func (c *checker) caches() *Fault {
	l, s := c.l, c.s
	for _, o := range [...]struct {
		id    ID
		to    *string
		what  string
		words string
	}{
		{DefLoadCache, &s.DefLoad, "load", "ca cg cs cv lu"},
		{DefStoreCache, &s.DefStore, "store", "wb cg cs wt"},
		{ForceLoadCache, &s.ForceLoad, "load", "ca cg cs cv lu"},
		{ForceStoreCache, &s.ForceStore, "store", "wb cg cs wt"},
	} {
		if !l.Has(o.id) {
			continue
		}
		*o.to = l.Text(o.id, "")
		if !hasWord(o.words, *o.to) {
			c.errorf("Invalid default cache modifier on %s specified: %s", o.what, *o.to)
		}
	}
	if l.Has(ForceLoadCache) && l.Has(DefLoadCache) {
		c.warnf("Conflicting options force-load-cache and def-load-cache specified, ignoring def-load-cache option")
		s.DefLoad = ""
	}
	if l.Has(ForceStoreCache) && l.Has(DefStoreCache) {
		c.warnf("Conflicting options force-store-cache and def-store-cache specified, ignoring def-store-cache option")
		s.DefStore = ""
	}
	return nil
}

func hasWord(words, w string) bool {
	for f := range strings.FieldsSeq(words) {
		if f == w {
			return true
		}
	}
	return false
}

func (c *checker) clusters() *Fault {
	if c.l.Bool(BlocksAreClusters, false) && !c.has(target.Clusters) {
		c.warnf("Command line option '--blocks-are-clusters' not supported for '%s', will be ignored", c.s.Arch)
	}
	return nil
}

// has reports whether the target, real or virtual, has features; link-time
// code has none.
func (c *checker) has(f target.Features) bool {
	kind, num, _ := strings.Cut(c.s.Arch, "_")
	n, _, _ := number(strings.TrimRight(num, "af"))
	chip := target.FindSM(int(n))
	return kind != "lto" && chip != nil && chip.Has(f)
}

func (c *checker) registers() *Fault {
	s := c.s
	if s.ToolsPatch {
		s.MaxRegs = minRegs
	}
	if c.l.Has(MaxRegCount) {
		n, f := c.registerCount(MaxRegCount)
		if f != nil {
			return f
		}
		s.MaxRegs = n
	}
	switch {
	case !c.l.Has(FuncMaxRegCount):
	case !s.Relocatable:
		c.warnf("Command line option 'device-function-maxrregcount' not supported for 'whole program compilation', will be ignored")
	default:
		n, f := c.registerCount(FuncMaxRegCount)
		if f != nil {
			return f
		}
		s.FuncMaxRegs = n
	}
	return nil
}

func (c *checker) registerCount(id ID) (int, *Fault) {
	text := c.l.Text(id, "")
	n, ok := wrapped(text)
	switch {
	case c.s.Virtual && (text == "archmin" || text == "archmax"):
		return 0, nil
	case text == "archmin":
		n = archMinRegs
	case text == "archmax":
		n = maxRegs
	case !ok:
		return 0, Faultf("Invalid value '%s' for option '%s'", text, Table[id].Long)
	}
	least, most := int32(minRegs), int32(maxRegs)
	if c.l.Text(ABICompile, "yes") != "yes" && id == MaxRegCount {
		least = archMinRegs
	}
	if c.s.Virtual {
		most = 0 // a virtual target has no register file of its own
	}
	switch {
	case c.s.ToolsPatch && id == MaxRegCount && (n > minRegs || n < 0):
		c.errorf("Invalid value '%d' of 'maxrregcount' with option '--compile-as-tools-patch'", n)
		return 0, nil
	case n < 0 || n > most:
		c.warnf("Too big maxrregcount value specified %d, will be ignored", n)
		return int(most), nil
	case n < least:
		c.warnf("For profile %s adjusting per thread register count of %d to lower bound of %d", c.s.Arch, n, least)
		return int(least), nil
	}
	return int(n), nil
}

// launchBounds: a register cap switches the block size options off, and code
// for tools is always capped.
func (c *checker) launchBounds() *Fault {
	l, s := c.l, c.s
	capped := s.MaxRegs != 0
	if l.Has(MinNCTAPerSM) {
		if capped {
			c.warnf("Conflicting options -maxrregcount and -minnctapersm specified, ignoring -minnctapersm option")
		} else {
			s.MinCTAs = l.Num(MinNCTAPerSM, 0)
		}
	}
	if !l.Has(MaxNTid) {
		return nil
	}
	dims := l.List(MaxNTid)
	switch {
	case capped:
		c.warnf("Conflicting options -maxrregcount and -maxntid specified, ignoring -maxntid option")
	case len(dims) > 3:
		c.warnf("Too many values specified for option '-maxntid', option will be ignored")
	default:
		s.MaxNTid = blockSize(dims)
	}
	return nil
}

// blockSize reads the dimensions as C's atoi does: digits as far as they go.
// A dimension that is no positive number makes the whole option void.
func blockSize(dims []string) []int {
	var out []int
	for _, d := range dims {
		n := 0
		for i := 0; i < len(d) && d[i] >= '0' && d[i] <= '9' && n < 1<<31; i++ {
			n = n*10 + int(d[i]-'0')
		}
		if n == 0 {
			return nil
		}
		out = append(out, min(n, 1<<31-1))
	}
	return out
}

func (c *checker) scrambled() *Fault {
	key, length := c.l.Num(OKey, 0), c.l.Num(PTXLength, 0)
	switch {
	case key == 0 && length != 0:
		c.warnf("'--ptx-length' option is ignored unless '--okey' option is specified")
	case key != 0 && length == 0:
		c.warnf("'--ptx-length' option should be specified when '--okey' option is given")
	}
	if key != 0 {
		return Faultf("Scrambled PTX (--okey) is not supported")
	}
	return nil
}
