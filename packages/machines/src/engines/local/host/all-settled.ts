/**
 * Waits for all of them and then throws the first failure, so that nothing is still running when their effects are
 * undone.
 */
export async function allSettledOrThrow(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason
  }
}
