import type { Machine } from '@sandglass/machines/contract'
import { RoomClipboard } from './clipboard.ts'
import type { RoomHost, RoomPicture } from './host.ts'
import { InputQueue } from './input-queue.ts'

export interface MachineSessionListener {
  /** The machine's clipboard has this now. */
  readonly onCopy: (text: string) => void
  readonly onFault: (error: unknown) => void
  /** There is no picture any more. */
  readonly onFailure: (error: unknown) => void
}

/** What a room has of its machine while that is there and somebody looks. */
export class MachineSession {
  readonly picture: RoomPicture
  readonly inputQueue: InputQueue
  readonly clipboard: RoomClipboard

  constructor({ screen }: Machine, host: RoomHost, listener: MachineSessionListener) {
    const { onCopy, onFault, onFailure } = listener
    this.picture = host.openPicture(screen, onFailure)
    this.inputQueue = new InputQueue(screen, onFault)
    this.clipboard = new RoomClipboard(screen, onCopy, onFault)
  }

  close(): void {
    this.picture.close()
    this.clipboard.close()
    void this.inputQueue.release()
  }
}
