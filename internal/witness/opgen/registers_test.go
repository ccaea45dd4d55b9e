package opgen

import (
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// registerTypes are the types that registers can have.
var registerTypes = strings.Fields("pred b8 u8 s8 b16 u16 s16 f16 f16x2 b32 u32 s32 f32 b64 u64 s64 f64 b128")

// typedRegisters declares nine registers of each type: %k, the type, a
// number.
func typedRegisters() string {
	var b strings.Builder
	for _, t := range registerTypes {
		b.WriteString(".reg ." + t + " %k" + t + "_<9>; ")
	}
	return b.String()
}

var (
	sweepRegister = regexp.MustCompile(`%(?:p|h|r|rd|q)(\d+)\b`)
	// spelled are the words of an opcode that operands do not depend on.
	spelled = regexp.MustCompile(`\.(?:L[12]::\w+|ca|cg|cs|cv|cu|wb|wt|lu|relaxed|acquire|release|acq_rel|volatile|weak|gpu|cta|sys|cluster|rn|rz|rm|rp|rni|rzi|rmi|rpi|ftz|sat|global|lt|gt|le|ge|ne|hi|ls|lo|equ|neu|ltu|gtu|leu|geu|num|nan|or|xor|uni)\b`)
)

// registerForms puts registers of every type into each place of one spelling
// of each form of the sweep.
func registerForms() []string {
	seen := map[string]bool{}
	var list []string
	for _, f := range Sweep() {
		key := spelled.ReplaceAllString(f, "")
		if seen[key] || strings.Contains(f, "[%rd1,") {
			continue
		}
		seen[key] = true
		for _, at := range sweepRegister.FindAllStringSubmatchIndex(f, -1) {
			for _, t := range registerTypes {
				list = append(list, f[:at[0]]+"%k"+t+"_"+f[at[2]:at[2]+1]+f[at[1]:])
			}
		}
	}
	return list
}

// absurd are operands that the reference takes though they have no meaning:
// predicates among the elements of a vector and as packed halves, packed
// halves for predicates, and a fourth operand of atomics.
var absurd = regexp.MustCompile(`\{[^}]*%kpred_|x2 \S*%kpred_|^(?:and|or|xor|not|mov)\.pred .*%kf16x2_|%kf16x2_\d,(?:%p|0|!|%r\d+,(?:0x|%r))|[,!]%kf16x2_\d(?:,0x\w+|,%r\d+)?$`)

// rewritten are refusals that the reference speaks of behind the end of a text alone: it
// rewrites addresses in narrow registers then.
var rewritten = regexp.MustCompile(`^Arguments mismatch for instruction 'mov'$`)

// TestRegisters: of registers of every type in every place of an
// instruction our front end takes those that the reference takes, and what
// both take compiles.
func TestRegisters(t *testing.T) {
	tools := oracle.Find(t)
	const arch = "sm_90a"
	all := registerForms()
	list := some(all, 29)
	var taken []string
	wrong, listed, late := 0, 0, 0
	for at := 0; at < len(list); at += sweepChunk {
		part := list[at:min(at+sweepChunk, len(list))]
		ours, theirs := ourVerdicts(part, arch), referenceVerdicts(t, tools, part, arch)
		for n := range part {
			switch {
			case ours[n] != "" && theirs[n] == "" && absurd.MatchString(part[n]):
				listed++
			case rewritten.MatchString(ours[n]) && theirs[n] == "" && referenceAlone(t, tools, part[n], arch) == ours[n]:
				late++
			case (ours[n] == "") != (theirs[n] == "") && theirs[n] != "crash":
				if wrong++; wrong < 2000 {
					t.Errorf("%s: ours %q, the reference %q", part[n], ours[n], theirs[n])
				}
			case ours[n] == "":
				taken = append(taken, part[n])
			}
		}
	}
	text := func(part []string) string { return sweepFile(part, arch) }
	faulty(taken, arch, text, func(f, msg string) {
		// Addresses of 32 bits are refused for a whole file.
		if !strings.HasPrefix(msg, "front end") && !uncompiled.MatchString(f) && !nowhere.MatchString(f) {
			t.Errorf("%s: %s", f, msg)
		}
	})
	t.Logf("%d of %d spellings asked, %d taken by both, %d are refused as absurd, %d by both once they are rewritten, %d differ", len(list), len(all), len(taken), listed, late, wrong)
}

// nowhere are addresses of 8 or 16 bits, where the reference warns and goes
// on, and stores to parameters at addresses in registers, where it crashes.
var nowhere = regexp.MustCompile(`\[%k[bus](?:8|16)_|^st\S*\.param\S* \[%k`)
