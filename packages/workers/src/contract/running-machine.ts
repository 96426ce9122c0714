import type { RoomMachine } from '@sandglass/gateway/session'
import type { Machine } from '@sandglass/machines/contract'
import type { RunningScreen } from './running-screen.ts'

/**
 * A running machine, as the front uses it. What the machine sends was read and checked elsewhere: in a worker, or in tests
 * in the same process. No pixels pass through it, only encoded pictures.
 */
export interface RunningMachine
  extends RoomMachine,
    Pick<
      Machine,
      'handle' | 'screenSize' | 'guest' | 'files' | 'died' | 'health' | 'onHealth' | 'exec' | 'dial' | 'close'
    > {
  /** Whether it takes the actions of phones instead of those of desktops. */
  readonly isPhone: boolean
  readonly screen: RunningScreen
  /**
   * Called when a machine of the warm pool was given to a tenant. Each tenant's machines are served apart from others', so it is
   * opened again: when it is used, or when {@link reopen} is called.
   */
  belongsTo(tenant: string): void
  /** Opens the machine if it is not open. Until then its end is not noticed. */
  reopen(): Promise<void>
}
