import { waitFor } from '@sandglass/machines/testing'
import { LoggedEvent } from '@sandglass/protocol'
import type { TestService } from './test-service.ts'

/**
 * Lists events as soon as those that the test expects are among them. An event is not listed while a transaction is running that
 * began to write before its own, even one of another service on the same PostgreSQL.
 */
export async function eventsWhen(
  service: TestService,
  path: string,
  isComplete: (events: readonly LoggedEvent[]) => boolean,
): Promise<LoggedEvent[]> {
  let events: LoggedEvent[] = []
  await waitFor(async () => {
    const { body } = await service.get(path)
    events = LoggedEvent.array().parse(body.events)
    return isComplete(events)
  })
  return events
}
