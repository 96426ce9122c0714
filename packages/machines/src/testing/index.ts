export { heldDownScript } from './held-down.ts'
export { ManualClock } from './manual-clock.ts'
export { patienceMs, waitFor } from './wait-for.ts'
