package fp

// Add returns a+b.
func (f Format) Add(a, b uint64, m Mode) uint64 {
	if r, ok := f.fastAdd(a, b, m); ok {
		return r
	}
	a, b = f.inputs(a, b, m)
	if f.IsNaN(a) || f.IsNaN(b) {
		return f.nanResult(m, b, a)
	}
	x, y := f.Unpack(a), f.Unpack(b)
	if x.Kind == Inf || y.Kind == Inf {
		if x.Kind == y.Kind && x.Neg != y.Neg {
			return f.nanResult(m)
		}
		if y.Kind == Inf {
			x = y
		}
		return f.Pack(x, m)
	}
	return f.Pack(add(x, y, m.Round), m)
}

// Sub returns a-b. A NaN operand b keeps its sign, as the machine negates
// numbers only.
func (f Format) Sub(a, b uint64, m Mode) uint64 {
	if !f.IsNaN(b) {
		b ^= f.signBit()
	}
	return f.Add(a, b, m)
}

// Mul returns a·b.
func (f Format) Mul(a, b uint64, m Mode) uint64 {
	if r, ok := f.fastMul(a, b, m); ok {
		return r
	}
	a, b = f.inputs(a, b, m)
	if f.IsNaN(a) || f.IsNaN(b) {
		return f.nanResult(m, b, a)
	}
	p := product(f.Unpack(a), f.Unpack(b))
	if p.Kind == NaN {
		return f.nanResult(m)
	}
	return f.Pack(p, m)
}

// product multiplies two numbers that are not NaN.
func product(x, y Num) Num {
	neg := x.Neg != y.Neg
	switch {
	case x.Kind == Inf && y.Kind == Zero, x.Kind == Zero && y.Kind == Inf:
		return Num{Kind: NaN}
	case x.Kind == Inf || y.Kind == Inf:
		return Num{Kind: Inf, Neg: neg}
	case x.Kind == Zero || y.Kind == Zero:
		return Num{Neg: neg}
	}
	return mul(x, y)
}

// Fma returns a·b+c with one rounding.
func (f Format) Fma(a, b, c uint64, m Mode) uint64 {
	if r, ok := f.fastFma(a, b, c, m); ok {
		return r
	}
	a, b = f.inputs(a, b, m)
	if m.Ftz {
		c = f.Flush(c)
	}
	if f.IsNaN(a) || f.IsNaN(b) || f.IsNaN(c) {
		return f.nanResult(m, b, c, a)
	}
	p, z := product(f.Unpack(a), f.Unpack(b)), f.Unpack(c)
	switch {
	case p.Kind == NaN, p.Kind == Inf && z.Kind == Inf && p.Neg != z.Neg:
		return f.nanResult(m)
	case p.Kind == Inf:
		return f.Pack(p, m)
	case z.Kind == Inf:
		return f.Pack(z, m)
	}
	return f.Pack(add(p, z, m.Round), m)
}

// Div returns a/b, correctly rounded.
func (f Format) Div(a, b uint64, m Mode) uint64 {
	if r, ok := f.fastDiv(a, b, m); ok {
		return r
	}
	a, b = f.inputs(a, b, m)
	if f.IsNaN(a) || f.IsNaN(b) {
		return f.nanResult(m, a, b)
	}
	x, y := f.Unpack(a), f.Unpack(b)
	neg := x.Neg != y.Neg
	switch {
	case x.Kind == y.Kind && x.Kind != Finite:
		return f.nanResult(m)
	case x.Kind == Inf || y.Kind == Zero:
		return f.Pack(Num{Kind: Inf, Neg: neg}, m)
	case x.Kind == Zero || y.Kind == Inf:
		return f.Pack(Num{Neg: neg}, m)
	}
	return f.Pack(div(x, y), m)
}

// Rcp returns 1/a, correctly rounded.
func (f Format) Rcp(a uint64, m Mode) uint64 { return f.Div(f.One(), a, m) }

// Sqrt returns the square root, correctly rounded. The root of -0 is -0.
func (f Format) Sqrt(a uint64, m Mode) uint64 {
	if r, ok := f.fastSqrt(a, m); ok {
		return r
	}
	if m.Ftz {
		a = f.Flush(a)
	}
	if f.IsNaN(a) {
		return f.nanResult(m, a)
	}
	x := f.Unpack(a)
	switch {
	case x.Kind == Zero:
		return f.Pack(x, m)
	case x.Neg:
		return f.nanResult(m)
	case x.Kind == Inf:
		return f.Pack(x, m)
	}
	return f.Pack(sqrt(x), m)
}

// inputs applies .ftz to the operands.
func (f Format) inputs(a, b uint64, m Mode) (uint64, uint64) {
	if m.Ftz {
		return f.Flush(a), f.Flush(b)
	}
	return a, b
}
