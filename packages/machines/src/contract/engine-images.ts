import type { Readable } from 'node:stream'
import type { Abortable } from './abortable.ts'

/** An image that machines can be created from. */
export interface EngineImage {
  /** The name that `MachineSpec.image` refers to. */
  readonly name: string
  /** Changes when the content does, so that two nodes can tell whether they have the same image. */
  readonly digest: string
  readonly sizeMiB: number
}

/** Images that can be added and removed while the engine runs. Machines keep the content that they were created from. */
export interface EngineImages {
  list(): Promise<EngineImage[]>
  /**
   * Stores a root file system, given as a tar stream, under a name. An image of the same name is replaced for machines that
   * are created from now on. If it fails or is aborted, the previous image is still there.
   */
  add(name: string, rootfs: Readable, options?: Abortable): Promise<EngineImage>
  /** Fails with `STATE` while a machine or a snapshot uses the image. Repeating it is not an error. */
  remove(name: string): Promise<void>
}
