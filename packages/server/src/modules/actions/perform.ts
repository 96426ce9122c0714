import { performOnDesktop, performOnPhone } from '@sandglass/machines/actions'
import type { Machine } from '@sandglass/machines/contract'
import type { RequestedAction } from '@sandglass/protocol'
import { forDesktop, forPhone } from './supported.ts'

/** Performs an action on a desktop or a phone, and returns its result if it has one. */
export function perform(action: RequestedAction, machine: Machine, signal: AbortSignal): Promise<unknown> {
  return machine.phone
    ? performOnPhone(forPhone(action), machine.phone, machine.screen, signal)
    : performOnDesktop(forDesktop(action), machine.screen, signal)
}
