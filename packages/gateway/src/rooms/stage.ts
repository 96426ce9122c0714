import type { Machine } from '@sandglass/machines/contract'
import { RoomClipboard } from './clipboard.ts'
import { Hands } from './hands.ts'
import type { RoomHost, RoomPicture } from './host.ts'

/** What a room has of its machine while that is there and somebody looks. */
export class Stage {
  readonly machine: Machine
  readonly picture: RoomPicture
  readonly hands: Hands
  readonly clipboard: RoomClipboard

  constructor(
    machine: Machine,
    host: RoomHost,
    onCopy: (text: string) => void,
    onFault: (error: unknown) => void,
  ) {
    this.machine = machine
    this.picture = host.openPicture(machine.screen)
    this.hands = new Hands(machine.screen, onFault)
    this.clipboard = new RoomClipboard(machine.screen, onCopy, onFault)
  }

  close(): void {
    this.picture.close()
    this.clipboard.close()
    void this.hands.release()
  }
}
