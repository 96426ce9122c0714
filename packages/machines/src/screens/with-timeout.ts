import { MachineError } from '../contract/errors.ts'

/** The desktop of a machine answers in well under a millisecond; one that takes so long is taken to hang. */
const patienceMs = 5000

/** Waits for an answer of the machine's desktop, which a stranger's program may keep from coming. */
export function within<T>(answer: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    const message = `The desktop of the machine did not answer within ${patienceMs / 1000} s.`
    reject(new MachineError('MACHINE_FAILED', message))
  }, patienceMs)
  answer.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
