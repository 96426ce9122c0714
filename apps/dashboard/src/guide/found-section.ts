/** A section of a page of the guide, as the search knows it. */
export interface FoundSection {
  readonly page: string
  /** Empty for what comes before the first heading of a page. */
  readonly heading: string
  readonly address: string
  readonly text: string
}
