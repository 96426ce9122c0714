import { MachineError } from '../contract/errors.ts'
import type { AnswerOptions } from './mux-session.ts'

/** Waits for an answer until the timeout, until the signal is aborted, or until the session has ended. */
export async function answerOf(
  answer: Promise<void>,
  ended: Promise<Error>,
  question: string,
  { timeoutMs = 10_000, signal }: AnswerOptions,
): Promise<void> {
  signal?.throwIfAborted()
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    fail(new MachineError('UNREACHABLE', `The machine did not answer ${question} within ${timeoutMs} ms.`))
  }, timeoutMs)
  const aborted = () => fail(signal?.reason)
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    const reason = await Promise.race([answer, ended, failure])
    if (reason) throw reason
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
  }
}
