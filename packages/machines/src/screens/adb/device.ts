import type { Duplex } from 'node:stream'
import type { AdbCredentialStore } from '@yume-chan/adb'
import { dialPatiently } from '../dial-patiently.ts'
import { AdbLink, asMachineError } from './adb-link.ts'
import { DeviceShell } from './device-shell.ts'
import type { Hands } from './hands.ts'
import { MonkeyHands } from './monkey-hands.ts'
import { Patience } from './patience.ts'
import { ShellHands } from './shell-hands.ts'

/** A connection to a device with what is found out about it. */
export interface Session {
  readonly link: AdbLink
  readonly patience: Patience
  readonly shell: DeviceShell
  readonly hands: Hands
}

/** A device that is connected to when it is used, and again when the connection was lost. */
export class Device {
  readonly #dial: () => Promise<Duplex>
  readonly #keys: AdbCredentialStore | undefined
  #session: Promise<Session> | undefined
  #isClosed = false

  constructor(dial: () => Promise<Duplex>, keys?: AdbCredentialStore) {
    this.#dial = dial
    this.#keys = keys
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    try {
      this.#session ??= this.#open()
      return await work(await this.#session)
    } catch (error) {
      throw asMachineError(error)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#session?.then(
      ({ link }) => link.close(),
      () => {},
    )
  }

  #open(): Promise<Session> {
    const session = this.#connect()
    const forget = () => {
      if (this.#session === session) this.#session = undefined
    }
    session.then(({ link }) => link.closed.then(forget), forget)
    return session
  }

  async #connect(): Promise<Session> {
    const stream = await dialPatiently(this.#dial, () => !this.#isClosed)
    const link = await AdbLink.open(stream, this.#keys)
    const patience = new Patience(link)
    try {
      const shell = await patience.answer(DeviceShell.open(link))
      const hands: Hands = (await patience.answer(MonkeyHands.open(link))) ?? new ShellHands(shell)
      for (const part of [shell, hands]) void part.ended?.then(() => link.close())
      if (this.#isClosed) link.close()
      return { link, patience, shell, hands }
    } catch (error) {
      link.close()
      throw error
    }
  }
}
