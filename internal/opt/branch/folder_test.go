package branch

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: every phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{"BranchSimplify": BranchSimplify, "PlaceBlocks": PlaceBlocks})
}
