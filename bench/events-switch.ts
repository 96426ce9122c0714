import { registerHooks } from 'node:module'

/**
 * Loaded into the service before its own code: SIGUSR2 switches the event log off and on, so that its cost can be measured in one
 * process. The service itself has no such switch.
 */
declare global {
  var areEventsOff: boolean | undefined
}

process.on('SIGUSR2', () => {
  globalThis.areEventsOff = !globalThis.areEventsOff
})

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/server/src/events/append.ts')) return loaded
    const begin = 'const actor = event.actor'
    const source = String(loaded.source)
    if (!source.includes(begin)) throw new Error('appendEvent begins with something else')
    return { ...loaded, source: source.replace(begin, `if (globalThis.areEventsOff) return\n  ${begin}`) }
  },
})
