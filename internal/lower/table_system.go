package lower

import "goptxas/internal/ptx/isa"

// systemHandlers says how the instructions that talk to the rest of the
// machine are lowered: control, synchronisation, caches, textures.
var systemHandlers = [isa.NumWords]func(*lowerer){
	isa.WCall: (*lowerer).call,
}
