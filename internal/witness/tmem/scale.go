package tmem

import "github.com/goptxas/goptxas/internal/engine/fp"

// Scales are bytes: of row r in lane r%32, column r/32 of their place, the
// same in all four quarters of the lanes (PTX ISA, Scale Factor A ID and B
// ID); the descriptor names the first byte of the word. A sparse product is
// twice as deep and has as many scales. A product of depth 96 has three or six,
// which go on in the next word of a row.

// rowsOfScales are the rows whose scales lie together: the next words of all rows
// follow behind them. This is how CUTLASS copies them; the PTX ISA has a figure.
const rowsOfScales = 128

// scaleNumber is the first of two bits of the place of scales that the machine
// must not look at: CUTLASS keeps there which byte of each word is meant, which
// the instruction descriptor says.
const scaleNumber = 30

// scaleLines multiplies the rows and columns of a block by their scales.
// Columns are scaled once, by those of the first block.
func (p *plan) scaleLines(m *Memory, rows, columns []line, rank int) error {
	if err := p.scaleEach(m, p.ScaleA, p.idA, rows); err != nil || rank > 0 {
		return err
	}
	return p.scaleEach(m, p.ScaleB, p.idB, columns)
}

func (p *plan) scaleEach(m *Memory, at Address, id int, lines []line) error {
	at &= 1<<scaleNumber - 1
	words := (len(lines) + 31) / 32
	next := (len(lines) + rowsOfScales - 1) / rowsOfScales * rowsOfScales / 32
	words += (id + p.k/p.block - 1) / 4 * next
	if err := m.span(at, words); err != nil {
		return err
	}
	m.touch(0, Lanes, at.Column(), words, false)
	for r := range lines {
		for k := range lines[r].terms {
			n := id + k/p.block
			w := m.words[at.Column()+r/32+n/4*next][(at.Lane()+r%32)%Lanes]
			x := uint64(w>>(8*(n%4))) & 0xff
			if p.scale == fp.E4M3 {
				x &= 0x7f // it has no sign
			}
			lines[r].terms[k] = lines[r].terms[k].Times(p.scale.Term(x))
		}
	}
	return nil
}
