package tuning

// What one of the cost of spill code adds to the time of a warp, one cycle for so many of a
// load from memory, and to that in which it issues: its unit is busy for some cycles, and not all
// of it is early.
const (
	spillLatency = 22
	spillIssue   = 3
)

// Spilled is about how long code takes with spill code of some cost.
func (t *Tuning) Spilled(c Cost, cost float64) float64 {
	c.Latency += cost * float64(t.Load) / spillLatency
	c.Issue += cost * spillIssue
	return c.Time()
}

// Affordable is the cost of spill code with which code takes so long.
func (t *Tuning) Affordable(c Cost, time float64) float64 {
	low, high := 0.0, c.Latency
	for high-low > 1 {
		if mid := (low + high) / 2; t.Spilled(c, mid) < time {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
