import type { DesktopAction, PhoneAction } from '@sandglass/machines/actions'
import type { Machine } from '@sandglass/machines/contract'
import {
  ApiError,
  ComputerAction,
  ElementAction,
  MobileAction,
  type RequestedAction,
} from '@sandglass/protocol'

type ActionType = RequestedAction['type']

const typesOf = (union: typeof ComputerAction | typeof MobileAction | typeof ElementAction): ActionType[] =>
  union.options.map(({ shape }) => shape.type.value)

const computerUse = new Set<ActionType>(typesOf(ComputerAction))
const desktops = new Set([...computerUse, ...typesOf(ElementAction)])

/** What a finger can do of what a mouse does. */
const byFinger = ['mouse:click', 'mouse:doubleClick', 'mouse:drag', 'mouse:scroll'] as const
const phones = new Set<ActionType>([
  ...typesOf(MobileAction),
  ...byFinger,
  'mobile:doubleTap',
  ...typesOf(ElementAction),
])

/** The action, where this machine can do it. */
export function fitting(action: RequestedAction, machine: Machine): RequestedAction {
  return machine.phone ? forPhone(action) : forDesktop(action)
}

export function forDesktop(action: RequestedAction): DesktopAction {
  if (isForDesktop(action)) return action
  throw unfit(`${action.type} is for phones, and this sandbox is a desktop.`, desktops)
}

export function forPhone(action: RequestedAction): PhoneAction {
  if (isForPhone(action)) return action
  throw unfit(`${action.type} is for desktops, and this sandbox is a phone.`, phones)
}

/** Deprecated operations know no action of a phone, also where the sandbox is one, and none of ours. */
export function ofComputerUse(action: RequestedAction): ComputerAction {
  if (isOfComputerUse(action)) return action
  throw unfit(`${action.type} is no action of computer use; executeSandboxAction takes it.`, computerUse)
}

function isOfComputerUse(action: RequestedAction): action is ComputerAction {
  return computerUse.has(action.type)
}

function isForDesktop(action: RequestedAction): action is DesktopAction {
  return desktops.has(action.type)
}

function isForPhone(action: RequestedAction): action is PhoneAction {
  return phones.has(action.type)
}

function unfit(what: string, types: ReadonlySet<ActionType>): ApiError {
  return new ApiError('action.UNFIT', { message: `${what} Supported actions: ${[...types].join(', ')}.` })
}
