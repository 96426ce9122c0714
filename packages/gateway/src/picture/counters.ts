/** The work that a picture has caused so far. */
export interface PictureCounters {
  /** Encodings of tiles and images. Viewers that need the same share one. */
  encodings: number
  /** Encoded video frames. */
  units: number
}
