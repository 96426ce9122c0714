/**
 * The `component` of a problem with the whole machine: it cannot be reached, though it may be running. Calls to it are
 * refused with the reason until the problem is gone; nothing is destroyed because of it.
 */
export const wholeMachine = 'machine'

/** Why a part of a running machine cannot be used now. */
export interface MachineProblem {
  /** What cannot be reached, such as `screen`, or {@link wholeMachine}. */
  readonly component: string
  /** A sentence for a person. */
  readonly reason: string
  readonly since: Date
}

/** A part of the desktop that ended by itself and was started again, such as the window manager. */
export interface ComponentRestart {
  readonly component: string
  /** A sentence for a person. */
  readonly reason: string
  readonly at: Date
}

/** How a running machine is. A machine with a `problem` runs, and callers should not rely on it until that is gone. */
export interface MachineHealth {
  readonly problem?: MachineProblem
  readonly lastRestart?: ComponentRestart
}
