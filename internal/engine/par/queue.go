package par

// queue is a binary heap of tasks, the highest priority at the root and first
// in first out among equals.
type queue[C any] struct {
	items []queued[C]
	seq   int64
}

type queued[C any] struct {
	task Task[C]
	job  *Job
	seq  int64
}

func (q *queue[C]) len() int { return len(q.items) }

func (q *queue[C]) before(i, j int) bool {
	a, b := &q.items[i], &q.items[j]
	if a.task.Priority != b.task.Priority {
		return a.task.Priority > b.task.Priority
	}
	return a.seq < b.seq
}

func (q *queue[C]) push(t Task[C], j *Job) {
	q.seq++
	q.items = append(q.items, queued[C]{t, j, q.seq})
	for i := len(q.items) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.before(i, up) {
			break
		}
		q.items[i], q.items[up] = q.items[up], q.items[i]
		i = up
	}
}

func (q *queue[C]) pop() (Task[C], *Job) {
	top := q.items[0]
	last := len(q.items) - 1
	q.items[0] = q.items[last]
	q.items[last] = queued[C]{}
	q.items = q.items[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && q.before(down+1, down) {
			down++
		}
		if !q.before(down, i) {
			break
		}
		q.items[i], q.items[down] = q.items[down], q.items[i]
		i = down
	}
	return top.task, top.job
}
