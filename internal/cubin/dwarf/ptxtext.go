package dwarf

import "bytes"

// blanked begin the PTX lines that are left empty in .nv_debug_ptx_txt:
// they hold no code, and the text only serves to show code.
var blanked = [...]string{"//", ".loc", ".file", ".b8", ".b16", ".b32", ".b64"}

// PTXText makes the content of .nv_debug_ptx_txt of a PTX file: its lines,
// without indentation, each closed by a zero byte, so that line numbers stay
// those of the file. Empty lines at the end are dropped.
func PTXText(src []byte) []byte {
	out := make([]byte, 0, len(src))
	end := 0
	for line := range bytes.SplitSeq(src, []byte("\n")) {
		line = bytes.TrimLeft(line, " \t")
		if isBlanked(line) {
			line = nil
		}
		out = append(append(out, line...), 0)
		if len(line) > 0 {
			end = len(out)
		}
	}
	return out[:end]
}

func isBlanked(line []byte) bool {
	for _, p := range blanked {
		if !bytes.HasPrefix(line, []byte(p)) {
			continue
		}
		if rest := line[len(p):]; p == "//" || len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' {
			return true
		}
	}
	return false
}
