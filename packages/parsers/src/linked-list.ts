/** An element of a linked list. */
export interface Link<T> {
  next: T | undefined
}

/** A linked list. Most lists have one or two elements, for which a growing array costs twice as much. */
export class LinkedList<T extends Link<T>> {
  first: T | undefined = undefined
  last: T | undefined = undefined

  /** Appends an element, which must not be in any list. */
  add(link: T): void {
    link.next = undefined
    if (this.last === undefined) this.first = link
    else this.last.next = link
    this.last = link
  }
}
