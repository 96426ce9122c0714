import { ApiError, ComputerAction, type RequestedAction } from '@sandglass/protocol'

const fits = new Set<string>(ComputerAction.options.map(({ shape }) => shape.type.value))

/** The action, where a desktop can do it. */
export function forDesktop(action: RequestedAction): ComputerAction {
  if (isForDesktop(action)) return action
  throw new ApiError('action.UNFIT', {
    message: `${action.type} is for phones, and this sandbox is a desktop. These fit it: ${[...fits].join(', ')}.`,
  })
}

function isForDesktop(action: RequestedAction): action is ComputerAction {
  return fits.has(action.type)
}
