package ra

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Attention scales all accumulators before it adds to the first of them, so
// that each is touched from the top of the loop on, and to park one would not
// make room for another. What computes words of an accumulator moves down to
// the first product that adds to it.

// gather moves what computes words of the accumulators of a block to their
// first products, and reports whether something has moved.
func (p *parking) gather(b *ori.Block, list []stretch) (moved bool) {
	for _, x := range list {
		moved = p.sink(b, x.reg) || moved
	}
	return moved
}

// sink moves what computes words of r before the first product of b that adds
// to it there, if that is all that touches r before.
func (p *parking) sink(b *ori.Block, r ori.Reg) bool {
	product := b.First()
	for product != nil && !(product.IsGroupMMA() && product.Args[0].Kind == ori.KReg && product.Args[0].Reg == r) {
		product = product.Next()
	}
	if product == nil {
		return false
	}
	var list []*ori.Instr
	written := map[ori.Reg]bool{} // between what moves and the product
	stays := false
	for i := product.Prev(); i != nil; i = i.Prev() {
		if !touches(i, r) {
			stays = true
			for _, d := range i.Dsts() {
				if d.HasReg() {
					written[d.Reg] = true
				}
			}
			continue
		}
		if !computes(i, r) || readsAny(i, written) {
			return false
		}
		if stays {
			list = append(list, i)
		}
	}
	for _, i := range slices.Backward(list) {
		i.Remove()
		b.InsertBefore(i, product)
	}
	return len(list) > 0
}

// touches reports whether i names r.
func touches(i *ori.Instr, r ori.Reg) bool {
	return slices.ContainsFunc(i.Args, func(a ori.Operand) bool { return a.HasReg() && a.Reg == r })
}

// computes reports whether i does nothing but write words of r.
func computes(i *ori.Instr, r ori.Reg) bool {
	if i.Op.Has(op.Reads | op.Writes | op.Effect | op.Terminator | op.Convergent | op.Pseudo | op.Group) {
		return false
	}
	return !slices.ContainsFunc(i.Dsts(), func(d ori.Operand) bool { return d.Kind != ori.KReg || d.Reg != r })
}

// readsAny reports whether i reads a register of a set.
func readsAny(i *ori.Instr, set map[ori.Reg]bool) bool {
	return i.Guard.HasReg() && set[i.Guard.Reg] ||
		slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool { return s.HasReg() && set[s.Reg] })
}
