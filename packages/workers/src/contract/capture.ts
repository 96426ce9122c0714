/** The formats of pictures. */
export type PictureFormat = 'webp' | 'png' | 'jpeg'

/** How a picture is taken. */
export interface CaptureChoice {
  readonly format: PictureFormat
  /** Whether the pointer is drawn into the picture. */
  readonly pointer: boolean
  /** The picture is scaled down until neither side is longer than this. */
  readonly longestSide?: number | undefined
  /** A capture that serves as well, if the screen looks the same as then. */
  readonly unlessSameAs?: Capture | undefined
}

/** A picture that was encoded. */
export interface EncodedPicture {
  readonly body: Buffer
  /** The hash of its pixels: pictures of the same content have the same one. */
  readonly hash: string
  /** How long the encoder took. */
  readonly seconds: number
}

/** A frame that was copied from a screen and waits to be encoded. */
export interface Capture {
  /** The memory that it occupies until it is encoded or dropped. */
  readonly frameBytes: number
  /** Encodes the frame and frees its memory; can be called once. */
  encode(): Promise<EncodedPicture>
  /** Lets the encoding go before others, because somebody waits for it. */
  prioritize(): void
}
