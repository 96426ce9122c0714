import { MachineError } from '../contract/errors.ts'

/** A desktop answers in well under a millisecond; one that takes this long is considered hung. */
const timeoutMs = 5000

/** Limits how long to wait for an answer of the desktop, which a program inside the machine can delay for ever. */
export function withTimeout<T>(answer: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    const message = `The desktop of the machine did not answer within ${timeoutMs / 1000} s.`
    reject(new MachineError('MACHINE_FAILED', message))
  }, timeoutMs)
  answer.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
