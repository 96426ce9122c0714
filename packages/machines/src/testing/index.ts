export { heldDownScript } from './held-down.ts'
export { ManualClock } from './manual-clock.ts'
export { type SmallDisk, smallDisk } from './small-disk.ts'
export { patienceMs, waitFor } from './wait-for.ts'
