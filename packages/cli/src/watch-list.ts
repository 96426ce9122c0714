import type { Context } from './context.ts'
import type { ListView } from './output.ts'

/**
 * Shows a list whenever events say that it changed. A terminal is drawn anew; elsewhere lists follow one another, and one in JSON
 * takes one line.
 */
export async function watchList<Item>(
  context: Context,
  types: string,
  fetch: () => Promise<readonly Item[]>,
  view: ListView<Item>,
): Promise<void> {
  const { output, signal, stdout } = context
  const client = await context.client()
  // What happens between the first list and the stream is in the stream, because it begins before the list.
  const { events } = await client.listEvents({ types, order: 'newest', limit: 1 }, { signal })
  const since = events[0] ? { cursor: events[0].id } : { since: new Date(0).toISOString() }
  const show = async () => {
    const items = await fetch()
    const text = output.format === 'json' ? `${JSON.stringify(items)}\n` : output.listText(items, view)
    output.write(stdout.isTTY ? `\u001b[H\u001b[2J\u001b[3J${text}` : text)
  }
  const changes = new Changes(show)
  changes.announce()
  const follow = async () => {
    for await (const _ of client.stream('listEvents', { types, ...since }, { signal })) changes.announce()
  }
  await Promise.race([follow(), changes.failed])
}

/** Draws once for any number of events that arrive while it draws. */
class Changes {
  readonly failed: Promise<never>
  readonly #show: () => Promise<void>
  #fail: (error: unknown) => void = () => {}
  #isShowing = false
  #isAnnounced = false

  constructor(show: () => Promise<void>) {
    this.#show = show
    this.failed = new Promise((_, reject) => {
      this.#fail = reject
    })
  }

  announce(): void {
    this.#isAnnounced = true
    if (!this.#isShowing) void this.#showAll().catch(this.#fail)
  }

  async #showAll(): Promise<void> {
    this.#isShowing = true
    try {
      while (this.#isAnnounced) {
        this.#isAnnounced = false
        await this.#show()
      }
    } finally {
      this.#isShowing = false
    }
  }
}
