package lower

import "goptxas/internal/ptx/isa"

func (l *lowerer) divFloat(t isa.Type) { l.unsupported() }
