import type { Chain, Link } from '../chain.ts'

/** What a part of the text is before anyone looks for actions in it. */
export type RegionKind = 'free' | 'action' | 'thought' | 'memory' | 'answer'

/** A part of the text that is of one kind. */
export class Region implements Link<Region> {
  kind: RegionKind
  readonly start: number
  end: number
  /** What joins its text to that of the region before it, where both are of one kind. */
  readonly joint: string
  /** Inside a tag that says so, a thought is a thought whatever stands in it. */
  readonly sealed: boolean
  next: Region | undefined

  constructor(kind: RegionKind, start: number, end: number, joint = '\n', sealed = false) {
    this.next = undefined
    this.kind = kind
    this.start = start
    this.end = end
    this.joint = joint
    this.sealed = sealed
  }
}

/** Whether a label announces actions. */
export function hasAction(regions: Chain<Region>): boolean {
  for (let region = regions.first; region !== undefined; region = region.next) {
    if (region.kind === 'action') return true
  }
  return false
}
