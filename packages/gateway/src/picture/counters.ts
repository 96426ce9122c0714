/** What a picture has cost so far. */
export interface PictureCounters {
  /** EncodingCache of tiles and images; whoever needs the same is sent the same. */
  encodings: number
  /** Pictures of video. */
  units: number
}
