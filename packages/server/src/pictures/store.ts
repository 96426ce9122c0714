import type { Readable } from 'node:stream'
import type { PictureId } from './picture-id.ts'
import type { PictureName } from './picture-name.ts'

export interface StoredPicture {
  readonly size: number
  readonly body: Readable
}

/** Stores pictures under their names, and the ids that are linked to them. */
export interface PictureStore {
  /** Links an id to a picture that is already stored. Returns false if it is not. */
  link(id: PictureId, name: PictureName): Promise<boolean>
  /** Stores a picture atomically, and links an id to it. */
  put(id: PictureId, name: PictureName, body: Uint8Array<ArrayBuffer>): Promise<void>
  /** Returns the name of the picture that was taken with this id. */
  find(id: PictureId): Promise<PictureName | undefined>
  /** Opens a picture that the id is linked to. */
  open(id: PictureId, name: PictureName): Promise<StoredPicture | undefined>
  /** Returns whether there is space for further pictures, as far as the store can tell. */
  hasSpace(): Promise<boolean>
  /** Deletes expired ids, and pictures without ids. */
  sweep(now: number): Promise<void>
}
