import {
  type DesktopAction,
  desktopActionTypes,
  isDesktopAction,
  isPhoneAction,
  type PhoneAction,
  phoneActionTypes,
} from '@sandglass/machines/actions'
import { ApiError, ComputerAction, type RequestedAction } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'

const computerUse: ReadonlySet<string> = new Set(ComputerAction.options.map(({ shape }) => shape.type.value))

/** Returns the action, and throws if this kind of machine does not support it. */
export function requireSupported(action: RequestedAction, { isPhone }: RunningMachine): RequestedAction {
  return isPhone ? forPhone(action) : forDesktop(action)
}

function forDesktop(action: RequestedAction): DesktopAction {
  if (isDesktopAction(action)) return action
  throw unsupported(`${action.type} is for phones, and this sandbox is a desktop.`, desktopActionTypes)
}

function forPhone(action: RequestedAction): PhoneAction {
  if (isPhoneAction(action)) return action
  throw unsupported(`${action.type} is for desktops, and this sandbox is a phone.`, phoneActionTypes)
}

/**
 * Throws unless the action is one of computer use. The deprecated operation accepts no others, even if the sandbox is a
 * phone.
 */
export function requireComputerUse(action: RequestedAction): ComputerAction {
  if (isOfComputerUse(action)) return action
  throw unsupported(
    `${action.type} is not a computer-use action. Send it with executeSandboxAction.`,
    computerUse,
  )
}

function isOfComputerUse(action: RequestedAction): action is ComputerAction {
  return computerUse.has(action.type)
}

function unsupported(what: string, types: Iterable<string>): ApiError {
  return new ApiError('action.UNFIT', { message: `${what} Supported actions: ${[...types].join(', ')}.` })
}
