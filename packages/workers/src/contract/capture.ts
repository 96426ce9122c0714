import type { ScreenSize } from '@sandglass/machines/contract'
import type { RawFrame } from '../raw/raw-frame.ts'
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
  /** Set if the frame waits in a file instead, where it occupies no memory. Then `RawPictures` encodes it. */
  readonly raw?: RawPicture | undefined
  /** Encodes the frame and frees its memory; can be called once. */
  encode(): Promise<EncodedPicture>
  /** Lets the encoding go before others, because somebody waits for it. */
  prioritize(): void
}

/** A frame that waits in a file to be encoded. It outlives the process that took it. */
export interface RawPicture {
  /** The name of the file. */
  readonly file: string
  readonly frame: RawFrame
  /** The share of the file that was in use when the frame was written. */
  readonly fill?: number
}

export interface RawChoice {
  /** Whose picture it is: tenants take turns. */
  readonly tenant: string
  /** The name by which it can be prioritized. */
  readonly id: string
  /** Whether somebody waits for it. */
  readonly isFetched: boolean
}

/** Encodes frames that wait in files, also those of processes that have ended. */
export interface RawPictures {
  /** Encodes the picture, which stays in its file. UNREACHABLE if the file does not have it any more. */
  develop(picture: RawPicture, choice: RawChoice): Promise<EncodedPicture>
  /** Lets an encoding that is under way go before others, because somebody waits for it. */
  prioritize(picture: RawPicture, id: string): void
  /** The picture is not needed any more. Resolves with the share of its file that is in use, if the file is in use itself. */
  release(picture: RawPicture): Promise<number | undefined>
  /** Deletes all files but these and those that are in use. */
  keepFiles(files: readonly string[]): Promise<void>
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
