/** Entries by time, the earliest first; of equal times the one that was added first (a binary heap). */
export class Agenda<Entry> {
  private readonly heap: { at: number; order: number; entry: Entry }[] = [];
  private added = 0;

  add(at: number, entry: Entry): void {
    this.heap.push({ at, order: this.added, entry });
    this.added += 1;
    let index = this.heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.before(index, parent)) break;
      this.swap(index, parent);
      index = parent;
    }
  }

  /** Takes the earliest entry out; undefined when there is none. */
  next(): { at: number; entry: Entry } | undefined {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.sink();
    }
    return first;
  }

  private sink(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      let least = index;
      if (left < this.heap.length && this.before(left, least)) least = left;
      if (right < this.heap.length && this.before(right, least)) least = right;
      if (least === index) return;
      this.swap(index, least);
      index = least;
    }
  }

  private before(a: number, b: number): boolean {
    const one = this.heap[a];
    const other = this.heap[b];
    if (one === undefined || other === undefined) return false;
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  private swap(a: number, b: number): void {
    const one = this.heap[a];
    const other = this.heap[b];
    if (one === undefined || other === undefined) return;
    this.heap[a] = other;
    this.heap[b] = one;
  }
}
