import { setTimeout as pause } from 'node:timers/promises'

/** Waits for something that becomes true by itself. */
export async function until(isTrue: () => boolean | Promise<boolean>, ms = 120_000): Promise<void> {
  for (const deadline = Date.now() + ms; !(await isTrue()); await pause(2))
    if (Date.now() > deadline) throw new Error(`in ${ms} ms it did not become true: ${isTrue}`)
}
