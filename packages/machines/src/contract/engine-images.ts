import type { Readable } from 'node:stream'
import type { Abortable } from './abortable.ts'

export interface EngineImage {
  /** The name that `MachineSpec.image` gives. */
  readonly name: string
  /** Changes when the content does, so that two nodes can tell whether they have the same image. */
  readonly digest: string
  readonly sizeMiB: number
}

/** Images that can be added and removed while the engine runs. Machines keep the content that they were made from. */
export interface EngineImages {
  list(): Promise<EngineImage[]>
  /**
   * Stores a root file system, given as a tar stream, under a name. An image of the same name is replaced for machines that
   * are made from now on. When it fails or is aborted, the former image is still there.
   */
  add(name: string, rootfs: Readable, options?: Abortable): Promise<EngineImage>
  /** Fails with `STATE` while a machine or a snapshot stands on the image. Repeating it is no error. */
  remove(name: string): Promise<void>
}
