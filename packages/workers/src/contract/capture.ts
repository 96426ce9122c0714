import type { ScreenSize } from '@sandglass/machines/contract'
import type { PictureFormat } from './picture-format.ts'

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
  readonly body: Uint8Array<ArrayBuffer>
  /** The hash of its pixels: pictures of the same content have the same one. */
  readonly hash: string
  /** How long the encoder took. */
  readonly seconds: number
}

/** A frame that was copied from a screen and waits to be encoded. */
export interface Capture {
  /** The size of the screen then. */
  readonly size: ScreenSize
  /** The memory that it occupies until it is encoded. */
  readonly frameBytes: number
  /** Encodes the frame and frees its memory; can be called once. */
  encode(): Promise<EncodedPicture>
  /** Lets the encoding go before others, because somebody waits for it. */
  prioritize(): void
}

/** Converts pictures that were encoded before. */
export interface PictureConverter {
  /** `tenant` is whose picture it is: tenants take turns. */
  transcode(
    body: Uint8Array<ArrayBuffer>,
    to: PictureFormat,
    tenant?: string,
  ): Promise<Omit<EncodedPicture, 'hash'>>
}
