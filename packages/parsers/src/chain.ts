/** What can be chained: it knows what comes after it. */
export interface Link<T> {
  next: T | undefined
}

/** A list of links. Most hold one or two, for which an array that grows is twice the work. */
export class Chain<T extends Link<T>> {
  first: T | undefined = undefined
  last: T | undefined = undefined

  /** Adds a link that is in no chain, or no longer. */
  add(link: T): void {
    link.next = undefined
    if (this.last === undefined) this.first = link
    else this.last.next = link
    this.last = link
  }
}
