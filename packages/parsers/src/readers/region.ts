/** What a part of the text is before anyone looks for actions in it. */
export type RegionKind = 'free' | 'action' | 'thought' | 'memory' | 'answer'

/** A class, so that every region has one shape for the engine that runs it. */
export class Region {
  kind: RegionKind
  readonly start: number
  readonly end: number
  /** What joins its text to that of the region before it, where both are of one kind. */
  readonly joint: string
  /** Inside a tag that says so, a thought is a thought whatever stands in it. */
  readonly sealed: boolean

  constructor(kind: RegionKind, start: number, end: number, joint = '\n', sealed = false) {
    this.kind = kind
    this.start = start
    this.end = end
    this.joint = joint
    this.sealed = sealed
  }
}
