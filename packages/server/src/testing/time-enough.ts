/**
 * Tries with 1 s, then with twice as long each time, until that was enough for what must come before the time is over. On a
 * quick box it costs a second, and on a slow one it is no reason to fail.
 */
export async function retryWithLongerTimeout<T>(
  attempt: (seconds: number) => Promise<T>,
  isEnough: (outcome: T) => boolean,
): Promise<T> {
  for (let seconds = 1; ; seconds *= 2) {
    const outcome = await attempt(seconds)
    if (isEnough(outcome) || seconds > 60) return outcome
  }
}
