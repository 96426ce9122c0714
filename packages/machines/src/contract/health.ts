/**
 * The `component` of a problem with the whole machine: it cannot be reached, though it may be running. Calls to it are
 * refused with the reason until the problem is gone; nothing is destroyed because of it.
 */
export const wholeMachine = 'machine'

/** Why a part of a running machine cannot be used at the moment. */
export interface MachineProblem {
  /** The part that cannot be reached, such as `screen`, or {@link wholeMachine}. */
  readonly component: string
  /** A sentence for a person. */
  readonly reason: string
  readonly since: Date
}

/** A part of the desktop, such as the window manager, that ended by itself and was restarted. */
export interface ComponentRestart {
  readonly component: string
  /** A sentence for a person. */
  readonly reason: string
  readonly at: Date
}

/** The health of a running machine. While there is a `problem`, the machine runs but callers should not rely on it. */
export interface MachineHealth {
  readonly problem?: MachineProblem
  readonly lastRestart?: ComponentRestart
}
