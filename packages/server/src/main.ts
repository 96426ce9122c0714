import './host/quick-imports.ts'

/** `npm start`. What is imported statically would be looked for before it could be found faster. */
await import('./start.ts')
