/** Waits for all of them, so that nothing is still under way when what they did is taken back; then the first failure. */
export async function allSettledOrThrow(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason
  }
}
