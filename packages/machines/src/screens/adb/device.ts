import type { Duplex } from 'node:stream'
import type { AdbCredentialStore } from '@yume-chan/adb'
import { dialPatiently } from '../dial-patiently.ts'
import { AdbLink, asMachineError } from './adb-link.ts'
import { DeviceShell } from './device-shell.ts'
import type { Hands } from './hands.ts'
import { MonkeyHands } from './monkey-hands.ts'
import { Patience } from './patience.ts'
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
  #session: Promise<Session> | undefined
  #isClosed = false

  constructor(openLink: OpenLink) {
    this.#openLink = openLink
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
    const link = await this.#openLink(() => !this.#isClosed)
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
