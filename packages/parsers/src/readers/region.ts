import type { Link, LinkedList } from '../linked-list.ts'

/** The kind of a part of the text before actions are searched in it. */
export type RegionKind = 'free' | 'action' | 'thought' | 'memory' | 'answer'

/** A part of the text of one kind. */
export class Region implements Link<Region> {
  kind: RegionKind
  readonly start: number
  end: number
  /** The separator between it and the preceding region of the same kind. */
  readonly separator: string
  /** A thought inside a thinking tag remains a thought, whatever it contains. */
  readonly sealed: boolean
  next: Region | undefined

  constructor(kind: RegionKind, start: number, end: number, separator = '\n', sealed = false) {
    this.next = undefined
    this.kind = kind
    this.start = start
    this.end = end
    this.separator = separator
    this.sealed = sealed
  }
}

/** Whether any region is announced as an action. */
export function hasAction(regions: LinkedList<Region>): boolean {
  for (let region = regions.first; region !== undefined; region = region.next) {
    if (region.kind === 'action') return true
  }
  return false
}
