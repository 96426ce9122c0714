import type { Readable } from 'node:stream'
import type { PictureId } from './picture-id.ts'
import type { PictureName } from './picture-name.ts'

export interface StoredPicture {
  readonly size: number
  readonly body: Readable
}

/** Where pictures are kept: each picture under its name, and ids that are tied to them. */
export interface PictureStore {
  /** Ties an id to a picture that is there already; false where it is not. */
  link(id: PictureId, name: PictureName): Promise<boolean>
  /** Stores a picture, whole or not at all, and ties an id to it. */
  put(id: PictureId, name: PictureName, body: Uint8Array<ArrayBuffer>): Promise<void>
  /** The picture that was taken under an id. */
  find(id: PictureId): Promise<PictureName | undefined>
  /** A picture that the id is tied to. */
  open(id: PictureId, name: PictureName): Promise<StoredPicture | undefined>
  /** Whether there is space for further pictures, as far as the store can tell. */
  hasSpace(): Promise<boolean>
  /** Deletes the ids that have expired, and the pictures that none is tied to. */
  sweep(now: number): Promise<void>
}
