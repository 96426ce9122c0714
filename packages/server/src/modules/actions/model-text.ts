import {
  ApiError,
  maxBatchActions,
  type Parsed,
  RequestedAction,
  type runModelText,
} from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { requireParserType, type Texts } from '../parsing/texts.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import { failureOf } from './failures.ts'
import { requireSupported } from './supported.ts'

type Request = Pick<
  z.output<NonNullable<(typeof runModelText)['body']>>,
  'type' | 'textContent' | 'imageWidth' | 'imageHeight'
>

export interface ActionsOfText {
  readonly parsed: Parsed
  /** The same actions, as the machine performs them. */
  readonly actions: readonly RequestedAction[]
}

/** How much of a text an error quotes. */
const maxQuoted = 200

/** Returns the actions in a model's text for this machine. Throws before anything is done if they cannot be performed. */
export async function actionsOfText(
  texts: Texts,
  caller: Principal,
  { machine }: Inside,
  { type, textContent, imageWidth, imageHeight }: Request,
): Promise<ActionsOfText> {
  const parserType = requireParserType(type)
  const size = await machine.screen.size().catch(error => {
    throw failureOf(error)
  })
  const screen = {
    screenWidth: size.width,
    screenHeight: size.height,
    ...(imageWidth !== undefined && { imageWidth }),
    ...(imageHeight !== undefined && { imageHeight }),
  }
  const space = machine.isPhone ? 'mobile' : 'computer'
  const text = await texts.parseToRun(caller, [parserType, space, textContent, screen], maxBatchActions)
  const { parsed, misfit, refused, tooMany } = text
  if (tooMany !== undefined)
    throw new ApiError('parser.TOO_MANY_ACTIONS', {
      message: `The text has ${tooMany} actions, and one call performs at most ${maxBatchActions}.`,
    })
  if (misfit !== undefined)
    throw new ApiError('parser.UNITS', { message: `The coordinates in the text fit no unit: ${misfit}` })
  if (parsed.actions.length === 0) throw noAction(type, kindOf(machine), parsed)
  // The actions after it were meant for the screen as it would be with it.
  if (refused !== undefined)
    throw new ApiError('parser.ACTION_UNKNOWN', {
      message: `The text has an action that a ${kindOf(machine)} cannot perform: ${quoted(refused)}.`,
    })
  return { parsed, actions: parsed.actions.map(action => requireSupported(performable(action), machine)) }
}

/** Parsers accept numbers that requests do not, such as the duration of an hour. */
function performable(action: Parsed['actions'][number]): RequestedAction {
  const { success, data, error } = RequestedAction.safeParse(action)
  if (success) return data
  const [issue] = error.issues
  throw new ApiError('action.INVALID', {
    message: `The text has a ${action.type} that is not valid: ${issue?.path.join('.')}: ${issue?.message}.`,
  })
}

function noAction(type: string, kind: string, { unknown, thoughts, memory }: Parsed): ApiError {
  const text = unknown ?? thoughts ?? memory ?? ''
  const what = text === '' ? 'The text is empty' : `The text is ${quoted(text)}`
  return new ApiError('parser.NO_ACTION', {
    message: `${what}, which has no action of a ${kind} in the form of ${type}.`,
  })
}

function kindOf({ isPhone }: RunningMachine): string {
  return isPhone ? 'phone' : 'desktop'
}

function quoted(text: string): string {
  return JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text)
}
