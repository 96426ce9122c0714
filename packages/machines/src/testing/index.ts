export { heldDownScript } from './held-down.ts'
export { type SmallDisk, smallDisk } from './small-disk.ts'
export { patienceMs, waitFor } from './wait-for.ts'
