package flow

import "github.com/goptxas/goptxas/internal/ori"

// kept returns the result f keeps under k, or makes and keeps it. Results
// are shared: nobody changes them.
func kept[T ori.Holder](f *ori.Func, k ori.Fact, analyse func() T) T {
	if v, ok := f.Recall(k).(T); ok {
		return v
	}
	v := analyse()
	f.Remember(k, v)
	return v
}
