package zoo

import (
	"encoding/json"
	"os"
	"testing"
)

// Report reads the rows of a report of gpurun zoo, which GOPTXAS_REPORT names,
// and skips the test where it names none.
func Report[Row any](t testing.TB) []Row {
	t.Helper()
	name := os.Getenv("GOPTXAS_REPORT")
	if name == "" {
		t.Skip("GOPTXAS_REPORT names no report")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}
