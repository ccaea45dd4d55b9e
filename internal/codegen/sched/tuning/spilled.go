package tuning

// What one of the cost of spill code adds to the time of a warp, and to that in
// which it issues: its unit is busy for some cycles, and not all of it is early.
const (
	spillLatency = 10
	spillIssue   = 3
)

// Spilled is about how long code takes with spill code of some cost.
func Spilled(t Cost, cost float64) float64 {
	t.Latency += cost * spillLatency
	t.Issue += cost * spillIssue
	return t.Time()
}

// Affordable is the cost of spill code with which code takes so long.
func Affordable(t Cost, time float64) float64 {
	low, high := 0.0, t.Latency
	for high-low > 1 {
		if mid := (low + high) / 2; Spilled(t, mid) < time {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
