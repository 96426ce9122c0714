/**
 * Repeats an attempt with a timeout of 1 s that doubles each time, until the timeout was long enough for what must happen before
 * it. This takes a second on a fast host, and still passes on a slow one.
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
