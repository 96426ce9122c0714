import { IncusError } from '../client/index.ts'

/** The answer, or undefined if Incus says that there is no such thing. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof IncusError && error.status === 404) return undefined
    throw error
  }
}
