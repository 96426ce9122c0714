import type { Duplex } from 'node:stream'
import { Supervised } from '@sandglass/supervision'
import type { AdbCredentialStore } from '@yume-chan/adb'
import { AdbLink, asMachineError } from '../../adb/adb-link.ts'
import { AnswerTimeout } from '../../adb/answer-timeout.ts'
import { DeviceShell } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import { dialWithRetry } from '../dial-with-retry.ts'
import { linkBackoff } from '../link-backoff.ts'
import type { InputInjector } from './input-injector.ts'
import { MonkeyInjector } from './monkey-injector.ts'
import { ShellInjector } from './shell-injector.ts'

/** Connects to a device, and gives up once `isWanted` returns false. */
export type OpenLink = (isWanted: () => boolean) => Promise<AdbLink>

/** Connects through `dial`, and retries for a while because adbd may still be starting. */
export function linkOver(dial: () => Promise<Duplex>, keys?: AdbCredentialStore): OpenLink {
  return async isWanted => AdbLink.open(await dialWithRetry(dial, isWanted), keys)
}

/** A connection to a device, with the shell and the injector that run on it. */
export interface Session {
  readonly link: AdbLink
  readonly timeout: AnswerTimeout
  readonly shell: DeviceShell
  readonly injector: InputInjector
}

/** A device that is connected to on first use, and again after the connection was lost. */
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
    this.#sessions.close(new MachineError('STATE', 'the machine has ended or was closed'))
  }

  async #connect(): Promise<Session> {
    const link = await this.#openLink(() => !this.#isClosed)
    const timeout = new AnswerTimeout(link)
    try {
      const shell = await timeout.answer(DeviceShell.open(link))
      const injector: InputInjector =
        (await timeout.answer(MonkeyInjector.open(link))) ?? new ShellInjector(shell)
      for (const part of [shell, injector]) void part.ended?.then(() => link.close())
      return { link, timeout, shell, injector }
    } catch (error) {
      link.close()
      throw error
    }
  }
}
