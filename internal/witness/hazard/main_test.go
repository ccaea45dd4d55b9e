package hazard

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/sweep"
)

func TestMain(m *testing.M) { sweep.Main(m) }
