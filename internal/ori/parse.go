package ori

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// Parse reads functions in the text form into a module. Lines that are
// empty or start with '#' are skipped; the first of these is its head.
func Parse(text string) (*Module, error) {
	p := &parser{m: &Module{}}
	for line := range strings.Lines(text) {
		p.line++
		if head, ok := strings.CutPrefix(line, "# "); ok && p.line == 1 {
			p.m.Head = strings.TrimSpace(head)
		}
		if err := p.one(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if p.f != nil {
		return nil, fmt.Errorf("line %d: function %s has no end", p.line, p.f.Name)
	}
	if err := p.targets(); err != nil {
		return nil, err
	}
	return p.m, nil
}

type parser struct {
	m      *Module
	f      *Func
	b      *Block
	line   int
	blocks map[int32]*Block
	edges  map[*Block][]int32
	calls  []call
}

// call is a call whose target may be defined later.
type call struct {
	i    *Instr
	arg  int
	name string
	line int
}

func (p *parser) one(s string) error {
	switch {
	case s == "" || s[0] == '#':
		return nil
	case p.f == nil:
		return p.header(s)
	case s == "}":
		return p.finish()
	case strings.HasPrefix(s, "props "):
		for _, w := range strings.Fields(s)[1:] {
			if err := p.f.Props.set(w); err != nil {
				return err
			}
		}
		return nil
	case strings.HasPrefix(s, "reg "):
		return p.reg(strings.Fields(s)[1:])
	}
	if n, rest, ok := strings.Cut(s, ":"); ok && len(n) > 1 && n[0] == 'b' && isNumber(n[1:]) {
		return p.block(n[1:], rest)
	}
	return p.instr(s)
}

func isNumber(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

func (p *parser) header(s string) error {
	w := strings.Fields(s)
	if len(w) < 3 || w[0] != "func" || w[len(w)-1] != "{" {
		return fmt.Errorf("func NAME { expected")
	}
	p.f = p.m.NewRoutine(w[1], routineOf(w[1]))
	p.f.Kernel = len(w) == 4 && w[2] == "kernel"
	p.blocks, p.edges, p.b = map[int32]*Block{}, map[*Block][]int32{}, nil
	return nil
}

// finish resolves the edges and closes the function.
func (p *parser) finish() error {
	for _, b := range p.f.Blocks {
		for _, id := range p.edges[b] {
			t := p.blocks[id]
			if t == nil {
				return fmt.Errorf("b%d leads to b%d, which is not there", b.ID, id)
			}
			b.AddEdge(t)
		}
	}
	p.f.countPhis()
	p.f = nil
	return nil
}

// reg reads "r5 2/2 phys=4 fixed var in=0:8".
func (p *parser) reg(w []string) error {
	if len(w) < 2 {
		return fmt.Errorf("register declaration too short")
	}
	c, n, rest, err := register(w[0])
	if err != nil || rest != "" {
		return fmt.Errorf("bad register %q", w[0])
	}
	if int(n) != len(p.f.Regs) {
		return fmt.Errorf("register %s out of order", w[0])
	}
	var width, align uint8
	if _, err := fmt.Sscanf(w[1], "%d/%d", &width, &align); err != nil || width == 0 || align == 0 {
		return fmt.Errorf("bad width %q", w[1])
	}
	info := RegInfo{Class: c, Width: width, Align: align, Phys: -1}
	for _, x := range w[2:] {
		var err error
		switch k, v, _ := strings.Cut(x, "="); k {
		case "phys":
			_, err = fmt.Sscan(v, &info.Phys)
		case "fixed":
			info.Fixed = true
		case "var":
			info.Var = true
		case "in":
			_, err = fmt.Sscanf(v, "%d:%d", &info.Lo, &info.Hi)
		default:
			err = fmt.Errorf("unknown word %q", x)
		}
		if err != nil {
			return err
		}
	}
	p.f.Regs = append(p.f.Regs, info)
	return nil
}

func (p *parser) block(num, rest string) error {
	id, err := strconv.ParseInt(num, 10, 32)
	if err != nil {
		return err
	}
	if p.blocks[int32(id)] != nil {
		return fmt.Errorf("b%d twice", id)
	}
	p.b = p.f.NewBlock()
	p.b.ID = int32(id)
	p.f.nextBlock = max(p.f.nextBlock, int32(id)+1)
	p.blocks[p.b.ID] = p.b
	rest, p.b.Kept = strings.CutPrefix(strings.TrimSpace(rest), "kept")
	rest, p.b.Rolled = strings.CutPrefix(strings.TrimSpace(rest), "rolled")
	if rest = strings.TrimSpace(rest); rest == "" {
		return nil
	}
	list, ok := strings.CutPrefix(rest, "->")
	if !ok {
		return fmt.Errorf("-> expected")
	}
	for _, s := range strings.Split(list, ",") {
		s = strings.TrimSpace(s)
		if len(s) < 2 || s[0] != 'b' || !isNumber(s[1:]) {
			return fmt.Errorf("bad block %q", s)
		}
		n, err := strconv.ParseInt(s[1:], 10, 32)
		if err != nil {
			return err
		}
		p.edges[p.b] = append(p.edges[p.b], int32(n))
	}
	return nil
}

// instr reads one instruction.
func (p *parser) instr(s string) error {
	if p.b == nil {
		return fmt.Errorf("instruction outside a block")
	}
	s, tail, _ := strings.Cut(s, " ;")
	i := p.f.NewInstr(op.None, op.Mods{}, nil, nil)
	if strings.HasPrefix(s, "@") {
		g, rest, ok := strings.Cut(s[1:], " ")
		if !ok {
			return fmt.Errorf("guard without an instruction")
		}
		o, err := p.operand(i, 0, g)
		if err != nil {
			return err
		}
		i.Guard, s = o, rest
	}
	name, rest, _ := strings.Cut(s, " ")
	if err := mnemonic(i, name); err != nil {
		return err
	}
	rest, old, _ := strings.Cut(rest, " else ")
	left, right, hasDst := strings.Cut(" "+rest, " =")
	var dsts, srcs []Operand
	var err error
	if hasDst {
		if dsts, err = p.operands(i, 0, left); err != nil {
			return err
		}
		if srcs, err = p.operands(i, len(dsts), right); err != nil {
			return err
		}
	} else if srcs, err = p.operands(i, 0, left); err != nil {
		return err
	}
	p.f.SetArgs(i, dsts, srcs)
	if i.Old, err = p.operands(i, 0, old); err != nil {
		return err
	}
	if err := p.tail(i, tail); err != nil {
		return err
	}
	p.b.Append(i)
	return nil
}

func mnemonic(i *Instr, s string) error {
	w := strings.Split(s, ".")
	if i.Op = op.Find(w[0]); i.Op == op.None {
		return fmt.Errorf("unknown operation %q", w[0])
	}
	if len(w)-1 > len(i.Mods) {
		return fmt.Errorf("too many modifiers in %q", s)
	}
	for n, x := range w[1:] {
		if i.Mods[n] = op.FindMod(x); i.Mods[n] == op.NoMod {
			return fmt.Errorf("unknown modifier %q", x)
		}
	}
	return nil
}

func (p *parser) operands(i *Instr, at int, s string) ([]Operand, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var list []Operand
	for _, w := range strings.Split(s, ", ") {
		o, err := p.operand(i, at+len(list), strings.TrimSpace(w))
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

// operand reads an operand with its marks.
func (p *parser) operand(i *Instr, at int, s string) (Operand, error) {
	var fl Flags
	full := s
	if r, ok := strings.CutPrefix(s, "-"); ok && !strings.HasPrefix(r, "0x") {
		fl, s = fl|Neg, r
	}
	if r, ok := strings.CutPrefix(s, "~"); ok {
		fl, s = fl|Inv, r
	}
	for _, m := range [...]struct {
		flag Flags
		text string
	}{{Reuse, ".reuse"}, {B1, ".B1"}, {H1, ".H1"}, {H0, ".H0"}} {
		if r, ok := strings.CutSuffix(s, m.text); ok {
			fl, s = fl|m.flag, r
		}
	}
	if len(s) > 2 && s[0] == '|' && s[len(s)-1] == '|' {
		fl, s = fl|Abs, s[1:len(s)-1]
	}
	o, err := p.bare(i, at, s)
	if err != nil {
		return o, fmt.Errorf("operand %q: %w", full, err)
	}
	o.Flags |= fl
	return o, nil
}

// bare reads an operand without marks.
func (p *parser) bare(i *Instr, at int, s string) (Operand, error) {
	switch {
	case s == "_":
		return Operand{}, nil
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "-0x"):
		v, err := number(s)
		return Imm(v), err
	case strings.HasPrefix(s, "SR"):
		x := op.FindSpecial(s)
		if x == op.SRNone {
			return Operand{}, fmt.Errorf("unknown special register")
		}
		return Special(x), nil
	case strings.HasPrefix(s, "c["):
		return p.constant(s)
	case strings.HasPrefix(s, "l[") && strings.HasSuffix(s, "]"):
		v, err := number(s[2 : len(s)-1])
		return Literal(uint64(v)), err
	case s == "desc["+zeroNames[UR]+"]":
		return Operand{Kind: KDesc, Class: UR, Reg: NoReg}, nil
	case strings.HasPrefix(s, "desc["):
		return p.inside(KDesc, s[5:])
	case s == "gdesc["+zeroNames[UR]+"]":
		return Operand{Kind: KGdesc, Class: UR, Reg: NoReg}, nil
	case strings.HasPrefix(s, "gdesc["):
		return p.marked(KGdesc, s[6:])
	case strings.HasPrefix(s, "tmem["):
		return p.marked(KTmem, s[5:])
	case s == "+["+zeroNames[UR]+"]":
		return Operand{Kind: KUAddr, Class: UR, Reg: NoReg}, nil
	case strings.HasPrefix(s, "+["):
		return p.inside(KUAddr, s[2:])
	case strings.HasPrefix(s, "["):
		return p.address(s[1:])
	case strings.HasPrefix(s, "$"):
		return p.symbol(s[1:])
	case strings.HasPrefix(s, "&"):
		p.calls = append(p.calls, call{i, at, s[1:], p.line})
		return Operand{Kind: KTarget}, nil
	case len(s) > 1 && s[0] == 'b' && isNumber(s[1:]):
		n, err := strconv.ParseInt(s[1:], 10, 32)
		return Operand{Kind: KLabel, Reg: Reg(n)}, err
	}
	for c, z := range zeroNames {
		if s == z {
			return Zero(Class(c)), nil
		}
	}
	if x := op.FindSpecial(s); x != op.SRNone {
		return Special(x), nil
	}
	o, rest, err := p.words(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("%q left over", rest)
	}
	o.Kind = KReg
	return o, err
}

func number(s string) (int64, error) {
	neg := strings.HasPrefix(s, "-")
	v, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimPrefix(s, "-"), "0x"), 16, 64)
	if neg {
		return int64(-v), err
	}
	return int64(v), err
}

// register reads a letter and a number.
func register(s string) (c Class, n int32, rest string, err error) {
	k := -1
	for x, l := range classLetters {
		if s != "" && s[0] == l {
			k = x
		}
	}
	end := 1
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if k < 0 || end == 1 {
		return 0, 0, s, fmt.Errorf("no register")
	}
	v, err := strconv.ParseInt(s[1:end], 10, 32)
	return Class(k), int32(v), s[end:], err
}

// words reads a register with the words meant, up to what follows.
func (p *parser) words(s string) (Operand, string, error) {
	c, n, rest, err := register(s)
	if err != nil {
		return Operand{}, s, err
	}
	if int(n) >= len(p.f.Regs) || p.f.Regs[n].Class != c {
		return Operand{}, s, fmt.Errorf("register is not declared")
	}
	o := Operand{Class: c, Reg: Reg(n), N: p.f.Regs[n].Width}
	if strings.HasPrefix(rest, "[") {
		in, after, ok := strings.Cut(rest[1:], "]")
		if !ok {
			return o, s, fmt.Errorf("] expected")
		}
		from, to, two := strings.Cut(in, ":")
		a, err1 := strconv.ParseUint(from, 10, 8)
		b := a + 1
		var err2 error
		if two {
			b, err2 = strconv.ParseUint(to, 10, 8)
		}
		if err1 != nil || err2 != nil || b <= a || b > uint64(o.N) {
			return o, s, fmt.Errorf("no such words")
		}
		o.Sub, o.N, rest = uint8(a), uint8(b-a), after
	}
	return o, rest, nil
}

// marked reads a register in brackets and what stands behind it.
func (p *parser) marked(k Kind, s string) (Operand, error) {
	in, marks, ok := strings.Cut(s, "+")
	if !ok {
		return Operand{}, fmt.Errorf("marks expected")
	}
	o, err := p.inside(k, in)
	if err == nil {
		o.Imm, err = number(marks)
	}
	return o, err
}

// inside reads a register and a closing bracket.
func (p *parser) inside(k Kind, s string) (Operand, error) {
	o, rest, err := p.words(s)
	if err == nil && rest != "]" {
		err = fmt.Errorf("] expected")
	}
	o.Kind = k
	return o, err
}

func (p *parser) address(s string) (Operand, error) {
	s, ok := strings.CutSuffix(s, "]")
	if !ok {
		return Operand{}, fmt.Errorf("] expected")
	}
	o := Operand{Reg: NoReg}
	if !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "-0x") {
		var err error
		if o, s, err = p.words(s); err != nil {
			return o, err
		}
		if r, ok := strings.CutPrefix(s, ".64"); ok {
			o.Flags, s = Wide, r
		}
		if s, ok = strings.CutPrefix(s, "+"); !ok {
			return o, fmt.Errorf("+ expected")
		}
	}
	v, err := number(s)
	o.Kind, o.Imm = KAddr, v
	return o, err
}

// constant reads c[bank][offset], c[bank][uN+offset] or c[bank][rN+offset].
func (p *parser) constant(s string) (Operand, error) {
	bank, rest, ok := strings.Cut(s[2:], "][")
	rest, ok2 := strings.CutSuffix(rest, "]")
	b, err := number(bank)
	if !ok || !ok2 || err != nil || b < 0 || b > 31 {
		return Operand{}, fmt.Errorf("c[bank][offset] expected")
	}
	o := Const(uint8(b), 0)
	if strings.HasPrefix(rest, "u") || strings.HasPrefix(rest, "r") {
		c, n, after, err := register(rest)
		if err != nil || int(n) >= len(p.f.Regs) || p.f.Regs[n].Class != c || !strings.HasPrefix(after, "+") {
			return o, fmt.Errorf("bad index")
		}
		o.Reg, o.Class, rest = Reg(n), c, after[1:]
	}
	o.Imm, err = number(rest)
	return o, err
}

// symbol reads NAME+0x10:part.
func (p *parser) symbol(s string) (Operand, error) {
	k := strings.LastIndexByte(s, '+')
	if k <= 0 {
		return Operand{}, fmt.Errorf("NAME+OFFSET:PART expected")
	}
	num, part, _ := strings.Cut(s[k+1:], ":")
	v, err := number(num)
	if err != nil {
		return Operand{}, err
	}
	for n, name := range partNames {
		if name == part {
			return Operand{Kind: KSymbol, Reg: p.m.RoutineSymbol(s[:k], routineOf(s[:k])), Sub: uint8(n), Imm: v}, nil
		}
	}
	return Operand{}, fmt.Errorf("unknown part %q", part)
}

// tail reads what stands behind the semicolon.
func (p *parser) tail(i *Instr, s string) error {
	for _, w := range strings.Fields(s) {
		var err error
		switch k, v, _ := strings.Cut(w, "="); k {
		case "line": // for readers: pos says it
		case "pos":
			_, err = fmt.Sscan(v, &i.Line)
		case "loc":
			_, err = fmt.Sscan(v, &i.Loc)
		default:
			i.Sched, err = ParseSched(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ParseSched reads what Sched.String writes.
func ParseSched(s string) (Sched, error) {
	bad := fmt.Errorf("bad control column %q", s)
	if len(s) < 19 || s[0] != 'B' || s[7:9] != ":R" || s[10:12] != ":W" || s[13] != ':' || s[15] != ':' || s[16] != 'S' && s[16] != 'P' {
		return NoSched, bad
	}
	c := NoSched
	for n := range 6 {
		switch s[1+n] {
		case '-':
		case '0' + byte(n):
			c.Wait |= 1 << n
		default:
			return NoSched, bad
		}
	}
	for _, x := range [...]struct {
		at int
		to *int8
	}{{9, &c.RdBar}, {12, &c.WrBar}} {
		switch b := s[x.at]; {
		case b == '-':
		case b >= '0' && b <= '5':
			*x.to = int8(b - '0')
		default:
			return NoSched, bad
		}
	}
	c.Yield, c.Pad = s[14] == 'Y', s[16] == 'P'
	v, err := strconv.ParseUint(s[17:], 10, 8)
	c.Stall = uint8(v)
	return c, err
}

// targets resolves the calls.
func (p *parser) targets() error {
	for _, c := range p.calls {
		found := false
		for n, f := range p.m.Funcs {
			if f.Name == c.name {
				c.i.Args[c.arg].Reg, found = Reg(n), true
			}
		}
		if !found {
			return fmt.Errorf("line %d: function %s is not there", c.line, c.name)
		}
	}
	return nil
}
