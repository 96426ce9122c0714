import type { Machine } from '@sandglass/machines/contract'
import { RoomClipboard } from './clipboard.ts'
import { Hands } from './hands.ts'
import type { RoomHost, RoomPicture } from './host.ts'

export interface StageListener {
  /** The machine's clipboard has this now. */
  readonly onCopy: (text: string) => void
  readonly onFault: (error: unknown) => void
  /** There is no picture any more. */
  readonly onFailure: (error: unknown) => void
}

/** What a room has of its machine while that is there and somebody looks. */
export class Stage {
  readonly picture: RoomPicture
  readonly hands: Hands
  readonly clipboard: RoomClipboard

  constructor({ screen }: Machine, host: RoomHost, listener: StageListener) {
    const { onCopy, onFault, onFailure } = listener
    this.picture = host.openPicture(screen, onFailure)
    this.hands = new Hands(screen, onFault)
    this.clipboard = new RoomClipboard(screen, onCopy, onFault)
  }

  close(): void {
    this.picture.close()
    this.clipboard.close()
    void this.hands.release()
  }
}
