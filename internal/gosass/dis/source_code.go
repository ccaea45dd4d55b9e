package dis

import (
	"runtime"
	"sync"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
)

// chunkWords is the number of instructions that one goroutine prints at a
// time; the pieces are joined in order, so the text does not depend on how
// many there are.
const chunkWords = 1 << 13

// code prints instructions. Where the text and the control column do not
// give the word, the word follows.
func (w *source) code(t *textSection) {
	n := int(t.words())
	parts := make([][]byte, (n+chunkWords-1)/chunkWords)
	var wg sync.WaitGroup
	next := make(chan int, len(parts))
	for i := range parts {
		next <- i
	}
	close(next)
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		wg.Go(func() {
			c := &codeWriter{p: w.p, t: t, known: map[string]bits.Word{}}
			for i := range next {
				parts[i] = c.chunk(i*chunkWords, min((i+1)*chunkWords, n))
			}
		})
	}
	wg.Wait()
	for _, b := range parts {
		w.list.out = append(w.list.out, b...)
	}
	w.list.out = t.appendPlace(w.list.out, uint64(n)*sass.WordBytes)
}

// codeWriter prints instructions of one section.
type codeWriter struct {
	p     *program
	t     *textSection
	out   []byte
	text  []byte
	known map[string]bits.Word // what texts without addresses parse to
}

func (c *codeWriter) chunk(from, to int) []byte {
	const lineSize = 108
	c.out = make([]byte, 0, (to-from)*lineSize)
	for n := from; n < to; n++ {
		c.line(uint64(n) * sass.WordBytes)
	}
	return c.out
}

// ctrlCol is the column of the control column.
const ctrlCol = 80

func (c *codeWriter) line(pc uint64) {
	t := c.t
	c.out = t.appendPlace(c.out, pc)
	w := t.word(pc)
	i := sass.Decode(c.p.arch, w)
	c.text = i.AppendText(c.text[:0], c.p.arch, pc)
	faithful := c.faithful(&i, pc)
	text := c.text
	if mayBranch(w.Lo) {
		if to, ok := targetOf(&i, pc); ok && t.named(to) {
			text = replaceLast(text, appendHexSigned(nil, int64(to)), "`("+t.nameAt(to)+")")
		}
	}
	start := len(c.out)
	c.out = append(c.out, "        /*"...)
	c.out = appendHexN(c.out, pc, 4)
	c.out = append(c.out, "*/"...)
	for n := outdent(text); n < guardRoom; n++ {
		c.out = append(c.out, ' ')
	}
	c.out = append(c.out, text...)
	for len(c.out)-start < ctrlCol-1 {
		c.out = append(c.out, ' ')
	}
	c.out = append(c.out, " ["...)
	c.out = i.Ctrl().AppendText(c.out)
	c.out = append(c.out, ']')
	if !faithful {
		c.out = append(c.out, " =0x"...)
		c.out = appendHexN(c.out, w.Hi, 16)
		c.out = appendHexN(c.out, w.Lo, 16)
	}
	c.out = append(c.out, '\n')
}

// faithful reports whether the text and control of an instruction give its
// word.
func (c *codeWriter) faithful(i *sass.Inst, pc uint64) bool {
	w := i.Word()
	branch := mayBranch(w.Lo)
	if !branch {
		if k, ok := c.known[string(c.text)]; ok {
			return k == withoutCtrl(w)
		}
	}
	back, err := sass.Parse(c.p.arch, string(c.text), pc)
	if err != nil {
		return false
	}
	if !branch {
		c.known[string(c.text)] = withoutCtrl(back.Word())
	}
	return withoutCtrl(back.Word()) == withoutCtrl(w)
}

// withoutCtrl clears the bits that the control column says.
func withoutCtrl(w bits.Word) bits.Word { return w.With(ctrlBit, ctrlBits, 0) }

// The control field of a word.
const (
	ctrlBit  = 105
	ctrlBits = 21
)

// appendPlace adds the label of a place. Function names are labels too.
func (t *textSection) appendPlace(out []byte, off uint64) []byte {
	name := ""
	if s := t.funcAt(off); s != nil {
		name = quote(s.Name)
	} else if n, ok := t.labels[off]; ok {
		name = n
	}
	if name == "" {
		return out
	}
	out = append(out, name...)
	return append(out, ":\n"...)
}
