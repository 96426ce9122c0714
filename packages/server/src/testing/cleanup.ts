import { after } from 'node:test'

/** What a test file started is undone after its tests, the last first. */
export const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
