package tuning

// jitterBy is by how many cycles paths are made longer or shorter at most.
const jitterBy = 8

// Shake changes the lengths of paths by what a seed says. The same region
// gets the same changes wherever it stands.
func Shake(height []int32, seed int) {
	if seed == 0 {
		return
	}
	x := uint64(seed)*0x9e3779b97f4a7c15 + uint64(len(height))
	for k := range height {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		height[k] = max(1, height[k]+int32(x>>40%(2*jitterBy+1))-jitterBy)
	}
}
