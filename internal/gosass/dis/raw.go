package dis

import (
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
)

// Raw prints words that no file surrounds, one instruction a line.
func Raw(code []byte, opt *Options) ([]byte, error) {
	if opt.Arch == nil {
		return nil, fmt.Errorf("raw words need -arch")
	}
	if len(code)%sass.WordBytes != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of instructions", len(code))
	}
	out := make([]byte, 0, len(code)*4)
	for at := 0; at < len(code); at += sass.WordBytes {
		w := bits.Word{Lo: binary.LittleEndian.Uint64(code[at:]), Hi: binary.LittleEndian.Uint64(code[at+8:])}
		if opt.Hex {
			out = appendHexN(out, w.Lo, 16)
			out = append(out, ' ')
			out = appendHexN(out, w.Hi, 16)
			out = append(out, ' ')
		}
		i := sass.Decode(opt.Arch, w)
		if opt.Ctrl {
			out = append(i.Ctrl().AppendText(out), ' ')
		}
		pc := opt.Base + uint64(at)
		if opt.Alone {
			pc = 0
		}
		out = append(i.AppendText(out, opt.Arch, pc), '\n')
	}
	return out, nil
}
