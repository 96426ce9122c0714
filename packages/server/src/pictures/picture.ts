import type { Readable } from 'node:stream'
import type { ApiError } from '@sandglass/protocol'
import type { PictureFormat } from '@sandglass/workers/contract'
import type { PictureOwner } from './picture-owner.ts'

export interface PictureOptions {
  readonly format: PictureFormat
  /** Whose picture it is. */
  readonly owner?: PictureOwner | undefined
}

/** A picture that was taken. A plain GET of its URL fetches it. */
export interface Picture {
  /** The last part of the URL. */
  readonly file: string
  readonly url: string
  /** The reason why the picture cannot be fetched by its URL, as far as is known now. */
  readonly problem: ApiError | undefined
  /** Whether the picture can no longer be fetched by its URL, because newer ones took its space. */
  readonly isEvicted: boolean
  /** Rejects if the picture cannot be encoded or stored. Callers may ignore it. */
  readonly stored: Promise<void>
  bytes(): Promise<{ readonly type: string; readonly body: Buffer }>
}

/** A picture that is being fetched. */
export interface OpenPicture {
  readonly size: number
  readonly body: Readable | Buffer
}
