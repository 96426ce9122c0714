import type { Machine } from '@sandglass/machines/contract'
import type { RunningScreen } from './running-screen.ts'

/**
 * A running machine, as the front uses it. What the machine sends was read and checked elsewhere: in a worker, or in tests
 * in the same process. No pixels pass through it, only encoded pictures.
 */
export interface RunningMachine
  extends Pick<
    Machine,
    'handle' | 'screenSize' | 'guest' | 'files' | 'died' | 'health' | 'onHealth' | 'exec' | 'dial' | 'close'
  > {
  /** Whether it takes the actions of phones instead of those of desktops. */
  readonly isPhone: boolean
  readonly screen: RunningScreen
}
