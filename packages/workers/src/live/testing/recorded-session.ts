import type { RoomMachine, RoomSession } from '@sandglass/gateway/session'

/** A session and what its listener was told. */
export class RecordedSession {
  readonly session: RoomSession
  readonly copies: string[] = []
  readonly faults: unknown[] = []
  readonly failures: unknown[] = []

  constructor(machine: RoomMachine) {
    this.session = machine.openSession({
      onCopy: text => void this.copies.push(text),
      onFault: error => void this.faults.push(error),
      onPictureFault: error => void this.faults.push(error),
      onFailure: error => void this.failures.push(error),
    })
  }
}
