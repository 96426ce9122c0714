import type { Socket } from 'node:net'
import { Supervised } from '@sandglass/supervision'
import { MachineError } from '../../../contract/errors.ts'
import type { InitProcess } from '../oci/init-process.ts'
import { DialerLost, DialerProcess } from './dialer-process.ts'

/**
 * Connects to ports inside machines from the host, with a process that enters their network namespace for a moment.
 * The data then flows directly; through the agent it would pass one more process in each direction.
 */
export class PortDialer {
  readonly #processes = new Supervised<DialerProcess>({
    open: async () => new DialerProcess(),
    ended: dialer => dialer.ended,
    close: dialer => dialer.close(),
    backoff: { firstMs: 50, maxMs: 2000, steadyMs: 0 },
  })

  /** Retries once if the dialer was lost, which is safe because it had no effect. */
  async dial(init: InitProcess, address: string, port: number, isUnread = false): Promise<Socket> {
    try {
      return await this.#dial(init, address, port, isUnread)
    } catch (error) {
      if (!(error instanceof DialerLost)) throw error
      return this.#dial(init, address, port, isUnread)
    }
  }

  close(): void {
    this.#processes.close(new MachineError('STATE', 'the engine was closed'))
  }

  async #dial(init: InitProcess, address: string, port: number, isUnread: boolean): Promise<Socket> {
    return (await this.#processes.get()).dial(init, address, port, isUnread)
  }
}
