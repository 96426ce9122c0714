import { after } from 'node:test'

/** Undoes what a test file started, in reverse order, after its tests. */
export const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
