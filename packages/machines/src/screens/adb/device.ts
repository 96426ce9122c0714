import type { Duplex } from 'node:stream'
import { Supervised } from '@sandglass/supervision'
import type { AdbCredentialStore } from '@yume-chan/adb'
import { AdbLink, asMachineError } from '../../adb/adb-link.ts'
import { DeviceShell } from '../../adb/device-shell.ts'
import { Patience } from '../../adb/patience.ts'
import { MachineError } from '../../contract/errors.ts'
import { dialPatiently } from '../dial-patiently.ts'
import { linkBackoff } from '../link-backoff.ts'
import type { Hands } from './hands.ts'
import { MonkeyHands } from './monkey-hands.ts'
import { ShellHands } from './shell-hands.ts'

/** Connects to a device for as long as that is wanted. */
export type OpenLink = (isWanted: () => boolean) => Promise<AdbLink>

/** To an adbd that is dialled; it may come up only now. */
export function linkOver(dial: () => Promise<Duplex>, keys?: AdbCredentialStore): OpenLink {
  return async isWanted => AdbLink.open(await dialPatiently(dial, isWanted), keys)
}

/** A connection to a device with what is found out about it. */
export interface Session {
  readonly link: AdbLink
  readonly patience: Patience
  readonly shell: DeviceShell
  readonly hands: Hands
}

/** A device that is connected to when it is used, and again when the connection was lost. */
export class Device {
  readonly #openLink: OpenLink
  readonly #sessions: Supervised<Session>
  #isClosed = false

  constructor(openLink: OpenLink) {
    this.#openLink = openLink
    this.#sessions = new Supervised({
      open: () => this.#connect(),
      ended: ({ link }) => link.closed,
      close: ({ link }) => link.close(),
      backoff: linkBackoff,
    })
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#sessions.get())
    } catch (error) {
      throw asMachineError(error)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#sessions.close(new MachineError('STATE', 'the machine has ended or was let go of'))
  }

  async #connect(): Promise<Session> {
    const link = await this.#openLink(() => !this.#isClosed)
    const patience = new Patience(link)
    try {
      const shell = await patience.answer(DeviceShell.open(link))
      const hands: Hands = (await patience.answer(MonkeyHands.open(link))) ?? new ShellHands(shell)
      for (const part of [shell, hands]) void part.ended?.then(() => link.close())
      return { link, patience, shell, hands }
    } catch (error) {
      link.close()
      throw error
    }
  }
}
