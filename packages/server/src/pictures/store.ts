import type { Readable } from 'node:stream'
import type { PictureId } from './picture-id.ts'
import type { PictureName } from './picture-name.ts'
import type { OwnedName, PictureOwner } from './picture-owner.ts'

export interface StoredPicture {
  readonly size: number
  readonly body: Readable
}

/** A picture that an id is linked to. */
export interface LinkedPicture extends OwnedName {
  readonly id: PictureId
  readonly bytes: number
}

/** Stores pictures under their names, and the ids that are linked to them. */
export interface PictureStore {
  /** Links an id to a picture that is already stored. Returns false if it is not. */
  link(id: PictureId, name: PictureName, owner?: PictureOwner): Promise<boolean>
  /** Stores a picture atomically, and links an id to it. */
  put(id: PictureId, name: PictureName, body: Uint8Array<ArrayBuffer>, owner?: PictureOwner): Promise<void>
  /** Returns the name of the picture that was taken with this id. */
  find(id: PictureId): Promise<PictureName | undefined>
  /** Opens a picture that the id is linked to. */
  open(id: PictureId, name: PictureName): Promise<StoredPicture | undefined>
  /** Deletes an id, and its pictures if no other id is linked to them. */
  delete(id: PictureId): Promise<void>
  /** Lists what the ids of a node are linked to. The ids that expire first come first. */
  linked(node: string): AsyncIterable<LinkedPicture>
  /** Returns whether there is space for further pictures, as far as the store can tell. */
  hasSpace(): Promise<boolean>
  /** Deletes expired ids, and pictures without ids. */
  sweep(now: number): Promise<void>
}
