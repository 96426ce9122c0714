import type { Machine } from '@sandglass/machines/contract'
import { RoomClipboard } from './clipboard.ts'
import type { RoomHost, RoomPicture } from './host.ts'
import { InputQueue } from './input-queue.ts'

export interface MachineSessionListener {
  /** Called when the machine copied a text. */
  readonly onCopy: (text: string) => void
  readonly onFault: (error: unknown) => void
  /** Called when the picture has failed; nothing more is sent. */
  readonly onFailure: (error: unknown) => void
}

/**
 * A room's use of its machine: picture, input and clipboard. It exists while the machine is there and somebody is in
 * the room.
 */
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
