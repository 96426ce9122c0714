/** A small picture of a screen. */
export interface Thumbnail {
  /** Pictures with the same tag are the same. */
  readonly tag: string
  /** The picture as WebP. Left out if the caller has the one with this tag. */
  readonly body?: Uint8Array<ArrayBuffer>
}
