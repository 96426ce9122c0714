/**
 * The fetch of Node gives up if no answer has begun after five minutes, although some operations run for longer. This passes each
 * request on to its own dispatcher without that limit. Elsewhere there is no such dispatcher, and no such limit.
 */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean
}

/** How Node shares its dispatcher with the package undici, so that programs can set another. */
const nodeDispatcher = Symbol.for('undici.globalDispatcher.1')

const patient: Dispatcher = {
  dispatch: (options, handler) =>
    found()?.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler) ?? false,
}

function found(): Dispatcher | undefined {
  return (globalThis as { [nodeDispatcher]?: Dispatcher })[nodeDispatcher]
}

/** What to add to a request whose answer may take long. */
export function longAnswers(): object {
  return found() ? { dispatcher: patient } : {}
}
