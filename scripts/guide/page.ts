/** A heading below the title of a page, with what is said under it. */
export interface Section {
  readonly heading: string
  /** Empty for what comes before the first heading. */
  readonly anchor: string
  readonly depth: number
  text: string
}

/** A page of the guide, ready to be put into the frame. */
export interface GuidePage {
  /** Its path in the repository. */
  readonly file: string
  readonly title: string
  readonly html: string
  readonly sections: readonly Section[]
  /** Files of the repository to which its links lead. */
  readonly links: readonly string[]
}
