package sass

import (
	"bufio"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// disasm asks the reference disassembler for the text of each word as if it
// stood at address 0; a word it refuses, or in which it finds a value
// without a name, has the text "".
//
// Raw mode prints nothing when one word is refused but names the addresses
// of those it refuses, so they are replaced and the file is tried again.
func disasm(t testing.TB, tools *oracle.Tools, arch string, words []bits.Word) []string {
	t.Helper()
	out := make([]string, len(words))
	const chunk = 15000
	for lo := 0; lo < len(words); lo += chunk {
		hi := min(lo+chunk, len(words))
		disasmChunk(t, tools, arch, words[lo:hi], out[lo:hi])
	}
	return out
}

var (
	badAddr  = regexp.MustCompile(`at address 0x([0-9a-f]+)`)
	textLine = regexp.MustCompile(`^\s+/\*([0-9a-f]+)\*/\s+(.*?;)`)
	movesPC  = regexp.MustCompile(`(^|\s)(BRA|BSSY|CALL\.REL|LEPC|WARPSYNC\.COLLECTIVE|RET\.REL)\b`)
	hexToken = regexp.MustCompile(`-?0x[0-9a-f]+`)
)

// nop is a word every architecture accepts.
var nop = bits.Word{Lo: 0x7918, Hi: 0x000fc00000000000}

func disasmChunk(t testing.TB, tools *oracle.Tools, arch string, words []bits.Word, out []string) {
	t.Helper()
	raw := make([]byte, 0, 16*len(words))
	for _, w := range words {
		if w == (bits.Word{}) {
			w = nop
		}
		raw = binary.LittleEndian.AppendUint64(raw, w.Lo)
		raw = binary.LittleEndian.AppendUint64(raw, w.Hi)
	}
	file := filepath.Join(t.TempDir(), "words.bin")
	refused := map[int]bool{}
	for range 40 {
		if err := os.WriteFile(file, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		r := tools.Run("", "nvdisasm", "-b", "SM"+strings.TrimPrefix(arch, "sm_"), file)
		if r.Exit == 127 {
			t.Fatal(r.Stderr)
		}
		if r.Exit == 0 {
			readDisasm(r.Stdout, refused, out)
			return
		}
		for _, m := range badAddr.FindAllStringSubmatch(r.Stderr, -1) {
			a, _ := strconv.ParseUint(m[1], 16, 64)
			refused[int(a/16)] = true
			binary.LittleEndian.PutUint64(raw[a:], nop.Lo)
			binary.LittleEndian.PutUint64(raw[a+8:], nop.Hi)
		}
	}
	t.Fatalf("%s: the reference disassembler refuses the file", arch)
}

func readDisasm(stdout string, refused map[int]bool, out []string) {
	sc := bufio.NewScanner(strings.NewReader(stdout))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		m := textLine.FindStringSubmatch(sc.Text())
		if m == nil {
			continue
		}
		a, _ := strconv.ParseUint(m[1], 16, 64)
		n := int(a / 16)
		if n >= len(out) || refused[n] || strings.Contains(m[2], "INVALID") || strings.Contains(m[2], "???") {
			continue
		}
		out[n] = atZero(m[2], int64(a))
	}
}

// atZero moves the code address of an instruction that stands at pc to
// what it would print at address 0.
func atZero(text string, pc int64) string {
	if !movesPC.MatchString(text) {
		return text
	}
	all := hexToken.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return text
	}
	at := all[len(all)-1]
	v, _ := strconv.ParseInt(strings.Replace(text[at[0]:at[1]], "0x", "", 1), 16, 64)
	return text[:at[0]] + string(appendSigned(nil, v-pc)) + text[at[1]:]
}
