import { ToolError } from '@sandglass/protocol/tools'
import {
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  SandglassError,
  WrongServiceError,
} from '../errors.ts'

/** A picture of the screen, as APIs of models take it. */
export interface Picture {
  readonly mediaType: string
  readonly base64: string
  readonly width: number
  readonly height: number
}

/** What came of a tool call, before it is put into the shape of a vendor. */
export interface Outcome {
  readonly text: string
  readonly picture?: Picture | undefined
  /** Whether the call failed. The text says why, and how to go on. */
  readonly isError: boolean
}

export function done(text: string, picture?: Picture): Outcome {
  return { text, picture, isError: false }
}

/**
 * Turns failures into outcomes that tell the model what went wrong. Failures about which a model can do nothing are thrown,
 * because a loop that continued after them would never end: a wrong key, a service that cannot be reached, a sandbox that is gone.
 */
export async function outcomeOf(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolError) return { text: error.message, isError: true }
    if (error instanceof SandglassError && !isFinal(error))
      return { text: `${error.message} (${error.code})`, isError: true }
    throw error
  }
}

function isFinal(error: SandglassError): boolean {
  return (
    error.code === 'sandbox.NOT_FOUND' ||
    error instanceof AuthenticationError ||
    error instanceof ConfigurationError ||
    error instanceof ConnectionError ||
    error instanceof WrongServiceError
  )
}
